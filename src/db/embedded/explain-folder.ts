import { statfs } from 'node:fs/promises'
import { sep } from 'node:path'
import { FatalError, RetryableError } from '../../base/errors.ts'

/** Two WAL segments and some room: with less, recovery cannot even start. */
const neededMiB = 48

/** What the system says of a folder that cannot be written to, or that is none, until somebody does something about it. */
const refusals = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'])

/**
 * What a person can do about a server that did not start in `folder`, the data folder: RetryableError where there is no room, FatalError where this process may
 * not write there. Any other error is given back as it is. Neither the server nor initdb has a code for why it ended, but a full disk can be seen.
 */
export async function explainFolder(error: Error, folder: string): Promise<Error> {
  if (error instanceof FatalError) return error
  if (isRefusal(error, folder)) {
    return new FatalError(
      'data-folder',
      `The folder ${folder} cannot hold a database: ${error.message}. Set DATA_FOLDER to one that this process may write to, or DB_URL to a PostgreSQL 15+ server.`,
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
