import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type pg from 'pg'
import { openBenchDatabase } from '../farm/bench-database.ts'
import { quantile } from '../farm/quantile.ts'
import { cpuSeconds, treeCpuSeconds } from '../process-usage.ts'
import type { SignInsDone } from './people.ts'
import { startWalletProgram } from './wallet-program.ts'

interface SignInLoad {
  readonly signIns: number
  /** How many people sign in at a time. */
  readonly atOnce: number
  /** Where V8 leaves its profile of the wallet. */
  readonly profileFolder?: string | undefined
}

interface SignInResult {
  readonly perSecond: number
  /** Processor time of a sign-in, ms: of the wallet's process, of PostgreSQL, and of those who sign in. */
  readonly walletMs: number
  readonly postgresMs: number
  readonly peopleMs: number
  /** From the first request to the session. */
  readonly medianMs: number
  readonly p99Ms: number
  /** Bare commits of one row each, as many at a time as the wallet has connections, on the same server. */
  readonly commitsPerSecond: number
}

/** Nobody may sign in more often than 30 times within five minutes. */
const signInsOfPerson = 20

/** Sign-ins on one process of the program, whose clients are another process. The database is its own. */
export async function measureSignIns({ signIns, atOnce, profileFolder }: SignInLoad): Promise<SignInResult> {
  const database = await openBenchDatabase()
  const wallet = await startWalletProgram(database.url, profileFolder)
  const people = Math.max(atOnce, Math.ceil((signIns * 1.2) / signInsOfPerson))
  const child = fork(
    join(import.meta.dirname, 'people.ts'),
    [database.url, wallet.port, people, atOnce, signIns].map(String),
  )
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`those who sign in ended with ${String(code)}`)
  })
  try {
    await Promise.race([once(child, 'message'), failed])
    const usedNow = (): readonly [number, number, number] => [
      cpuSeconds(wallet.pid),
      treeCpuSeconds(database.postmaster),
      cpuSeconds(child.pid ?? 0),
    ]
    const before = usedNow()
    child.send('go')
    const [{ count, seconds, latenciesMs }] = await Promise.race([
      once(child, 'message') as Promise<[SignInsDone]>,
      failed,
    ])
    const after = usedNow()
    const msOfEach = (at: 0 | 1 | 2): number => ((after[at] - before[at]) / count) * 1000
    failed.catch(() => undefined)
    return {
      perSecond: count / seconds,
      walletMs: msOfEach(0),
      postgresMs: msOfEach(1),
      peopleMs: msOfEach(2),
      medianMs: quantile(latenciesMs, 0.5),
      p99Ms: quantile(latenciesMs, 0.99),
      commitsPerSecond: await measureBareCommits(database.pool, 4000),
    }
  } finally {
    failed.catch(() => undefined)
    if (child.connected) child.disconnect()
    await wallet.end()
    await database.close()
  }
}

/** Connections of the wallet. */
const connections = 10

/** Commits a second of one small row each, by as many connections as the wallet has. */
async function measureBareCommits(pool: pg.Pool, count: number): Promise<number> {
  await pool.query(
    'create table if not exists bench_commits (id bigint generated always as identity, at timestamptz default now())',
  )
  const begun = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next++ < count) await pool.query('insert into bench_commits default values')
    }),
  )
  return count / ((performance.now() - begun) / 1000)
}
