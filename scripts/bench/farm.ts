import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { createPostgresBackend, createRedisBackend, withBackend } from 'bullmq'
import type { BackendFactory, IQueueBackend } from 'bullmq'
import type pg from 'pg'
import { pino } from 'pino'
import type { Worker } from '../../jobs/worker.ts'
import { Metrics } from '../../src/base/metrics.ts'
import { copyInto } from '../../src/db/copy/copy-into.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createPool } from '../../src/db/pool.ts'
import { commitRange } from '../../src/farm/commit/commit-range.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { Coordinator } from '../../src/farm/coordinator/coordinator.ts'
import type { ClaimedLease } from '../../src/farm/leases/lease.ts'
import { createWorkQueue } from '../../src/farm/queues/create-work-queue.ts'
import { packLeases } from '../../src/farm/queues/pack-leases.ts'
import { RangeReader } from '../../src/farm/range-reader/range-reader.ts'
import { FarmWorkers } from '../../src/farm/worker-loop/farm-workers.ts'
import { startRedis } from '../support/start-redis.ts'
import { cpuSeconds, treeCpuSeconds } from './process-usage.ts'

/**
 * `npm run bench:farm`: ranges that give no rows, from being owed to being covered, against BullMQ doing nothing at all; and
 * the commit of a range against DELETE and COPY of the same rows.
 */

const { values } = parseArgs({ options: { ranges: { type: 'string', default: '11000' }, workers: { type: 'string', default: '11' } } })
const workerCount = Number(values.workers)
const heights = Math.ceil(Number(values.ranges) / workerCount)
const log = pino({ level: 'warn' })
const folder = mkdtempSync(join(tmpdir(), 'flowfarm-bench-'))
const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined })
const pool = createPool(server.url, { max: 12, applicationName: 'bench' })
const redis = await startRedis()
const postmaster = Number(readFileSync(join(folder, 'cluster/postmaster.pid'), 'utf8').split('\n')[0])

/** What `count` pieces of work took: the rate, and processor time a piece, which other load on the machine does not change much. */
interface Cost {
  readonly rate: number
  readonly nodeMs: number
  readonly postgresMs: number
}

function startClock(): (count: number) => Cost {
  const started = { at: performance.now(), node: cpuSeconds(process.pid), postgres: treeCpuSeconds(postmaster) }
  return (count) => ({
    rate: count / ((performance.now() - started.at) / 1000),
    nodeMs: ((cpuSeconds(process.pid) - started.node) * 1000) / count,
    postgresMs: ((treeCpuSeconds(postmaster) - started.postgres) * 1000) / count,
  })
}

const idle = (i: number): Worker => ({
  name: `idle_${i}`, description: 'Derives nothing.', phase: 1, follows: [], tables: [], folds: [], derive: () => undefined,
})

/** BullMQ alone: jobs with nothing in them, through as many queues as the farm has. */
async function bare<B extends IQueueBackend, C>(factory: BackendFactory<B, C>, connection: C, queues: number, concurrency: number): Promise<Cost> {
  const { Queue, Worker: Consumer } = withBackend(factory)
  const jobs = 200 * Math.ceil(11 / queues)
  const names = Array.from({ length: queues }, (_, i) => `bare_${queues}_${concurrency}_${i}`)
  const producers = names.map((name) => new Queue(name, { connection }))
  for (const producer of producers) await producer.addBulk(Array.from({ length: jobs }, () => ({ name: 'no-op', data: {}, opts: { removeOnComplete: true } })))
  let left = jobs * queues
  const all = Promise.withResolvers<void>()
  const clock = startClock()
  const consumers = names.map((name) => new Consumer(name, () => {
    if (--left === 0) all.resolve()
    return Promise.resolve()
  }, { connection, concurrency }))
  await all.promise
  const cost = clock(jobs * queues)
  for (const one of [...consumers, ...producers]) await one.close()
  return cost
}

/** The farm: coordinator, queue and workers in this process. */
async function farm(redisUrl: string | undefined, perJob: 'one' | 'packed', concurrency: number): Promise<Cost> {
  await pool.query(`truncate app.worker_leases; delete from app.indexing_checkpoints where service_name like 'idle%'`)
  const workers = Array.from({ length: workerCount }, (_, i) => idle(i))
  const queue = await createWorkQueue({ databaseUrl: server.url, redisUrl, log })
  const leasePool = createPool(server.url, { max: 3, applicationName: 'bench leases' })
  const stop = new AbortController()
  const reader = new RangeReader({ pool })
  const farmWorkers = new FarmWorkers({ pool, leasePool, queue, reader, log, metrics: new Metrics(), network: () => 'emulator' })
  await farmWorkers.start(workers.map((worker) => ({ worker, concurrency })))
  const coordinator = new Coordinator({
    databaseUrl: server.url, pool: leasePool, log, signal: stop.signal, maxOpen: 512,
    workers: () => workers.map(({ name, follows }) => ({ name, follows, liveChunk: 1, historyChunk: 1 })),
    enqueue: (worker, leases) => queue.add(worker, perJob === 'packed' ? packLeases(worker, leases) : leases.map(({ from, generation }) => ({ worker, leases: [{ from, generation }] }))),
  })
  const clock = startClock()
  const coordinating = coordinator.run()
  for (;;) {
    const { rows } = await pool.query<{ left: string }>(
      `select $1::int * $2::int - coalesce((select sum(upper(r) - lower(r)) from app.coverage, unnest(covered) as r where service_name like 'idle%'), 0) as left`,
      [workerCount, heights],
    )
    if (Number(rows[0]?.left) === 0) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const cost = clock(workerCount * heights)
  stop.abort()
  await coordinating
  await farmWorkers.stop()
  await queue.close()
  await leasePool.end()
  return cost
}

const moves: Worker = {
  name: 'moves', description: 'Rows as transfers have them.', phase: 1, follows: [], folds: [],
  tables: [{ name: 'app.bench_moves', columns: ['block_height', 'tx_index', 'event_index', 'token', 'sender', 'receiver', 'amount'], heightColumn: 'block_height', partitionHeights: 1_000_000 }],
}
const rowsPerHeight = 9

function fill(output: RangeOutput, from: number, to: number): void {
  const rows = output.rows('app.bench_moves')
  for (let height = from; height < to; height++) {
    for (let i = 0; i < rowsPerHeight; i++) {
      rows.row(7)
      rows.int8(height)
      rows.int4(i)
      rows.int4(3)
      rows.text('A.1654653399040a61.FlowToken')
      rows.text(`0x${(height * 7919 + i).toString(16).padStart(16, '0')}`)
      rows.text(`0x${(height * 104729 + i).toString(16).padStart(16, '0')}`)
      rows.numeric(`${height}.00000570`)
    }
  }
}

/** @returns ms a range, for bare DELETE and COPY and for a whole commit, taking turns; medians */
async function commits(heightsPerRange: number): Promise<{ bare: number; farm: number }> {
  await pool.query('truncate app.bench_moves, app.bench_bare, app.worker_leases')
  const output = new RangeOutput(moves)
  const bareTimes: number[] = []
  const farmTimes: number[] = []
  const rounds = Math.max(60, Math.ceil(20_000 / heightsPerRange / rowsPerHeight))
  for (let i = 0; i < rounds; i++) {
    const from = i * heightsPerRange
    const to = from + heightsPerRange
    output.clear()
    fill(output, from, to)
    const { rows } = await pool.query<{ generation: string }>(
      `insert into app.worker_leases (worker_type, from_height, to_height, generation, status, attempt) values ('moves', $1, $2, nextval('app.lease_generation'), 'active', 1)
       on conflict (worker_type, from_height) do update set status = 'active', generation = excluded.generation returning generation`, [from, to],
    )
    const lease: ClaimedLease = { worker: 'moves', from, to, generation: Number(rows[0]?.generation), attempt: 1 }
    const runs = [
      async () => {
        const started = performance.now()
        await bareCommit(output, from, to)
        bareTimes.push(performance.now() - started)
      },
      async () => {
        const started = performance.now()
        await commitRange(pool, { worker: moves, lease, chainVersion: 0, output })
        farmTimes.push(performance.now() - started)
      },
    ]
    for (const run of i % 2 === 0 ? runs : runs.toReversed()) await run()
  }
  return { bare: median(bareTimes), farm: median(farmTimes) }
}

async function bareCommit(output: RangeOutput, from: number, to: number): Promise<void> {
  const client: pg.PoolClient = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`delete from app.bench_bare where block_height >= ${from} and block_height < ${to}`)
    for (const { table, writer } of output.tables) await copyInto(client, 'app.bench_bare', table.columns, writer)
    await client.query('commit')
  } finally {
    client.release()
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

function costText({ rate, nodeMs, postgresMs }: Cost): string {
  return `${Math.round(rate).toLocaleString('en-US').padStart(8)}/s, processor ms each: Node ${nodeMs.toFixed(2)}, PostgreSQL ${postgresMs.toFixed(2)}`
}

try {
  await migrate(pool, resolve(import.meta.dirname, '../../migrations'))
  await pool.query(`
    create table raw.blocks_bench partition of raw.blocks for values from (0) to (1000000);
    create table raw.transactions_bench partition of raw.transactions for values from (0) to (1000000);
    create table raw.events_bench partition of raw.events for values from (0) to (1000000);
    insert into raw.blocks select h, int8send(h), int8send(h - 1), to_timestamp(1700000000 + h), 0, 0, 0, '{}' from generate_series(0::bigint, ${heights - 1}) h;
    insert into app.indexing_checkpoints (service_name, covered) values ('main_ingester', int8multirange(int8range(0, ${heights})))`)
  process.stdout.write(`Node ${process.version}, ${availableParallelism()} cores, embedded PostgreSQL 18, all on this machine\n\n`)
  for (const backend of ['postgres', 'redis'] as const) {
    if (backend === 'redis' && redis === undefined) {
      process.stdout.write('redis: not measured, there is no redis-server\n')
      continue
    }
    const opened = await createWorkQueue({ databaseUrl: server.url, redisUrl: undefined, log })
    await opened.close()
    const pgConnection = { connectionString: server.url, max: 10 }
    const redisUrl = backend === 'redis' ? redis?.url : undefined
    const redisConnection = { port: Number(new URL(redis?.url ?? 'redis://x:1').port), host: '127.0.0.1', maxRetriesPerRequest: null }
    const noOp = (queues: number, concurrency: number): Promise<Cost> =>
      backend === 'redis' ? bare(createRedisBackend, redisConnection, queues, concurrency) : bare(createPostgresBackend, pgConnection, queues, concurrency)
    process.stdout.write(`${backend}\n`)
    const yardstick = await noOp(workerCount, 1)
    process.stdout.write(`  BullMQ, no-op, ${workerCount} queues, concurrency 1        ${costText(yardstick)}\n`)
    process.stdout.write(`  BullMQ, no-op, 1 queue, concurrency 10         ${costText(await noOp(1, 10))}\n`)
    for (const [perJob, concurrency] of [['one', 1], ['one', 4], ['packed', 1], ['packed', 2]] as const) {
      const delay = monitorEventLoopDelay({ resolution: 5 })
      delay.enable()
      const cost = await farm(redisUrl, perJob, concurrency)
      delay.disable()
      process.stdout.write(
        `  farm, ${perJob === 'one' ? 'one range a job     ' : 'up to 32 ranges a job'}, concurrency ${concurrency}     ${costText(cost)}; ${((100 * cost.rate) / yardstick.rate).toFixed(0)} % of ${workerCount} queues; event loop late by ${(delay.percentile(99) / 1e6).toFixed(0)} ms at p99\n`,
      )
    }
  }
  await pool.query(`
    create table app.bench_moves (block_height bigint not null, tx_index integer not null, event_index integer not null, token text not null,
      sender text, receiver text, amount numeric not null, primary key (block_height, tx_index, event_index)) partition by range (block_height);
    create index on app.bench_moves (sender, block_height); create index on app.bench_moves (receiver, block_height); create index on app.bench_moves (token, block_height);
    create table app.bench_bare (like app.bench_moves including all) partition by range (block_height);
    create table app.bench_bare_p0 partition of app.bench_bare for values from (0) to (1000000);
    create table app.bench_bare_p1 partition of app.bench_bare for values from (1000000) to (2000000)`)
  process.stdout.write('\ncommit of a range, ms, median (four indexes, one partition)\n')
  for (const heightsPerRange of [10, 100, 1000]) {
    const { bare: bareMs, farm: farmMs } = await commits(heightsPerRange)
    process.stdout.write(
      `  ${String(heightsPerRange * rowsPerHeight).padStart(5)} rows: DELETE and COPY ${bareMs.toFixed(2).padStart(7)}, with lease, fence and version ${farmMs.toFixed(2).padStart(7)}  (+${(100 * (farmMs / bareMs - 1)).toFixed(0)} %)\n`,
    )
  }
} finally {
  await pool.end()
  await server.stop()
  await redis?.stop()
  rmSync(folder, { recursive: true, force: true })
}
