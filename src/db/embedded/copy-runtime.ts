import { randomBytes } from 'node:crypto'
import {
  access,
  chmod,
  copyFile,
  lstat,
  mkdir,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeLibraryLinks } from './library-links.ts'

/**
 * Copies a PostgreSQL runtime (60 MB) to a folder in `parent`, which exists, that every user can read and only we can write, and
 * returns that folder. An existing good copy is used again. The copy is made beside and moved into place whole, so
 * processes that do this at once end up with one good copy, and a killed one leaves nothing that would be taken for it.
 */
export async function copyRuntime(nativeFolder: string, parent: string): Promise<string> {
  // Nothing is made of a package that has no program in it.
  await access(join(nativeFolder, 'bin', 'postgres'))
  const packageFile = JSON.parse(await readFile(join(nativeFolder, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const target = join(parent, `postgresql-${packageFile.version}-${process.geteuid?.() ?? 0}`)
  if (await isGoodCopy(nativeFolder, target)) {
    await makeLibraryLinks(join(target, 'native'))
    return join(target, 'native')
  }

  const building = `${target}.${randomBytes(6).toString('hex')}`
  try {
    await copyTree(nativeFolder, join(building, 'native'))
    await makeLibraryLinks(join(building, 'native'))
    await rename(target, `${building}.old`).catch(ignoreMissing)
    await rename(building, target).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await isGoodCopy(nativeFolder, target))) throw error
    })
  } finally {
    await rm(building, { recursive: true, force: true })
    await rm(`${building}.old`, { recursive: true, force: true })
  }
  return join(target, 'native')
}

/**
 * Whether `target` is ours and complete. A folder that somebody else made, or can write, could hold any program; and
 * cleaners of temporary folders take away single files.
 */
async function isGoodCopy(nativeFolder: string, target: string): Promise<boolean> {
  try {
    const stat = await lstat(target)
    if (!stat.isDirectory() || stat.uid !== process.geteuid?.() || (stat.mode & 0o022) !== 0) return false
    for (const entry of await readdir(nativeFolder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const original = join(entry.parentPath, entry.name)
      const copied = join(target, 'native', original.slice(nativeFolder.length))
      if ((await lstat(copied)).size !== (await lstat(original)).size) return false
    }
    return true
  } catch (error) {
    ignoreMissing(error)
    return false
  }
}

/** Copies files and links; the modes are set anew because the original may have been unpacked under a strict umask. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await chmod(dirname(to), 0o755)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else {
      await copyFile(source, target)
      await chmod(target, (await lstat(source)).mode & 0o100 ? 0o755 : 0o644)
    }
  }
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
