import type { ResolvedContract } from '../import-workspace.ts'
import { firstOf } from './document-imports.ts'
import { importStatements } from './import-statements.ts'
import type { ImportStatement } from './import-statements.ts'
import { sourceTokens } from './source-tokens.ts'

/** A contract of the chain with what it imports. */
export interface ChainContract extends ResolvedContract {
  readonly id: string
  readonly statements: readonly ImportStatement[]
  /** Whether something in it is for contracts of the same account alone. */
  readonly hasAccountAccess: boolean
}

/** The key of a contract on its network: same-named contracts of other accounts have another. */
export function contractId({ address, name }: { readonly address: string; readonly name: string }): string {
  return `${address}.${name}`
}

/** Reads what a contract imports. */
export function readChainContract({ address, name, code }: ResolvedContract): ChainContract {
  return {
    address,
    name,
    code,
    id: contractId({ address, name }),
    statements: firstOf(importStatements(sourceTokens(code))),
    hasAccountAccess: /\baccess\s*\(\s*account\s*\)/.test(code),
  }
}

/** The contracts that a statement names, by address; none for other locations. */
export function namedContracts({ names, location: { kind, value } }: ImportStatement): string[] {
  return kind === 'address' ? names.map(({ name }) => contractId({ address: value, name })) : []
}
