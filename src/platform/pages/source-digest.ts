import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** What of the repository a build of the pages depends on: the sources, the packages, and how it is made. */
const ingredients = ['dashboards', 'clients/signing', 'package-lock.json', 'src/platform/pages/build-dashboards.ts']

/**
 * Names the state of the pages' sources: 16 hex digits that change with any of them, and with no other file. A build
 * is kept under this name, so that a stale one is never taken for a current one.
 * @returns `undefined` if one of them is missing: packages and images may contain a build instead of the sources
 * @throws errors of the file system other than that
 */
export async function sourceDigest(root: string): Promise<string | undefined> {
  try {
    return await digestOf(root)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing && (await Promise.all(ingredients.map((name) => exists(join(root, name))))).includes(false))
      return undefined
    throw error
  }
}

async function digestOf(root: string): Promise<string> {
  const hash = createHash('sha256')
  for (const ingredient of ingredients) {
    for (const file of await filesOf(join(root, ingredient))) {
      const bytes = await readFile(file)
      hash.update(`${relative(root, file).split(sep).join('/')}\n${bytes.length}\n`).update(bytes)
    }
  }
  return hash.digest('hex').slice(0, 16)
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** The file itself, or the files below the folder but for tests, in an order that does not depend on the file system. */
async function filesOf(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && !/\.test(-support)?\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [path]
    throw error
  }
}
