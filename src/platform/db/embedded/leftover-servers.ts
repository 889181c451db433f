import { readFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FatalError } from '../../errors.ts'
import { pause } from '../../retry.ts'

const stopSteps = [
  { signal: 'SIGINT', timeoutMs: 20_000 },
  { signal: 'SIGQUIT', timeoutMs: 5_000 },
  { signal: 'SIGKILL', timeoutMs: 5_000 },
] as const

/**
 * Stops all PostgreSQL processes in `clusterFolder`. Only for the holder of the folder's lock.
 * Identified by working directory: after a reboot the number in postmaster.pid may belong to any
 * program.
 */
export async function endLeftoverServers(clusterFolder: string, log: (line: string) => void): Promise<void> {
  for (const { signal, timeoutMs } of stopSteps) {
    const pids = await processesIn(clusterFolder)
    if (pids.length === 0) break
    const postmaster = await postmasterPid(clusterFolder)
    // The postmaster stops its children.
    const targets = postmaster !== undefined && pids.includes(postmaster) && signal !== 'SIGKILL' ? [postmaster] : pids
    log(`Stopping a PostgreSQL server left over in ${clusterFolder} (${signal} to ${targets.join(', ')})`)
    for (const pid of targets) sendSignal(pid, signal)
    const deadline = Date.now() + timeoutMs
    while (Date.now() < deadline && (await processesIn(clusterFolder)).length > 0) await pause(20)
  }
  const left = await processesIn(clusterFolder)
  if (left.length > 0) {
    throw new FatalError(
      'leftover-server',
      `A PostgreSQL server (process ${left.join(', ')}) still uses ${clusterFolder} and cannot be ` +
        'stopped. Kill it manually.',
    )
  }
  await rm(join(clusterFolder, 'postmaster.pid'), { force: true })
}

export async function postmasterPid(clusterFolder: string): Promise<number | undefined> {
  try {
    const [pid] = (await readFile(join(clusterFolder, 'postmaster.pid'), 'utf8')).split('\n')
    return pid ? Number(pid) : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function processesIn(folder: string): Promise<number[]> {
  const target = await statOrUndefined(folder)
  if (target === undefined) return []
  const pids: number[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue
    const cwd = await statOrUndefined(`/proc/${entry}/cwd`)
    if (cwd === undefined || cwd.ino !== target.ino || cwd.dev !== target.dev) continue
    if (await isPostgres(entry)) pids.push(Number(entry))
  }
  return pids
}

async function isPostgres(pid: string): Promise<boolean> {
  try {
    return /^(postgres|initdb)/.test(await readFile(`/proc/${pid}/comm`, 'utf8'))
  } catch (error) {
    if (hasEnded(error)) return false
    throw error
  }
}

async function statOrUndefined(path: string): Promise<{ dev: number; ino: number } | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (hasEnded(error)) return undefined
    throw error
  }
}

export function hasEnded(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM'
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasEnded(error)) throw error
  }
}
