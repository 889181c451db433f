import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type pg from 'pg'
import { openBenchDatabase } from '../farm/bench-database.ts'
import { startProgram } from '../farm/start-program.ts'
import type { BenchProgram } from '../farm/start-program.ts'
import { startSimulatedNode } from '../simulated-node.ts'

export interface Restart {
  /** From the start of the program after a kill to its first commit of derived rows. */
  readonly seconds: number
  /** To load the program and do nothing. */
  readonly loadSeconds: number
}

/** More than is derived meanwhile. */
const blocks = 50_000
/** Heights that each worker has done, in the mean, before the kill. */
const coveredBefore = 200

/** `kill -9` of a program that ingests and derives all by itself, in the midst of history, and its next start. */
export async function measureRestart(): Promise<Restart> {
  const loadSeconds = await secondsToLoad()
  const database = await openBenchDatabase()
  const started: BenchProgram[] = []
  try {
    await using node = await startSimulatedNode(blocks)
    const start = async (): Promise<void> => {
      started.push(
        await startProgram('ingest,farm', 0, {
          DB_URL: database.url,
          CHAIN_ACCESS_NODE: node.endpoint,
          ENABLE_FORWARD_INGESTER: 'false',
          LOG_LEVEL: 'error',
          START_BLOCK: String(node.from + blocks),
          HISTORY_STOP_HEIGHT: String(node.from),
        }),
      )
    }
    await start()
    await untilCoveredMoreThan(database.pool, coveredBefore)
    await killAll(started)
    const before = await covered(database.pool)
    const begun = performance.now()
    const starting = start()
    await untilCoveredMoreThan(database.pool, before)
    const seconds = (performance.now() - begun) / 1000
    await starting
    return { seconds, loadSeconds }
  } finally {
    await killAll(started)
    await database.close()
  }
}

async function killAll(started: BenchProgram[]): Promise<void> {
  for (const program of started.splice(0)) await program.kill()
}

async function secondsToLoad(): Promise<number> {
  const begun = performance.now()
  await once(spawn(process.execPath, [join(import.meta.dirname, 'load-program.ts')], { stdio: 'inherit' }), 'exit')
  return (performance.now() - begun) / 1000
}

async function untilCoveredMoreThan(pool: pg.Pool, heights: number): Promise<void> {
  while ((await covered(pool)) <= heights) await pool.query('select pg_sleep(0.01)')
}

/** Heights that a worker has done, in the mean of all. */
async function covered(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ heights: number }>(
    `select coalesce(avg((select sum(upper(r) - lower(r)) from unnest(covered) as r)), 0)::float8 as heights
     from app.coverage where service_name not like '%ingester'`,
  )
  return rows[0]?.heights ?? 0
}
