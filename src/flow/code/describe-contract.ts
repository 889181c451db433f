import { coreContractAddress } from '../core-contracts.ts'
import type { Network } from '../network.ts'
import { importDeclarationAt, scriptImports } from './script-imports.ts'
import { isMark, isWord, scriptTokens } from './script-tokens.ts'
import type { ScriptToken } from './script-tokens.ts'

export type ContractKind = 'FT' | 'NFT' | 'CONTRACT'

export interface ContractDescription {
  readonly kind: ContractKind
  /** `A.<address>.<name>`, sorted. */
  readonly imports: readonly string[]
}

const standards = { FungibleToken: 'FT', NonFungibleToken: 'NFT' } as const

export function describeContract(code: string, network: Network): ContractDescription {
  return { kind: kindOf(code, network), imports: contractImports(code, network) }
}

/** Imports without an address are core contracts. */
function contractImports(code: string, network: Network): string[] {
  const found = new Set<string>()
  for (const { name, address = coreContractAddress(name, network) } of scriptImports(code)) {
    if (address !== undefined) found.add(`A.${address}.${name}`)
  }
  return [...found].toSorted()
}

function kindOf(code: string, network: Network): ContractKind {
  const tokens = scriptTokens(code)
  const names = standardNames(tokens, network)
  for (const conformance of conformances(tokens)) {
    const kind = names.get(conformance)
    if (kind !== undefined) return kind
  }
  return 'CONTRACT'
}

/** Imports can alias the standards. */
function standardNames(tokens: readonly ScriptToken[], network: Network): ReadonlyMap<string, ContractKind> {
  const names = new Map<string, ContractKind>()
  for (let i = 0; i < tokens.length; i++) {
    if (!isWord(tokens[i], 'import')) continue
    const { imports, end } = importDeclarationAt(tokens, i + 1)
    for (const { name, address } of imports) {
      const kind = Object.hasOwn(standards, name) ? standards[name as keyof typeof standards] : undefined
      if (kind === undefined || (address !== undefined && address !== coreContractAddress(name, network))) continue
      names.set(aliasOf(name, tokens.slice(i + 1, end)), kind)
    }
  }
  return names
}

function aliasOf(name: string, declaration: readonly ScriptToken[]): string {
  const at = declaration.findIndex((token) => isWord(token, name))
  const alias = isWord(declaration[at + 1], 'as') ? declaration[at + 2] : undefined
  return alias?.kind === 'word' ? alias.text : name
}

/** E.g. B and C of `contract A: B, C {`. None for interfaces, which declare a standard. */
function conformances(tokens: readonly ScriptToken[]): string[] {
  const at = tokens.findIndex((token, i) => isWord(token, 'contract') && isMark(tokens[i + 2], ':'))
  if (at < 0 || isWord(tokens[at + 1], 'interface')) return []
  const found: string[] = []
  for (let i = at + 3; tokens[i]?.kind === 'word'; i += 2) {
    found.push(tokens[i]?.text ?? '')
    if (!isMark(tokens[i + 1], ',')) break
  }
  return found
}
