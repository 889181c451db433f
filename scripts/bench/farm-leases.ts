import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startEmbeddedPostgres } from '../../src/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createPool, withTransaction } from '../../src/db/pool.ts'
import { cutLeases } from '../../src/farm/coordinator/sql/cut-leases.ts'
import type { Allowance } from '../../src/farm/coordinator/sql/cut-leases.ts'
import { readFarmState } from '../../src/farm/coordinator/sql/read-farm-state.ts'
import { foldLeases } from '../../src/farm/coverage/sql/fold-leases.ts'
import { lockCheckpoints } from '../../src/farm/coverage/sql/lock-checkpoints.ts'
import { CompletionAnnouncer } from '../../src/farm/leases/completion-announcer.ts'
import { claimLeases } from '../../src/farm/leases/sql/claim-leases.ts'
import { completeLeases } from '../../src/farm/leases/sql/complete-leases.ts'
import { heartbeatLeases } from '../../src/farm/leases/sql/heartbeat-leases.ts'
import { reapLeases } from '../../src/farm/leases/sql/reap-leases.ts'
import { treeCpuSeconds } from './process-usage.ts'

/** What the statements of the farm cost, without queues, reading and deriving: `node scripts/bench/farm-leases.ts`. */

const workers = Array.from({ length: 11 }, (_, i) => `worker_${String(i + 1).padStart(2, '0')}`)
const connections = 8

const folder = mkdtempSync(join(tmpdir(), 'flowfarm-bench-'))
const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined })
const pool = createPool(server.url, { max: connections + 4, statementTimeoutMs: 0 })
try {
  await migrate(pool, resolve(import.meta.dirname, '../../migrations'))
  const postmaster = Number(readFileSync(join(folder, 'cluster/postmaster.pid'), 'utf8').split('\n')[0])
  console.log('commits of one worker over 8 connections, folded beside them')
  for (const pieces of [1, 10_000]) {
    for (const [perCommit, isAlone] of [[1, true], [1, false], [32, false]] as const) {
      const { commits, folds, foldMs, postgresMs } = await commitLeases(pieces, perCommit, isAlone, postmaster)
      console.log(
        `  ${count(pieces)} pieces, ${String(perCommit).padStart(2)} leases a commit${isAlone ? ', one statement' : ''}: ${count(commits)} commits/s, ${count(commits * perCommit)} leases/s, ` +
          `${postgresMs.toFixed(2)} ms of PostgreSQL a commit, ${folds} folds of ${foldMs.toFixed(0)} ms`,
      )
    }
  }
  console.log('what 11 workers are given, 64 ranges each, rolled back; ms, median (8 workers follow the raw tables, 3 all of them)')
  for (const pieces of [1, 1000, 100_000]) {
    for (const done of [0, 100_000]) {
      for (const owedRanges of [1000, 1_000_000]) await timeCut(pieces, done, owedRanges)
    }
  }
  console.log('with 100,000 done leases and 500 active ones; ms, median')
  await timeUpkeep()
} finally {
  await pool.end()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Claims beforehand; then each connection completes leases, one commit after the other, while one other folds. The commit is
 * the statement alone, or a transaction of its own, which makes three round trips.
 */
async function commitLeases(
  pieces: number, perCommit: number, isAlone: boolean, postmaster: number,
): Promise<{ commits: number; folds: number; foldMs: number; postgresMs: number }> {
  const total = 16_000 * (perCommit === 1 ? 1 : 4)
  await reset()
  const worker = 'worker_01'
  await storeCoverage(worker, pieces)
  await pool.query(
    `insert into app.worker_leases (worker_type, from_height, to_height) select $1, h * 10, h * 10 + 10 from generate_series(0, $2::bigint - 1) h`,
    [worker, total],
  )
  const keys = Array.from({ length: total }, (_, i) => ({ worker, from: i * 10 }))
  const claimed = await claimLeases(pool, keys, { leasedBy: 'bench', leaseMs: 600_000 })
  await pool.query('vacuum analyze app.worker_leases')
  await pool.query('checkpoint')

  const announcer = new CompletionAnnouncer(pool, (error) => console.error(error))
  const over = new AbortController()
  const folds: number[] = []
  const folding = (async () => {
    while (!over.signal.aborted) {
      const started = performance.now()
      await fold([worker])
      folds.push(performance.now() - started)
      await new Promise((done) => setTimeout(done, Math.max(500, 10 * (folds.at(-1) ?? 0))))
    }
  })()
  const cpuBefore = treeCpuSeconds(postmaster)
  const started = performance.now()
  let next = 0
  await Promise.all(Array.from({ length: connections }, async () => {
    while (next < claimed.length) {
      const mine = claimed.slice(next, (next += perCommit))
      const held = isAlone ? await completeLeases(pool, mine) : await withTransaction(pool, (client) => completeLeases(client, mine))
      if (held.length !== mine.length) throw new Error('a lease was lost')
      announcer.announce()
    }
  }))
  const seconds = (performance.now() - started) / 1000
  const postgres = treeCpuSeconds(postmaster) - cpuBefore
  over.abort()
  await Promise.all([folding, announcer.idle()])
  const commits = claimed.length / perCommit
  return { commits: commits / seconds, folds: folds.length, foldMs: median(folds), postgresMs: (postgres * 1000) / commits }
}

async function timeCut(pieces: number, done: number, owedRanges: number): Promise<void> {
  await reset()
  const chunk = 1000
  const head = Math.max(owedRanges * chunk, pieces * 20)
  await pool.query(`insert into app.indexing_checkpoints (service_name, covered) values ('main_ingester', int8multirange(int8range(0, $1)))`, [head])
  for (const worker of workers) await storeCoverage(worker, pieces, Math.floor(head / pieces))
  await pool.query(
    `insert into app.worker_leases (worker_type, from_height, to_height, status)
     select $1, $2::bigint - (h + 1) * 10, $2::bigint - h * 10, 'done' from generate_series(0, $3::bigint - 1) h where $2::bigint >= (h + 1) * 10`,
    [workers[0], head, done],
  )
  await pool.query('vacuum analyze app.worker_leases, app.indexing_checkpoints')
  const allowances: Allowance[] = workers.map((name, i) => ({
    plan: { name, follows: i < 8 ? [] : workers.slice(0, 8), liveChunk: 10, historyChunk: chunk }, liveRoom: 64, historyRoom: 64, span: 100_000,
  }))
  const [cuts, states]: [number[], number[]] = [[], []]
  let given = 0
  for (let i = 0; i < 7; i++) {
    const client = await pool.connect()
    const before = performance.now()
    await readFarmState(client, workers, 100)
    states.push(performance.now() - before)
    await client.query('begin')
    const started = performance.now()
    await lockCheckpoints(client, workers)
    given = (await cutLeases(client, allowances, { liveBlocks: 100, isHistoryEnabled: true })).length
    cuts.push(performance.now() - started)
    await client.query('rollback')
    client.release()
  }
  console.log(
    `  ${count(pieces)} pieces each, ${count(done)} done leases, ${count(owedRanges)} owed ranges: cut ${median(cuts).toFixed(1)} ` +
      `for ${given} leases, state ${median(states).toFixed(2)}`,
  )
}

async function timeUpkeep(): Promise<void> {
  await reset()
  await pool.query(
    `insert into app.worker_leases (worker_type, from_height, to_height, generation, status, leased_by, lease_expires_at)
     select 'worker_01', h * 10, h * 10 + 10, h, case when h < 100000 then 'done' else 'active' end, 'bench', now() + interval '1 s'
     from generate_series(0, 100499) h`,
  )
  await pool.query('vacuum analyze app.worker_leases')
  const claims = Array.from({ length: 500 }, (_, i) => ({ worker: 'worker_01', from: (100_000 + i) * 10, generation: 100_000 + i }))
  const beats: number[] = []
  const reaps: number[] = []
  for (let i = 0; i < 9; i++) {
    const started = performance.now()
    const lost = await heartbeatLeases(pool, claims, 600_000 * 2 ** i)
    beats.push(performance.now() - started)
    if (lost.length > 0) throw new Error('a lease was lost')
    const before = performance.now()
    await reapLeases(pool)
    reaps.push(performance.now() - before)
  }
  console.log(`  heartbeat of 500: ${median(beats).toFixed(1)}, reaper with nothing due: ${median(reaps).toFixed(2)}`)
}

async function fold(names: string[]): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockCheckpoints(client, names)
    await foldLeases(client, names)
  })
}

async function reset(): Promise<void> {
  await pool.query('truncate app.worker_leases, app.indexing_checkpoints')
}

/** Coverage in as many pieces, half of each `step` heights; far above what is leased where no step is given. */
async function storeCoverage(worker: string, pieces: number, step?: number): Promise<void> {
  const [base, width] = step === undefined ? [10_000_000, 20] : [0, step]
  await pool.query(
    `insert into app.indexing_checkpoints (service_name, covered)
     select $1, range_agg(int8range($2::bigint + i * $3::bigint, $2::bigint + i * $3::bigint + $3::bigint / 2)) from generate_series(0, $4::bigint - 1) i`,
    [worker, base, width, pieces],
  )
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}
