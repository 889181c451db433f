import { int2OrNull, int8OrNull, numericOrNull, textOrNull, timestamptzUsOrNull } from '../src/platform/row-writer.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import { readScheduledChanges } from '../src/flow/transactions/scheduled-changes.ts'
import type { ScheduledChange } from '../src/flow/transactions/scheduled-changes.ts'
import type { HeightTable, StateFold, Worker } from './worker.ts'

const changes: HeightTable = {
  name: 'app.scheduled_transaction_changes',
  columns: [
    'block_height',
    'tx_index',
    'event_index',
    'scheduled_id',
    'kind',
    'priority',
    'due_at',
    'execution_effort',
    'fees',
    'fees_returned',
    'fees_deducted',
    'handler_owner',
    'handler_type',
    'handler_uuid',
    'handler_public_path',
  ],
  heightColumn: 'block_height',
  partitionHeights: 10_000_000,
}

const columns = [
  'scheduled_id',
  'status',
  'priority',
  'due_at',
  'execution_effort',
  'fees',
  'fees_returned',
  'fees_deducted',
  'handler_owner',
  'handler_type',
  'handler_uuid',
  'handler_public_path',
  'scheduled_height',
  'scheduled_tx_index',
  'ended_height',
  'ended_tx_index',
]
const list = (names: readonly string[], prefix = ''): string => names.map((column) => `${prefix}${column}`).join(', ')
const values = columns.slice(1)

/** The description can change. */
function lastKnown(column: string): string {
  const inOrder = 'h.block_height desc, h.tx_index desc, h.event_index desc'
  return `(array_agg(h.${column} order by ${inOrder}) filter (where h.${column} is not null))[1] as ${column}`
}

/**
 * At most three changes each, so all are read. Each field comes from any change that has it,
 * because indexing may start after the scheduling.
 */
const scheduledTransactions: StateFold = {
  kind: 'state',
  name: 'app.scheduled_transactions',
  key: [{ column: 'scheduled_id', type: 'bigint' }],
  reads: [changes.name],
  touched: `
    select distinct scheduled_id from app.scheduled_transaction_changes where block_height >= $1 and block_height < $2`,
  fold: `
    with keys as (select unnest($1::bigint[]) as scheduled_id),
    now as (
      select k.scheduled_id, c.*
      from keys k cross join lateral (
        select (array_agg(h.kind order by h.block_height desc, h.tx_index desc, h.event_index desc))[1] as status,
          max(h.priority) as priority, max(h.due_at) as due_at, max(h.execution_effort) as execution_effort,
          max(h.fees) as fees, max(h.fees_returned) as fees_returned, max(h.fees_deducted) as fees_deducted,
          ${['handler_owner', 'handler_type', 'handler_uuid', 'handler_public_path'].map(lastKnown).join(', ')},
          max(h.block_height) filter (where h.kind = 'scheduled') as scheduled_height,
          max(h.tx_index) filter (where h.kind = 'scheduled') as scheduled_tx_index,
          max(h.block_height) filter (where h.kind in ('executed', 'failed', 'canceled')) as ended_height,
          max(h.tx_index) filter (where h.kind in ('executed', 'failed', 'canceled')) as ended_tx_index
        from app.scheduled_transaction_changes h where h.scheduled_id = k.scheduled_id
      ) c
      where c.status is not null
    ), gone as (
      delete from app.scheduled_transactions t using keys k
      where t.scheduled_id = k.scheduled_id
        and not exists (select from app.scheduled_transaction_changes h where h.scheduled_id = k.scheduled_id)
    )
    insert into app.scheduled_transactions as t (${list(columns)})
    select ${list(columns)} from now order by scheduled_id
    on conflict (scheduled_id) do update set ${values.map((column) => `${column} = excluded.${column}`).join(', ')}
    where (${list(values, 't.')}) is distinct from (${list(values, 'excluded.')})`,
}

export const scheduledWorker: Worker = {
  name: 'scheduled_worker',
  description: 'Scheduled transactions: scheduled, executed, failed and canceled',
  phase: 1,
  follows: [],
  tables: [changes],
  folds: [scheduledTransactions],
  derive({ blocks }, output, { network }) {
    for (const block of blocks) {
      const read = readScheduledChanges(block, network)
      for (const change of read.changes) write(output.rows(changes.name), block.height, change)
      for (const problem of read.problems) output.problem({ blockHeight: block.height, ...problem })
    }
  },
}

function write(rows: RowWriter, height: number, change: ScheduledChange): void {
  rows.row(changes.columns.length)
  rows.int8(height)
  rows.int4(change.txIndex)
  rows.int4(change.eventIndex)
  rows.int8(change.id)
  rows.text(change.kind)
  int2OrNull(rows, change.priority)
  timestamptzUsOrNull(rows, change.dueUs)
  int8OrNull(rows, change.executionEffort)
  numericOrNull(rows, change.fees)
  numericOrNull(rows, change.feesReturned)
  numericOrNull(rows, change.feesDeducted)
  textOrNull(rows, change.handlerOwner)
  textOrNull(rows, change.handlerType)
  int8OrNull(rows, change.handlerUuid)
  textOrNull(rows, change.handlerPublicPath)
}
