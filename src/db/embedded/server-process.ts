import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { serverEnvironment } from './binaries.ts'
import { clusterArgument, identity } from './cluster.ts'
import { postmasterPid } from './leftover-servers.ts'
import { sessionAddressSpaceKiB } from './session-memory.ts'
import type { SystemUser } from './system-user.ts'

/**
 * Runs the server in the background and stops it when our end of standard input closes, which the kernel does however
 * we end. SIGINT is PostgreSQL's fast shutdown. The exit code is the server's own. The first argument is the address space that each
 * of its processes may have, in KiB.
 */
const watchdog = `
exec 3<&0
# Where the system knows no such limit (macOS), there is none.
ulimit -v "$1" 2>/dev/null || :
shift
"$@" </dev/null 3<&- &
server=$!
(while read -r line; do :; done; kill -INT $server) <&3 3<&- >/dev/null 2>&1 &
watcher=$!
exec 3<&- </dev/null
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code
`

/** A fast shutdown writes all changed pages, which a slow disk may need time for. */
const fastShutdownMs = 60_000

export interface ServerProcessOptions {
  runtime: string
  cluster: string
  user: SystemUser | undefined
  settings: Record<string, string>
  logFile: { readonly fd: number }
}

export interface ServerProcess {
  /** The exit code, once the server has ended; above 128 it was ended by signal number code - 128. */
  readonly exited: Promise<number>
  /** Fast shutdown; after a minute an immediate one, from which the next start recovers. */
  stop(): Promise<void>
}

/** Starts postgres below its watchdog, in a session of its own so that Ctrl-C reaches us first. */
export async function spawnServer(options: ServerProcessOptions): Promise<ServerProcess> {
  const { runtime, cluster, user, settings, logFile } = options
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const postgres = [join(runtime, 'bin', 'postgres'), '-D', clusterArgument(cluster, user), ...flags]
  const child = spawn('/bin/sh', ['-c', watchdog, 'sh', String(sessionAddressSpaceKiB(settings['shared_buffers'] ?? '128MB')), ...postgres], {
    ...identity(cluster, user),
    env: serverEnvironment,
    detached: true,
    stdio: ['pipe', logFile.fd, logFile.fd]
  })
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
    async stop() {
      child.ref()
      lifeline.end()
      const impatience = setTimeout(() => void quitImmediately(cluster), fastShutdownMs)
      await exited.promise
      clearTimeout(impatience)
    }
  }
}

async function quitImmediately(cluster: string): Promise<void> {
  const pid = await postmasterPid(cluster)
  if (pid !== undefined) process.kill(pid, 'SIGQUIT')
}
