import type pg from 'pg'
import { intersection, parseMultirange, union } from '../platform/ranges.ts'
import type { HeightSet } from '../platform/ranges.ts'
import { query } from '../platform/db/pool.ts'
import type { EventSource } from './sources/event-source.ts'

/** What ingesters and workers have done, by name. Heights that were given up (raw.unavailable) have nothing to wait for. */
export type Coverage = ReadonlyMap<string, HeightSet>

export async function readCoverage(db: pg.Pool | pg.ClientBase): Promise<Coverage> {
  const { rows } = await query<{ name: string; covered: string }>(
    db,
    `select c.service_name as name, (c.covered + lost.heights)::text as covered
     from app.coverage c cross join (
       select coalesce(range_agg(int8range(block_height, block_height + 1)), '{}') as heights
       from raw.unavailable where part = 'block'
     ) lost`,
  )
  return new Map(rows.map(({ name, covered }) => [name, parseMultirange(covered)]))
}

/** Heights whose blocks are stored and of which all workers that the sources read from have made all they make. */
export function readyHeights(coverage: Coverage, sources: readonly EventSource[]): HeightSet {
  const stored = union(coverage.get('main_ingester') ?? [], coverage.get('history_ingester') ?? [])
  const workers = new Set(sources.flatMap((source) => source.workers))
  return [...workers].reduce((ready, worker) => intersection(ready, coverage.get(worker) ?? []), stored)
}

/** Up to where heights are ready without a gap from `from` on, exclusive; `from` itself where it is not ready. */
export function readyEnd(ready: HeightSet, from: number): number {
  return ready.find((range) => range.from <= from && from < range.to)?.to ?? from
}
