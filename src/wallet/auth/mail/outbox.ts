import { setImmediate } from 'node:timers/promises'
import { asError } from '../../../base/errors.ts'
import type { Logger } from '../../../base/log.ts'
import { pause } from '../../../base/retry.ts'
import type { Mail, SendMail } from './mail.ts'

/** What became of an e-mail in the end. */
export type MailResult = 'sent' | 'failed'

export interface OutboxOptions {
  readonly send: SendMail
  readonly log: Logger
  /** Waits before it is tried again, ms. Default 1 s, 5 s and 30 s. */
  readonly retryAfterMs?: readonly number[]
  /** Told of each e-mail once. */
  readonly onDone?: ((result: MailResult) => void) | undefined
}

/** E-mails that may wait to be sent; more are not taken. */
const mostWaiting = 1000

/**
 * Sends e-mails after whoever asked has been answered, so that the time of the answer does not tell whether there was one to send. What waits is
 * kept in memory: who got no e-mail asks again.
 */
export class Outbox {
  readonly #options: Required<OutboxOptions>
  readonly #waiting = new Set<Promise<void>>()
  readonly #stop = new AbortController()

  constructor({ send, log, retryAfterMs = [1000, 5000, 30_000], onDone = () => undefined }: OutboxOptions) {
    this.#options = { send, log, retryAfterMs, onDone }
  }

  get isFull(): boolean {
    return this.#waiting.size >= mostWaiting
  }

  put(mail: Mail): void {
    const sending = this.#send(mail).then(this.#options.onDone).finally(() => this.#waiting.delete(sending))
    this.#waiting.add(sending)
  }

  /** Waits for all that are under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  /** Tries those that are under way to the end, and none again. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.settled()
  }

  async #send(mail: Mail): Promise<MailResult> {
    const { send, log, retryAfterMs } = this.#options
    // The answer goes first: even the making of an e-mail takes time that tells.
    await setImmediate()
    for (const wait of [...retryAfterMs, undefined]) {
      try {
        await send(mail)
        return 'sent'
      } catch (error) {
        // What a server says may repeat the e-mail: its reason alone is told.
        const reason = asError(error)
        log.error({ code: 'code' in reason ? reason.code : undefined, responseCode: 'responseCode' in reason ? reason.responseCode : undefined }, 'an e-mail could not be sent: look at SMTP_URL or MAIL_FOLDER')
        if (wait === undefined || this.#stop.signal.aborted) return 'failed'
      }
      await pause(wait, this.#stop.signal).catch(() => undefined)
      if (this.#stop.signal.aborted) return 'failed'
    }
    return 'failed'
  }
}
