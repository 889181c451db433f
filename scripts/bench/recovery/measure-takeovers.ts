import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { addRederiveRequest } from '../../../src/farm/coverage/requests.ts'
import { openBenchDatabase } from '../farm/bench-database.ts'
import { storeRaw } from '../farm/catch-up.ts'
import { startProgram } from '../farm/start-program.ts'
import type { BenchProgram } from '../farm/start-program.ts'
import { startSimulatedNode } from '../simulated-node.ts'

/** One `kill -9`. */
export interface Takeover {
  /** Until every range that the process had in hand was taken away from it, for others. */
  readonly seconds: number
  /** Until others had done all of them, which are behind what was queued before. */
  readonly doneSeconds: number
  /** Until the last of its leases ran out: nobody may take its ranges before. */
  readonly leaseSeconds: number
}

const blocks = 600

/** Two processes that derive, of which one after the other is killed while it holds ranges; a new one takes its place. */
export async function measureTakeovers(kills: number): Promise<Takeover[]> {
  const database = await openBenchDatabase()
  const { pool, url } = database
  const running: BenchProgram[] = []
  try {
    await using node = await startSimulatedNode(blocks)
    await storeRaw(database, blocks, node)
    // Small ranges, so that there is always one in hand. That leases run out is what is measured, and nothing to warn of.
    const start = async (): Promise<void> => {
      running.push(
        await startProgram('farm', 0, {
          DB_URL: url,
          CHAIN_ACCESS_NODE: node.endpoint,
          LIVE_DERIVERS_CHUNK: '10',
          HISTORY_DERIVERS_CHUNK: '10',
          HISTORY_DERIVERS_GATHER_MS: '0',
          LOG_LEVEL: 'error',
        }),
      )
    }
    await Promise.all([start(), start()])
    const takeovers: Takeover[] = []
    while (takeovers.length < kills) {
      const takeover = await killAtWork(pool, running.shift() as BenchProgram, node.from)
      if (takeover !== undefined) takeovers.push(takeover)
      await start()
    }
    return takeovers
  } finally {
    for (const program of running) await program.kill()
    await database.close()
  }
}

/** Undefined where the process ended its last range between the look and the kill. */
async function killAtWork(pool: pg.Pool, victim: BenchProgram, from: number): Promise<Takeover | undefined> {
  try {
    while ((await heldBy(pool, victim.pid)).length === 0) await keepBusy(pool, from)
  } finally {
    await victim.kill()
  }
  const killedAt = performance.now()
  const since = (): number => (performance.now() - killedAt) / 1000
  const held = await heldBy(pool, victim.pid)
  if (held.length === 0) return undefined
  while ((await heldBy(pool, victim.pid)).length > 0) await pool.query('select pg_sleep(0.01)')
  const seconds = since()
  await untilDone(pool, held)
  return { seconds, doneSeconds: since(), leaseSeconds: Math.max(...held.map((range) => range.seconds)) }
}

interface HeldRange {
  readonly worker: string
  readonly from: number
  /** Until the lease runs out. */
  readonly seconds: number
}

async function heldBy(pool: pg.Pool, pid: number): Promise<HeldRange[]> {
  const { rows } = await pool.query<HeldRange>(
    `select worker_type as worker, from_height::float8 as from, extract(epoch from lease_expires_at - clock_timestamp())::float8 as seconds
     from app.worker_leases where status = 'active' and split_part(leased_by, ':', 2) = $1`,
    [String(pid)],
  )
  return rows
}

/** Has everything derived again where nothing is left to do. */
async function keepBusy(pool: pg.Pool, from: number): Promise<void> {
  const { rowCount } = await pool.query(`select 1 from app.worker_leases where status <> 'done' limit 1`)
  if (rowCount === 0)
    await addRederiveRequest(
      pool,
      workers,
      workers.map(({ name }) => name),
      { from, to: from + blocks },
    )
  else await pool.query('select pg_sleep(0.005)')
}

/** A done lease goes away when it is folded into coverage. */
async function untilDone(pool: pg.Pool, held: readonly HeldRange[]): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `select 1 from unnest($1::text[], $2::bigint[]) as held (worker, from_height)
       join app.worker_leases l on l.worker_type = held.worker and l.from_height = held.from_height where l.status <> 'done' limit 1`,
      [held.map(({ worker }) => worker), held.map(({ from }) => from)],
    )
    if (rowCount === 0) return
    await pool.query('select pg_sleep(0.01)')
  }
}
