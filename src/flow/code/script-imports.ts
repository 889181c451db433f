import { isMark, isWord, scriptTokens } from './script-tokens.ts'
import type { ScriptToken } from './script-tokens.ts'
import { coreContractAddress } from '../core-contracts.ts'
import type { DecodedTransaction } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import { hash } from 'node:crypto'

/** One name that a script imports. */
export interface ScriptImport {
  readonly name: string
  /** 16 hex digits; undefined where the script names a place otherwise, or none: then the name has to be resolved. */
  readonly address: string | undefined
}

/** An import declaration in a list of tokens. */
export interface ImportDeclaration {
  readonly imports: readonly ScriptImport[]
  /** Index of the first token behind it. */
  readonly end: number
}

/**
 * What a Cadence script imports, each name once, in the order of the text. Understood are all spellings of the grammar:
 *
 *     import A from 0x1        import A, B as C from 0x1        import A        import "A"        import A from "place"
 *
 * with line breaks and comments between any two words. `import 0x1`, which imports whatever is there, names nothing.
 * A script that does not parse gives what could be read. Source: onflow/cadence `parser/import.go` of the releases from
 * 0.12 on.
 */
export function scriptImports(script: string): readonly ScriptImport[] {
  if (!script.includes('import')) return []
  const tokens = scriptTokens(script)
  const found = new Map<string, ScriptImport>()
  for (let i = 0; i < tokens.length; i++) {
    // The word is reserved, so wherever it stands by itself a declaration begins. Pragmas are no exception.
    if (!isWord(tokens[i], 'import')) continue
    for (const one of importDeclarationAt(tokens, i + 1).imports) found.set(`${one.address ?? ''}.${one.name}`, one)
  }
  return [...found.values()]
}

/** Reads what stands behind the word `import`, which is before `start`. */
export function importDeclarationAt(tokens: readonly ScriptToken[], start: number): ImportDeclaration {
  const first = tokens[start]
  if (first?.kind === 'text') {
    return { imports: isName(first.text) ? [{ name: first.text, address: undefined }] : [], end: start + 1 }
  }
  const names: string[] = []
  let at = start
  for (;;) {
    const token = tokens[at]
    if (token?.kind !== 'word' || !isName(token.text)) break
    names.push(token.text)
    at++
    if (isWord(tokens[at], 'as')) at += 2
    if (!isMark(tokens[at], ',')) break
    at++
  }
  const place = isWord(tokens[at], 'from') ? tokens[at + 1] : undefined
  const end = place === undefined ? at : at + 2
  const address = place?.kind === 'word' ? addressOf(place.text) : undefined
  if (place?.kind === 'word' && address === undefined) return { imports: [], end }
  // Several names need a place; one may stand alone.
  return { imports: names.length > 1 && place === undefined ? [] : names.map((name) => ({ name, address })), end }
}

function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
}

function addressOf(literal: string): string | undefined {
  const digits = /^0x([0-9a-f_]+)$/i.exec(literal)?.[1]?.replaceAll('_', '').replace(/^0+/, '').toLowerCase()
  return digits === undefined || digits.length > 16 ? undefined : digits.padStart(16, '0')
}

/** Scripts repeat: a few thousand make up nearly all transactions. */
const maxKnownScripts = 10_000
const knownScripts = new Map<string, readonly string[]>()

/**
 * The contracts that a transaction's script imports, `A.<address>.<name>` each, once. A system transaction gives none:
 * the chain's own scripts are the same in every block and say nothing.
 */
export function importedContracts(transaction: DecodedTransaction, network: Network): readonly string[] {
  if (transaction.isSystem) return []
  const key = `${network} ${transaction.scriptHash.toString('latin1')}`
  let imported = knownScripts.get(key)
  if (imported !== undefined) return imported
  if (knownScripts.size >= maxKnownScripts) knownScripts.clear()
  const names = new Set<string>()
  for (const { name, address = coreContractAddress(name, network) } of scriptImports(transaction.script)) {
    // Names without a place are resolved before a script is sent, or else it fails; but for those that the chain knows.
    if (address !== undefined) names.add(`A.${address}.${name}`)
  }
  imported = [...names]
  knownScripts.set(key, imported)
  return imported
}

const evmImport = Buffer.from('import EVM')

/** The key of a script in `raw.scripts`: SHA-256 of its exact bytes, 32 bytes. */
export function scriptHash(script: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', script, 'hex'), 'hex')
}

/** Whether a script's text contains `import EVM`, which is what marks a transaction as one of the EVM. */
export function importsEvm(script: Buffer): boolean {
  return script.includes(evmImport)
}
