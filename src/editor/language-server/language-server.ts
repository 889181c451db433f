import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EditorNetwork } from '../editor-network.ts'
import type { LanguageServerProgram } from './find-language-server.ts'
import { isObject } from './json-rpc.ts'
import type { LspLimits, LspMetrics } from './lsp-limits.ts'
import { initializeParams, exposedCapabilities } from './lsp-methods.ts'
import { ServerRun } from './server-run.ts'
import type { LossReason } from './server-run.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { backoffMs } from '../../platform/retry.ts'

export type ServerState = 'starting' | 'ready' | 'restarting'

export interface Member {
  readonly folder: string
  /** Receives notifications about URIs below the folder. */
  readonly take: (method: string, params: Record<string, unknown>, uri: string) => void
  /** A new run has no documents. */
  readonly wake: () => void
  readonly onStateChange: (state: ServerState) => void
}

interface LanguageServerOptions {
  readonly network: EditorNetwork
  readonly program: LanguageServerProgram
  readonly environment: Readonly<Record<string, string>>
  readonly limits: LspLimits
  readonly metrics: LspMetrics
  readonly log: Logger
}

/** So many losses in a row are treated as a recurring cause. */
const lossesInARow = 2

/**
 * Shared by all connections of a network. After a restart members send their documents again.
 *
 *     idle ──join──► starting ──initialize answered──► ready ──lost──► pausing ──pause over──► starting
 *      ▲               └────────────────lost───────────────────────────► ▲
 *      └── the last member left, and idleMs passed ── any
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
  #lastFailure: string | undefined
  readonly #stopping = new Set<Promise<void>>()

  constructor(options: LanguageServerOptions) {
    this.#options = options
    this.#log = options.log.child({ network: options.network, languageServer: options.program.kind })
    this.#becoming.promise.catch(() => undefined) // it may close without waiters
  }

  get program(): LanguageServerProgram {
    return this.#options.program
  }

  get state(): string {
    return this.#state
  }

  get pid(): number | undefined {
    return this.#run?.pid
  }

  get capabilities(): Record<string, unknown> {
    return this.#capabilities
  }

  get trouble(): string | undefined {
    return this.#state === 'ready' ? undefined : this.#lastFailure
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

  /** Rejects with the signal's reason, or on close. */
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

  async close(): Promise<void> {
    if (this.#state === 'closed') return
    this.#end()
    this.#state = 'closed'
    this.#becoming.reject(new Error('The language server channel is closing'))
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
        (error: unknown) => this.#lost(run, 'start', `no response to initialize: ${asError(error).message}`),
      )
    } catch (error) {
      // Immediate failures, such as a missing folder.
      this.#lost(undefined, 'start', `could not start: ${asError(error).message}`)
    }
  }

  #began(run: ServerRun, result: unknown): void {
    if (run !== this.#run || !run.isAlive) return
    this.#state = 'ready'
    this.#readyAt = performance.now()
    this.#capabilities = exposedCapabilities(result)
    this.#log.info({ pid: run.pid, failures: this.#failures }, 'Language server ready')
    const became = this.#becoming
    this.#renew()
    became.resolve(run)
    for (const member of this.#members.values()) {
      member.onStateChange('ready')
      member.wake()
    }
  }

  #lost(run: ServerRun | undefined, reason: LossReason, why: string): void {
    if (run !== this.#run || this.#state === 'closed' || this.#state === 'idle' || this.#state === 'pausing') return
    const { limits, metrics, network } = this.#options
    const wasReady = this.#state === 'ready'
    this.#run = undefined
    this.#state = 'pausing'
    this.#lastFailure = why
    if (run !== undefined) this.#await(run.isAlive ? run.stop() : run.gone())
    if (wasReady && performance.now() - this.#readyAt >= limits.stableMs) this.#failures = 0
    this.#failures++
    metrics.restarts.inc({ network, reason: wasReady ? reason : 'start' })
    const pauseMs = backoffMs(this.#failures, limits.backoffMs, limits.longestBackoffMs)
    this.#log.warn(
      { reason: wasReady ? reason : 'start', why, failures: this.#failures, pauseMs },
      'Language server lost',
    )
    this.#log.debug({ output: run?.lastError }, 'Last output of the language server')
    for (const member of this.#members.values()) member.onStateChange('restarting')
    if (this.#members.size === 0) this.#state = 'idle'
    else this.#pausing = setTimeout(() => this.#restart(), pauseMs)
  }

  #restart(): void {
    if (this.#members.size === 0) this.#state = 'idle'
    else this.#start()
  }

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

  #await(end: Promise<void>): void {
    const ending = end
      .catch((error: unknown) => this.#log.error({ err: asError(error) }, 'Could not end a language server'))
      .finally(() => this.#stopping.delete(ending))
    this.#stopping.add(ending)
  }

  #renew(): void {
    this.#becoming = Promise.withResolvers<ServerRun>()
    this.#becoming.promise.catch(() => undefined)
  }

  /** Messages for other folders are dropped. */
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
      this.#log.error({ err: asError(error), method }, 'Could not pass on a notification')
    }
  }

  #ownerOf(uri: string): Member | undefined {
    let path: string
    try {
      path = fileURLToPath(uri)
    } catch {
      return undefined
    }
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const member = this.#members.get(path.slice(0, end))
      if (member !== undefined) return member
    }
    return undefined
  }
}
