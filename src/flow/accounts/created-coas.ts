import { isZeroAddress } from '../address.ts'
import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import { addressField, evmAddressField, FieldShapeError } from '../event-fields.ts'
import type { Network } from '../network.ts'

/**
 * `capability`: it issued a capability for a COA between this creation and the next;
 * `only_account`: the transaction had access to no other account.
 */
export type OwnerEvidence = 'capability' | 'only_account'

export interface CreatedCoa {
  readonly eventIndex: number
  /** 0x and 40 hex digits. */
  readonly coaAddress: string
  /** Undefined if ambiguous. */
  readonly owner: { readonly address: string; readonly evidence: OwnerEvidence } | undefined
}

export interface CoaProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly message: string
}

/**
 * COAs created by a transaction. The event does not name the owner:
 *
 *     CadenceOwnedAccountCreated(addressBytes: [UInt8; 20])       first version
 *     CadenceOwnedAccountCreated(address: String)                 later
 *     CadenceOwnedAccountCreated(address: String, uuid: UInt64)   current
 *
 * Owners usually issue a public capability in the same transaction. Otherwise the owner is the only
 * authorizer or created account; with several, it is unknown. Source of the versions:
 * onflow/flow-go `fvm/evm/stdlib/contract.cdc`.
 */
export function createdCoas(
  transaction: DecodedTransaction,
  network: Network,
): { readonly coas: readonly CreatedCoa[]; readonly problems: readonly CoaProblem[] } {
  const { events } = transaction
  const type = `A.${coreContracts(network).service}.EVM.CadenceOwnedAccountCreated`
  if (!events.some((event) => event.type === type)) return { coas: [], problems: [] }
  const coas: CreatedCoa[] = []
  const problems: CoaProblem[] = []
  const only = onlyAccount(transaction)
  const creations = events.filter((event) => event.type === type)
  for (const [i, { index: eventIndex, fields }] of creations.entries()) {
    if (fields === undefined) continue
    try {
      const coaAddress = evmAddressField(fields, fields['address'] === undefined ? 'addressBytes' : 'address')
      const issuers = capabilityIssuers(events, eventIndex, creations[i + 1]?.index ?? Infinity, network)
      const [issuer] = issuers
      const owner =
        issuer !== undefined && issuers.size === 1
          ? { address: issuer, evidence: 'capability' as const }
          : issuers.size === 0 && only !== undefined
            ? { address: only, evidence: 'only_account' as const }
            : undefined
      coas.push({ eventIndex, coaAddress, owner })
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      problems.push({ eventIndex, eventType: type, message: error.message })
    }
  }
  return { coas, problems }
}

function onlyAccount({ authorizers, isSystem, events }: DecodedTransaction): string | undefined {
  if (isSystem) return undefined
  const accounts = new Set(authorizers.filter((address) => !isZeroAddress(address)))
  for (const { type, fields } of events) {
    const created = type === 'flow.AccountCreated' ? fields?.['address'] : undefined
    if (typeof created === 'string') accounts.add(created)
  }
  const [first] = accounts
  return accounts.size === 1 ? first : undefined
}

function capabilityIssuers(events: readonly DecodedEvent[], from: number, to: number, network: Network): Set<string> {
  const coa = new RegExp(String.raw`\bA\.${coreContracts(network).service}\.EVM\.CadenceOwnedAccount(?!\w)`)
  const issuers = new Set<string>()
  for (const { type, index, fields } of events) {
    if (type !== 'flow.StorageCapabilityControllerIssued' || index <= from || index >= to) continue
    const borrowed = fields?.['type']
    if (fields !== undefined && typeof borrowed === 'string' && coa.test(borrowed)) issuers.add(addressField(fields))
  }
  return issuers
}
