import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { startLedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import { openBenchDatabase } from './bench-database.ts'
import { idleWorkers } from './idle-workers.ts'
import { startProgram } from './start-program.ts'

export interface LatencyOptions {
  readonly redisUrl: string | undefined
  /** Workers in all; those that flowfarm does not have derive nothing. */
  readonly workerCount: number
  readonly blocks: number
  /** Mean time between two blocks. */
  readonly intervalMs: number
  /** Whether history is still being filled in and derived, by the same process, all the while. */
  readonly isBackfilling: boolean
}

/** One block and one worker; milliseconds after the commit of the block's raw rows. */
export interface Passage {
  readonly height: number
  readonly phase: number
  readonly worker: string
  /** Commit of the lease. */
  readonly cut: number
  /** Commit of its claim. */
  readonly claimed: number
  /** Commit of the derived rows. */
  readonly done: number
}

export interface Latency {
  readonly passages: readonly Passage[]
  readonly delayP99Ms: number
}

/** Notes each step of each lease, in the transaction that makes it: PostgreSQL knows when that was committed. */
const watchLeases = `
  create schema bench;
  create table bench.steps (step text not null, worker_type text not null, from_height bigint not null, to_height bigint not null);
  create function bench.note() returns trigger language plpgsql as $$
  begin
    insert into bench.steps values (new.status, new.worker_type, new.from_height, new.to_height);
    return null;
  end $$;
  create trigger inserted after insert on app.worker_leases for each row execute function bench.note();
  create trigger updated after update of status on app.worker_leases for each row
    when (new.status <> old.status) execute function bench.note()`

/** The first time of each step: a lease that was queued again is none the earlier for it. */
const passagesQuery = `
  with steps as materialized (select s.*, pg_xact_commit_timestamp(s.xmin) as at from bench.steps s)
  select b.height::float8 as height, s.worker_type as worker,
    min(extract(epoch from s.at - b.at) * 1000) filter (where s.step = 'queued')::float8 as cut,
    min(extract(epoch from s.at - b.at) * 1000) filter (where s.step = 'active')::float8 as claimed,
    max(extract(epoch from s.at - b.at) * 1000) filter (where s.step = 'done')::float8 as done
  from (select height, pg_xact_commit_timestamp(xmin) as at from raw.blocks where height > $1) b
  join steps s on s.from_height <= b.height and b.height < s.to_height
  group by 1, 2 order by 1, 2`

/** More history than can be filled in while the head is measured, and hardly any. */
const heads = { backfilling: 100_000, settled: 280 } as const

/**
 * From the commit of the raw rows of a head block to the commit of its derived rows, by PostgreSQL's own clock: ingest and
 * farm in one process, on the simulated chain, which goes on block by block.
 */
export async function measureHeadLatency({
  redisUrl,
  workerCount,
  blocks,
  intervalMs,
  isBackfilling,
}: LatencyOptions): Promise<Latency> {
  const first = isBackfilling ? heads.backfilling : heads.settled
  const database = await openBenchDatabase({ track_commit_timestamp: 'on' })
  const node = await startLedgerNode({ head: first })
  try {
    const idle = Math.max(0, workerCount - workers.length)
    const program = await startProgram('ingest,farm', idle, {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    })
    const all = [...workers, ...idleWorkers(idle)]
    await untilCovered(database.pool, all.length, first - (isBackfilling ? 1000 : first), first)
    await database.pool.query(watchLeases)
    for (let i = 0; i < blocks; i++) {
      // Not in step with anybody's timer.
      await delay(intervalMs * (0.5 + Math.random()))
      node.advance()
    }
    await untilCovered(database.pool, all.length, first, node.head)
    const { rows } = await database.pool.query<Omit<Passage, 'phase'>>(passagesQuery, [first])
    const { delayP99Ms } = await program.end()
    const phases = new Map(all.map(({ name, phase }) => [name, phase]))
    return { passages: rows.map((row) => ({ ...row, phase: phases.get(row.worker) ?? 1 })), delayP99Ms }
  } finally {
    await node.stop()
    await database.close()
  }
}

async function untilCovered(pool: pg.Pool, workerCount: number, from: number, to: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ done: string }>(
      `select count(*) as done from app.coverage where service_name not like '%ingester' and covered @> int8range($1, $2, '[]')`,
      [from, to],
    )
    if (Number(rows[0]?.done) >= workerCount) return
    await delay(100)
  }
}
