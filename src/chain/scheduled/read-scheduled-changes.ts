import { coreContractAddress } from '../core-contracts.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import { FieldShapeError } from '../event-fields.ts'
import type { Network } from '../network.ts'
import { schedulerScript } from '../system-scripts.ts'
import { readScheduledEvent, scheduledEventKind } from './read-scheduled-event.ts'
import type { ScheduledChange, ScheduledChanges, ScheduledProblem } from './scheduled-change.ts'

/** A transaction of the chain's own in which a scheduled one ran. */
interface Run {
  readonly transaction: DecodedTransaction
  /** Undefined where no event tells. */
  readonly executed: bigint | undefined
}

const none: ScheduledChanges = { changes: [], problems: [] }

/**
 * What happened to scheduled transactions in a block. A run that succeeds says which it was (`Executed`); one that fails
 * leaves no event at all. Runs stand in the order in which the block told what is due (`PendingExecution`), so what
 * is left of both, when those that succeeded are taken out, belongs together.
 * Source: onflow/flow-go `fvm/blueprints/scheduled_callback.go`.
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
    // Ingest has logged those that could not be decoded.
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
    // Undefined: no node has the result, so that nobody knows how it went.
    if (statusCode === undefined || statusCode === 0) continue
    const pending = silent.length === due.length ? due[i] : undefined
    if (pending !== undefined) changes.push({ txIndex, eventIndex: -1, kind: 'failed', id: pending.id })
    else {
      problems.push({
        txIndex,
        eventIndex: -1,
        code: 'scheduled-run-unmatched',
        message: `${silent.length} runs of scheduled transactions say nothing, and ${due.length} were due`,
      })
    }
  }
}
