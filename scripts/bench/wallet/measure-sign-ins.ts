import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openBenchDatabase } from '../farm/bench-database.ts'
import { quantile } from '../farm/quantile.ts'
import { cpuSeconds, treeCpuSeconds } from '../process-usage.ts'
import { measureBareCommits } from './bare-commits.ts'
import type { SignInsDone } from './people.ts'
import { startWalletProgram } from './wallet-program.ts'

export interface SignInLoad {
  readonly signIns: number
  /** How many people sign in at a time. */
  readonly atOnce: number
  /** Where V8 leaves its profile of the wallet. */
  readonly profileFolder?: string | undefined
}

export interface SignInResult {
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
