import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'
import { workers } from '../../jobs/index.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { addRederiveRequest } from '../../src/farm/leases/requests.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { withDatabase } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { exitCodes } from '../../src/platform/errors.ts'
import { startRedis } from './start-redis.ts'
import { openBenchDatabase, openSource, startFlowfarm, storeRaw, untilDerived } from './bench-programs.ts'
import type { BenchDatabase, FlowfarmProgram, SourceOptions } from './bench-programs.ts'
import { enrichmentScaling } from './enrichment.ts'
import { ownBackfill, startOwnWorker } from './own-workers.ts'
import { cpuSeconds, peakMemoryMiB, treeCpuSeconds } from './process-usage.ts'
import { median, print, printConditions, quantile, Sheet } from './sheet.ts'

export interface FarmOptions extends SourceOptions {
  readonly blocks: number
  readonly runs: number
  readonly redis: boolean
  readonly headBlocks: number
  readonly kills: number
  readonly items: number
  readonly ownBlocks: number
}

const enrichmentOff = Object.fromEntries(
  allEnrichmentWorkers.map(({ name }) => [`ENABLE_${name.toUpperCase()}`, 'false']),
)

export async function benchFarm(options: FarmOptions): Promise<number> {
  const sheet = new Sheet()
  await printConditions()
  const redis = options.redis ? await startRedis() : undefined
  if (options.redis && redis === undefined) print('redis-server is not available: queues are in PostgreSQL.')
  const variables = { ...enrichmentOff, ...(redis === undefined ? {} : { REDIS_URL: redis.url }) }
  try {
    if (options.blocks > 0) await scaling(sheet, options, variables)
    if (options.headBlocks > 0) await headLatency(sheet, options.headBlocks, variables)
    if (options.kills > 0) await takeovers(sheet, options.kills, variables)
    if (options.items > 0) await enrichmentScaling(sheet, options.items)
    if (options.ownBlocks > 0) await ownBackfill(sheet, options.ownBlocks)
  } finally {
    await redis?.stop()
  }
  sheet.end()
  return exitCodes.success
}

interface ScalingRun {
  readonly processes: number
  readonly blocksPerSecond: number
  readonly nodeMs: number
  readonly postgresMs: number
  readonly coresIdle: number
  readonly timesRead: number
  readonly peakMiB: number
}

async function scaling(sheet: Sheet, options: FarmOptions, variables: Record<string, string>): Promise<void> {
  const { blocks, runs } = options
  const database = await openBenchDatabase()
  try {
    await (async () => {
      await using source = await openSource(options, blocks)
      await storeRaw(database, source, blocks)
    })()
    await database.pool.query('vacuum analyze')
    // A database with connections cannot be a template.
    await database.pool.end()
    const results: ScalingRun[] = []
    for (let run = 0; run < runs; run++)
      for (const processes of [1, 2, 4]) results.push(await deriveStored(database, processes, blocks, variables))
    for (const [processes, same] of Map.groupBy(results, (run) => run.processes)) {
      const of = (pick: (run: ScalingRun) => number): number => median(same.map(pick))
      sheet.heading(`${blocks} stored blocks, ${processes} processes of the farm, medians of ${runs} runs`)
      sheet.figure(
        'blocks derived by all workers',
        of((run) => run.blocksPerSecond),
        'blocks/s',
      )
      sheet.figure(
        'CPU of all processes',
        of((run) => run.nodeMs),
        'ms a block',
      )
      sheet.figure(
        'CPU of PostgreSQL',
        of((run) => run.postgresMs),
        'ms a block',
      )
      sheet.figure(
        'reads per block',
        of((run) => run.timesRead),
        '',
        { atMost: 1.05 },
      )
      sheet.figure(
        'cores idle',
        of((run) => run.coresIdle),
        `of ${cpus().length}`,
      )
      sheet.figure(
        'peak memory of a process',
        of((run) => run.peakMiB),
        'MiB',
      )
    }
  } finally {
    await database.close()
  }
}

async function deriveStored(
  { url: serverUrl, postmaster }: BenchDatabase,
  processes: number,
  blocks: number,
  variables: Record<string, string>,
): Promise<ScalingRun> {
  const administration = createPool(withDatabase(serverUrl, 'postgres'), {
    max: 1,
    statementTimeoutMs: 0,
    applicationName: 'bench',
  })
  const url = withDatabase(serverUrl, 'scaling')
  await administration.query('create database scaling template flowfarm')
  await administration.query('checkpoint')
  const pool = createPool(url, { max: 2, applicationName: 'bench', statementTimeoutMs: 0 })
  try {
    const begin = await holdWorkers(pool)
    const programs = await Promise.all(
      Array.from({ length: processes }, () =>
        startFlowfarm(['farm'], { ...variables, DB_URL: url, METRICS_PORT: '0' }, { ready: 'All services started' }),
      ),
    )
    const spent = (): number => programs.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
    const before = { node: spent(), postgres: treeCpuSeconds(postmaster), idle: idleSeconds() }
    const startedAt = performance.now()
    await begin()
    await untilDerived(pool, blocks)
    const seconds = (performance.now() - startedAt) / 1000
    const [node, postgres] = [spent() - before.node, treeCpuSeconds(postmaster) - before.postgres]
    const idle = idleSeconds() - before.idle
    const read = await Promise.all(programs.map((one) => one.metric('flowfarm_farm_blocks_read_total')))
    const peakMiB = Math.max(...programs.map(({ pid }) => peakMemoryMiB(pid)))
    await Promise.all(programs.map((one) => one.end()))
    return {
      processes,
      blocksPerSecond: blocks / seconds,
      nodeMs: (node * 1000) / blocks,
      postgresMs: (postgres * 1000) / blocks,
      coresIdle: idle / seconds,
      timesRead: read.reduce((sum, one) => sum + one, 0) / blocks,
      peakMiB,
    }
  } finally {
    await pool.end()
    await administration.query('drop database scaling with (force)')
    await administration.end()
  }
}

function idleSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1000
}

async function holdWorkers(pool: pg.Pool): Promise<() => Promise<void>> {
  await pool.query('create table public.chain_for_later as table app.chain')
  await pool.query('delete from app.chain')
  return async () => {
    await pool.query('insert into app.chain select * from public.chain_for_later')
  }
}

const firstHead = 280

/** Times from a new block to its raw commit and to its last derived commit. */
async function headLatency(sheet: Sheet, blocks: number, variables: Record<string, string>): Promise<void> {
  const database = await openBenchDatabase({ track_commit_timestamp: 'on' })
  const node = await startLedgerNode({ head: firstHead })
  try {
    const program = await startFlowfarm(
      ['ingest', 'farm'],
      { ...variables, DB_URL: database.url, CHAIN_ACCESS_NODE: node.endpoint },
      { ready: 'All services started' },
    )
    await untilCovered(database.pool, 0, firstHead)
    const own = await startOwnWorker(database, 'A.0ae53cb6e3f42a79.FlowToken')
    await untilCovered(database.pool, 0, firstHead, workers.length + 1)
    await database.pool.query(watchLeases)
    const offered = new Map<number, number>()
    const cpuBefore = cpuSeconds(program.pid)
    for (let i = 0; i < blocks; i++) {
      await delay(400 * (0.5 + Math.random()))
      node.advance()
      offered.set(node.head, Date.now())
    }
    await untilCovered(database.pool, firstHead, node.head, workers.length + 1)
    const cpuMs = ((cpuSeconds(program.pid) - cpuBefore) * 1000) / blocks
    const { rows } = await database.pool.query<{ height: number; stored: number; derived: number; own: number }>(
      passagesQuery,
      [firstHead],
    )
    await own.stop()
    await program.end()
    const stored = rows.map((row) => row.stored - (offered.get(row.height) ?? Number.NaN))
    const derived = rows.map((row) => row.derived)
    sheet.heading(`At the head, ${blocks} blocks, about one in 400 ms, ingest and farm in one process`)
    sheet.figure('new block at the node to its raw rows, median', median(stored), 'ms', { atMost: 40 })
    sheet.figure('the same, p95', quantile(stored, 0.95), 'ms', { atMost: 80 })
    sheet.figure('raw rows to all derived rows, median', median(derived), 'ms', { atMost: 25 })
    sheet.figure('the same, p95', quantile(derived, 0.95), 'ms', { atMost: 60 })
    const ownRows = rows.map((row) => row.own)
    sheet.figure('all derived rows to those of an own worker, median', median(ownRows), 'ms', { atMost: 100 })
    sheet.figure('the same, p95', quantile(ownRows, 0.95), 'ms', { atMost: 200 })
    sheet.figure('CPU of the process', cpuMs, 'ms a block', { atMost: 25 })
  } finally {
    await node.stop()
    await database.close()
  }
}

const watchLeases = `
  create schema bench;
  create table bench.done (worker text not null, from_height bigint not null, to_height bigint not null);
  create function bench.note() returns trigger language plpgsql as $$
  begin
    insert into bench.done values (new.worker_type, new.from_height, new.to_height);
    return null;
  end $$;
  create trigger updated after update of status on app.worker_leases for each row
    when (new.status = 'done' and old.status <> 'done') execute function bench.note()`

/** Per block: raw commit (Unix ms), delay of the last derived commit, and of the own worker's after it (ms). */
const passagesQuery = `
  with done as materialized (select d.*, worker like 'own%' as is_own,
    pg_xact_commit_timestamp(d.xmin) as at from bench.done d)
  select b.height::float8 as height, (extract(epoch from b.at) * 1000)::float8 as stored,
    max(extract(epoch from d.at - b.at) * 1000) filter (where not d.is_own)::float8 as derived,
    extract(epoch from max(d.at) filter (where d.is_own) - max(d.at) filter (where not d.is_own))::float8 * 1000 as own
  from (select height, pg_xact_commit_timestamp(xmin) as at from raw.blocks where height > $1) b
  join done d on d.from_height <= b.height and b.height < d.to_height
  group by 1, 2 order by 1`

async function untilCovered(pool: pg.Pool, from: number, to: number, count = workers.length): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ done: string }>(
      `select count(*) as done from app.coverage
       where service_name not like '%ingester' and covered @> int8range($1, $2, '[]')`,
      [from, to],
    )
    if (Number(rows[0]?.done) >= count) return
    await delay(100)
  }
}

const takeoverBlocks = 600

async function takeovers(sheet: Sheet, kills: number, variables: Record<string, string>): Promise<void> {
  const database = await openBenchDatabase()
  const { pool, url } = database
  const running: FlowfarmProgram[] = []
  try {
    await using source = await openSource({ node: undefined, from: undefined }, takeoverBlocks)
    await storeRaw(database, source, takeoverBlocks)
    const start = async (): Promise<void> => {
      // With small ranges, a process nearly always holds one.
      const small = { LIVE_DERIVERS_CHUNK: '10', HISTORY_DERIVERS_CHUNK: '10', HISTORY_DERIVERS_BATCH_MS: '0' }
      running.push(
        await startFlowfarm(
          ['farm'],
          { ...variables, ...small, DB_URL: url, CHAIN_ACCESS_NODE: source.endpoint },
          { ready: 'All services started' },
        ),
      )
    }
    await Promise.all([start(), start()])
    const seconds: number[] = []
    while (seconds.length < kills) {
      const victim = running.shift()
      if (victim === undefined) break
      const taken = await killAtWork(pool, victim, source.from)
      if (taken !== undefined) seconds.push(taken)
      await start()
    }
    sheet.heading(`Recovery from SIGKILL, ${kills} kills`)
    sheet.figure('SIGKILL to leases available, slowest', Math.max(...seconds), 's', { atMost: 8 })
  } finally {
    for (const program of running) await program.end('SIGKILL')
    await database.close()
  }
}

async function killAtWork(pool: pg.Pool, victim: FlowfarmProgram, from: number): Promise<number | undefined> {
  try {
    while ((await leasesOf(pool, victim.pid)) === 0) await keepBusy(pool, from)
  } finally {
    await victim.end('SIGKILL')
  }
  const killedAt = performance.now()
  if ((await leasesOf(pool, victim.pid)) === 0) return undefined
  while ((await leasesOf(pool, victim.pid)) > 0) await delay(10)
  return (performance.now() - killedAt) / 1000
}

async function leasesOf(pool: pg.Pool, pid: number): Promise<number> {
  const { rows } = await pool.query<{ held: number }>(
    `select count(*)::int as held from app.worker_leases
     where status = 'active' and split_part(leased_by, ':', 2) = $1`,
    [String(pid)],
  )
  return rows[0]?.held ?? 0
}

async function keepBusy(pool: pg.Pool, from: number): Promise<void> {
  const { rowCount } = await pool.query('select 1 from app.backfill_requests where finished_at is null limit 1')
  const names = workers.map(({ name }) => name)
  if (rowCount === 0) await addRederiveRequest(pool, workers, names, { from, to: from + takeoverBlocks })
  else await delay(5)
}
