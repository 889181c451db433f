import { readFile, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'

/**
 * Makes the links between library names that the package's install script would have made. Each link is made in one
 * step and an existing one is left, so any number of processes may do this at once. Returns why it was impossible.
 */
export async function makeLibraryLinks(nativeFolder: string): Promise<string | undefined> {
  for (const { source, target } of await readLibraryLinks(nativeFolder)) {
    try {
      await symlink(basename(source), join(nativeFolder, '..', target))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return String(error)
    }
  }
  return undefined
}

interface LibraryLink {
  readonly source: string
  readonly target: string
}

/** The package's own list; both paths are relative to the package and lie in one folder. */
async function readLibraryLinks(nativeFolder: string): Promise<LibraryLink[]> {
  return JSON.parse(await readFile(join(nativeFolder, 'pg-symlinks.json'), 'utf8')) as LibraryLink[]
}
