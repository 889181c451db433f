import { setTimeout as delay } from 'node:timers/promises'
import type { Findings } from '../report/findings.ts'
import type { SupervisedProcess } from '../world/supervised-process.ts'

export interface WalletCallsOptions {
  /** Without a trailing slash. */
  readonly url: string
  readonly process: SupervisedProcess
  readonly findings: Findings
}

export interface Call {
  readonly body?: unknown
  readonly token?: string | undefined
  /** Client address as set by a proxy; rate limits use it. */
  readonly address: string
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Timeout for a response. */
const connectTimeoutMs = 20_000
/** Maximum delay between a broken connection and the exit of its process. */
const graceMs = 300

/** Calls the wallet. While its process runs, it must respond with a result, an error or 503. */
export class WalletCalls {
  readonly counts = { answered: 0, unavailable: 0, unreachable: 0, slowestMs: 0 }
  readonly url: string
  readonly #options: WalletCallsOptions
  #isOver = false

  constructor(options: WalletCallsOptions) {
    this.#options = options
    this.url = options.url
  }

  /** No responses are expected from now on. */
  end(): void {
    this.#isOver = true
  }

  complain(text: string): void {
    this.#options.findings.add('wallet', text)
  }

  /** @returns undefined if the outcome is unknown: no response, or 503 */
  async ask(method: 'GET' | 'POST', path: string, { body, token, address }: Call): Promise<Answer | undefined> {
    const startedAt = performance.now()
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        signal: AbortSignal.timeout(connectTimeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: {
          Origin: this.url,
          'X-Forwarded-For': address,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
      })
      const text = await response.text()
      this.counts.slowestMs = Math.max(this.counts.slowestMs, Math.round(performance.now() - startedAt))
      const { status } = response
      if (status === 503) this.counts.unavailable++
      else this.counts.answered++
      if ((status > 500 && status !== 503) || status === 500 || status === 429)
        this.complain(`${method} ${path} was answered with ${status}: ${text.slice(0, 300)}`)
      return status >= 500 ? undefined : { status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] }
    } catch (error) {
      await delay(graceMs)
      this.counts.unreachable++
      const { readySince } = this.#options.process
      const worked = readySince !== undefined && readySince < startedAt && !this.#isOver
      if (worked)
        this.complain(
          `${method} ${path}: no answer after ${Math.round(performance.now() - startedAt)} ms from a process that works: ${String(error)}`,
        )
      return undefined
    }
  }
}
