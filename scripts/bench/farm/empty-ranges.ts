import { setTimeout as delay } from 'node:timers/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pino } from 'pino'
import { Metrics } from '../../../src/platform/metrics.ts'
import { createPool } from '../../../src/platform/db/pool.ts'
import { Coordinator } from '../../../src/farm/coordinator/coordinator.ts'
import { createWorkQueue } from '../../../src/farm/queues/create-work-queue.ts'
import { packLeases } from '../../../src/farm/queues/work-queue.ts'
import { RangeReader } from '../../../src/farm/range-reader/range-reader.ts'
import { FarmWorkers } from '../../../src/farm/worker-loop/farm-workers.ts'
import type { BenchDatabase } from './bench-database.ts'
import { startClock } from './cost.ts'
import type { Cost } from './cost.ts'
import { idleWorkers } from './idle-workers.ts'

export interface EmptyRangesOptions {
  readonly redisUrl: string | undefined
  readonly workerCount: number
  /** Jobs of a worker at the same time. */
  readonly concurrency: number
  /** For each worker; a range is one height. */
  readonly ranges: number
  /** Whether as many ranges as fit go into one job, as in the program, or one in each. */
  readonly isPacked: boolean
}

export interface EmptyRangesCost extends Cost {
  readonly delayP99Ms: number
}

/** Blocks without transactions, enough for each run. */
export async function storeEmptyBlocks({ pool }: BenchDatabase, heights: number): Promise<void> {
  await pool.query(`
    create table raw.blocks_bench partition of raw.blocks for values from (0) to (1000000);
    create table raw.transactions_bench partition of raw.transactions for values from (0) to (1000000);
    create table raw.event_chunks_bench partition of raw.event_chunks for values from (0) to (1000000);
    insert into raw.blocks
    select h, int8send(h), int8send(h - 1), to_timestamp(1700000000 + h), 0, 0, 0, '{}' from generate_series(0::bigint, ${heights - 1}) h`)
}

/**
 * Ranges that give no rows, from being owed to being covered: cut, queued, claimed, read, derived, committed and announced,
 * by a coordinator, a queue and workers in this process.
 */
export async function measureEmptyRanges(
  database: BenchDatabase,
  options: EmptyRangesOptions,
): Promise<EmptyRangesCost> {
  const { redisUrl, workerCount, concurrency, ranges, isPacked } = options
  const { pool, url, postmaster } = database
  await pool.query('truncate app.worker_leases, app.indexing_checkpoints')
  await pool.query(
    `insert into app.indexing_checkpoints (service_name, covered) values ('main_ingester', int8multirange(int8range(0, $1)))`,
    [ranges],
  )
  const workers = idleWorkers(workerCount)
  const log = pino({ level: 'warn' })
  const queue = await createWorkQueue({ databaseUrl: url, redisUrl, log })
  const leasePool = createPool(url, { max: 3, applicationName: 'bench leases', isDurable: false })
  const stop = new AbortController()
  const farmWorkers = new FarmWorkers({
    pool,
    leasePool,
    heartbeatPool: leasePool,
    queue,
    reader: new RangeReader({ pool }),
    log,
    metrics: new Metrics(),
    network: () => 'emulator',
  })
  await farmWorkers.start(workers.map((worker) => ({ worker, concurrency })))
  const coordinator = new Coordinator({
    databaseUrl: url,
    pool: leasePool,
    log,
    signal: stop.signal,
    maxOpen: 512,
    workers: () => workers.map(({ name, follows }) => ({ name, follows, liveChunk: 1, historyChunk: 1 })),
    enqueue: (worker, leases) =>
      queue.add(
        worker,
        isPacked
          ? packLeases(worker, leases)
          : leases.map(({ from, generation }) => ({ worker, leases: [{ from, generation }] })),
      ),
  })
  const loopDelay = monitorEventLoopDelay({ resolution: 5 })
  loopDelay.enable()
  const clock = startClock(postmaster)
  const coordinating = coordinator.run()
  for (let left = 1; left > 0;) {
    await delay(50)
    const { rows } = await pool.query<{ left: number }>(
      `select $1::int - coalesce(sum(upper(r) - lower(r)), 0)::int as left
       from app.coverage, unnest(covered) as r where service_name like 'idle%'`,
      [workerCount * ranges],
    )
    left = rows[0]?.left ?? 1
  }
  const cost = clock(workerCount * ranges)
  loopDelay.disable()
  stop.abort()
  await coordinating
  await farmWorkers.stop()
  await queue.close()
  await leasePool.end()
  return { ...cost, delayP99Ms: loopDelay.percentile(99) / 1e6 - 5 }
}
