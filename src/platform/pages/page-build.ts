import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join, resolve } from 'node:path'
import { asError, RetryableError } from '../errors.ts'
import type { Lifecycle, ServiceContext } from '../service.ts'
import type { Logger } from '../log.ts'
import { backoffMs, pause } from '../retry.ts'
import { findBuild, sourceDigest } from './build-folder.ts'

export interface BuildProgress {
  /** Pages that are finished, of `total`. Both are 0 before the build reports anything. */
  readonly built: number
  readonly total: number
  /** Time since the first attempt began. */
  readonly seconds: number
  /** Why the last attempt failed. Undefined until one has failed, and once the pages are built. */
  readonly failure: string | undefined
}

/**
 * The build of all pages, shared by the services of a process: sources are read once and built once.
 *
 *     looking ──found──────────────────────────► ready
 *        └─none─► building ──success───────────► ready
 *                   ▲   └─failure─► waiting ─┐
 *                   └──── looking ◄──────────┘   after 2 s to 5 min
 */
export interface PageBuild {
  /**
   * Resolves when there is a build of the current sources, however many attempts it takes.
   * @throws RetryableError `stopped`
   */
  folder(): Promise<string>
  /** The folder of a build of the current sources, if there is one now. */
  newest(): Promise<string | undefined>
  readonly progress: BuildProgress
  /** Resolves when `progress` has changed, or the build has ended. */
  changed(): Promise<void>
  /** Ends a build that is under way, and starts none. */
  stop(): void
  readonly isStopped: boolean
}

interface PageBuildOptions {
  readonly log: Logger
  /** Root of the repository. Default: the one of this file. */
  readonly root?: string
  /** Pauses between attempts, ms. */
  readonly retry?: { readonly baseMs: number; readonly maxMs: number }
}

/** What `scripts/build.ts` sends to the process that started it. */
export type BuildMessage =
  | { readonly built: number; readonly total: number; readonly page: string }
  | { readonly failure: string }

const maxFailureLength = 4000

/**
 * Builds run in a process of their own, at normal priority and without a time limit: on a busy machine they take
 * minutes, and the services start meanwhile.
 */
export function createPageBuild({
  log,
  root = resolve(import.meta.dirname, '../../..'),
  retry = { baseMs: 2000, maxMs: 300_000 },
}: PageBuildOptions): PageBuild {
  const stopping = new AbortController()
  const changes = new EventEmitter()
  // One listener for each page that is waited for.
  changes.setMaxListeners(0)
  let progress = { built: 0, total: 0, failure: undefined as string | undefined }
  let startedAt: number | undefined
  let ready: Promise<string> | undefined

  const update = (change: Partial<typeof progress>): void => {
    progress = { ...progress, ...change }
    changes.emit('change')
  }
  const run = async (): Promise<void> => {
    log.info('building the pages')
    const child = fork(join(root, 'scripts', 'build.ts'), [], {
      cwd: root,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      signal: stopping.signal,
    })
    let [reported, errors] = ['', '']
    child.on('message', (message: BuildMessage) => {
      if ('failure' in message) {
        reported = message.failure
        return
      }
      log.info(message, `page ${message.page} is built`)
      update({ built: message.built, total: message.total })
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-maxFailureLength)
    })
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    if (code === 0) return
    const how =
      signal === null
        ? `exit code ${code}`
        : `${signal}${signal === 'SIGKILL' ? ', which the system sends when memory is used up' : ''}`
    const reason = reported === '' ? `The build process ended with ${how}. ${errors.trim()}`.trim() : reported
    throw new RetryableError('pages-not-built', reason.slice(0, maxFailureLength))
  }
  const findOrBuild = async (): Promise<string> => {
    const digest = await sourceDigest(root)
    const found = await findBuild(root, digest)
    if (found !== undefined) return found
    if (digest === undefined)
      throw new RetryableError(
        'pages-not-built',
        'This installation has neither the sources of the pages nor a build of them. Add dist/dashboards.',
      )
    update({ built: 0 })
    await run()
    const made = await findBuild(root, digest)
    if (made === undefined)
      throw new RetryableError('pages-not-built', 'The sources of the pages changed during the build.')
    return made
  }
  const begin = async (): Promise<string> => {
    startedAt = performance.now()
    for (let attempt = 1; ; attempt++) {
      try {
        const folder = await findOrBuild()
        if (progress.failure !== undefined) log.info('the pages are built now')
        update({ failure: undefined })
        return folder
      } catch (error) {
        if (stopping.signal.aborted) throw stopped()
        const failure = asError(error).message
        const pauseMs = backoffMs(attempt, retry.baseMs, retry.maxMs)
        const level = failure === progress.failure ? 'debug' : 'error'
        log[level](
          { attempt, pauseMs },
          `The pages could not be built: ${failure}\nAll other parts run. The next attempt follows by ` +
            `itself; \`npm run build\` shows the whole output.`,
        )
        update({ failure })
        await pause(pauseMs, stopping.signal).catch(() => {
          throw stopped()
        })
      }
    }
  }
  return {
    folder: () => (ready ??= begin()),
    newest: async () => findBuild(root, await sourceDigest(root)),
    get progress() {
      return { ...progress, seconds: startedAt === undefined ? 0 : Math.round((performance.now() - startedAt) / 1000) }
    },
    changed: async () => {
      await once(changes, 'change')
    },
    stop: () => {
      stopping.abort()
      changes.emit('change')
    },
    get isStopped() {
      return stopping.signal.aborted
    },
  }
}

function stopped(): RetryableError {
  return new RetryableError('stopped', 'The program stopped before the pages were built.')
}

const builds = new WeakMap<Lifecycle, PageBuild>()

/**
 * The build that all pages of a process are taken from. It begins when it is first asked for, and ends with the
 * program.
 */
export function pageBuildOf({ lifecycle, log }: Pick<ServiceContext<unknown>, 'lifecycle' | 'log'>): PageBuild {
  const known = builds.get(lifecycle)
  if (known !== undefined) return known
  const build = createPageBuild({ log })
  builds.set(lifecycle, build)
  lifecycle.onStop('page build', () => build.stop())
  return build
}
