import { coreContractAddress } from '../core-contracts.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import { FieldShapeError, addressField, amountField, int8Field, uint64Field } from '../event-fields.ts'
import type { Network } from '../network.ts'
import type { PayloadFields } from '../payload-value.ts'
import { schedulerScript } from '../code/system-scripts.ts'
import { ufix64Units } from '../tokens/ufix64.ts'

/**
 * - `scheduled`: paid and registered
 *
 * - `pending`: due, runs in this block
 *
 * - `executed`, `failed`: ran as a system transaction
 *
 * - `canceled`: canceled by its owner
 */
export type ScheduledChangeKind = 'scheduled' | 'pending' | 'executed' | 'failed' | 'canceled'

/** Undefined values are not in the event. */
export interface ScheduledChange {
  readonly txIndex: number
  /** -1 for a failed run, which has no event. */
  readonly eventIndex: number
  readonly kind: ScheduledChangeKind
  readonly id: bigint
  /** 0 high, 1 medium, 2 low. */
  readonly priority?: number | undefined
  /** Microseconds since 1970. */
  readonly dueUs?: number | undefined
  readonly executionEffort?: bigint | undefined
  /** Paid in advance, in FLOW, UFix64 text. */
  readonly fees?: string | undefined
  readonly feesReturned?: string | undefined
  readonly feesDeducted?: string | undefined
  /** Stores the handler; 0x and 16 hex digits. */
  readonly handlerOwner?: string | undefined
  readonly handlerType?: string | undefined
  readonly handlerUuid?: bigint | undefined
  /** Declared by the handler, unverified. */
  readonly handlerPublicPath?: string | undefined
}

export interface ScheduledProblem {
  readonly txIndex: number
  /** -1 for the transaction. */
  readonly eventIndex: number
  readonly code: 'scheduled-event-shape' | 'scheduled-run-unmatched'
  readonly message: string
  readonly eventType?: string
}

export interface ScheduledChanges {
  readonly changes: readonly ScheduledChange[]
  readonly problems: readonly ScheduledProblem[]
}

/** A system transaction that ran a scheduled one. */
interface Run {
  readonly transaction: DecodedTransaction
  readonly executed: bigint | undefined
}

const none: ScheduledChanges = { changes: [], problems: [] }

/**
 * A successful run emits `Executed` with its id, a failed one no event; runs are in the order of
 * `PendingExecution`, so both lists match after removing the successful ones. Source:
 * onflow/flow-go `fvm/blueprints/scheduled_callback.go`.
 */
export function readScheduledChanges({ transactions }: DecodedBlock, network: Network): ScheduledChanges {
  const prefix = `A.${coreContractAddress('FlowTransactionScheduler', network) ?? ''}.FlowTransactionScheduler.`
  const changes: ScheduledChange[] = []
  const problems: ScheduledProblem[] = []
  const runs: Run[] = []
  for (const transaction of transactions) {
    const own = readEvents(transaction, prefix, problems)
    changes.push(...own)
    if (schedulerScript(transaction, network) === 'execute') {
      runs.push({ transaction, executed: own.find(({ kind }) => kind === 'executed')?.id })
    }
  }
  if (changes.length === 0 && runs.length === 0 && problems.length === 0) return none
  addFailed(runs, changes, problems)
  return { changes: changes.toSorted((a, b) => a.txIndex - b.txIndex || a.eventIndex - b.eventIndex), problems }
}

function readEvents(
  { index: txIndex, events }: DecodedTransaction,
  prefix: string,
  problems: ScheduledProblem[],
): ScheduledChange[] {
  const changes: ScheduledChange[] = []
  for (const event of events) {
    if (!event.type.startsWith(prefix)) continue
    const kind = scheduledEventKind(event.type.slice(prefix.length))
    // Ingestion has recorded undecodable events.
    if (kind === undefined || event.fields === undefined) continue
    try {
      changes.push(readScheduledEvent(kind, { txIndex, eventIndex: event.index }, event.fields))
    } catch (error) {
      problems.push(shapeProblem(error, txIndex, event))
    }
  }
  return changes
}

function shapeProblem(error: unknown, txIndex: number, { index, type }: DecodedEvent): ScheduledProblem {
  if (!(error instanceof FieldShapeError)) throw error
  return { txIndex, eventIndex: index, code: 'scheduled-event-shape', message: error.message, eventType: type }
}

function addFailed(runs: readonly Run[], changes: ScheduledChange[], problems: ScheduledProblem[]): void {
  const silent = runs.filter(({ executed }) => executed === undefined).map(({ transaction }) => transaction)
  if (silent.length === 0) return
  const executed = new Set(changes.filter(({ kind }) => kind === 'executed').map(({ id }) => id))
  const due = changes.filter(({ kind, id }) => kind === 'pending' && !executed.has(id))
  for (const [i, { index: txIndex, statusCode }] of silent.entries()) {
    // Undefined: no node has the result.
    if (statusCode === undefined || statusCode === 0) continue
    const pending = silent.length === due.length ? due[i] : undefined
    if (pending !== undefined) changes.push({ txIndex, eventIndex: -1, kind: 'failed', id: pending.id })
    else {
      problems.push({
        txIndex,
        eventIndex: -1,
        code: 'scheduled-run-unmatched',
        message: `${silent.length} runs of scheduled transactions without an event do not match ${due.length} due ones`,
      })
    }
  }
}

const kinds: Readonly<Record<string, Exclude<ScheduledChangeKind, 'failed'>>> = {
  Scheduled: 'scheduled',
  PendingExecution: 'pending',
  Executed: 'executed',
  Canceled: 'canceled',
}

function scheduledEventKind(name: string): Exclude<ScheduledChangeKind, 'failed'> | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

/**
 * Handler uuid and path exist since October 2025; since then the handler type in `PendingExecution`
 * is empty. Source: onflow/flow-core-contracts `contracts/FlowTransactionScheduler.cdc`.
 *
 * @throws FieldShapeError
 */
function readScheduledEvent(
  kind: Exclude<ScheduledChangeKind, 'failed'>,
  place: { readonly txIndex: number; readonly eventIndex: number },
  fields: PayloadFields,
): ScheduledChange {
  const common = {
    ...place,
    kind,
    id: int8Field(fields, 'id'),
    priority: priorityField(fields),
    handlerOwner: addressField(fields, 'transactionHandlerOwner'),
    handlerType: handlerTypeField(fields),
  }
  if (kind === 'canceled') {
    return {
      ...common,
      feesReturned: amountField(fields, 'feesReturned'),
      feesDeducted: amountField(fields, 'feesDeducted'),
    }
  }
  const executionEffort = int8Field(fields, 'executionEffort')
  if (kind === 'executed') return { ...common, ...handlerFields(fields), executionEffort }
  const fees = amountField(fields, 'fees')
  return kind === 'pending'
    ? { ...common, executionEffort, fees }
    : { ...common, ...handlerFields(fields), executionEffort, fees, dueUs: timeField(fields) }
}

function handlerFields(fields: PayloadFields): Pick<ScheduledChange, 'handlerUuid' | 'handlerPublicPath'> {
  if (!('transactionHandlerUUID' in fields)) return {}
  const path = fields['transactionHandlerPublicPath'] ?? null
  if (path !== null && typeof path !== 'string')
    throw new FieldShapeError('field transactionHandlerPublicPath is not a PublicPath?')
  return { handlerUuid: int8Field(fields, 'transactionHandlerUUID'), handlerPublicPath: path ?? undefined }
}

function priorityField(fields: PayloadFields): number {
  const value = Number(uint64Field(fields, 'priority'))
  if (value > 0xff) throw new FieldShapeError('field priority is not a UInt8')
  return value
}

function handlerTypeField(fields: PayloadFields): string | undefined {
  const type = fields['transactionHandlerTypeIdentifier']
  if (typeof type !== 'string') throw new FieldShapeError('field transactionHandlerTypeIdentifier is not a String')
  return type === '' ? undefined : type
}

/** Times are whole seconds, exact in microseconds. */
function timeField(fields: PayloadFields): number {
  return Number(ufix64Units(amountField(fields, 'timestamp')) / 100n)
}
