import { isMark, isWord, scriptTokens } from '../script-tokens.ts'

/**
 * The names of the events that the code of a contract declares, in its order: `event Deposited(`. Those of interfaces
 * nested in it are among them.
 */
export function declaredEvents(code: string): string[] {
  const tokens = scriptTokens(code)
  const names = new Set<string>()
  for (const [i, token] of tokens.entries()) {
    const name = tokens[i + 1]
    if (isWord(token, 'event') && name?.kind === 'word' && isMark(tokens[i + 2], '(')) names.add(name.text)
  }
  return [...names]
}
