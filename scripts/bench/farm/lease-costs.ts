import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { withTransaction } from '../../../src/platform/db/pool.ts'
import { cutLeases } from '../../../src/farm/leases/plan-leases.ts'
import type { Allowance } from '../../../src/farm/leases/plan-leases.ts'
import { readFarmState } from '../../../src/farm/coordinator/farm-state.ts'
import { foldLeases, lockCheckpoints } from '../../../src/farm/coverage/coverage.ts'
import { claimLeases, heartbeatLeases } from '../../../src/farm/leases/claim-leases.ts'
import { completeLeases, reapLeases } from '../../../src/farm/leases/end-leases.ts'
import type { BenchDatabase } from './bench-database.ts'
import { startClock } from './cost.ts'
import type { Cost } from './cost.ts'
import { median } from './quantile.ts'

const workers = Array.from({ length: 11 }, (_, i) => `worker_${String(i + 1).padStart(2, '0')}`)
const connections = 8

/**
 * Commits of one worker, each of which ends a lease, from eight connections, while one more folds; the coverage of the worker
 * is in so many pieces.
 */
export async function measureLeaseCommits(
  { pool, postmaster }: BenchDatabase,
  pieces: number,
  commits: number,
): Promise<Cost> {
  const worker = 'worker_01'
  await reset(pool)
  await storeCoverage(pool, worker, pieces)
  await pool.query(
    `insert into app.worker_leases (worker_type, from_height, to_height)
     select $1, h * 10, h * 10 + 10 from generate_series(0, $2::bigint - 1) h`,
    [worker, commits],
  )
  const keys = Array.from({ length: commits }, (_, i) => ({ worker, from: i * 10 }))
  const claimed = await claimLeases(pool, keys, { leasedBy: 'bench', leaseMs: 600_000 })
  await pool.query('vacuum analyze app.worker_leases')
  await pool.query('checkpoint')
  const over = new AbortController()
  const folding = keepFolding(pool, worker, over.signal)
  const clock = startClock(postmaster)
  const left = claimed.values()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const claim of left) {
        if ((await completeLeases(pool, [claim])).length !== 1) throw new Error('a lease was lost')
      }
    }),
  )
  const cost = clock(claimed.length)
  over.abort()
  await folding
  return cost
}

/** As the coordinator does it: no more than a tenth of the time. */
async function keepFolding(pool: pg.Pool, worker: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now()
    await withTransaction(pool, async (client) => {
      await lockCheckpoints(client, [worker])
      await foldLeases(client, [worker])
    })
    await delay(Math.max(500, 10 * (performance.now() - startedAt)))
  }
}

export interface CutCost {
  /** To read how many leases there are. */
  readonly stateMs: number
  /** To find and insert what eleven workers are given, 64 ranges each at most. */
  readonly cutMs: number
  readonly leases: number
}

/** One round of the coordinator, rolled back; eight workers follow the raw tables, three follow all of those. */
export async function measureCut(
  { pool }: BenchDatabase,
  pieces: number,
  doneLeases: number,
  owedRanges: number,
): Promise<CutCost> {
  await reset(pool)
  const chunk = 1000
  const head = Math.max(owedRanges * chunk, pieces * 20)
  await pool.query(
    `insert into app.indexing_checkpoints (service_name, covered) values ('main_ingester', int8multirange(int8range(0, $1)))`,
    [head],
  )
  for (const worker of workers) await storeCoverage(pool, worker, pieces, Math.floor(head / pieces))
  await pool.query(
    `insert into app.worker_leases (worker_type, from_height, to_height, status)
     select $1, $2::bigint - (h + 1) * 10, $2::bigint - h * 10, 'done' from generate_series(0, $3::bigint - 1) h where $2::bigint >= (h + 1) * 10`,
    [workers[0], head, doneLeases],
  )
  await pool.query('vacuum analyze app.worker_leases, app.indexing_checkpoints')
  const allowances: Allowance[] = workers.map((name, i) => ({
    plan: { name, follows: i < 8 ? [] : workers.slice(0, 8), liveChunk: 10, historyChunk: chunk },
    liveRoom: 64,
    historyRoom: 64,
    span: 100_000,
  }))
  const cuts: number[] = []
  const states: number[] = []
  let leases = 0
  for (let i = 0; i < 7; i++) {
    const client = await pool.connect()
    const before = performance.now()
    await readFarmState(client, workers, 100)
    states.push(performance.now() - before)
    await client.query('begin')
    const startedAt = performance.now()
    await lockCheckpoints(client, workers)
    leases = (await cutLeases(client, allowances, { liveBlocks: 100, isHistoryEnabled: true })).length
    cuts.push(performance.now() - startedAt)
    await client.query('rollback')
    client.release()
  }
  // The least: it is what the statements cost when nothing else runs here.
  return { stateMs: Math.min(...states), cutMs: Math.min(...cuts), leases }
}

export interface UpkeepCost {
  /** Of 500 leases. */
  readonly heartbeatMs: number
  /** With nothing to take away. */
  readonly reapMs: number
}

/** With 100,000 done leases and 500 active ones. */
export async function measureUpkeep({ pool }: BenchDatabase): Promise<UpkeepCost> {
  await reset(pool)
  await pool.query(
    `insert into app.worker_leases (worker_type, from_height, to_height, generation, status, leased_by, lease_expires_at)
     select 'worker_01', h * 10, h * 10 + 10, h, case when h < 100000 then 'done' else 'active' end, 'bench', now() + interval '60 s'
     from generate_series(0, 100499) h`,
  )
  await pool.query('vacuum analyze app.worker_leases')
  const claims = Array.from({ length: 500 }, (_, i) => ({
    worker: 'worker_01',
    from: (100_000 + i) * 10,
    to: (100_000 + i) * 10 + 10,
    generation: 100_000 + i,
  }))
  const beats: number[] = []
  const reaps: number[] = []
  for (let i = 0; i < 9; i++) {
    const startedAt = performance.now()
    // Each time for longer, or there would be nothing to renew.
    const lost = await heartbeatLeases(pool, claims, 600_000 * 2 ** i)
    beats.push(performance.now() - startedAt)
    if (lost.length > 0) throw new Error('a lease was lost')
    const before = performance.now()
    await reapLeases(pool)
    reaps.push(performance.now() - before)
  }
  return { heartbeatMs: median(beats), reapMs: median(reaps) }
}

async function reset(pool: pg.Pool): Promise<void> {
  await pool.query('truncate app.worker_leases, app.indexing_checkpoints')
}

/** Coverage in as many pieces, half of each `step` heights; far above what is leased where no step is given. */
async function storeCoverage(pool: pg.Pool, worker: string, pieces: number, step?: number): Promise<void> {
  const [base, width] = step === undefined ? [10_000_000, 20] : [0, step]
  await pool.query(
    `insert into app.indexing_checkpoints (service_name, covered)
     select $1, range_agg(int8range($2::bigint + i * $3::bigint, $2::bigint + i * $3::bigint + $3::bigint / 2)) from generate_series(0, $4::bigint - 1) i`,
    [worker, base, width, pieces],
  )
}
