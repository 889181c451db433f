import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { scheduledChangeRow, scheduledTransactionRow } from './schema.ts'
import type { ScheduledChangeRow, ScheduledTransactionRow } from './schema.ts'

const columns = sql.fragment`
  t.scheduled_id, t.status, t.priority, t.due_at, t.execution_effort, t.fees::text as fees,
  t.fees_returned::text as fees_returned, t.fees_deducted::text as fees_deducted, t.handler_owner, t.handler_type,
  t.handler_uuid::text as handler_uuid, t.handler_public_path, t.scheduled_height, t.scheduled_tx_index, t.ended_height,
  t.ended_tx_index
`

export interface ScheduledSelection {
  readonly status?: string | undefined
  readonly owner?: string | undefined
  readonly handler?: string | undefined
}

export async function listScheduledTransactions(
  database: DatabasePool,
  { status, owner, handler }: ScheduledSelection,
  before: number | undefined,
  count: number,
): Promise<readonly ScheduledTransactionRow[]> {
  // Nearly all are executed; the other statuses have partial indexes.
  const ofStatus =
    status === undefined
      ? sql.fragment`true`
      : sql.fragment`
    t.status = ${status} ${status === 'executed' ? sql.fragment`` : sql.fragment`and t.status <> 'executed'`}
  `
  return database.any(sql.type(scheduledTransactionRow)`
    select ${columns} from app.scheduled_transactions t
    where ${ofStatus}
      and ${owner === undefined ? sql.fragment`true` : sql.fragment`t.handler_owner = ${owner}`}
      and ${handler === undefined ? sql.fragment`true` : sql.fragment`t.handler_uuid = ${handler}::bigint`}
      and t.scheduled_id < ${before ?? Number.MAX_SAFE_INTEGER}
    order by t.scheduled_id desc
    limit ${count}
  `)
}

export async function readScheduledTransaction(
  database: DatabasePool,
  id: number,
): Promise<ScheduledTransactionRow | undefined> {
  const row = await database.maybeOne(sql.type(scheduledTransactionRow)`
    select ${columns} from app.scheduled_transactions t where t.scheduled_id = ${id}
  `)
  return row ?? undefined
}

/** In chain order; at most three. */
export async function readScheduledChanges(database: DatabasePool, id: number): Promise<readonly ScheduledChangeRow[]> {
  return database.any(sql.type(scheduledChangeRow)`
    select block_height, tx_index, kind from app.scheduled_transaction_changes
    where scheduled_id = ${id}
    order by block_height, tx_index, event_index
  `)
}

/** Greatest uuid first. One index lookup per handler. */
export async function listScheduledHandlers(
  database: DatabasePool,
  before: string | undefined,
  count: number,
): Promise<ReadonlyArray<readonly [first: ScheduledTransactionRow, latest: ScheduledTransactionRow]>> {
  const below = before === undefined ? sql.fragment`is not null` : sql.fragment`< ${before}::bigint`
  return readHandlers(
    database,
    sql.fragment`
    with recursive handlers as (
      (select h.handler_uuid from app.scheduled_transactions h
       where h.handler_uuid ${below} order by h.handler_uuid desc limit 1)
      union all
      select (
        select n.handler_uuid from app.scheduled_transactions n
        where n.handler_uuid < handlers.handler_uuid order by n.handler_uuid desc limit 1
      )
      from handlers where handlers.handler_uuid is not null
    )
    select handler_uuid from handlers where handler_uuid is not null limit ${count}
  `,
  )
}

export async function readScheduledHandler(
  database: DatabasePool,
  uuid: string,
): Promise<readonly [first: ScheduledTransactionRow, latest: ScheduledTransactionRow] | undefined> {
  const [handler] = await readHandlers(database, sql.fragment`select ${uuid}::bigint as handler_uuid`)
  return handler
}

async function readHandlers(
  database: DatabasePool,
  handlers: FragmentSqlToken,
): Promise<ReadonlyArray<readonly [first: ScheduledTransactionRow, latest: ScheduledTransactionRow]>> {
  const ends = [sql.fragment`asc`, sql.fragment`desc`].map(
    (direction) => sql.fragment`(
    select * from app.scheduled_transactions t where t.handler_uuid = k.handler_uuid
    order by t.scheduled_id ${direction} limit 1
  )`,
  )
  const rows = await database.any(sql.type(scheduledTransactionRow)`
    select ${columns} from (${handlers}) k
    cross join lateral (${sql.join(ends, sql.fragment` union all `)}) t
    order by t.handler_uuid desc, t.scheduled_id
  `)
  return rows.flatMap((first, i) => {
    const latest = rows[i + 1]
    return i % 2 === 0 && latest !== undefined ? [[first, latest] as const] : []
  })
}
