import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import { amountField, FieldShapeError } from '../event-fields.ts'
import type { Network } from '../network.ts'
import type { PayloadFields } from '../payload-value.ts'
import { tokenMovesOf } from '../tokens/read-token-moves.ts'
import { ufix64Text, ufix64Units } from '../tokens/ufix64.ts'

/** All three are undefined if the event is undecodable. */
export interface TransactionFee {
  /** FLOW, UFix64 text; `0.00000000` if none. */
  readonly amount: string | undefined
  /** Undefined also if no event has it. */
  readonly inclusionEffort: string | undefined
  /** In units of 10^8; undefined as `inclusionEffort`. */
  readonly executionEffort: string | undefined
  readonly problems: readonly FeeProblem[]
}

export interface FeeProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly message: string
}

const zero = '0.00000000'
const nothing: TransactionFee = { amount: zero, inclusionEffort: undefined, executionEffort: undefined, problems: [] }

/**
 * The sum of `FlowFees.FeesDeducted`; before March 2022 the transfer that paid it. Source:
 * onflow/flow-core-contracts `contracts/FlowFees.cdc`, `deductTransactionFee`.
 */
export function feeOfTransaction(transaction: DecodedTransaction, network: Network): TransactionFee {
  const type = feesDeducted[network]
  const events = transaction.events.filter((event) => event.type === type)
  if (events.length === 0) return oldFee(transaction, network)
  const amounts: string[] = []
  const inclusion: string[] = []
  const execution: string[] = []
  const problems: FeeProblem[] = []
  let isKnown = true
  for (const event of events) {
    try {
      const fields = fieldsOf(event)
      amounts.push(amountField(fields))
      // Older contract versions emit the amount only.
      if ('inclusionEffort' in fields) inclusion.push(amountField(fields, 'inclusionEffort'))
      if ('executionEffort' in fields) execution.push(amountField(fields, 'executionEffort'))
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      isKnown = false
      // Ingestion has recorded undecodable events.
      if (event.fields !== undefined)
        problems.push({ eventIndex: event.index, eventType: type, message: error.message })
    }
  }
  if (!isKnown) return { amount: undefined, inclusionEffort: undefined, executionEffort: undefined, problems }
  return { amount: sumOf(amounts), inclusionEffort: sumOf(inclusion), executionEffort: sumOf(execution), problems }
}

const feesDeducted: Readonly<Record<Network, string>> = {
  mainnet: typeOn('mainnet'),
  testnet: typeOn('testnet'),
  emulator: typeOn('emulator'),
}

function typeOn(network: Network): string {
  return `A.${coreContracts(network).flowFees}.FlowFees.FeesDeducted`
}

function oldFee(transaction: DecodedTransaction, network: Network): TransactionFee {
  if (transaction.events.length === 0) return nothing
  const paid = tokenMovesOf(transaction, network).fungible.filter(({ type }) => type === 'fee')
  return paid.length === 0 ? nothing : { ...nothing, amount: sumOf(paid.map(({ amount }) => amount)) }
}

function fieldsOf({ fields }: DecodedEvent): PayloadFields {
  if (fields === undefined) throw new FieldShapeError('the payload could not be decoded')
  return fields
}

/** Keeps a single amount unchanged; undefined without any. */
function sumOf(amounts: readonly string[]): string | undefined {
  if (amounts.length < 2) return amounts[0]
  return ufix64Text(amounts.reduce((sum, amount) => sum + ufix64Units(amount), 0n))
}

export interface TransactionGas {
  /** Undefined if no access node has the result. */
  readonly used: bigint | undefined
  /** The result has 0: execution effort times 10^8. */
  readonly isFromFee: boolean
}

/**
 * Access nodes of some eras and the emulator report 0; the execution effort of the fee is the same
 * number with 8 decimals.
 */
export function gasOfTransaction({ gasUsed }: DecodedTransaction, { executionEffort }: TransactionFee): TransactionGas {
  if (gasUsed !== 0n || executionEffort === undefined) return { used: gasUsed, isFromFee: false }
  const used = ufix64Units(executionEffort)
  return { used, isFromFee: used > 0n }
}
