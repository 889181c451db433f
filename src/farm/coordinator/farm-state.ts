import type pg from 'pg'
import { ingesterServices } from '../coverage/coverage.ts'

/** How many leases a worker has in each state. */
export interface LeaseCounts {
  /** Queued or active, in the live zone. */
  readonly openLive: number
  /** Queued or active, below the live zone. */
  readonly openHistory: number
  readonly failed: number
  readonly flagged: number
}

export interface FarmState {
  /** The heights between the lowest and the highest stored one, `to` exclusive; undefined while nothing is stored. */
  readonly stored: { readonly from: number; readonly to: number } | undefined
  readonly counts: ReadonlyMap<string, LeaseCounts>
}

interface Row {
  readonly worker: string
  readonly lowest: string | null
  readonly highest: string | null
  readonly open_live: string
  readonly open_history: string
  readonly failed: string
  readonly flagged: string
}

/**
 * Reads the ends of the raw tables and counts the leases of `workers` that are neither done nor skipped. The live zone is the
 * newest `liveBlocks` stored heights. By the index on open leases, so what is done costs nothing.
 */
export async function readFarmState(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  liveBlocks: number,
): Promise<FarmState> {
  const { rows } = await db.query<Row>({
    name: 'farm-read-state',
    text: `
      with raw as materialized (
        select min(lower(covered)) as lowest, max(upper(covered)) as highest
        from app.indexing_checkpoints where service_name = any ($1::text[])
      )
      select w.worker, raw.lowest, raw.highest, c.*
      from raw cross join unnest($2::text[]) as w (worker) cross join lateral (
        select
          count(*) filter (where l.status in ('queued', 'active') and l.from_height >= raw.highest - $3::bigint) as open_live,
          count(*) filter (where l.status in ('queued', 'active') and (l.from_height >= raw.highest - $3::bigint) is not true) as open_history,
          count(*) filter (where l.status = 'failed') as failed,
          count(*) filter (where l.status = 'flagged') as flagged
        from app.worker_leases l
        where l.worker_type = w.worker and l.status in ('queued', 'active', 'failed', 'flagged')
      ) c`,
    values: [ingesterServices, workers, liveBlocks],
  })
  const [first] = rows
  return {
    stored:
      first === undefined || first.lowest === null || first.highest === null
        ? undefined
        : { from: Number(first.lowest), to: Number(first.highest) },
    counts: new Map(
      rows.map((row) => [
        row.worker,
        {
          openLive: Number(row.open_live),
          openHistory: Number(row.open_history),
          failed: Number(row.failed),
          flagged: Number(row.flagged),
        },
      ]),
    ),
  }
}
