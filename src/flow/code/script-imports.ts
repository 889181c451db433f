import { isMark, isWord, scriptTokens } from './script-tokens.ts'
import type { ScriptToken } from './script-tokens.ts'
import { coreContractAddress } from '../core-contracts.ts'
import type { DecodedTransaction } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import { hash } from 'node:crypto'

export interface ScriptImport {
  readonly name: string
  /** 16 hex digits; undefined for imports without an address. */
  readonly address: string | undefined
}

export interface ImportDeclaration {
  readonly imports: readonly ScriptImport[]
  readonly end: number
}

/**
 * In all spellings of the grammar: `import A from 0x1`, `import A, B as C from 0x1`, `import A`,
 * `import "A"`, `import A from "place"`; `import 0x1` has no names. Returns the readable part of
 * invalid scripts. Source: onflow/cadence `parser/import.go` of the releases from 0.12 on.
 */
export function scriptImports(script: string): readonly ScriptImport[] {
  if (!script.includes('import')) return []
  const tokens = scriptTokens(script)
  const found = new Map<string, ScriptImport>()
  for (let i = 0; i < tokens.length; i++) {
    // `import` is a reserved word.
    if (!isWord(tokens[i], 'import')) continue
    for (const one of importDeclarationAt(tokens, i + 1).imports) found.set(`${one.address ?? ''}.${one.name}`, one)
  }
  return [...found.values()]
}

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
  // Several names require a location.
  return { imports: names.length > 1 && place === undefined ? [] : names.map((name) => ({ name, address })), end }
}

function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
}

function addressOf(literal: string): string | undefined {
  const digits = /^0x([0-9a-f_]+)$/i.exec(literal)?.[1]?.replaceAll('_', '').replace(/^0+/, '').toLowerCase()
  return digits === undefined || digits.length > 16 ? undefined : digits.padStart(16, '0')
}

/** A few thousand scripts make up nearly all transactions. */
const maxKnownScripts = 10_000
const knownScripts = new Map<string, readonly string[]>()

/** `A.<address>.<name>`. None for system transactions, which are the same in every block. */
export function importedContracts(
  transaction: Pick<DecodedTransaction, 'isSystem' | 'scriptHash' | 'script'>,
  network: Network,
): readonly string[] {
  if (transaction.isSystem) return []
  const key = `${network} ${transaction.scriptHash.toString('latin1')}`
  let imported = knownScripts.get(key)
  if (imported !== undefined) return imported
  if (knownScripts.size >= maxKnownScripts) knownScripts.clear()
  const names = new Set<string>()
  for (const { name, address = coreContractAddress(name, network) } of scriptImports(transaction.script)) {
    // Submitted scripts have addresses for all imports except built-in contracts.
    if (address !== undefined) names.add(`A.${address}.${name}`)
  }
  imported = [...names]
  knownScripts.set(key, imported)
  return imported
}

const evmImport = Buffer.from('import EVM')

/** Key of `raw.scripts`: SHA-256 of the script, 32 bytes. */
export function scriptHash(script: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', script, 'hex'), 'hex')
}

export function importsEvm(script: Buffer): boolean {
  return script.includes(evmImport)
}
