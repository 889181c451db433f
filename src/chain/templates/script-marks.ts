import { isMark, scriptTokens } from '../script-tokens.ts'
import type { ScriptToken } from '../script-tokens.ts'

/**
 * What a script imports, calls and names, a line each, so that rules can look for it with regular expressions:
 *
 *     import FungibleToken            as in the imports of the normal form
 *     call withdraw                   a function, whatever it is a member of
 *     call withdraw(amount:           … with the label of its first argument
 *     call EVM.run                    … with the name before the dot
 *     name FlowIDTableStaking.Admin   two names with a dot between them
 *     word destroy                    the key word
 */
export function scriptMarks(script: string, imports: readonly string[]): string {
  const tokens = scriptTokens(script)
  const marks = new Set(imports.map((name) => `import ${name}`))
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as ScriptToken
    if (token.kind !== 'word') continue
    if (token.text === 'destroy') marks.add('word destroy')
    const owner = isMark(tokens[i - 1], '.') || isMark(tokens[i - 1], '?.') ? tokens[i - 2] : undefined
    const qualified = owner?.kind === 'word' ? `${owner.text}.${token.text}` : undefined
    if (qualified !== undefined) marks.add(`name ${qualified}`)
    if (!isMark(tokens[i + 1], '(') && !isCallOfType(tokens, i + 1)) continue
    marks.add(`call ${token.text}`)
    if (qualified !== undefined) marks.add(`call ${qualified}`)
    const label = tokens[i + 2]
    if (label?.kind === 'word' && isMark(tokens[i + 3], ':')) marks.add(`call ${token.text}(${label.text}:`)
  }
  return [...marks].join('\n')
}

/** Whether type arguments, and then a call, begin here: `borrow<&A>(from: …)`. */
function isCallOfType(tokens: readonly ScriptToken[], start: number): boolean {
  if (!isMark(tokens[start], '<')) return false
  let depth = 0
  for (let i = start; i < tokens.length && i < start + 64; i++) {
    const { kind, text } = tokens[i] as ScriptToken
    if (kind !== 'mark') continue
    if (text === '<') depth++
    else if (text === '>' && --depth === 0) return isMark(tokens[i + 1], '(')
    else if (text === ';' || text === '=') return false
  }
  return false
}
