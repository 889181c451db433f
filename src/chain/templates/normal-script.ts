import { hash } from 'node:crypto'
import type { Network } from '../network.ts'
import { importDeclarationAt } from '../script-imports.ts'
import type { ScriptImport } from '../script-imports.ts'
import { isMark, isWord, scriptTokens } from '../script-tokens.ts'
import type { ScriptToken } from '../script-tokens.ts'
import { isKnownAccount } from './known-accounts.ts'

/** A script without what does not change its meaning. */
export interface NormalScript {
  /** Names of imported contracts that are well known, and `A.<address>.<name>` of others. Sorted, each once. */
  readonly imports: readonly string[]
  /** The words of the script, imports left out, with one space between any two. Texts are in quotes. */
  readonly body: string
  /** SHA-256 of both, 64 hex digits. */
  readonly hash: string
}

/**
 * The form in which variants of a script are equal: those that differ in comments, white space, semicolons at the end of
 * a line, the spelling and order of imports, and the network that they were written for. What stands in string literals
 * counts as it is. Contracts go by their names where they are imported from an account that is known, or from none.
 */
export function normalScript(script: string, network: Network): NormalScript {
  const tokens = scriptTokens(script)
  const imports = new Set<string>()
  const words: string[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as ScriptToken
    if (isWord(token, 'import')) {
      const declaration = importDeclarationAt(tokens, i + 1)
      for (const one of declaration.imports) imports.add(nameOf(one, network))
      i = declaration.end - 1
    } else if (!isMark(token, ';')) words.push(token.kind === 'text' ? `"${token.text}"` : token.text)
  }
  const sorted = [...imports].toSorted()
  const body = words.join(' ')
  return { imports: sorted, body, hash: hash('sha256', `${sorted.join(' ')}\n${body}`) }
}

function nameOf({ name, address }: ScriptImport, network: Network): string {
  return address === undefined || isKnownAccount(address, network) ? name : `A.${address}.${name}`
}
