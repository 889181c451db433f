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

/** Seconds before the watchdog follows a fast shutdown with an immediate one. */
const watchdogTimeoutS = 8

/**
 * Runs the server and stops it when standard input closes, as it does when this process ends.
 * SIGINT is PostgreSQL's fast shutdown, SIGQUIT the immediate one. The first argument limits the
 * address space per server process, KiB.
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
  left=${watchdogTimeoutS}
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

const defaultStopMs = 60_000
/** At most a third of the stop time. */
const sessionsEndMs = 1500
const interruptEveryMs = 250
/** At most a quarter of the stop time. */
const quitMs = 1000

interface ServerProcessOptions {
  runtime: string
  cluster: string
  user: SystemUser | undefined
  settings: Record<string, string>
  logFile: { readonly fd: number }
}

interface ServerProcess {
  /** Above 128: ended by signal number code - 128. */
  readonly exited: Promise<number>
  /**
   * Fast shutdown; shortly before `withinMs` (default 60 s) an immediate one, then SIGKILL.
   * Idempotent.
   */
  stop(withinMs?: number): Promise<void>
}

/** In its own session, so that Ctrl-C reaches this process first. */
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
  lifeline.on('error', () => lifeline.destroy())
  child.unref()
  lifeline.unref()
  return {
    exited: exited.promise,
    async stop(withinMs = defaultStopMs) {
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
        // Reads all of /proc: seconds on a busy machine.
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

const baseBytes = GiB / 4

/**
 * KiB. PostgreSQL does not limit the memory of a session; beyond this limit a statement fails with
 * `out of memory` (53200) without affecting other sessions.
 */
function sessionAddressSpaceKiB(sharedBuffers: string): number {
  const own = Math.max(GiB, totalmem() / 16)
  // Other shared memory grows with the connections: half of the buffers is ample.
  return Math.ceil((own + baseBytes + 1.5 * bytesOf(sharedBuffers)) / KiB)
}

/** Without a unit: pages. */
const units: Readonly<Record<string, number>> = { B: 1, kB: KiB, MB: KiB ** 2, GB: GiB, TB: KiB * GiB, '': 8 * KiB }

function bytesOf(setting: string): number {
  const [, digits = '0', unit = ''] = /^\s*(\d+)\s*([a-zA-Z]*)\s*$/.exec(setting) ?? []
  return Number(digits) * (units[unit] ?? 0)
}

const samples = 5
const sampleEveryMs = 20

const sessionTitle = /^postgres: (?:.* \[local\] |parallel worker for PID )/

/**
 * Interrupts computing sessions that ignore termination requests, as some functions do for hours.
 * The handler of SIGFPE raises an error at once (22P01); SIGKILL would restart all sessions.
 *
 * Call it only after requesting termination. Waiting sessions are skipped: they could be changing
 * shared memory.
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
  for (let sample = 0; sample < samples; sample++) {
    if (sample > 0) await pause(sampleEveryMs)
    // The name in parentheses may contain any character.
    if (!/^.*\) R /.test(await readProcFile(pid, 'stat'))) return false
  }
  return true
}

async function readProcFile(pid: number, name: 'cmdline' | 'stat'): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${name}`, 'utf8')
  } catch (error) {
    if (hasEnded(error)) return ''
    throw error
  }
}
