import type { GraphContract } from '../contracts/contract-graph.ts'
import { contractParts } from '../formats/contract-parts.ts'

/** Which contracts; what is undefined does not matter. */
export interface ContractSelection {
  /** This one: A.<address>.<name>. */
  readonly contract?: string | undefined
  /** In text form. */
  readonly address?: string | undefined
  readonly kind?: string | undefined
  /** A part of `A.<address>.<name>`, in any case. */
  readonly identifier?: string | undefined
  /** A part of the name, in any case. */
  readonly name?: string | undefined
}

/** Whether a contract is one of a selection, as the statements on app.contracts have it. */
export function isSelected(
  one: GraphContract,
  { contract, address, kind, identifier, name }: ContractSelection,
): boolean {
  const parts = contractParts(one.contract)
  if (contract !== undefined && one.contract !== contract) return false
  if (address !== undefined && parts.address !== address) return false
  if (kind !== undefined && one.kind !== kind) return false
  if (identifier !== undefined && !one.contract.toLowerCase().includes(identifier.toLowerCase())) return false
  return name === undefined || parts.name.toLowerCase().includes(name.toLowerCase())
}
