import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { query, withTransaction } from '../db/pool.ts'
import { asError } from '../errors.ts'
import { LogThrottle } from '../log-throttle.ts'
import type { Logger } from '../log.ts'
import { pause } from '../retry.ts'
import type { Mail, SendMail } from './mail-sender.ts'

export type MailResult = 'sent' | 'failed'

/** `expired`: not accepted for `maxAgeMs`. */
export type StoredResult = 'sent' | 'refused' | 'expired'

export interface OutboxOptions {
  readonly pool: pg.Pool
  /** Table of stored e-mails, in the form of wallet_auth.outgoing_mails. */
  readonly table: 'wallet_auth.outgoing_mails' | 'app.outgoing_mails'
  readonly send: SendMail
  /** Default: `send`. @param id returned by `store` */
  readonly sendStored?: (mail: Mail, id: string) => Promise<void>
  /** Errors of stored e-mails that are not retried. Default: none. */
  readonly isRefusal?: (error: Error) => boolean
  /** In the transaction that deletes the stored e-mail. */
  readonly onSettled?: (
    db: pg.ClientBase,
    mail: { readonly id: string; readonly attempts: number },
    result: StoredResult,
  ) => Promise<void>
  readonly log: Logger
  /** For codes. Default 1 s, 5 s and 30 s. */
  readonly retryAfterMs?: readonly number[]
  /** First delay, ms; doubles up to an hour. Default 5 s. */
  readonly storedRetryMs?: number
  /** Default one day. */
  readonly maxAgeMs?: number
  /** Limit for all processes. Default `maxStoredMails`. */
  readonly maxStored?: number
  readonly onDone?: ((result: MailResult) => void) | undefined
}

export const maxStoredMails = 10_000
const maxWaiting = 1000
const pollMs = 5000
/** Exceeds all timeouts of `mailSender`, ms. */
const leaseMs = 120_000
const maxRetryMs = 3_600_000

type StoredMail = Mail & { readonly id: string; readonly attempts: number }

/**
 * Sends after the response, so that its time does not reveal whether an e-mail was sent. Notices
 * are stored in the transaction of the change and sent at least once. Codes and links exist only in
 * memory, because the database has only hashes.
 */
export class Outbox {
  readonly #options: Required<OutboxOptions> & { readonly onDone: (result: MailResult) => void }
  readonly #waiting = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  readonly #throttle = new LogThrottle()
  readonly #timer: NodeJS.Timeout
  #delivery: Promise<void> | undefined
  #isDue = false

  constructor({
    retryAfterMs = [1000, 5000, 30_000],
    storedRetryMs = 5000,
    maxAgeMs = 86_400_000,
    maxStored = maxStoredMails,
    onDone = () => undefined,
    send,
    sendStored = send,
    isRefusal = () => false,
    onSettled = () => Promise.resolve(),
    ...options
  }: OutboxOptions) {
    this.#options = {
      ...options,
      send,
      retryAfterMs,
      storedRetryMs,
      maxAgeMs,
      maxStored,
      onDone,
      sendStored,
      isRefusal,
      onSettled,
    }
    this.#timer = setInterval(() => this.deliver(), pollMs).unref()
    this.deliver()
  }

  get isFull(): boolean {
    return this.#waiting.size >= maxWaiting
  }

  /** Codes and links; lost with the process. */
  put(mail: Mail): void {
    const sending = this.#sendCode(mail)
      .then(this.#options.onDone)
      .finally(() => this.#waiting.delete(sending))
    this.#waiting.add(sending)
  }

  /** Call `deliver` after the commit. @returns its id; undefined if the queue is full */
  async store(db: pg.ClientBase, { to, subject, text, html }: Mail): Promise<string | undefined> {
    const { table, maxStored, log, onDone } = this.#options
    const { rows } = await query<{ id: string }>(
      db,
      `insert into ${table} (recipient, subject, text, html) select $1, $2, $3, $4
       where (select count(*) from (select from ${table} limit $5) as stored) < $5 returning id`,
      [to, subject, text, html, maxStored],
    )
    if (rows[0] !== undefined) return rows[0].id
    log.error({ maxStored }, 'E-mail dropped: the queue is full. Check SMTP_URL or MAIL_FOLDER')
    onDone('failed')
    return undefined
  }

  deliver(): void {
    if (this.#stop.signal.aborted) return
    this.#isDue = true
    this.#delivery ??= this.#deliverAll()
  }

  async settled(): Promise<void> {
    this.deliver()
    await Promise.all([...this.#waiting, this.#delivery])
  }

  /** Does not retry. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#timer)
    await Promise.all([...this.#waiting, this.#delivery])
  }

  async #deliverAll(): Promise<void> {
    try {
      while (this.#isDue) {
        this.#isDue = false
        await this.#giveUpOld()
        for (let mail = await this.#next(); mail !== undefined; mail = await this.#next()) await this.#sendStored(mail)
      }
    } catch (error) {
      this.#throttle.log(this.#options.log, 'warn', { err: asError(error) }, 'Could not read stored e-mails')
    } finally {
      // In the same tick as the last read: a later `deliver` starts again.
      this.#delivery = undefined
    }
  }

  async #giveUpOld(): Promise<void> {
    const { pool, table, maxAgeMs } = this.#options
    const { rows } = await query<{ id: string }>(
      pool,
      `select id from ${table}
       where next_attempt_at <= now() and attempts > 0 and created_at <= now() - make_interval(secs => $1)`,
      [maxAgeMs / 1000],
    )
    for (const { id } of rows) await this.#settle(id, 'expired')
  }

  async #settle(id: string, result: StoredResult): Promise<void> {
    const { pool, table, onDone, onSettled } = this.#options
    const isOurs = await withTransaction(pool, async (db) => {
      const { rows } = await query<{ attempts: number }>(db, `delete from ${table} where id = $1 returning attempts`, [
        id,
      ])
      if (rows[0] === undefined) return false
      await onSettled(db, { id, attempts: rows[0].attempts }, result)
      return true
    })
    if (isOurs) onDone(result === 'sent' ? 'sent' : 'failed')
  }

  async #next(): Promise<StoredMail | undefined> {
    if (this.#stop.signal.aborted) return undefined
    const { pool, table } = this.#options
    const {
      rows: [mail],
    } = await query<StoredMail>(
      pool,
      `update ${table}
       set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $1)
       where id = (
         select id from ${table} where next_attempt_at <= now() order by id limit 1
         for update skip locked
       ) returning id, recipient as to, subject, text, html, attempts`,
      [leaseMs / 1000],
    )
    return mail
  }

  async #sendStored({ id, attempts, ...mail }: StoredMail): Promise<void> {
    const { pool, table, storedRetryMs, sendStored, isRefusal } = this.#options
    const error = await this.#errorOf(() => sendStored(mail, id))
    if (error === undefined || isRefusal(error)) {
      await this.#settle(id, error === undefined ? 'sent' : 'refused')
      return
    }
    const waitMs = Math.min(maxRetryMs, storedRetryMs * 2 ** (attempts - 1))
    await query(pool, `update ${table} set next_attempt_at = now() + make_interval(secs => $2) where id = $1`, [
      id,
      waitMs / 1000,
    ])
  }

  async #sendCode(mail: Mail): Promise<MailResult> {
    // Even building an e-mail takes measurable time.
    await setImmediate()
    const { send } = this.#options
    for (const wait of [...this.#options.retryAfterMs, undefined]) {
      if ((await this.#errorOf(() => send(mail))) === undefined) return 'sent'
      if (wait === undefined || this.#stop.signal.aborted) return 'failed'
      await pause(wait, this.#stop.signal).catch(() => undefined)
      if (this.#stop.signal.aborted) return 'failed'
    }
    return 'failed'
  }

  async #errorOf(send: () => Promise<void>): Promise<Error | undefined> {
    try {
      await send()
      return undefined
    } catch (error) {
      // Responses may quote the e-mail.
      const reason = asError(error)
      this.#options.log.error(
        {
          code: 'code' in reason ? reason.code : undefined,
          responseCode: 'responseCode' in reason ? reason.responseCode : undefined,
        },
        'Could not send an e-mail. Check SMTP_URL or MAIL_FOLDER',
      )
      return reason
    }
  }
}
