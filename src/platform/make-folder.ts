import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * As `mkdir -p`. Node's recursive `mkdir` never ends below /proc, which has no parents to create and
 * refuses each with ENOENT.
 *
 * @returns the first folder that was created
 */
export async function makeFolder(folder: string, mode?: number): Promise<string | undefined> {
  try {
    await mkdir(folder, { mode })
    return folder
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && dirname(folder) !== folder) {
      const first = await makeFolder(dirname(folder), mode)
      // Another process may have created it since.
      await mkdir(folder, { mode }).catch(acceptFolder(folder))
      return first ?? folder
    }
    await acceptFolder(folder)(error)
    return undefined
  }
}

function acceptFolder(folder: string): (error: unknown) => Promise<void> {
  return async (error) => {
    if (!(await isFolder(folder))) throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
