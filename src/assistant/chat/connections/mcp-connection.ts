import type { CallToolResult } from '@ai-sdk/mcp'
import { asError } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'
import { backoffMs } from '../../../platform/retry.ts'
import { callFailed, ConnectionFault, faultInWords, isConnectionFault, OpenClient } from './mcp-client.ts'
import type { Offer } from './mcp-client.ts'
import type { McpServer } from './mcp-server.ts'

export interface ConnectionTimes {
  /** How long a turn waits for a server that does not answer (CHAT_TOOL_CONNECT_MS). */
  readonly connectMs: number
  /** How long an attempt goes on in the background, for the turns after that one. */
  readonly attemptMs: number
  /** Longest time of a call of a tool. */
  readonly callMs: number
  /** How long what a server offers is good, before it is asked again beside the turns. */
  readonly freshMs: number
  /** The shortest pause after an attempt that failed; it doubles up to a minute. */
  readonly retryMs: number
}

export const usualTimes: ConnectionTimes = {
  connectMs: 3000,
  attemptMs: 15_000,
  callMs: 60_000,
  freshMs: 300_000,
  retryMs: 1000,
}

const mostRetryMs = 60_000

interface Opened {
  readonly client: OpenClient
  readonly url: string
  readonly offer: Offer
  readonly at: number
}

interface Failure {
  readonly reason: string
  readonly attempts: number
  /** Not tried again before, of `performance.now()`. */
  readonly until: number
}

/**
 * One MCP server, from turn to turn.
 *
 *     idle ──a turn──► opening ──► open ──fault, or old──► opening …
 *                         └──► failed ──a turn, after a pause──► opening …
 *
 * There is one attempt at a time, begun by a turn that needs it, and there is no timer between turns. A server that did not answer while a turn waited is
 * not waited for again until an attempt beside the turns has met it.
 */
export class McpConnection {
  readonly server: McpServer
  readonly #times: ConnectionTimes
  readonly #log: Logger
  readonly #stop = new AbortController()
  #opened: Opened | undefined
  #opening: Promise<void> | undefined
  #failure: Failure | undefined
  #hangs = false

  constructor(server: McpServer, times: ConnectionTimes, log: Logger) {
    this.server = server
    this.#times = times
    this.#log = log
  }

  /**
   * What the server offers, or why it is not there, in words for people.
   * @param waited resolves when the turn has waited for long enough
   */
  async find(waited: Promise<void>): Promise<Offer | string> {
    const url = this.server.url()
    if (url === undefined) return 'it does not run'
    if (this.#opened?.url !== url) this.#drop(this.#opened)
    if (this.#opened !== undefined) {
      if (performance.now() - this.#opened.at > this.#times.freshMs) void this.#open(url)
      return this.#opened.offer
    }
    if (this.#opening === undefined && this.#failure !== undefined && performance.now() < this.#failure.until)
      return this.#failure.reason
    const opening = this.#open(url)
    if (!this.#hangs) await Promise.race([opening, waited])
    return this.#state()
  }

  /**
   * Calls a tool; once more on a new connection where the one that there was is broken, as after a restart of the server: all these tools only read.
   * @throws ToolFailed in words for the model; the signal's reason
   */
  async call(name: string, args: Record<string, unknown>, signal: AbortSignal | undefined): Promise<CallToolResult> {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      const opened = await this.#connected(signal)
      try {
        return await opened.client.call(name, args, { signal, timeoutMs: this.#times.callMs })
      } catch (error) {
        signal?.throwIfAborted()
        if (!isConnectionFault(error)) throw callFailed(error)
        this.#drop(opened)
        if (attempt === 2) throw callFailed(error)
      }
    }
  }

  /** Ends it, and the calls that run. */
  async close(): Promise<void> {
    this.#stop.abort(new ConnectionFault('the service is stopping'))
    const opened = this.#opened
    this.#opened = undefined
    await Promise.all([opened?.client.close(), this.#opening])
  }

  async #connected(signal: AbortSignal | undefined): Promise<Opened> {
    if (this.#opened === undefined) await this.#reopen(signal)
    signal?.throwIfAborted()
    if (this.#opened === undefined) throw callFailed(new ConnectionFault(this.#failure?.reason ?? 'it does not answer'))
    return this.#opened
  }

  /** Waits for a connection no longer than a turn does, and not for who has left. */
  async #reopen(signal: AbortSignal | undefined): Promise<void> {
    const url = this.server.url()
    if (url === undefined) throw callFailed(new ConnectionFault('it does not run'))
    const waited = Promise.withResolvers<void>()
    const stopWaiting = (): void => waited.resolve()
    const timer = setTimeout(stopWaiting, this.#times.connectMs)
    signal?.addEventListener('abort', stopWaiting, { once: true })
    try {
      await Promise.race([this.#open(url), waited.promise])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stopWaiting)
    }
  }

  #state(): Offer | string {
    if (this.#opened !== undefined) return this.#opened.offer
    if (this.#opening === undefined) return this.#failure?.reason ?? 'it does not answer'
    if (!this.#hangs)
      this.#log.warn(
        { server: this.server.name, waitedMs: this.#times.connectMs },
        'tools are not waited for any longer: their server does not answer',
      )
    this.#hangs = true
    return `it did not answer within ${this.#times.connectMs / 1000} s`
  }

  /** The attempt that runs, or a new one. Never rejects. */
  #open(url: string): Promise<void> {
    this.#opening ??= this.#attempt(url).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #attempt(url: string): Promise<void> {
    const begin = performance.now()
    const { server } = this
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#times.attemptMs)])
    let client: OpenClient | undefined
    try {
      client = await OpenClient.connect(server, url, signal, this.#log)
      const offer = await client.offer(signal)
      signal.throwIfAborted()
      const before = this.#opened
      this.#opened = { client, url, offer, at: performance.now() }
      before?.client.retire()
      if (this.#failure !== undefined || this.#hangs) this.#log.info({ server: server.name }, 'tools are there again')
      this.#failure = undefined
      this.#hangs = false
    } catch (error) {
      await client?.close()
      if (this.#stop.signal.aborted) return
      this.#failed(error, signal.aborted, performance.now() - begin)
    }
  }

  #failed(error: unknown, isOutOfTime: boolean, ms: number): void {
    this.#drop(this.#opened)
    const attempts = (this.#failure?.attempts ?? 0) + 1
    const reason = isOutOfTime ? 'it does not answer' : faultInWords(error)
    this.#failure = {
      reason,
      attempts,
      until: performance.now() + backoffMs(attempts, this.#times.retryMs, mostRetryMs),
    }
    // One that is at once at fault is no trouble to wait for.
    if (ms < this.#times.connectMs) this.#hangs = false
    const details = { server: this.server.name, reason, attempts }
    if (attempts > 1) this.#log.debug({ ...details, err: asError(error) }, 'tools are still not there')
    else if (this.server.isWanted)
      this.#log.warn({ ...details, err: asError(error) }, 'tools are not there: their server is not reached')
    else this.#log.info(details, 'tools that nobody asked for are not there')
  }

  #drop(opened: Opened | undefined): void {
    if (opened === undefined || this.#opened !== opened) return
    this.#opened = undefined
    opened.client.retire()
  }
}
