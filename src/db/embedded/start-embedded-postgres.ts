import { mkdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asError } from '../../base/errors.ts'
import { socketUrl } from '../socket-url.ts'
import { usableRuntime } from './binaries.ts'
import { ensureCluster, superuser } from './cluster.ts'
import { explainFolder } from './explain-folder.ts'
import { interruptSessions } from './interrupt-sessions.ts'
import { lockFolder, type FolderLock } from './folder-lock.ts'
import { endLeftoverServers } from './leftover-servers.ts'
import { openServerLog } from './server-log.ts'
import { spawnServer } from './server-process.ts'
import { serverSettings } from './settings.ts'
import { makeSocketFolder } from './socket-folder.ts'
import { serverUser } from './system-user.ts'
import { waitUntilReady } from './wait-until-ready.ts'

export interface EmbeddedPostgresOptions {
  /** Where the cluster, the server's log and the socket live; made when missing. One server at a time. */
  dataFolder: string
  /** Told, in one line each, what a person would want to know: waiting, a new database, recovery, the end. */
  log: (line: string) => void
  /** Server settings that win over `serverSettings`. */
  settings?: Record<string, string>
  /** When another process holds the folder: wait for it (default), or throw. */
  wait?: boolean
  /** Ends the waiting for the folder. */
  signal?: AbortSignal
  /** The `native` folder of the package, for a PostgreSQL that is not in node_modules. */
  nativeFolder?: string
}

export interface ServerExit {
  /** The server's exit code; above 128 it was ended by signal number code - 128. */
  readonly code: number
  /** True after `stop()`. */
  readonly expected: boolean
  /** The last lines of the server's log. */
  readonly lastLines: string
}

export interface EmbeddedPostgres {
  /** For pg and for Slonik. The database is `flowfarm`, the user its superuser. */
  readonly url: string
  /** As that of `ServerProcess`; resolves when the server has ended and the folder is free. May be called twice. */
  stop(withinMs?: number): Promise<void>
  /** Interrupts sessions that were told to end and do not: see `interruptSessions`. */
  interrupt(pids: readonly number[]): Promise<void>
  /**
   * Resolves when the server has ended, wanted or not; the folder is free then, and starting again on the same folder
   * recovers and gives the same URL.
   */
  readonly exited: Promise<ServerExit>
}

const databaseName = 'flowfarm'

/**
 * Starts PostgreSQL 18 from the npm package for this platform, on a unix socket only. The server ends with this process
 * whatever happens to it, kill -9 included. States: waiting for the folder → preparing → recovering → running → ended.
 *
 * Throws FatalError when there is no usable package, no user to run it as, no writing to the folder, or (with `wait: false`) the folder
 * is taken; RetryableError when the disk is full or the server ended before it was ready.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataFolder = await madeFolder(options.dataFolder)
  const lock = await lockFolder(dataFolder, options)
  try {
    return await startHere(dataFolder, lock, options)
  } catch (error) {
    await lock.release()
    throw await explainFolder(asError(error), dataFolder)
  }
}

/** @returns its path without links */
async function madeFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true })
    return await realpath(folder)
  } catch (error) {
    throw await explainFolder(asError(error), folder)
  }
}

async function startHere(
  dataFolder: string,
  lock: FolderLock,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { log } = options
  const cluster = join(dataFolder, 'cluster')
  const user = await serverUser(cluster)
  await endLeftoverServers(cluster, log)
  const runtime = await usableRuntime({
    // As root the data folder may lie where the server's user cannot go, so a place for everybody comes next.
    copyParents: [dataFolder, ...(user ? ['/var/cache/flowfarm'] : []), tmpdir()],
    user,
    log,
    ...(options.nativeFolder === undefined ? {} : { nativeFolder: options.nativeFolder }),
  })
  const settings = serverSettings(options.settings)
  await ensureCluster({ dataFolder, runtime, user, sync: settings['fsync'] !== 'off', log })
  const socketFolder = await makeSocketFolder(dataFolder, user)
  const serverLog = await openServerLog(join(dataFolder, 'postgres.log'), log)
  settings['unix_socket_directories'] = socketFolder
  const server = await spawnServer({ runtime, cluster, user, settings, logFile: serverLog.file })

  let stopping = false
  const exited = server.exited.then(async (code): Promise<ServerExit> => {
    const lastLines = await serverLog.tail()
    await serverLog.close()
    await rm(socketFolder, { recursive: true, force: true })
    await lock.release()
    return { code, expected: stopping, lastLines }
  })
  const stop = async (withinMs?: number): Promise<void> => {
    stopping = true
    await server.stop(withinMs)
    await exited
  }
  const url = socketUrl({ folder: socketFolder, user: superuser, database: databaseName })
  try {
    await waitUntilReady(url, exited, log)
  } catch (error) {
    await stop()
    throw error
  }
  lock.announce(url)
  return { url, stop, exited, interrupt: (pids) => interruptSessions(cluster, pids) }
}
