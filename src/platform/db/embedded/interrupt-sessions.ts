import { readFile } from 'node:fs/promises'
import { pause } from '../../retry.ts'
import { hasEnded, processesIn, sendSignal } from './leftover-servers.ts'

/** A process that is about to wait for something is seen waiting in one of these looks. */
const looks = 5
const lookEveryMs = 20

/** The titles of processes that run statements: sessions on the unix socket, and the parallel workers of sessions. */
const sessionTitle = /^postgres: (?:.* \[local\] |parallel worker for PID )/

/**
 * Interrupts sessions that compute and react to no request of the server. PostgreSQL looks for a cancel or terminate
 * request at certain points of its code only, and some functions compute for hours between two of them. SIGFPE is the
 * one signal whose handler raises an error at once (22P01); the session then exits by its pending termination, and no
 * other session notices. SIGKILL makes the server end all sessions and recover.
 *
 * Call it only after the sessions were told to end. A session that waits, for the disk, a lock or another process, is
 * left alone: it could be changing shared memory.
 * @param pids Default: all sessions of the server.
 */
export async function interruptSessions(cluster: string, pids?: readonly number[]): Promise<void> {
  const running = await processesIn(cluster)
  const candidates = pids === undefined ? running : pids.filter((pid) => running.includes(pid))
  const sessions = await filterAsync(candidates, isSession)
  const computing = await filterAsync(sessions, isComputing)
  for (const pid of computing) sendSignal(pid, 'SIGFPE')
}

async function filterAsync(pids: readonly number[], test: (pid: number) => Promise<boolean>): Promise<number[]> {
  const found = await Promise.all(pids.map(async (pid) => ((await test(pid)) ? [pid] : [])))
  return found.flat()
}

async function isSession(pid: number): Promise<boolean> {
  return sessionTitle.test(await readProcFile(pid, 'cmdline'))
}

async function isComputing(pid: number): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if (look > 0) await pause(lookEveryMs)
    // The name, in parentheses, may itself hold any character.
    if (!/^.*\) R /.test(await readProcFile(pid, 'stat'))) return false
  }
  return true
}

/** Empty when the process has ended. */
async function readProcFile(pid: number, name: 'cmdline' | 'stat'): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${name}`, 'utf8')
  } catch (error) {
    if (hasEnded(error)) return ''
    throw error
  }
}
