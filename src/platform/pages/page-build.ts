import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join, resolve } from 'node:path'
import { asError, RetryableError } from '../errors.ts'
import type { Lifecycle, ServiceContext } from '../service.ts'
import type { Logger } from '../log.ts'
import { backoffMs, pause } from '../retry.ts'
import { findBuild, sourceDigest } from './build-folder.ts'

export interface BuildProgress {
  /** Both are 0 before the first report. */
  readonly built: number
  readonly total: number
  /** Since the first attempt started. */
  readonly seconds: number
  readonly failure: string | undefined
}

/**
 * Shared by the services of a process. States: looking for a build → ready, or building → ready;
 * after a failure waiting (2 s to 5 min) → looking.
 */
export interface PageBuild {
  /** Resolves after any number of attempts. @throws RetryableError `stopped` */
  folder(): Promise<string>
  newest(): Promise<string | undefined>
  readonly progress: BuildProgress
  /** Resolves when `progress` changes or the build ends. */
  changed(): Promise<void>
  stop(): void
  readonly isStopped: boolean
}

interface PageBuildOptions {
  readonly log: Logger
  readonly root?: string
  readonly retry?: { readonly baseMs: number; readonly maxMs: number }
}

/** Sent by `scripts/build.ts` to its parent process. */
export type BuildMessage =
  | { readonly built: number; readonly total: number; readonly page: string }
  | { readonly failure: string }

const maxFailureLength = 4000

/** Builds run in a separate process without a time limit: on a busy machine they take minutes. */
export function createPageBuild({
  log,
  root = resolve(import.meta.dirname, '../../..'),
  retry = { baseMs: 2000, maxMs: 300_000 },
}: PageBuildOptions): PageBuild {
  const stopping = new AbortController()
  const changes = new EventEmitter()
  changes.setMaxListeners(0)
  let progress = { built: 0, total: 0, failure: undefined as string | undefined }
  let startedAt: number | undefined
  let ready: Promise<string> | undefined

  const update = (change: Partial<typeof progress>): void => {
    progress = { ...progress, ...change }
    changes.emit('change')
  }
  const run = async (): Promise<void> => {
    log.info('Building pages')
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
      log.info(message, `Built page ${message.page}`)
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
        : `${signal}${signal === 'SIGKILL' ? ', sent by the system when memory is exhausted' : ''}`
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
        'This installation has neither page sources nor a build. Add dist/dashboards.',
      )
    update({ built: 0 })
    await run()
    const made = await findBuild(root, digest)
    if (made === undefined) throw new RetryableError('pages-not-built', 'The page sources changed during the build.')
    return made
  }
  const begin = async (): Promise<string> => {
    startedAt = performance.now()
    for (let attempt = 1; ; attempt++) {
      try {
        const folder = await findOrBuild()
        if (progress.failure !== undefined) log.info('Pages built')
        update({ failure: undefined })
        return folder
      } catch (error) {
        if (stopping.signal.aborted) throw stopped()
        const failure = asError(error).message
        const pauseMs = backoffMs(attempt, retry.baseMs, retry.maxMs)
        const level = failure === progress.failure ? 'debug' : 'error'
        log[level](
          { attempt, pauseMs },
          `Could not build the pages: ${failure}\nAll other services run. The build is retried ` +
            `automatically. Run \`npm run build\` for the full output.`,
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

/** Starts on first use. */
export function pageBuildOf({ lifecycle, log }: Pick<ServiceContext<unknown>, 'lifecycle' | 'log'>): PageBuild {
  const known = builds.get(lifecycle)
  if (known !== undefined) return known
  const build = createPageBuild({ log })
  builds.set(lifecycle, build)
  lifecycle.onStop('page build', () => build.stop())
  return build
}
