import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { folderHolder } from '../../../src/platform/db/embedded/folder-lock.ts'

const prefix = 'flowfarm-chaos-data-'

/**
 * A new folder for the data of a run. Those that runs left behind which were killed are removed, file systems and all.
 */
export async function makeRunFolder(): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (!Number.isNaN(pid) && !isAlive(pid)) await removeAbandoned(join(tmpdir(), name))
  }
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  // The server's user, if it is another one, must get in.
  await chmod(folder, 0o711)
  return folder
}

async function removeAbandoned(folder: string): Promise<void> {
  try {
    // Its server may be shutting down at this moment; the next run removes it then.
    if ((await folderHolder(folder)) !== undefined) return
    await promisify(execFile)('umount', ['-l', folder]).catch(() => undefined)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    // Another run was faster, or it belongs to another user.
    if (!['ENOENT', 'EACCES', 'EPERM', 'ENOTEMPTY', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
