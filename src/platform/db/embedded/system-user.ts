import { execFile } from 'node:child_process'
import { chown, lstat, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FatalError } from '../../errors.ts'

/** A user in /etc/passwd: initdb and postgres do not run as a bare uid. */
export interface SystemUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/**
 * Undefined for the current user. PostgreSQL does not run as root, so root uses the owner of the
 * existing cluster, else `postgres`, else `nobody`.
 */
export async function serverUser(clusterFolder: string): Promise<SystemUser | undefined> {
  const myUid = process.geteuid?.()
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8'))
  if (myUid !== 0) {
    await refuseForeignCluster(clusterFolder, myUid, users)
    return undefined
  }
  const ownerUid = await ownerOf(clusterFolder)
  const user =
    users.find((u) => u.uid === ownerUid && u.uid !== 0) ??
    users.find((u) => u.name === 'postgres' && u.uid !== 0) ??
    users.find((u) => u.name === 'nobody' && u.uid !== 0)
  if (user !== undefined) return user
  throw new FatalError(
    'no-server-user',
    'PostgreSQL cannot run as root, and there is no user "postgres" or "nobody" to run it as. ' +
      'Start flowfarm as a regular user, or set DB_URL to a PostgreSQL 15+ server.',
  )
}

export async function giveTo(user: SystemUser, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isSymbolicLink()) await chown(path, user.uid, user.gid)
  }
  await chown(folder, user.uid, user.gid)
}

/** Tested by entering it: modes alone do not decide. */
export async function canReach(folder: string, user: SystemUser | undefined): Promise<boolean> {
  if (user === undefined) return true
  try {
    await promisify(execFile)('/bin/sh', ['-c', 'cd "$0"', folder], { uid: user.uid, gid: user.gid, cwd: '/' })
    return true
  } catch (error) {
    // A number is the exit code of the shell.
    if (typeof (error as { code?: unknown }).code === 'number') return false
    throw error
  }
}

export async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).uid
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function refuseForeignCluster(folder: string, myUid: number | undefined, users: SystemUser[]): Promise<void> {
  const ownerUid = await ownerOf(folder)
  if (ownerUid === undefined || ownerUid === myUid) return
  const owner = users.find((u) => u.uid === ownerUid)?.name ?? `uid ${ownerUid}`
  throw new FatalError(
    'foreign-data-folder',
    `The database in ${folder} belongs to ${owner}. Start flowfarm as ${owner} or root, or remove ` +
      'the folder to start with an empty database.',
  )
}

function parsePasswd(text: string): SystemUser[] {
  const users: SystemUser[] = []
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name && uid && gid) users.push({ name, uid: Number(uid), gid: Number(gid) })
  }
  return users
}
