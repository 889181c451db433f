import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type pg from 'pg'
import type { DeriveProblem, Worker } from '../../jobs/worker.ts'
import type { OwnWorkerSource } from '../farm/own/own-workers.ts'
import { listen } from '../platform/db/listen.ts'
import type { Listener } from '../platform/db/listen.ts'
import { withRetriedTransaction } from '../platform/db/pool.ts'
import { asError, FatalError, FlowfarmError, RetryableError } from '../platform/errors.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import type { Logger } from '../platform/log.ts'
import { pause, retryWhile } from '../platform/retry.ts'
import type { OwnDeclaration } from './declaration.ts'
import type { HostLimits } from './host/limits.ts'
import { WorkerHost } from './host/worker-host.ts'
import { farmWorkerOf } from './own-worker.ts'
import { declarationLimits, readDeclaration } from './read-declaration.ts'
import {
  ownWorkersChannel,
  readRegisteredWorkers,
  registerOwnWorker,
  replaceIfCaughtUp,
  setWorkerError,
} from './registry.ts'
import type { RegisteredWorker } from './registry.ts'

export interface OwnWorkerLoaderOptions {
  /** WORKERS_DIR. It may be created later if `isReload`. */
  readonly folder: string
  /** WORKERS_RELOAD */
  readonly isReload: boolean
  readonly pool: pg.Pool
  /** For LISTEN. */
  readonly databaseUrl: string
  readonly log: Logger
  readonly limits?: HostLimits
  /** Interval of looking at the files, and at the coverage of successors. Default 500 ms. */
  readonly pollMs?: number
}

interface LoadedWorker {
  readonly host: WorkerHost
  readonly declaration: OwnDeclaration
  readonly codeHash: string
}

interface Folder {
  /** `own_<folder>` */
  readonly name: string
  readonly path: string
  /** Fingerprint of the files that were loaded, or could not be. */
  fingerprint: string | undefined
  /** A change is loaded when the files are the same at the next look. */
  changing: string | undefined
  isLoading: boolean
  /** `performance.now()`. Undefined: loaded. */
  failedAt: number | undefined
  loaded: LoadedWorker | undefined
  /** Runs the loaded code. Undefined: the code is not registered, or not any more. */
  registered: RegisteredWorker | undefined
  worker: Worker | undefined
}

const maxFolders = 100
const maxFiles = 2000

/** Folders that could not be loaded are tried again although their files are the same, ms. */
const retryMs = 30_000

/** The workers of WORKERS_DIR whose code is the registered one. */
export class OwnWorkerLoader implements OwnWorkerSource {
  /** Resolves when each folder was loaded, or could not be. Never rejects. */
  readonly started: Promise<void>
  readonly #options: OwnWorkerLoaderOptions
  readonly #folders = new Map<string, Folder>()
  readonly #listeners: (() => void)[] = []
  readonly #stopping = new AbortController()
  readonly #loading = new Set<Promise<void>>()
  readonly #throttle = new LogThrottle()
  readonly #polling: Promise<void>
  #listener: Listener | undefined
  #refreshing: Promise<void> = Promise.resolve()

  constructor(options: OwnWorkerLoaderOptions) {
    this.#options = { ...options, folder: resolve(options.folder), log: options.log.child({ service: 'own-tables' }) }
    const scanned = this.#scan(true)
    this.started = scanned.then(() => this.#idle())
    this.#polling = scanned.then(() => this.#poll())
  }

  workers(): readonly Worker[] {
    return [...this.#folders.values()].flatMap(({ worker }) => worker ?? [])
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the process is stopping'))
    for (const { loaded } of this.#folders.values()) loaded?.host.stop()
    await this.#polling
    await this.#idle()
    await this.#refreshing
    await this.#listener?.ended
  }

  async #idle(): Promise<void> {
    await Promise.all(this.#loading)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  async #poll(): Promise<void> {
    const { databaseUrl, pollMs = 500, log } = this.#options
    const { signal } = this.#stopping
    try {
      const refresh = (): void => this.#refresh()
      this.#listener = await listen(databaseUrl, [ownWorkersChannel], refresh, {
        signal,
        applicationName: 'flowfarm own registry',
        onReconnect: refresh,
        onError: (err) => log.debug({ err }, 'No notifications of own workers: reconnecting'),
      })
      // For earlier changes.
      refresh()
      for (;;) {
        await pause(pollMs, signal)
        await this.#scan(false)
        await this.#replace()
      }
    } catch (error) {
      if (!signal.aborted) log.error({ err: asError(error) }, 'Own workers are not watched any more')
    }
  }

  /** @param isFirst files are loaded although they may be changing */
  async #scan(isFirst: boolean): Promise<void> {
    const { isReload } = this.#options
    if (!isFirst && !isReload && ![...this.#folders.values()].some(isDue)) return
    const found = await this.#findFolders()
    for (const [name, folder] of this.#folders) {
      if (found.has(name) || !isReload) continue
      this.#folders.delete(name)
      folder.loaded?.host.stop()
      this.#options.log.info({ worker: name }, 'Own worker stopped: its folder was removed. Its tables stay')
      this.#changed()
    }
    for (const [name, path] of found) {
      const folder: Folder = this.#folders.get(name) ?? {
        name,
        path,
        fingerprint: undefined,
        changing: undefined,
        isLoading: false,
        failedAt: -retryMs,
        loaded: undefined,
        registered: undefined,
        worker: undefined,
      }
      this.#folders.set(name, folder)
      if (folder.isLoading || (!isReload && !isDue(folder))) continue
      const fingerprint = await fingerprintOf(path)
      if (fingerprint === folder.fingerprint && !isDue(folder)) continue
      const isStable = isFirst || !isReload || fingerprint === folder.changing
      folder.changing = fingerprint
      if (isStable) this.#startLoading(folder, fingerprint)
    }
  }

  /** By name of the worker. */
  async #findFolders(): Promise<Map<string, string>> {
    const { folder: parent, log, isReload } = this.#options
    const found = new Map<string, string>()
    let names: string[]
    try {
      names = (await readdir(parent)).filter((name) => !name.startsWith('.') && name !== 'node_modules').sort()
    } catch (error) {
      const err = asError(error)
      if (!isReload) this.#throttle.log(log, 'error', { err }, 'Could not read WORKERS_DIR')
      return found
    }
    for (const folderName of names) {
      const path = join(parent, folderName)
      if (!(await isWorkerFolder(path))) continue
      try {
        const name = workerNameOf(folderName)
        if (found.has(name)) throw new FatalError('bad-own-worker', `${found.get(name)} has the same worker name`)
        if (found.size === maxFolders)
          throw new FatalError('bad-own-worker', `at most ${maxFolders} workers are loaded`)
        found.set(name, path)
      } catch (error) {
        this.#throttle.log(log, 'error', { err: asError(error), folder: path }, 'Own worker not loaded')
      }
    }
    return found
  }

  #startLoading(folder: Folder, fingerprint: string): void {
    folder.isLoading = true
    const loading = this.#load(folder, fingerprint).finally(() => {
      folder.isLoading = false
      this.#loading.delete(loading)
      // Changes of the registry meanwhile.
      this.#refresh()
    })
    this.#loading.add(loading)
  }

  /** Never rejects. */
  async #load(folder: Folder, fingerprint: string): Promise<void> {
    const { log, pool, isReload, limits } = this.#options
    const { name, path } = folder
    const host = new WorkerHost({ name, folder: path, log, ...(limits === undefined ? {} : { limits }) })
    const stopHost = (): void => host.stop()
    this.#stopping.signal.addEventListener('abort', stopHost, { once: true })
    folder.failedAt = undefined
    try {
      const { definition, codeHash } = await host.load()
      if (codeHash === folder.loaded?.codeHash && folder.worker !== undefined) {
        host.stop()
        folder.fingerprint = fingerprint
        await this.#retried(() => setWorkerError(pool, name, null))
        return
      }
      const declaration = readDeclaration(definition)
      const candidate = { name, declaration, codeHash }
      const registered = await this.#retried(() =>
        withRetriedTransaction(pool, (client) => registerOwnWorker(client, candidate, isReload)),
      )
      await this.#retried(() => setWorkerError(pool, name, null))
      folder.fingerprint = fingerprint
      folder.loaded?.host.stop()
      folder.loaded = { host, declaration, codeHash }
      this.#run(folder, registered)
      const tables = [...declaration.tables, ...declaration.folds, ...(declaration.views ?? [])].map(
        (table) => table.name,
      )
      log.info({ worker: registered.name, version: declaration.version, tables }, 'Own worker loaded')
    } catch (error) {
      host.stop()
      if (this.#stopping.signal.aborted) return
      folder.fingerprint = fingerprint
      this.#fail(folder)
      const err = asError(error)
      this.#throttle.log(log, 'error', { err, worker: name }, 'Own worker not loaded')
      await this.#retried(() => setWorkerError(pool, name, err.message)).catch(() => undefined)
    } finally {
      this.#stopping.signal.removeEventListener('abort', stopHost)
    }
  }

  #fail(folder: Folder): void {
    folder.failedAt = performance.now()
    folder.loaded?.host.stop()
    folder.loaded = undefined
    this.#run(folder, undefined)
  }

  /** While the database is unreachable. */
  #retried<T>(change: () => Promise<T>): Promise<T> {
    const isRetryable = (error: unknown): boolean => error instanceof RetryableError
    return retryWhile(change, { signal: this.#stopping.signal, maxMs: 1000, isRetryable })
  }

  #run(folder: Folder, registered: RegisteredWorker | undefined): void {
    const { loaded } = folder
    const before = folder.worker
    folder.registered = loaded === undefined ? undefined : registered
    folder.worker =
      loaded === undefined || registered === undefined ? undefined : this.#workerOf(folder, registered, loaded)
    if (folder.worker !== before) this.#changed()
  }

  #workerOf(folder: Folder, registered: RegisteredWorker, { host, codeHash }: LoadedWorker): Worker {
    const { pool } = this.#options
    const { name, declaration } = registered
    const { worker: before } = folder
    // The farm compares workers by identity.
    if (before?.name === name && codeOf.get(before) === codeHash) return before
    const worker = farmWorkerOf(registered, async (events, output, signal) => {
      // The lease was claimed before this check, and a replacement deletes all leases.
      const { rows } = await pool.query<{ code: string }>({
        name: 'own-worker-code',
        text: 'select code_hash as code from app.own_workers where name = $1',
        values: [name],
      })
      if (rows[0]?.code !== codeHash) {
        this.#refresh()
        throw new RetryableError('own-worker-replaced', `${name} has other code now than this process`)
      }
      try {
        const named = {
          rows: (table: string) => output.rows(`${name}.${table}`),
          problem: (problem: DeriveProblem) => output.problem(problem),
        }
        await host.derive(events, declaration, named, signal)
      } catch (error) {
        const isChanged = error instanceof RetryableError && error.code === 'own-worker-files-changed'
        if (isChanged && folder.loaded?.host === host) this.#fail(folder)
        throw error
      }
    })
    codeOf.set(worker, codeHash)
    return worker
  }

  /** Reads which code is registered. Never rejects. */
  #refresh(): void {
    const { pool, log } = this.#options
    this.#refreshing = this.#refreshing.then(async () => {
      if (this.#stopping.signal.aborted) return
      try {
        const before = [...this.#folders.values()].map((folder) => ({ folder, loaded: folder.loaded }))
        const all = await this.#retried(() => readRegisteredWorkers(pool))
        for (const { folder, loaded } of before) {
          const { name, isLoading } = folder
          if (loaded === undefined || loaded !== folder.loaded || isLoading) continue
          const registered = all.find(
            (one) => one.codeHash === loaded.codeHash && (one.name === name || one.replaces === name),
          )
          if (registered === undefined && folder.worker !== undefined)
            log.warn({ worker: name }, 'Own worker stopped: it was removed, or other code was registered')
          this.#run(folder, registered)
        }
      } catch (error) {
        if (!this.#stopping.signal.aborted) log.warn({ err: asError(error) }, 'Could not read the own workers')
      }
    })
  }

  async #replace(): Promise<void> {
    const { pool, log } = this.#options
    for (const { name, registered } of this.#folders.values()) {
      if (registered?.replaces !== name) continue
      try {
        const isReplaced = await withRetriedTransaction(pool, async (client) => {
          // Readers of the old tables must not hold up everyone else who reads them.
          await client.query(`set local lock_timeout = '2s'`)
          return replaceIfCaughtUp(client, name)
        })
        if (!isReplaced) continue
        log.info({ worker: name }, 'Own worker replaced: its new tables have caught up')
        this.#refresh()
      } catch (thrown) {
        const err = asError(thrown)
        if (err instanceof FlowfarmError && err.code === 'lock-not-available') continue
        if (this.#stopping.signal.aborted) return
        this.#throttle.log(
          log,
          'warn',
          { err, worker: name },
          'Could not replace the tables of an own worker: retrying',
        )
      }
    }
  }
}

function isDue({ failedAt }: Folder): boolean {
  return failedAt !== undefined && performance.now() - failedAt >= retryMs
}

const codeOf = new WeakMap<Worker, string>()

async function isWorkerFolder(path: string): Promise<boolean> {
  for (const file of ['worker.ts', 'worker.js', 'package.json']) {
    try {
      if ((await stat(join(path, file))).isFile()) return true
    } catch {
      // Not there.
    }
  }
  return false
}

/** @throws FatalError `bad-own-worker` */
export function workerNameOf(folder: string): string {
  const { workerNameLength } = declarationLimits
  if (/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/.test(folder) && folder.length <= workerNameLength)
    return `own_${folder.replaceAll('-', '_')}`
  throw new FatalError(
    'bad-own-worker',
    `Folder ${folder} cannot be the name of a worker. ` +
      `Use lower-case letters, digits and single -, at most ${workerNameLength} characters, e.g. top-shot.`,
  )
}

/** Changes with the files, without reading them. */
async function fingerprintOf(folder: string): Promise<string> {
  const lines: string[] = []
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || lines.length >= maxFiles) continue
      const file = join(path, entry.name)
      if (entry.isDirectory()) await walk(file)
      else {
        const found = await stat(file).catch(() => undefined)
        lines.push(`${file} ${found?.size} ${found?.mtimeMs} ${found?.ino}`)
      }
    }
  }
  await walk(folder)
  return lines.join('\n')
}
