import { readdir, readFile } from 'node:fs/promises'
import { workers } from '../../../jobs/index.ts'
import { contains } from '../../../src/platform/ranges.ts'
import { pause } from '../../../src/platform/retry.ts'
import { readCoverage } from '../../../src/farm/leases/coverage.ts'
import { folderWorker } from '../../support/worker-folder.ts'
import type { ChaosWorld } from '../world/chaos-world.ts'
import { runVariable } from '../world/child-program.ts'

/** Anything not recovered after this time is stuck. */
const deadlineMs = 90_000
const betweenMs = 50
const names = [...workers.map(({ name }) => name), folderWorker.name]

/**
 * Resolves after recovery: the current head is stored on the current branch, all workers have
 * derived it, all processes run and the API reports healthy. Polls, because the database may be
 * down.
 * @returns the recovery time, ms; undefined after the deadline
 */
export async function untilRecovered(world: ChaosWorld): Promise<number | undefined> {
  const { chain, processes, postgres } = world
  const startedAt = performance.now()
  for (let [branch, target] = [chain.branch, chain.head]; ;) {
    // After a fork, the head of the new branch counts.
    if (branch !== chain.branch) [branch, target] = [chain.branch, chain.head]
    const isReady = postgres.isUp && processes.every(({ readySince }) => readySince !== undefined)
    if (isReady && (await isDerived(world, target)) && (await isHealthy(world))) {
      chain.settle(target, branch)
      return Math.round(performance.now() - startedAt)
    }
    if (performance.now() - startedAt > deadlineMs) return undefined
    await pause(betweenMs)
  }
}

async function isDerived({ postgres: { pool }, chain }: ChaosWorld, height: number): Promise<boolean> {
  try {
    const {
      rows: [block],
    } = await pool.query<{ id: string }>("select encode(id, 'hex') as id from raw.blocks where height = $1", [height])
    if (block?.id !== chain.blockId(height)) return false
    const coverage = await readCoverage(pool, names)
    return names.every((name) => contains(coverage.get(name) ?? [], height))
  } catch {
    // Down: retried.
    return false
  }
}

async function isHealthy({ url }: ChaosWorld): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5000) })
    await response.text()
    return response.status === 200
  } catch {
    return false
  }
}

/**
 * Resolves when all stored heights are derived, from 0 to the head, and no lease is open. @returns
 * false after the deadline
 */
export async function untilAllDerived(world: ChaosWorld): Promise<boolean> {
  const startedAt = performance.now()
  const {
    postgres: { pool },
    chain,
  } = world
  for (;;) {
    const {
      rows: [row],
    } = await pool.query<{ behind: number; open: number }>(
      `select (select count(*)::int from unnest($1::text[]) w left join app.coverage c on c.service_name = w
         where (c.covered @> int8range(0, $2)) is not true) as behind,
         (select count(*)::int from app.worker_leases where status <> 'done') as open`,
      [names, chain.head + 1],
    )
    if (row?.behind === 0 && row.open === 0) return true
    if (performance.now() - startedAt > deadlineMs) return false
    await pause(betweenMs)
  }
}

/**
 * Processes, except this one, with the name of the run in their environment; none may remain after
 * a run.
 */
export async function leftoverProcesses(run: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue
    try {
      const environment = await readFile(`/proc/${entry}/environ`, 'latin1')
      if (environment.split('\0').includes(`${runVariable}=${run}`)) {
        found.push(`${entry}: ${(await readFile(`/proc/${entry}/cmdline`, 'latin1')).replaceAll('\0', ' ')}`)
      }
    } catch (error) {
      // The process has exited or belongs to another user.
      if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  return found
}
