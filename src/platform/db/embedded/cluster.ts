import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FatalError, RetryableError } from '../../errors.ts'
import { serverEnvironment } from './binaries.ts'
import { processesIn } from './leftover-servers.ts'
import { giveTo, ownerOf, type SystemUser } from './system-user.ts'

export const superuser = 'flowfarm'

export interface ClusterOptions {
  /** The caller holds the folder's lock. */
  dataFolder: string
  runtime: string
  user: SystemUser | undefined
  sync: boolean
  log: (line: string) => void
}

/**
 * Creates `<dataFolder>/cluster` if missing and returns its path. A new one is created beside it
 * and renamed when complete.
 */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const { dataFolder, runtime, user, log } = options
  const cluster = join(dataFolder, 'cluster')
  await removeUnfinished(dataFolder)
  if ((await ownerOf(cluster)) === undefined) {
    log(`Creating a new database in ${dataFolder}`)
    const unfinished = join(dataFolder, `cluster.new-${randomBytes(4).toString('hex')}`)
    await initialise(unfinished, options)
    await rename(unfinished, cluster)
    if (options.sync) await syncFolder(dataFolder)
  }
  if (user !== undefined && (await ownerOf(cluster)) !== user.uid) await giveTo(user, cluster)
  await checkVersion(cluster, runtime)
  return cluster
}

export function clusterArgument(cluster: string, user: SystemUser | undefined): string {
  return user === undefined ? cluster : '/proc/self/cwd'
}

/**
 * The working directory is entered before the user changes, so `/proc/self/cwd` works even below
 * folders closed to the new user, such as root's home.
 */
export function identity(cluster: string, user: SystemUser | undefined): { cwd: string; uid?: number; gid?: number } {
  return user === undefined ? { cwd: cluster } : { cwd: cluster, uid: user.uid, gid: user.gid }
}

async function initialise(folder: string, { runtime, user, sync }: ClusterOptions): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  if (user !== undefined) await chown(folder, user.uid, user.gid)
  const options = [
    // Byte order sorts ids and addresses as the API promises, and never changes with a library.
    '--locale=C',
    '--encoding=UTF8',
    `--username=${superuser}`,
    '--auth=trust',
    '--no-instructions',
    ...(sync ? [] : ['--no-sync']),
  ]
  try {
    await promisify(execFile)(join(runtime, 'bin', 'initdb'), [...options, '-D', clusterArgument(folder, user)], {
      ...identity(folder, user),
      env: serverEnvironment,
    })
  } catch (cause) {
    const output = (cause as { stderr?: string }).stderr?.trim() ?? ''
    throw new RetryableError('initdb-failed', `Could not create a database in ${folder}: ${output || String(cause)}`, {
      cause,
    })
  }
}

async function removeUnfinished(dataFolder: string): Promise<void> {
  for (const name of await readdir(dataFolder)) {
    if (!name.startsWith('cluster.new-')) continue
    const folder = join(dataFolder, name)
    // initdb may outlive its parent and continue to write.
    for (const pid of await processesIn(folder)) process.kill(pid, 'SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function checkVersion(cluster: string, runtime: string): Promise<void> {
  const made = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim()
  const template = await readFile(join(runtime, 'share', 'postgresql', 'postgres.bki'), 'utf8')
  const ours = /^# PostgreSQL (\d+)/.exec(template)?.[1]
  if (made === ours) return
  throw new FatalError(
    'cluster-version',
    `The database in ${cluster} was created by PostgreSQL ${made}, but this is PostgreSQL ${ours}. ` +
      'Use the older flowfarm, move the data with pg_dump, or set DATA_FOLDER to another folder.',
  )
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
