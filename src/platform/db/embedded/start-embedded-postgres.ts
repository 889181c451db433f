import { createHash, randomBytes } from 'node:crypto'
import {
  mkdir,
  realpath,
  rm,
  chown,
  statfs,
  copyFile,
  open,
  rename,
  stat,
  truncate,
  type FileHandle,
} from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join, sep } from 'node:path'
import { asError, FatalError, RetryableError } from '../../errors.ts'
import { usableRuntime } from './binaries.ts'
import { ensureCluster, superuser } from './cluster.ts'
import { lockFolder } from './folder-lock.ts'
import type { FolderLock } from './folder-lock.ts'
import { interruptSessions, spawnServer } from './server-process.ts'
import { endLeftoverServers } from './leftover-servers.ts'
import { serverUser, canReach } from './system-user.ts'
import type { SystemUser } from './system-user.ts'
import { Client } from 'pg'
import { pause } from '../../retry.ts'

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

interface ServerExit {
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
 * Throws FatalError when there is no usable package, no user to run it as, no writing to the folder, or (with
 * `wait: false`) the folder is taken; RetryableError when the disk is full or the server ended before it was ready.
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

/** Linux allows 107 bytes for a socket's path. */
const maxPathBytes = 107
const socketFile = '/.s.PGSQL.5432'

/**
 * Makes an empty folder of mode 0700, owned by the server's user, for the server's socket: inside the data folder when
 * the path is short enough and the user can go there, else below the folder for temporary files. The place is the same
 * at every start on the same data folder (unless somebody else took that name), so URLs stay good over a restart.
 */
async function makeSocketFolder(dataFolder: string, user: SystemUser | undefined): Promise<string> {
  const name = `flowfarm-${createHash('sha256').update(dataFolder).digest('hex').slice(0, 12)}`
  const inside = join(dataFolder, 'socket')
  const candidates = [
    join(tmpdir(), name),
    join('/tmp', name),
    join('/tmp', `${name}-${randomBytes(4).toString('hex')}`),
  ]
  if (await canReach(dataFolder, user)) candidates.unshift(inside)
  const failures: unknown[] = []
  for (const folder of candidates.filter(isUsablePath)) {
    try {
      // Left from a killed server. In a shared folder for temporary files this fails if it is not ours: try the next.
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { mode: 0o700 })
      if (user !== undefined) await chown(folder, user.uid, user.gid)
      return folder
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `no folder for the socket of the server in ${dataFolder} can be made`)
}

/** Short enough, and free of what the setting unix_socket_directories would take for a separator or a quote. */
function isUsablePath(folder: string): boolean {
  return Buffer.byteLength(folder + socketFile) <= maxPathBytes && /^[\w./-]+$/.test(folder)
}

const MiB = 1024 * 1024

/**
 * Server settings for our workload: one busy ingester that COPYs large batches, many short commits of leases, reads by
 * key, and a machine that the server shares with Node. The caller's settings win over these.
 */
function serverSettings(overrides: Record<string, string> = {}): Record<string, string> {
  const sharedBuffersMiB = Math.max(32, Math.min(512, Math.floor(totalmem() / 4 / MiB)))
  return {
    // Reached by the unix socket alone, in a folder of mode 0700: that folder is the only authentication.
    listen_addresses: '',
    unix_socket_permissions: '0700',
    // The working set is the newest partitions; more than 512 MB showed no gain and takes memory from Node.
    shared_buffers: `${sharedBuffersMiB}MB`,
    effective_cache_size: `${Math.floor(totalmem() / 2 / MiB)}MB`,
    // Durable: a committed height is announced to others, so it must survive a power cut.
    fsync: 'on',
    synchronous_commit: 'on',
    // Backfill writes gigabytes per minute; checkpoints by volume would write each page again and again.
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    // Only pglz is built in, which costs processor time, the scarce thing here; COPY into new pages logs few full
    // pages.
    wal_compression: 'off',
    // Every service has its own small pools, and every queue has one too.
    max_connections: '200',
    // A statement may touch hundreds of partitions, each with its indexes.
    max_locks_per_transaction: '256',
    // Our statements are short; compiling them never pays (and the library is not in the package).
    jit: 'off',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    // Solid-state disks: a random page costs about as much as a sequential one.
    random_page_cost: '1.1',
    // A statement whose client was killed must not go on holding locks.
    client_connection_check_interval: '2s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Checkpoints are normal here; statements that take seconds are worth a line.
    log_checkpoints: 'off',
    log_min_duration_statement: '5s',
    ...overrides,
  }
}

/** Two WAL segments and some room: with less, recovery cannot even start. */
const neededMiB = 48

/**
 * What the system says of a folder that cannot be written to, or that is none, until somebody does something about
 * it.
 */
const refusals = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'])

/**
 * What a person can do about a server that did not start in `folder`, the data folder: RetryableError where there
 * is no room, FatalError where this process may not write there. Any other error is given back as it is. Neither
 * the server nor initdb has a code for why it ended, but a full disk can be seen.
 */
async function explainFolder(error: Error, folder: string): Promise<Error> {
  if (error instanceof FatalError) return error
  if (isRefusal(error, folder)) {
    return new FatalError(
      'data-folder',
      `The folder ${folder} cannot hold a database: ${error.message}. Set DATA_FOLDER to one that this ` +
        'process may write to, or DB_URL to a PostgreSQL 15+ server.',
      { cause: error },
    )
  }
  const free = await freeMiB(folder)
  if (free === undefined || free >= neededMiB) return error
  return new RetryableError('disk-full', `There are only ${free} MiB free for the database in ${folder}: make room.`, {
    cause: error,
  })
}

/** Only of what is in the folder, or of the way to it: a program that may not be run is something else. */
function isRefusal({ code, path, syscall }: NodeJS.ErrnoException, folder: string): boolean {
  if (code === undefined || path === undefined) return false
  // Node says ENOENT of a folder that it cannot make on a file system that only reads.
  if (!refusals.has(code) && !(code === 'ENOENT' && syscall === 'mkdir')) return false
  return `${path}${sep}`.startsWith(`${folder}${sep}`) || folder.startsWith(`${path}${sep}`)
}

/** Undefined where the folder does not exist. */
async function freeMiB(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return Math.floor((bavail * bsize) / 1024 / 1024)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const askEveryMs = 15
const tellEveryMs = 10_000

/** SQLSTATE: the server is there and not yet open for queries. */
const startingUp = '57P03'

/** Resolves when the server answers queries and has the URL's database; rejects when it ends before that. */
async function waitUntilReady(
  url: string,
  exited: Promise<{ readonly code: number; readonly lastLines: string }>,
  log: (line: string) => void,
): Promise<void> {
  const ended = exited.then(({ code, lastLines }) => {
    throw new RetryableError('embedded-postgres-ended', `PostgreSQL ended at start with code ${code}: ${lastLines}`)
  })
  // Recovery after a crash may take minutes, and nothing is gained by giving up on it: only its end ends the waiting.
  let toldAt = Date.now()
  for (;;) {
    if (await Promise.race([tryOnce(url), ended])) return
    if (Date.now() - toldAt >= tellEveryMs) {
      log('PostgreSQL is still recovering')
      toldAt = Date.now()
    }
    await pause(askEveryMs)
  }
}

async function tryOnce(url: string): Promise<boolean> {
  const client = new Client({ connectionString: withDatabase(url, 'postgres') })
  // Reported by the awaited call already; without a listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await createMissingDatabase(client, new URL(url).pathname.slice(1))
    return true
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === startingUp) return false
    throw error
  } finally {
    await client.end()
  }
}

async function createMissingDatabase(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
  if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`)
}

/** The server's log and one older part are kept, each of about this size. */
const maxBytes = 8 * 1024 * 1024
const checkEveryMs = 60_000

interface ServerLog {
  /** Open for appending: the server writes here itself, so it never waits for us and goes on when we are gone. */
  readonly file: FileHandle
  /** The last lines, for an error message. */
  tail(): Promise<string>
  close(): Promise<void>
}

/** Opens the log file, and keeps its size within bounds while it is open. */
async function openServerLog(path: string, log: (line: string) => void): Promise<ServerLog> {
  if ((await sizeOf(path)) > maxBytes) await rename(path, `${path}.1`)
  const file = await open(path, 'a', 0o600)
  const startedAt = await sizeOf(path)
  // Cut rather than renamed: the server goes on with the descriptor it has. A full disk must not end the program.
  const timer = setInterval(() => {
    limitSize(path).catch((error: unknown) => log(`cannot shorten ${path}: ${String(error)}`))
  }, checkEveryMs)
  timer.unref()
  return {
    file,
    async tail() {
      const size = await sizeOf(path)
      const from = Math.max(size < startedAt ? 0 : startedAt, size - 2000)
      const buffer = Buffer.alloc(size - from)
      const reader = await open(path, 'r')
      try {
        await reader.read(buffer, 0, buffer.length, from)
      } finally {
        await reader.close()
      }
      return buffer.toString('utf8').trim()
    },
    async close() {
      clearInterval(timer)
      await file.close()
    },
  }
}

async function limitSize(path: string): Promise<void> {
  if ((await sizeOf(path)) <= maxBytes) return
  await copyFile(path, `${path}.1`)
  await truncate(path)
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/**
 * The connection URL of a server behind a unix socket: `postgresql://user@%2Fsome%2Ffolder:5432/name`. Both `pg` and
 * Slonik read this form (the usual `?host=/folder` is not understood by Slonik). The port is part of the socket's
 * file name; it is written out so that a PGPORT in the environment changes nothing.
 */
function socketUrl(options: { folder: string; user: string; database: string; port?: number }): string {
  const { folder, user, database, port = 5432 } = options
  const [userPart, folderPart, databasePart] = [user, folder, database].map(encodeURIComponent)
  return `postgresql://${userPart}@${folderPart}:${port}/${databasePart}`
}

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${encodeURIComponent(database)}`
  return changed.href
}
