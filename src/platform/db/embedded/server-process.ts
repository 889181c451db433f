import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { serverEnvironment } from './binaries.ts'
import { clusterArgument, identity } from './cluster.ts'
import { postmasterPid, processesIn, sendSignal, hasEnded } from './leftover-servers.ts'
import type { SystemUser } from './system-user.ts'
import { readFile } from 'node:fs/promises'
import { pause } from '../../retry.ts'

/**
 * How long the watchdog waits for a fast shutdown before an immediate one, s; a session may react to nothing but that.
 */
const watchdogPatienceS = 8

/**
 * Runs the server in the background and stops it when our end of standard input closes, which the kernel does however
 * we end. SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one, after which the next start recovers. The
 * exit code is the server's own. The first argument is the address space that each of its processes may have, in KiB.
 */
const watchdog = `
exec 3<&0
# Where the system knows no such limit (macOS), there is none.
ulimit -v "$1" 2>/dev/null || :
shift
"$@" </dev/null 3<&- &
server=$!
(
  while read -r line; do :; done
  kill -INT $server
  left=${watchdogPatienceS}
  while [ $left -gt 0 ]; do sleep 1; left=$((left - 1)); done
  kill -QUIT $server
) <&3 3<&- >/dev/null 2>&1 &
watcher=$!
exec 3<&- </dev/null
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code
`

/** A fast shutdown writes all changed pages, which a slow disk may need time for, ms. */
const usualStopMs = 60_000
/** How long sessions have to end by themselves, ms, but at most a third of the time for the stop. */
const sessionsEndMs = 1500
/** Time between two attempts to interrupt sessions that do not end, ms. */
const interruptEveryMs = 250
/**
 * How long an immediate shutdown has before every process is killed, ms, but at most a quarter of the time for the
 * stop.
 */
const quitMs = 1000

interface ServerProcessOptions {
  runtime: string
  cluster: string
  user: SystemUser | undefined
  settings: Record<string, string>
  logFile: { readonly fd: number }
}

interface ServerProcess {
  /** The exit code, once the server has ended; above 128 it was ended by signal number code - 128. */
  readonly exited: Promise<number>
  /**
   * Fast shutdown. Sessions that compute and do not end are interrupted; what has not ended shortly before `withinMs`
   * (default 60 s) ends by an immediate shutdown, from which the next start recovers, and at last by SIGKILL. May be
   * called twice.
   */
  stop(withinMs?: number): Promise<void>
}

/** Starts postgres below its watchdog, in a session of its own so that Ctrl-C reaches us first. */
export async function spawnServer(options: ServerProcessOptions): Promise<ServerProcess> {
  const { runtime, cluster, user, settings, logFile } = options
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const postgres = [join(runtime, 'bin', 'postgres'), '-D', clusterArgument(cluster, user), ...flags]
  const child = spawn(
    '/bin/sh',
    ['-c', watchdog, 'sh', String(sessionAddressSpaceKiB(settings['shared_buffers'] ?? '128MB')), ...postgres],
    {
      ...identity(cluster, user),
      env: serverEnvironment,
      detached: true,
      stdio: ['pipe', logFile.fd, logFile.fd],
    },
  )
  const exited = Promise.withResolvers<number>()
  child.once('exit', (code) => exited.resolve(code ?? 128))
  await once(child, 'spawn')
  const lifeline = child.stdin as Socket
  // Closing a pipe whose reader is gone is no failure: the exit says what happened.
  lifeline.on('error', () => lifeline.destroy())
  // A server that nobody uses any more does not keep the program alive; it ends with it.
  child.unref()
  lifeline.unref()
  return {
    exited: exited.promise,
    async stop(withinMs = usualStopMs) {
      child.ref()
      lifeline.end()
      const hasEnded = exited.promise.then(() => true)
      const endsWithin = (ms: number): Promise<boolean> => {
        const timer = Promise.withResolvers<boolean>()
        const timeout = setTimeout(() => timer.resolve(false), Math.max(0, ms))
        return Promise.race([hasEnded, timer.promise]).finally(() => clearTimeout(timeout))
      }
      const quitAt = performance.now() + withinMs - Math.min(quitMs, withinMs / 4)
      let pauseMs = Math.min(sessionsEndMs, withinMs / 3)
      while (!(await endsWithin(Math.min(pauseMs, quitAt - performance.now())))) {
        if (performance.now() >= quitAt) return kill(cluster, endsWithin, Math.min(quitMs, withinMs / 4))
        // It reads all of /proc, which takes seconds on a busy machine.
        await Promise.race([interruptSessions(cluster), endsWithin(quitAt - performance.now())])
        pauseMs = interruptEveryMs
      }
    },
  }
}

async function kill(cluster: string, endsWithin: (ms: number) => Promise<boolean>, ms: number): Promise<void> {
  const pid = await postmasterPid(cluster)
  if (pid !== undefined) sendSignal(pid, 'SIGQUIT')
  while (!(await endsWithin(ms))) {
    for (const left of await processesIn(cluster)) sendSignal(left, 'SIGKILL')
  }
}

const KiB = 1024
const GiB = 1024 ** 3

/**
 * What each process of the server has beside its session's own memory and the shared buffers: programs, locales,
 * stacks.
 */
const baseBytes = GiB / 4

/**
 * The address space that one process of the server may have, in KiB. PostgreSQL itself has no limit for a session:
 * each value of a statement may have a gigabyte, and a statement has as many values as somebody writes. Beyond this
 * it fails with `out of memory` (53200), and the machine and all other sessions go on.
 * @param sharedBuffers the setting, such as `512MB`
 */
function sessionAddressSpaceKiB(sharedBuffers: string): number {
  const own = Math.max(GiB, totalmem() / 16)
  // Shared memory other than the buffers grows with the connections: half as much again is ample.
  return Math.ceil((own + baseBytes + 1.5 * bytesOf(sharedBuffers)) / KiB)
}

/** The units that PostgreSQL takes for its settings of memory; without one it counts pages. */
const units: Readonly<Record<string, number>> = { B: 1, kB: KiB, MB: KiB ** 2, GB: GiB, TB: KiB * GiB, '': 8 * KiB }

function bytesOf(setting: string): number {
  const [, digits = '0', unit = ''] = /^\s*(\d+)\s*([a-zA-Z]*)\s*$/.exec(setting) ?? []
  return Number(digits) * (units[unit] ?? 0)
}

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
