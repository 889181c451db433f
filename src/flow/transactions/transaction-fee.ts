import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import { amountField, FieldShapeError } from '../event-fields.ts'
import type { Network } from '../network.ts'
import type { PayloadFields } from '../payload-value.ts'
import { tokenMovesOf } from '../tokens/read-token-moves.ts'
import { ufix64Text, ufix64Units } from '../tokens/ufix64.ts'

/** What a transaction cost. All three are undefined where the chain's words for it could not be read. */
export interface TransactionFee {
  /** Sum of what was deducted, in FLOW, UFix64 text; `0.00000000` where nothing was. */
  readonly amount: string | undefined
  /** Weight of its bytes and signatures that the fee was computed from; undefined also where no event tells. */
  readonly inclusionEffort: string | undefined
  /** Weight of its computation that the fee was computed from, in units of 10^8; undefined like `inclusionEffort`. */
  readonly executionEffort: string | undefined
  readonly problems: readonly FeeProblem[]
}

/** A fee event that is not as its type must be. */
export interface FeeProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly message: string
}

const zero = '0.00000000'
const nothing: TransactionFee = { amount: zero, inclusionEffort: undefined, executionEffort: undefined, problems: [] }

/**
 * The fee of a transaction: the sum of `FlowFees.FeesDeducted`, of which a transaction can have several. Before March
 * 2022, when that event was introduced, the transfer that paid it. Failed transactions pay as well.
 * Source: onflow/flow-core-contracts `contracts/FlowFees.cdc`, `deductTransactionFee`.
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
      // Older versions of the contract told the amount alone.
      if ('inclusionEffort' in fields) inclusion.push(amountField(fields, 'inclusionEffort'))
      if ('executionEffort' in fields) execution.push(amountField(fields, 'executionEffort'))
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      isKnown = false
      // Ingest has logged those that could not be decoded.
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

/** Exact, of one amount without computing; undefined of none. */
function sumOf(amounts: readonly string[]): string | undefined {
  if (amounts.length < 2) return amounts[0]
  return ufix64Text(amounts.reduce((sum, amount) => sum + ufix64Units(amount), 0n))
}

/** Computation that a transaction used. */
export interface TransactionGas {
  /** Undefined where no access node can serve the result. */
  readonly used: bigint | undefined
  /** The result did not say, and the fee does: it is computed from this number, told as a UFix64 of so many 10^-8. */
  readonly isFromFee: boolean
}

/**
 * The computation that a result tells. Access nodes of some eras and the emulator leave it 0; then it is the execution
 * effort of the fee, which is the same number with 8 decimals. 0 where neither says.
 */
export function gasOfTransaction({ gasUsed }: DecodedTransaction, { executionEffort }: TransactionFee): TransactionGas {
  if (gasUsed !== 0n || executionEffort === undefined) return { used: gasUsed, isFromFee: false }
  const used = ufix64Units(executionEffort)
  return { used, isFromFee: used > 0n }
}
