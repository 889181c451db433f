import { setTimeout as delay } from 'node:timers/promises'
import type { Quarantine, ServerEnd } from './crash-budget.ts'
import { errorText, notificationText, requestText, resultText, rpcCodes, RpcFailure, rpcMessageOf } from './json-rpc.ts'
import { LanguageServerProcess } from './language-server-process.ts'
import type { ProcessOptions } from './language-server-process.ts'
import type { LspLimits } from './lsp-limits.ts'
import { answerOf } from './lsp-methods.ts'

/** The request may be sent again. */
export class ServerLost extends RpcFailure {
  constructor() {
    super(rpcCodes.serverCancelled, 'The language server was restarted. Send the request again.')
    this.name = 'ServerLost'
  }
}

export type LossReason = 'ended' | 'hang' | 'memory' | 'start'

interface ServerRunOptions extends Omit<ProcessOptions, 'onMessage' | 'onEnd' | 'maxMessageBytes'> {
  readonly limits: LspLimits
  /** The last text is then suspect even if it seemed digested. */
  readonly isRepeated: boolean
  readonly onNotification: (method: string, params: unknown) => void
  readonly onLost: (reason: LossReason, why: string) => void
}

interface AskOptions {
  /** Default: none. */
  readonly timeoutMs?: number
  readonly document?: Quarantine | undefined
}

export interface PendingRequest {
  readonly answer: Promise<unknown>
  /** Rejects `answer` with `RequestCancelled`. */
  readonly cancel: () => void
  /** Resolves on a response (also to a cancelled request), the server's end, or timeout. */
  readonly settled: Promise<void>
}

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: RpcFailure) => void
  readonly timer: NodeJS.Timeout | undefined
  readonly document: Quarantine | undefined
  readonly settle: () => void
}

/** The server has not provably digested it. */
interface Unchecked {
  readonly number: number
  readonly sentAt: number
  isDiagnosed: boolean
}

/** Servers answer unknown `$/` methods with an error, which suffices. */
const probeMethod = '$/alive'

/** Suspects when the server was idle. */
const maxLatest = 4

const lookMs = 10

const ticksPerMemoryCheck = 20

const stopGraceMs = 2000

/**
 * Probed while busy, to detect hangs.
 *
 *     started ──initialize()──► serving ──exit, hang, too much memory──► lost (requests rejected)
 *                                  └──stop()──► stopped
 */
export class ServerRun {
  readonly #options: ServerRunOptions
  readonly #process: LanguageServerProcess
  readonly #pending = new Map<number, Pending>()
  readonly #probes = new Map<number, Pending>()
  readonly #cancelled = new Map<number, { readonly settle: () => void; readonly timer: NodeJS.Timeout }>()
  readonly #unchecked = new Map<Quarantine, Unchecked>()
  #latest: Quarantine[] = []
  #lastId = 0
  #isAlive = true
  #isInitialized = false
  #lossReason: LossReason = 'ended'
  /** Diagnostics show that a document was digested. */
  #publishes = false
  #probing: Promise<void> | undefined
  #ticking: NodeJS.Timeout | undefined
  #ticks = 0
  #line: Promise<void> = Promise.resolve()
  #inLine = 0
  /** Lets others write between two documents sent alone. */
  #isGap = false
  #gap = Promise.withResolvers<void>()
  #alone: Quarantine | undefined

  constructor(options: ServerRunOptions) {
    this.#options = options
    const { program, folder, environment, limits } = options
    this.#process = new LanguageServerProcess({
      program,
      folder,
      environment,
      maxMessageBytes: limits.serverMessageBytes,
      onMessage: (message) => this.#take(message),
      onEnd: (why, isFromOutside) => this.#lost(why, isFromOutside),
    })
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  get lastError(): string {
    return this.#process.lastError
  }

  /** Wait for `free()`. */
  get isReserved(): boolean {
    return this.#isAlive && this.#inLine > 0 && !this.#isGap
  }

  /** Wait for `drained()`. */
  get isFull(): boolean {
    return this.#isAlive && this.#process.isFull
  }

  async initialize(params: unknown): Promise<unknown> {
    const result = await this.ask('initialize', params, { timeoutMs: this.#options.limits.startMs }).answer
    this.#isInitialized = true
    this.notify('initialized', {})
    return result
  }

  notify(method: string, params: unknown): void {
    if (this.#isAlive) this.#process.send(notificationText(method, params))
  }

  give(method: string, params: unknown, document: Quarantine): void {
    this.notify(method, params)
    if (!this.#isAlive) return
    document.sent()
    this.#latest = [...this.#latest.filter((one) => one !== document), document].slice(-maxLatest)
    this.#unchecked.set(document, { number: this.#lastId, sentAt: performance.now(), isDiagnosed: false })
    this.#tick()
  }

  diagnosed(document: Quarantine): void {
    this.#publishes = true
    this.skipDiagnosis(document)
  }

  skipDiagnosis(document: Quarantine): void {
    const unchecked = this.#unchecked.get(document)
    if (unchecked !== undefined) unchecked.isDiagnosed = true
  }

  ask(method: string, params: unknown, { timeoutMs, document }: AskOptions): PendingRequest {
    if (!this.#isAlive)
      return { answer: Promise.reject(new ServerLost()), cancel: () => undefined, settled: Promise.resolve() }
    this.#lastId++
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            this.#giveUp(
              id,
              new RpcFailure(
                rpcCodes.requestFailed,
                `The language server did not respond within ${timeoutMs / 1000} s.`,
              ),
            )
          }, timeoutMs)
    this.#pending.set(id, { resolve, reject, timer, document, settle })
    this.#process.send(requestText(id, method, params))
    this.#tick()
    return {
      answer: promise,
      settled,
      cancel: () => this.#giveUp(id, new RpcFailure(rpcCodes.requestCancelled, 'Request cancelled.')),
    }
  }

  async drained(): Promise<void> {
    if (this.#isAlive) await this.#process.drained()
  }

  /** Also resolves when the run is over. */
  async free(): Promise<void> {
    if (this.isReserved) await this.#gap.promise
  }

  /**
   * Acts while the server is idle, and waits until the document is digested. @throws RpcFailure
   * `ServerCancelled` if the server ended
   */
  async alone(document: Quarantine, act: () => void | Promise<void>): Promise<void> {
    const before = this.#line
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#line = promise
    this.#inLine++
    try {
      await before
      await this.#digested(() => this.#unchecked.size === 0 && this.#pending.size === 0)
      this.#alone = document
      await act()
      const earliest = performance.now() + (document.isSlow ? this.#options.limits.settleMs : 0)
      await this.#digested(() => !this.#unchecked.has(document) && performance.now() >= earliest)
      document.passed()
    } finally {
      this.#alone = undefined
      this.#inLine--
      this.#openGap(resolve)
    }
  }

  #openGap(close: () => void): void {
    this.#isGap = true
    const opened = this.#gap
    this.#gap = Promise.withResolvers<void>()
    opened.resolve()
    // Waiting writers go first.
    setImmediate(() => {
      this.#isGap = false
      close()
    })
  }

  async stop(): Promise<void> {
    this.#isAlive = false
    this.#rejectAll()
    await this.#process.stop(stopGraceMs)
  }

  async gone(): Promise<void> {
    await this.#process.gone()
  }

  async #digested(isSo: () => boolean): Promise<void> {
    for (;;) {
      await this.#probe()
      if (isSo()) return
      await delay(lookMs)
    }
  }

  /** The probe is sent after this call. @throws RpcFailure if the server ends before */
  async #probe(): Promise<void> {
    if (this.#probing !== undefined) await this.#probing
    this.#probing ??= this.#probeOnce()
    await this.#probing
  }

  async #probeOnce(): Promise<void> {
    const { hangMs } = this.#options.limits
    if (!this.#isAlive) throw new ServerLost()
    this.#lastId++
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => this.#kill('hang', `no response for ${hangMs / 1000} s`), hangMs)
    this.#probes.set(id, { resolve, reject, timer, document: undefined, settle: () => undefined })
    this.#process.send(requestText(id, probeMethod, undefined))
    try {
      await promise.catch((error: unknown) => {
        // An error response is a response.
        if (!this.#isAlive) throw error
      })
    } finally {
      this.#probing = undefined
    }
  }

  /** A response shows that earlier messages were read. */
  #checkedUpTo(id: number): void {
    const settled = performance.now() - this.#options.limits.settleMs
    for (const [document, { number, sentAt, isDiagnosed }] of this.#unchecked) {
      if (number >= id || !(isDiagnosed || !this.#publishes || sentAt <= settled)) continue
      this.#unchecked.delete(document)
      document.digested()
    }
  }

  #tick(): void {
    if (!this.#isInitialized) return
    this.#ticking ??= setInterval(() => {
      if (this.#pending.size === 0 && this.#unchecked.size === 0) {
        clearInterval(this.#ticking)
        this.#ticking = undefined
        return
      }
      this.#ticks++
      if (this.#ticks % ticksPerMemoryCheck === 0) void this.#checkMemory()
      // The process reports the loss.
      if (this.#probing === undefined) this.#probe().catch(() => undefined)
    }, this.#options.limits.probeMs)
  }

  async #checkMemory(): Promise<void> {
    const { serverMemoryBytes } = this.#options.limits
    if (serverMemoryBytes === 0) return
    const bytes = await this.#process.memoryBytes()
    if (bytes !== undefined && bytes > serverMemoryBytes)
      this.#kill('memory', `it used ${Math.round(bytes / 1024 / 1024)} MiB`)
  }

  #kill(reason: LossReason, why: string): void {
    if (!this.#isAlive) return
    this.#lossReason = reason
    this.#lost(why)
    this.#process.kill()
  }

  #take(value: unknown): void {
    const message = rpcMessageOf(value)
    if (message.kind === 'notification') this.#options.onNotification(message.method, message.params)
    else if (message.kind === 'request') {
      const answer = answerOf(message.method, message.params)
      this.#process.send(
        'error' in answer ? errorText(message.id, answer.error) : resultText(message.id, answer.result),
      )
    } else if (message.kind === 'response' && typeof message.id === 'number') {
      const pending = this.#taken(message.id)
      if (pending === undefined) return this.#settleCancelled(message.id)
      pending.settle()
      this.#checkedUpTo(message.id)
      pending.document?.digested()
      if (message.error === undefined) pending.resolve(message.result)
      else pending.reject(new RpcFailure(message.error.code, message.error.message, message.error.data))
    }
  }

  #taken(id: number): Pending | undefined {
    const all = this.#pending.has(id) ? this.#pending : this.#probes
    const pending = all.get(id)
    if (pending === undefined) return undefined
    all.delete(id)
    clearTimeout(pending.timer)
    return pending
  }

  #giveUp(id: number, failure: RpcFailure): void {
    const pending = this.#taken(id)
    if (pending === undefined) return
    this.notify('$/cancelRequest', { id })
    pending.reject(failure)
    const timer = setTimeout(() => this.#settleCancelled(id), this.#options.limits.requestMs)
    this.#cancelled.set(id, { settle: pending.settle, timer })
    // The server may still work on it.
    if (pending.document !== undefined)
      this.#unchecked.set(pending.document, { number: this.#lastId, sentAt: performance.now(), isDiagnosed: true })
  }

  #settleCancelled(id: number): void {
    const cancelled = this.#cancelled.get(id)
    if (cancelled === undefined) return
    this.#cancelled.delete(id)
    clearTimeout(cancelled.timer)
    cancelled.settle()
  }

  #lost(why: string, isFromOutside = false): void {
    if (!this.#isAlive) return
    this.#isAlive = false
    const end = { isFromOutside, isHang: this.#lossReason === 'hang' }
    if (this.#alone === undefined) this.#suspectAll(end)
    else this.#alone.crashedAlone(end)
    this.#rejectAll()
    this.#options.onLost(this.#lossReason, why)
  }

  #suspectAll(end: ServerEnd): void {
    const inHand = new Set(this.#unchecked.keys())
    for (const { document } of this.#pending.values()) {
      if (document !== undefined) inHand.add(document)
    }
    const isLate = this.#options.isRepeated && inHand.size === 0 && this.#pending.size === 0
    const suspects = isLate ? this.#latest : [...inHand]
    const byClient = Map.groupBy(suspects, ({ client }) => client)
    for (const own of byClient.values()) {
      for (const document of own) {
        document.suspect(isLate)
        document.crashedAmong(byClient.size, own.length, end)
      }
    }
  }

  #rejectAll(): void {
    clearInterval(this.#ticking)
    const failure = new ServerLost()
    for (const pending of [...this.#pending.values(), ...this.#probes.values()]) {
      clearTimeout(pending.timer)
      pending.reject(failure)
      pending.settle()
    }
    for (const id of this.#cancelled.keys()) this.#settleCancelled(id)
    this.#pending.clear()
    this.#probes.clear()
    this.#unchecked.clear()
  }
}
