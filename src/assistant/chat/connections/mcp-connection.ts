import type { CallToolResult } from '@ai-sdk/mcp'
import { asError } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/log.ts'
import { backoffMs } from '../../../platform/retry.ts'
import { callFailed, ConnectionFault, describeFault, isConnectionFault, OpenClient } from './mcp-client.ts'
import type { ServerTools } from './mcp-client.ts'
import type { McpServer } from './mcp-server.ts'

export interface ConnectionTimes {
  readonly connectMs: number
  readonly attemptMs: number
  readonly callMs: number
  readonly freshMs: number
  /** The first pause after a failed attempt; doubles up to a minute. */
  readonly retryMs: number
}

export const defaultTimes: ConnectionTimes = {
  connectMs: 3000,
  attemptMs: 15_000,
  callMs: 60_000,
  freshMs: 10_000,
  retryMs: 1000,
}

const maxRetryMs = 60_000

interface Opened {
  readonly client: OpenClient
  readonly url: string
  readonly offer: ServerTools
  readonly at: number
}

interface Failure {
  readonly reason: string
  readonly attempts: number
  readonly until: number
}

/**
 * One MCP server, across turns.
 *
 *     idle ──turn──► opening ──► open ──fault or expired──► opening …
 *                        └──► failed ──turn after the pause──► opening …
 *
 * A turn starts at most one attempt, and no timer runs between turns. After a turn waited in vain,
 * later turns do not wait until a background attempt succeeds.
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
   * Returns a text for the user if the server is unavailable.
   * @param waited resolves when the turn has waited long enough
   */
  async find(waited: Promise<void>): Promise<ServerTools | string> {
    const url = this.server.url()
    if (url === undefined) return 'it is not running'
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
   * Retries once on a new connection if the old one is broken; all tools are read-only.
   * @throws ToolFailed with a message for the model; the signal's reason
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

  async close(): Promise<void> {
    this.#stop.abort(new ConnectionFault('the service is stopping'))
    const opened = this.#opened
    this.#opened = undefined
    await Promise.all([opened?.client.close(), this.#opening])
  }

  async #connected(signal: AbortSignal | undefined): Promise<Opened> {
    if (this.#opened === undefined) await this.#reopen(signal)
    signal?.throwIfAborted()
    if (this.#opened === undefined)
      throw callFailed(new ConnectionFault(this.#failure?.reason ?? 'it does not respond'))
    return this.#opened
  }

  async #reopen(signal: AbortSignal | undefined): Promise<void> {
    const url = this.server.url()
    if (url === undefined) throw callFailed(new ConnectionFault('it is not running'))
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

  #state(): ServerTools | string {
    if (this.#opened !== undefined) return this.#opened.offer
    if (this.#opening === undefined) return this.#failure?.reason ?? 'it does not respond'
    if (!this.#hangs)
      this.#log.warn(
        { server: this.server.name, waitedMs: this.#times.connectMs },
        'MCP server does not respond; turns continue without its tools',
      )
    this.#hangs = true
    return `it did not respond within ${this.#times.connectMs / 1000} s`
  }

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
      if (this.#failure !== undefined || this.#hangs)
        this.#log.info({ server: server.name }, 'MCP server is available again')
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
    const reason = isOutOfTime ? 'it does not respond' : describeFault(error)
    this.#failure = {
      reason,
      attempts,
      until: performance.now() + backoffMs(attempts, this.#times.retryMs, maxRetryMs),
    }
    if (ms < this.#times.connectMs) this.#hangs = false
    const details = { server: this.server.name, reason, attempts }
    if (attempts > 1) this.#log.debug({ ...details, err: asError(error) }, 'MCP server is still unavailable')
    else if (this.server.isConfigured) this.#log.warn({ ...details, err: asError(error) }, 'MCP server is unavailable')
    else this.#log.info(details, 'Optional MCP server is unavailable')
  }

  #drop(opened: Opened | undefined): void {
    if (opened === undefined || this.#opened !== opened) return
    this.#opened = undefined
    opened.client.retire()
  }
}
