import { execFile } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join, resolve } from 'node:path'
import { RetryableError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import { findBuild } from './build-folder.ts'
import { sourceDigest } from './source-digest.ts'

/** The build of all pages, for as many of them as a process serves: sources are read once, and built once. */
export interface PageBuild {
  /**
   * The folder of the build of the sources as they were when it was first asked for; made when nobody has made it.
   * @throws RetryableError `pages-not-built`
   */
  folder(): Promise<string>
  /** The folder of a build of the sources as they are now, if somebody has made it. */
  newest(): Promise<string | undefined>
  /** Ends a build that is under way, and begins none. */
  stop(): void
  readonly isStopped: boolean
}

export interface PageBuildOptions {
  readonly log: Logger
  /** Root of the repository. Default: the one of this file. */
  readonly root?: string
}

const buildTimeoutMs = 120_000

/** Builds are made in a process of their own, so that whoever serves pages starts at once. */
export function createPageBuild({ log, root = resolve(import.meta.dirname, '../../..') }: PageBuildOptions): PageBuild {
  let child: ChildProcess | undefined
  let first: Promise<string> | undefined
  let isStopped = false
  const run = async (): Promise<void> => {
    if (isStopped) throw new RetryableError('pages-not-built', 'The program stopped before the pages were built.')
    log.info('the pages are being built')
    const { promise, resolve: done, reject } = Promise.withResolvers<void>()
    child = execFile(process.execPath, [join(root, 'scripts', 'build.ts')], { cwd: root, timeout: buildTimeoutMs }, (error, _, stderr) => {
      if (error === null) done()
      else reject(new RetryableError('pages-not-built', lastLines(stderr) || error.message, { cause: error }))
    })
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    await promise
  }
  const findOrMake = async (): Promise<string> => {
    const digest = await sourceDigest(root)
    const found = await findBuild(root, digest)
    if (found !== undefined) return found
    await run()
    const made = await findBuild(root, digest)
    if (made === undefined) throw new RetryableError('pages-not-built', 'The sources of the pages changed while they were built.')
    return made
  }
  return {
    folder: () => (first ??= findOrMake()),
    newest: async () => findBuild(root, await sourceDigest(root)),
    stop: () => {
      isStopped = true
      child?.kill()
    },
    get isStopped() {
      return isStopped
    },
  }
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n')
}
