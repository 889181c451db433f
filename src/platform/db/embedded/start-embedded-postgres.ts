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
import { makeFolder } from '../../make-folder.ts'
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
  dataFolder: string
  log: (line: string) => void
  settings?: Record<string, string>
  wait?: boolean
  signal?: AbortSignal
  nativeFolder?: string
}

interface ServerExit {
  /** Above 128: ended by signal number code - 128. */
  readonly code: number
  readonly expected: boolean
  readonly lastLines: string
}

export interface EmbeddedPostgres {
  readonly url: string
  stop(withinMs?: number): Promise<void>
  interrupt(pids: readonly number[]): Promise<void>
  /** Resolves when the server has ended and the folder is unlocked. */
  readonly exited: Promise<ServerExit>
}

const databaseName = 'flowfarm'

/**
 * Starts PostgreSQL 18 on a unix socket only. A watchdog stops it when this process ends. States:
 * waiting for the folder → preparing → recovering → running → ended.
 *
 * @throws FatalError without a usable package, user or write access, or (`wait: false`) if the
 *   folder is in use; RetryableError if the disk is full or the server ended during start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataFolder = await createFolder(options.dataFolder)
  const lock = await lockFolder(dataFolder, options)
  try {
    return await startHere(dataFolder, lock, options)
  } catch (error) {
    await lock.release()
    throw await explainFolder(asError(error), dataFolder)
  }
}

async function createFolder(folder: string): Promise<string> {
  try {
    await makeFolder(folder)
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
    // As root, the server's user may be unable to enter the data folder.
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

/** Linux limits a socket path to 107 bytes. */
const maxPathBytes = 107
const socketFile = '/.s.PGSQL.5432'

/**
 * In the data folder if the path is short enough and accessible to the server's user, else in the
 * temporary folder. Stable across restarts.
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
      // Fails if another user owns it: try the next.
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { mode: 0o700 })
      if (user !== undefined) await chown(folder, user.uid, user.gid)
      return folder
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `could not create a folder for the socket of the server in ${dataFolder}`)
}

/** Whether it is free of the separators and quotes of unix_socket_directories. */
function isUsablePath(folder: string): boolean {
  return Buffer.byteLength(folder + socketFile) <= maxPathBytes && /^[\w./-]+$/.test(folder)
}

const MiB = 1024 * 1024

function serverSettings(overrides: Record<string, string> = {}): Record<string, string> {
  const sharedBuffersMiB = Math.max(32, Math.min(512, Math.floor(totalmem() / 4 / MiB)))
  return {
    // The mode 0700 of the socket folder is the only authentication.
    listen_addresses: '',
    unix_socket_permissions: '0700',
    // More than 512 MB showed no gain.
    shared_buffers: `${sharedBuffersMiB}MB`,
    effective_cache_size: `${Math.floor(totalmem() / 2 / MiB)}MB`,
    // Committed heights are announced, so they must survive a power cut.
    fsync: 'on',
    synchronous_commit: 'on',
    // Frequent checkpoints would rewrite pages during backfill.
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    // Only pglz is built in, which costs CPU time.
    wal_compression: 'off',
    max_connections: '200',
    // A statement may use hundreds of partitions, each with indexes.
    max_locks_per_transaction: '256',
    // Compiling short statements does not pay, and the library is not in the package.
    jit: 'off',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    random_page_cost: '1.1',
    // Statements of killed clients must release their locks.
    client_connection_check_interval: '2s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_min_duration_statement: '5s',
    ...overrides,
  }
}

/** Two WAL segments and reserve: recovery cannot start with less. */
const neededMiB = 48

const refusals = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'])

/**
 * Adds the remedy for a full disk or an unwritable folder, which neither the server nor initdb
 * reports.
 */
async function explainFolder(error: Error, folder: string): Promise<Error> {
  if (error instanceof FatalError) return error
  if (isRefusal(error, folder)) {
    return new FatalError(
      'data-folder',
      `The folder ${folder} cannot hold a database: ${error.message}. Set DATA_FOLDER to a folder that this ` +
        'process can write to, or DB_URL to a PostgreSQL 15+ server.',
      { cause: error },
    )
  }
  const free = await freeMiB(folder)
  if (free === undefined || free >= neededMiB) return error
  return new RetryableError(
    'disk-full',
    `The disk is full: ${free} MiB free for the database in ${folder}. Free some space.`,
    {
      cause: error,
    },
  )
}

/** Whether the folder caused the error; false if a program cannot be executed. */
function isRefusal({ code, path, syscall }: NodeJS.ErrnoException, folder: string): boolean {
  if (code === undefined || path === undefined) return false
  // Below /proc, and on a read-only file system.
  if (!refusals.has(code) && !(code === 'ENOENT' && syscall === 'mkdir')) return false
  return `${path}${sep}`.startsWith(`${folder}${sep}`) || folder.startsWith(`${path}${sep}`)
}

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
const reportEveryMs = 10_000

const startingUp = '57P03'

/** Rejects if the server ends before. */
async function waitUntilReady(
  url: string,
  exited: Promise<{ readonly code: number; readonly lastLines: string }>,
  log: (line: string) => void,
): Promise<void> {
  const ended = exited.then(({ code, lastLines }) => {
    throw new RetryableError('embedded-postgres-ended', `PostgreSQL ended during start with code ${code}: ${lastLines}`)
  })
  // Crash recovery may take minutes.
  let reportedAt = Date.now()
  for (;;) {
    if (await Promise.race([tryOnce(url), ended])) return
    if (Date.now() - reportedAt >= reportEveryMs) {
      log('PostgreSQL is still recovering')
      reportedAt = Date.now()
    }
    await pause(askEveryMs)
  }
}

async function tryOnce(url: string): Promise<boolean> {
  const client = new Client({ connectionString: withDatabase(url, 'postgres') })
  // The awaited call reports the error too.
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

const maxBytes = 8 * 1024 * 1024
const checkEveryMs = 60_000

interface ServerLog {
  /** The server writes here directly, so it never waits for this process. */
  readonly file: FileHandle
  tail(): Promise<string>
  close(): Promise<void>
}

async function openServerLog(path: string, log: (line: string) => void): Promise<ServerLog> {
  if ((await sizeOf(path)) > maxBytes) await rename(path, `${path}.1`)
  const file = await open(path, 'a', 0o600)
  const startedAt = await sizeOf(path)
  // Truncated, not renamed: the server keeps its descriptor.
  const timer = setInterval(() => {
    limitSize(path).catch((error: unknown) => log(`Could not truncate ${path}: ${String(error)}`))
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

/** Slonik does not support `?host=/folder`. The explicit port overrides PGPORT. */
function socketUrl(options: { folder: string; user: string; database: string; port?: number }): string {
  const { folder, user, database, port = 5432 } = options
  const [userPart, folderPart, databasePart] = [user, folder, database].map(encodeURIComponent)
  return `postgresql://${userPart}@${folderPart}:${port}/${databasePart}`
}

export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${encodeURIComponent(database)}`
  return changed.href
}
