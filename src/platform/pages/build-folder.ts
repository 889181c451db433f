import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, stat, readFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, relative, sep } from 'node:path'

/** A younger incomplete build may belong to a running process, ms. */
const abandonedAfterMs = 3_600_000
const beginPrefix = '.building-'
const buildName = /^[0-9a-f]{16}$/

/** Beside the sources, else a temporary folder of this user. */
function places(root: string): readonly string[] {
  const checkout = createHash('sha256').update(root).digest('hex').slice(0, 8)
  return [join(root, 'dist', 'dashboards'), join(tmpdir(), `flowfarm-dashboards-${userInfo().uid}-${checkout}`)]
}

/** @param digest undefined without sources: a build beside them was shipped with the program */
export async function findBuild(root: string, digest: string | undefined): Promise<string | undefined> {
  if (digest === undefined) return findShippedBuild(join(root, 'dist', 'dashboards'))
  for (const place of places(root)) {
    const folder = join(place, digest)
    if ((await isTrusted(root, place)) && (await isFolder(folder))) return folder
  }
  return undefined
}

async function findShippedBuild(place: string): Promise<string | undefined> {
  const names = (await readdir(place).catch(noneThere)) ?? []
  const [first] = names.filter((name) => buildName.test(name)).toSorted()
  return first === undefined ? undefined : join(place, first)
}

/**
 * `make` fills an empty folder, which is renamed in one step; concurrent processes keep the first
 * build.
 * @throws errors of `make` and of the file system
 */
export async function storeBuild(
  root: string,
  digest: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const place = await writablePlace(root)
  const draft = await mkdtemp(join(place, beginPrefix))
  const folder = join(place, digest)
  try {
    await make(draft)
    // Another user may serve the pages.
    await chmod(draft, 0o755)
    await rename(draft, folder).catch((error: unknown) => {
      if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await removeOthers(place, digest)
  return folder
}

/** @throws the error of the last place if none is writable */
async function writablePlace(root: string): Promise<string> {
  let refusal: unknown
  for (const place of places(root)) {
    try {
      await mkdir(place, { recursive: true, mode: place.startsWith(root) ? 0o777 : 0o700 })
      if (!(await isTrusted(root, place))) throw new Error(`${place} belongs to another user.`)
      await rm(await mkdtemp(join(place, beginPrefix)), { recursive: true })
      return place
    } catch (error) {
      refusal = error
    }
  }
  throw refusal
}

/** A temporary folder must belong to this user only. */
async function isTrusted(root: string, place: string): Promise<boolean> {
  if (place.startsWith(root)) return true
  const found = await lstat(place).catch(noneThere)
  return found !== undefined && found.isDirectory() && found.uid === userInfo().uid && (found.mode & 0o022) === 0
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(noneThere))?.isDirectory() ?? false
}

/** Running services have theirs in memory. */
async function removeOthers(place: string, digest: string): Promise<void> {
  for (const name of await readdir(place)) {
    const path = join(place, name)
    const isOfOthers = name.startsWith(beginPrefix)
      ? ((await stat(path).catch(noneThere))?.mtimeMs ?? Date.now()) < Date.now() - abandonedAfterMs
      : buildName.test(name) && name !== digest
    if (isOfOthers) await rm(path, { recursive: true, force: true, maxRetries: 3 })
  }
}

function noneThere(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error))) throw error
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}

const ingredients = ['dashboards', 'clients/signing', 'package-lock.json', 'src/platform/pages/build-dashboards.ts']

/**
 * 16 hex digits. Undefined if a source is missing: packages and images may contain a build instead.
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

/** The files of a folder, except tests, in a stable order. */
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
