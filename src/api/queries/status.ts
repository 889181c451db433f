import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { parseMultirange } from '../../base/ranges.ts'
import type { StatusFacts } from '../presenters/status.ts'

const statusRow = z.object({
  checkpoints: z.array(z.object({ service: z.string(), height: z.number().nullable(), updatedAt: z.string() })),
  min: z.number().nullable(),
  max: z.number().nullable(),
  blocks: z.number(),
  transactions: z.number(),
  events: z.number(),
  oldest: z.string().nullable(),
  accounts: z.number(),
  contracts: z.number(),
  errors: z.record(z.string(), z.number()),
  deadLeases: z.record(z.string(), z.number()),
  ranges: z.string().nullable(),
})

/**
 * The state of indexing in one statement and so of one moment. Its cost does not grow with the chain: totals are the
 * counters that the ingesters keep in the transactions of their batches, errors, accounts and contracts are counted up
 * to 10,000. It does grow with the pieces of the workers' coverage, of which there are few but for a farm in trouble.
 */
export async function readStatus(database: DatabasePool, options: { includeRanges: boolean }): Promise<StatusFacts> {
  const row = await database.one(sql.type(statusRow)`
    with ingesters as (
      select * from app.indexing_checkpoints where service_name in ('main_ingester', 'history_ingester')
    ), bounds as (
      select min(lower(covered)) as min, max(upper(covered)) - 1 as max,
        coalesce(sum(block_count), 0)::int8 as blocks, coalesce(sum(tx_count), 0)::int8 as transactions,
        coalesce(sum(event_count), 0)::int8 as events
      from ingesters
    ), errors as (
      select worker_name, count(*) as count
      from (select worker_name from raw.indexing_errors where resolved_at is null limit 10000) as unresolved
      group by worker_name
    ), dead as (
      select worker_type, count(*) as count from app.worker_leases where status = 'flagged' group by worker_type
    ), reached as (
      select c.service_name, c.updated_at, case
        when c.service_name in ('main_ingester', 'history_ingester') then c.last_height
        else (select upper(first) - 1 from unnest(v.covered) as first limit 1)
      end as height
      from app.indexing_checkpoints c join app.coverage v using (service_name)
    )
    select
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'service', service_name, 'height', height,
          'updatedAt', to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        ) order by service_name)
        from reached
      ), '[]') as checkpoints,
      bounds.*,
      (select timestamp from raw.blocks where height = bounds.min) as oldest,
      ${about(sql.fragment`select from app.accounts`, 'app.accounts')} as accounts,
      ${about(sql.fragment`select from app.smart_contracts where not is_removed`, 'app.smart_contracts')} as contracts,
      coalesce((select jsonb_object_agg(worker_name, count) from errors), '{}') as errors,
      coalesce((select jsonb_object_agg(worker_type, count) from dead), '{}') as "deadLeases",
      case when ${options.includeRanges} then (select range_agg(covered)::text from ingesters) end as ranges
    from bounds
  `)
  const ranges = parseMultirange(row.ranges ?? '').map(({ from, to }) => ({ from, to: to - 1 }))
  return {
    checkpoints: row.checkpoints,
    min: row.min,
    max: row.max,
    blocks: row.blocks,
    transactions: row.transactions,
    events: row.events,
    oldestBlockTimestamp: row.oldest,
    accounts: row.accounts,
    contracts: row.contracts,
    errorsByWorker: row.errors,
    deadLeasesByWorker: row.deadLeases,
    ranges: options.includeRanges ? ranges : undefined,
  }
}

/** How many rows there are of a table: exact up to 10,000, then about as many as the table has. */
function about(rows: FragmentSqlToken, table: string): FragmentSqlToken {
  return sql.fragment`(
        select case when counted.count <= 10000 then counted.count
          else greatest(counted.count, (select reltuples::int8 from pg_class where oid = ${table}::regclass)) end
        from (select count(*) as count from (${rows} limit 10001) as some_rows) as counted
      )`
}
