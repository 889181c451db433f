import type pg from 'pg'
import { query } from './pool.ts'

export const maxCountedErrors = 100_000

/** An open row of raw.indexing_errors: an input that cannot be decoded or derived. */
export interface IndexingError {
  readonly id: number
  readonly worker: string
  readonly height: number
  /** -1 if it concerns the block. */
  readonly txIndex: number
  /** -1 if it concerns the transaction. */
  readonly eventIndex: number
  readonly code: string
  readonly message: string
  readonly eventType: string | null
  /** Null if it concerns the block. */
  readonly transactionId: string | null
  readonly occurrences: number
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
}

export interface ErrorPlace {
  readonly lastSeenMicros: number
  readonly id: number
}

export interface ListedError extends IndexingError, ErrorPlace {}

interface ErrorFilter {
  readonly worker?: string | undefined
  readonly after?: ErrorPlace | undefined
  readonly limit: number
}

/** Latest first. */
export async function listIndexingErrors(
  db: pg.Pool | pg.ClientBase,
  { worker, after, limit }: ErrorFilter,
): Promise<ListedError[]> {
  const { rows } = await db.query<ListedError>({
    name: 'farm-list-indexing-errors',
    text: `
      select id::float8 as id, worker_name as worker, block_height::float8 as height,
        tx_index as "txIndex", event_index as "eventIndex", code, message, event_type as "eventType", occurrences,
        (select encode(t.id, 'hex') from raw.transactions t where t.block_height = e.block_height
          and t.tx_index = e.tx_index) as "transactionId",
        first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt",
        (extract(epoch from last_seen_at) * 1000000)::float8 as "lastSeenMicros"
      from raw.indexing_errors e
      where resolved_at is null and ($1::text is null or worker_name = $1)
        and ($2::float8 is null or (last_seen_at, id) < (timestamptz 'epoch' + $2 * interval '1 microsecond',
          $3::bigint))
      order by last_seen_at desc, id desc
      limit $4`,
    values: [worker ?? null, after?.lastSeenMicros ?? null, after?.id ?? null, limit],
  })
  return rows
}

export async function countIndexingErrors(db: pg.Pool | pg.ClientBase, worker?: string): Promise<number> {
  const { rows } = await db.query<{ count: string }>({
    name: 'farm-count-indexing-errors',
    text: `
      select count(*) from (
        select from raw.indexing_errors where resolved_at is null and ($1::text is null or worker_name = $1)
        limit ${maxCountedErrors}
      ) e`,
    values: [worker ?? null],
  })
  return Number(rows[0]?.count ?? 0)
}

interface ErrorChoice {
  readonly ids?: readonly number[] | undefined
  readonly worker?: string | undefined
}

/** A recurring error is reopened. @returns the number of errors that were open */
export async function resolveErrors(pool: pg.Pool, { ids, worker }: ErrorChoice): Promise<number> {
  const { rowCount } = await query(
    pool,
    `update raw.indexing_errors set resolved_at = now()
     where resolved_at is null and ($1::bigint[] is null or id = any ($1)) and ($2::text is null or worker_name = $2)`,
    [ids ?? null, worker ?? null],
  )
  return rowCount ?? 0
}

/** Raw data may be large. */
const maxAtOnce = 10_000

/** @returns the number of deleted errors */
export async function pruneErrors(db: pg.Pool | pg.ClientBase, days: number): Promise<number> {
  const { rowCount } = await query(
    db,
    `delete from raw.indexing_errors
     where id in (select id from raw.indexing_errors where resolved_at < now() - $1 * interval '1 day' limit
       ${maxAtOnce})`,
    [days],
  )
  return rowCount ?? 0
}
