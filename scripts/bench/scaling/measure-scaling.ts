import { cpus } from 'node:os'
import type pg from 'pg'
import { askingWorkers } from '../../../jobs/enrichment/index.ts'
import { createPool } from '../../../src/platform/db/pool.ts'
import { withDatabase } from '../../../src/platform/db/socket-url.ts'
import { metricSum, startProgram } from '../farm/start-program.ts'
import { treeCpuSeconds } from '../process-usage.ts'
import { untilDerived } from '../until-derived.ts'

/** Nobody is to be asked: there is no access node while blocks are derived. */
const askingOff = Object.fromEntries(askingWorkers.map(({ name }) => [`ENABLE_${name.toUpperCase()}`, 'false']))

/** What so many processes of the farm made of the same stored blocks. */
export interface ScalingRun {
  readonly processes: number
  readonly blocksPerSecond: number
  /** Processor time for a block and all workers: of all processes together, and of PostgreSQL. */
  readonly nodeMs: number
  readonly postgresMs: number
  /** Processors that were busy with it, on average. */
  readonly coresBusy: number
  /** Processors that nobody used meanwhile. What is missing then had other programs. */
  readonly coresIdle: number
  /** How often a block was read and decoded: once for each process that had a range of it. */
  readonly timesRead: number
  /** The least that a process did, as a part of what it would do if all did the same. */
  readonly leastShare: number
  /** The most memory of one process. */
  readonly peakMiB: number
}

export interface ScalingOptions {
  /** Of the server, with the database `flowfarm`, in which the raw blocks are and to which nobody is connected. */
  readonly serverUrl: string
  readonly postmaster: number
  readonly processes: number
  readonly blocks: number
  readonly redisUrl: string | undefined
}

/** Derives a copy of the stored blocks with so many processes, which all begin at the same time. */
export async function measureScaling({
  serverUrl,
  postmaster,
  processes,
  blocks,
  redisUrl,
}: ScalingOptions): Promise<ScalingRun> {
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
        startProgram('farm', 0, {
          ...askingOff,
          DB_URL: url,
          ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
        }),
      ),
    )
    const before = treeCpuSeconds(postmaster)
    const idleBefore = idleSeconds()
    const startedAt = performance.now()
    await begin()
    await untilDerived(pool, blocks)
    const seconds = (performance.now() - startedAt) / 1000
    const postgres = treeCpuSeconds(postmaster) - before
    const idle = idleSeconds() - idleBefore
    const usages = await Promise.all(programs.map((program) => program.end()))
    const node = usages.reduce((sum, usage) => sum + usage.cpuSeconds, 0)
    const done = usages.map((usage) => metricSum(usage, 'flowfarm_farm_blocks_total'))
    const read = usages.reduce((sum, usage) => sum + metricSum(usage, 'flowfarm_farm_blocks_read_total'), 0)
    return {
      processes,
      blocksPerSecond: blocks / seconds,
      nodeMs: (node * 1000) / blocks,
      postgresMs: (postgres * 1000) / blocks,
      coresBusy: (node + postgres) / seconds,
      coresIdle: idle / seconds,
      timesRead: read / blocks,
      leastShare: (Math.min(...done) * processes) / done.reduce((sum, one) => sum + one, 0),
      peakMiB: Math.max(...usages.map(({ peakMiB }) => peakMiB)),
    }
  } finally {
    await pool.end()
    await administration.query('drop database scaling with (force)')
    await administration.end()
  }
}

/** Seconds that all processors of the machine together had nothing to do. */
function idleSeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1000
}

/** The farm waits for an ingester to say which chain it is: so processes wait for each other. @returns what lets them begin */
async function holdWorkers(pool: pg.Pool): Promise<() => Promise<void>> {
  await pool.query('create table public.chain_for_later as table app.chain')
  await pool.query('delete from app.chain')
  return async () => {
    await pool.query('insert into app.chain select * from public.chain_for_later')
  }
}
