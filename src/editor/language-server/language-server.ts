import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EditorNetwork } from '../editor-network.ts'
import type { LanguageServerProgram } from './find-language-server.ts'
import { isObject } from './json-rpc.ts'
import type { LspLimits, LspMetrics } from './lsp-limits.ts'
import { initializeParams, toldCapabilities } from './lsp-methods.ts'
import { ServerRun } from './server-run.ts'
import type { LossReason } from './server-run.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { backoffMs } from '../../platform/retry.ts'

export type ServerState = 'starting' | 'ready' | 'restarting'

/** Whoever uses a language server from a folder of its own. */
export interface Member {
  /** Absolute. */
  readonly folder: string
  /** A notification of the server about something below the folder. */
  readonly take: (method: string, params: Record<string, unknown>, uri: string) => void
  /** A run of the server began that knows nothing yet. */
  readonly wake: () => void
  readonly told: (state: ServerState) => void
}

interface LanguageServerOptions {
  readonly network: EditorNetwork
  readonly program: LanguageServerProgram
  readonly environment: Readonly<Record<string, string>>
  readonly limits: LspLimits
  readonly metrics: LspMetrics
  readonly log: Logger
}

/** So many losses, one soon after the other, have a cause that comes back. */
const lossesInARow = 2

/**
 * The language server of one network, shared by all connections: started for the first one, and again after a crash, a
 * hang or too much memory. Members then send their documents again.
 *
 *     idle ──join──► starting ──initialize answered──► ready ──lost──► pausing ──pause over──► starting
 *      ▲               └────────────────lost───────────────────────────► ▲
 *      └── the last member left, and nobody came for a while ── any
 */
export class LanguageServer {
  readonly #options: LanguageServerOptions
  readonly #log: Logger
  readonly #members = new Map<string, Member>()
  #state: 'idle' | 'starting' | 'ready' | 'pausing' | 'closed' = 'idle'
  #run: ServerRun | undefined
  #readyAt = 0
  #failures = 0
  #pausing: NodeJS.Timeout | undefined
  #idling: NodeJS.Timeout | undefined
  #becoming = Promise.withResolvers<ServerRun>()
  #capabilities: Record<string, unknown> = {}
  #lastTrouble: string | undefined
  readonly #stopping = new Set<Promise<void>>()

  constructor(options: LanguageServerOptions) {
    this.#options = options
    this.#log = options.log.child({ network: options.network, languageServer: options.program.kind })
    this.#becoming.promise.catch(() => undefined) // nobody may be waiting when it closes
  }

  get program(): LanguageServerProgram {
    return this.#options.program
  }

  get state(): string {
    return this.#state
  }

  /** The process that runs; undefined between two. */
  get pid(): number | undefined {
    return this.#run?.pid
  }

  /** What the server said that it can do, for clients; of the last run that was ready. */
  get capabilities(): Record<string, unknown> {
    return this.#capabilities
  }

  /** Why it is not there, where it is not. */
  get trouble(): string | undefined {
    return this.#state === 'ready' ? undefined : this.#lastTrouble
  }

  join(member: Member): void {
    this.#members.set(member.folder, member)
    clearTimeout(this.#idling)
    this.#idling = undefined
    if (this.#state === 'idle') this.#start()
  }

  leave(member: Member): void {
    this.#members.delete(member.folder)
    if (this.#members.size > 0 || this.#idling !== undefined || this.#state === 'closed') return
    this.#idling = setTimeout(() => this.#rest(), this.#options.limits.idleMs)
  }

  /** The run that is ready, or the next one. Rejects with the signal's reason, or when the server is closed. */
  async ready(signal: AbortSignal): Promise<ServerRun> {
    for (;;) {
      signal.throwIfAborted()
      if (this.#run !== undefined && this.#state === 'ready' && this.#run.isAlive) return this.#run
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const stop = (): void => reject(asError(signal.reason))
      signal.addEventListener('abort', stop, { once: true })
      this.#becoming.promise.then(() => resolve(), reject)
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', stop)
      }
    }
  }

  /** Ends the process, and starts none again. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return
    this.#end()
    this.#state = 'closed'
    this.#becoming.reject(new Error('the language server channel is closing'))
    clearTimeout(this.#idling)
    await Promise.all(this.#stopping)
  }

  #start(): void {
    const [member] = this.#members.values()
    if (member === undefined || this.#state === 'closed') return
    this.#state = 'starting'
    const root = dirname(member.folder)
    const { program, environment, limits } = this.#options
    try {
      const run: ServerRun = new ServerRun({
        program,
        environment,
        limits,
        folder: root,
        isRepeated: this.#failures >= lossesInARow,
        onNotification: (method, params) => this.#take(method, params),
        onLost: (reason, why) => this.#lost(run, reason, why),
      })
      this.#run = run
      run.initialize(initializeParams(program, root)).then(
        (result) => this.#began(run, result),
        (error: unknown) => this.#lost(run, 'start', `it did not answer initialize: ${asError(error).message}`),
      )
    } catch (error) {
      // What the system refuses at once, such as a folder that is gone.
      this.#lost(undefined, 'start', `it could not be started: ${asError(error).message}`)
    }
  }

  #began(run: ServerRun, result: unknown): void {
    if (run !== this.#run || !run.isAlive) return
    this.#state = 'ready'
    this.#readyAt = performance.now()
    this.#capabilities = toldCapabilities(result)
    this.#log.info({ pid: run.pid, failures: this.#failures }, 'a language server is ready')
    const became = this.#becoming
    this.#renew()
    became.resolve(run)
    for (const member of this.#members.values()) {
      member.told('ready')
      member.wake()
    }
  }

  #lost(run: ServerRun | undefined, reason: LossReason, why: string): void {
    if (run !== this.#run || this.#state === 'closed' || this.#state === 'idle' || this.#state === 'pausing') return
    const { limits, metrics, network } = this.#options
    const wasReady = this.#state === 'ready'
    this.#run = undefined
    this.#state = 'pausing'
    this.#lastTrouble = why
    if (run !== undefined) this.#await(run.isAlive ? run.stop() : run.gone())
    if (wasReady && performance.now() - this.#readyAt >= limits.stableMs) this.#failures = 0
    this.#failures++
    metrics.restarts.inc({ network, reason: wasReady ? reason : 'start' })
    const pauseMs = backoffMs(this.#failures, limits.backoffMs, limits.longestBackoffMs)
    this.#log.warn(
      { reason: wasReady ? reason : 'start', why, failures: this.#failures, pauseMs },
      'a language server was lost',
    )
    // It may quote documents of people.
    this.#log.debug({ output: run?.lastError }, 'what the language server said last')
    for (const member of this.#members.values()) member.told('restarting')
    if (this.#members.size === 0) this.#state = 'idle'
    else this.#pausing = setTimeout(() => this.#restart(), pauseMs)
  }

  #restart(): void {
    if (this.#members.size === 0) this.#state = 'idle'
    else this.#start()
  }

  /** Nobody was there for long. */
  #rest(): void {
    this.#idling = undefined
    if (this.#members.size > 0 || this.#state === 'closed') return
    this.#end()
    this.#state = 'idle'
    this.#failures = 0
  }

  #end(): void {
    clearTimeout(this.#pausing)
    const run = this.#run
    this.#run = undefined
    if (run !== undefined) this.#await(run.stop())
  }

  /** Waits for an end when everything closes. */
  #await(end: Promise<void>): void {
    const ending = end
      .catch((error: unknown) => this.#log.error({ err: asError(error) }, 'a language server could not be ended'))
      .finally(() => this.#stopping.delete(ending))
    this.#stopping.add(ending)
  }

  #renew(): void {
    this.#becoming = Promise.withResolvers<ServerRun>()
    this.#becoming.promise.catch(() => undefined)
  }

  /** Passes a notification to the member whose folder its URI is in; others are dropped. */
  #take(method: string, params: unknown): void {
    if (!isObject(params)) return
    const document = params['textDocument']
    const uri = params['uri'] ?? (isObject(document) ? document['uri'] : undefined)
    if (typeof uri !== 'string') return
    const member = this.#ownerOf(uri)
    if (member === undefined) return
    try {
      member.take(method, params, uri)
    } catch (error) {
      this.#log.error({ err: asError(error), method }, 'a notification of a language server could not be passed on')
    }
  }

  #ownerOf(uri: string): Member | undefined {
    let path: string
    try {
      path = fileURLToPath(uri)
    } catch {
      return undefined // no URI of a file: it concerns nobody
    }
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const member = this.#members.get(path.slice(0, end))
      if (member !== undefined) return member
    }
    return undefined
  }
}
