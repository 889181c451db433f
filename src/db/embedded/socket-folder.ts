import { createHash, randomBytes } from 'node:crypto'
import { chown, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canReach, type SystemUser } from './system-user.ts'

/** Linux allows 107 bytes for a socket's path. */
const maxPathBytes = 107
const socketFile = '/.s.PGSQL.5432'

/**
 * Makes an empty folder of mode 0700, owned by the server's user, for the server's socket: inside the data folder when
 * the path is short enough and the user can go there, else below the folder for temporary files. The place is the same
 * at every start on the same data folder (unless somebody else took that name), so URLs stay good over a restart.
 */
export async function makeSocketFolder(dataFolder: string, user: SystemUser | undefined): Promise<string> {
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
