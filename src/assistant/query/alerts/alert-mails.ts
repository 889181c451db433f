import { createHash, randomBytes } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import type { SettingValues } from '../../../platform/setting.ts'
import type { servingSettings } from '../../../platform/http/settings.ts'
import { query, withTransaction } from '../../../platform/db/pool.ts'
import { ApiError } from '../../../platform/errors.ts'
import type { LinkPage } from '../../../platform/http/link-page.ts'
import type { Logger } from '../../../platform/log.ts'
import { mailboxOf } from '../../../platform/mail/email-address.ts'
import type { Mail, MailConfig, SendMail } from '../../../platform/mail/mail-sender.ts'
import { Outbox } from '../../../platform/mail/outbox.ts'
import type { MailResult, OutboxOptions, StoredResult } from '../../../platform/mail/outbox.ts'
import {
  alertMail,
  confirmationMail,
  confirmPage,
  outcomePage,
  unsubscribePage,
  withUnsubscribe,
} from './alert-mail-texts.ts'
import type { FiredRows, MailedAlert } from './alert-mail-texts.ts'
import type { Alert, AlertDelivery } from './alert.ts'

/** In 24 hours, in all processes. */
export const mailLimits = {
  confirmationsPerMailbox: 3,
  confirmationsPerClient: 10,
  confirmations: 200,
  alertsPerAlert: 24,
  alertsPerMailbox: 50,
  alerts: 2000,
} as const

const confirmHours = 24
/** RFC 8058 links must work for a long time. */
const unsubscribeDays = 30

/** Undefined if e-mail alerts are available, else what to set. */
export function alertMailRemedy({
  SMTP_URL: smtp,
  MAIL_FOLDER: folder,
  APPLICATION_URLS: urls,
}: Pick<MailConfig, 'SMTP_URL' | 'MAIL_FOLDER'> & Pick<SettingValues<typeof servingSettings>, 'APPLICATION_URLS'>):
  | string
  | undefined {
  if (smtp === undefined) return folder === undefined ? 'Set SMTP_URL and, in APPLICATION_URLS, ask=<URL>.' : undefined
  return urls.ask === undefined ? 'Set ask=<URL> in APPLICATION_URLS, for links in e-mails.' : undefined
}

export interface AlertMailOptions {
  readonly pool: Pool
  readonly log: Logger
  /** Undefined without a mail server; `remedy` names the setting. */
  readonly send: SendMail | undefined
  readonly remedy?: string | undefined
  /** Page of the query service. */
  readonly askUrl: () => string
  readonly onMail?: (result: MailResult | 'limited' | 'suppressed') => void
  readonly outbox?: Pick<OutboxOptions, 'retryAfterMs' | 'storedRetryMs'>
}

type Row<T> = T & Record<string, unknown>

class StoppedMail extends Error {}

/**
 * E-mails of alerts. An alert is unconfirmed until its recipient presses the button of a mailed
 * link; nothing else is mailed before. Each e-mail can unsubscribe from its alert.
 *
 *   unconfirmed ──confirm──► active ──unsubscribe──► unsubscribed
 *        └── 24 hours: deleted     └── not deliverable: paused (mail) ──resume──► active
 */
export class AlertMails {
  readonly #options: Required<Pick<AlertMailOptions, 'onMail'>> & AlertMailOptions
  readonly #outbox: Outbox | undefined

  constructor({ onMail = () => undefined, ...options }: AlertMailOptions) {
    this.#options = { ...options, onMail }
    const { pool, log, send } = options
    if (send === undefined) return
    this.#outbox = new Outbox({
      ...options.outbox,
      pool,
      log,
      send,
      table: 'app.outgoing_mails',
      sendStored: (mail, id) => this.#sendStored(send, mail, id),
      isRefusal: (error) => error instanceof StoppedMail || isRejection(error),
      onSettled: (db, { id, attempts }, result) => settle(db, id, attempts, result),
      onDone: onMail,
    })
  }

  get isAvailable(): boolean {
    return this.#outbox !== undefined
  }

  /**
   * Asks the recipient. The response is the same for every address.
   * @param requestedBy network or developer key; undefined for programs on this machine
   * @returns sends it; call after the commit
   * @throws ApiError 400 `email-unavailable`, 429 `too-many-confirmations`, 503 `mail-busy`
   */
  async request(
    db: ClientBase,
    { id, email }: { readonly id: string; readonly email: string },
    requestedBy: string | undefined,
  ): Promise<() => void> {
    const outbox = this.#outboxOrThrow()
    if (outbox.isFull)
      throw new ApiError(503, 'mail-busy', 'Too many e-mails are queued. Try again in a minute.', {
        details: { retryAfterSeconds: 60 },
      })
    const mailbox = digest(mailboxOf(email))
    const client = requestedBy === undefined ? null : digest(requestedBy)
    await lock(db)
    const { rows } = await query<{ own: number; total: number; mailbox: number; is_refused: boolean }>(
      db,
      `SELECT count(*) FILTER (WHERE requested_by = $1)::int AS own, count(*)::int AS total,
         count(*) FILTER (WHERE mailbox = $2 AND kind = 'confirmation')::int AS mailbox,
         EXISTS (SELECT FROM app.refused_mailboxes WHERE mailbox = $2) AS is_refused
       FROM app.alert_mails
       WHERE kind IN ('confirmation', 'suppressed') AND created_at > now() - interval '1 day'`,
      [client, mailbox],
    )
    const { own = 0, total = 0, mailbox: asked = 0, is_refused: isRefused = false } = rows[0] ?? {}
    const { confirmations, confirmationsPerClient, confirmationsPerMailbox } = mailLimits
    if (own >= confirmationsPerClient) throw tooMany(`from this client (limit ${confirmationsPerClient} a day)`)
    if (total >= confirmations) throw tooMany(`from all clients (limit ${confirmations} a day)`)
    const isSuppressed = isRefused || asked >= confirmationsPerMailbox
    await query(db, 'INSERT INTO app.alert_mails (kind, alert_id, mailbox, requested_by) VALUES ($1, $2, $3, $4)', [
      isSuppressed ? 'suppressed' : 'confirmation',
      id,
      mailbox,
      client,
    ])
    if (isSuppressed) return () => this.#options.onMail('suppressed')
    const token = newToken()
    await query(
      db,
      `INSERT INTO app.alert_mail_tokens (token_hash, alert_id, kind, expires_at)
       VALUES ($1, $2, 'confirm', now() + make_interval(hours => ${confirmHours}))`,
      [digest(token), id],
    )
    return () => outbox.put(confirmationMail({ to: email, site: this.#site, link: this.#linkOf(token) }))
  }

  /** In the transaction that records the firing; call `deliver` after the commit. @returns why it is delayed */
  async send(
    db: ClientBase,
    alert: Pick<Alert, 'id' | 'email'> & MailedAlert,
    fired: FiredRows,
  ): Promise<string | undefined> {
    const { id, email } = alert
    const outbox = this.#outbox
    if (outbox === undefined || email === null)
      return `This service sends no e-mails. ${this.#options.remedy ?? ''}`.trim()
    const mailbox = digest(mailboxOf(email))
    await lock(db)
    const { rows } = await query<{ own: number; mailbox: number; total: number }>(
      db,
      `SELECT count(*) FILTER (WHERE alert_id = $1)::int AS own, count(*) FILTER (WHERE mailbox = $2)::int AS mailbox,
         count(*)::int AS total
       FROM app.alert_mails WHERE kind = 'alert' AND created_at > now() - interval '1 day'`,
      [id, mailbox],
    )
    const { own = 0, mailbox: sent = 0, total = 0 } = rows[0] ?? {}
    const isLimited =
      own >= mailLimits.alertsPerAlert || sent >= mailLimits.alertsPerMailbox || total >= mailLimits.alerts
    const outgoing = isLimited
      ? undefined
      : await outbox.store(db, alertMail(alert, { to: email, fired, askUrl: this.#options.askUrl() }))
    if (outgoing === undefined) {
      this.#options.onMail('limited')
      return 'The e-mail is delayed: the limit of e-mails a day is reached.'
    }
    await query(
      db,
      `INSERT INTO app.alert_mails (kind, alert_id, outgoing_id, mailbox, status)
       VALUES ('alert', $1, $2, $3, 'pending')`,
      [id, outgoing, mailbox],
    )
    return undefined
  }

  deliver(): void {
    this.#outbox?.deliver()
  }

  /** Newest first. */
  async deliveries(alertId: string, limit: number): Promise<readonly AlertDelivery[]> {
    const { rows } = await query<Row<AlertDelivery>>(
      this.#options.pool,
      `SELECT m.id::float8 AS sequence, m.status, coalesce(o.attempts, m.attempt_count) AS "attemptCount",
         NULL::int AS "responseStatus", m.error, m.created_at AS "createdAt"
       FROM app.alert_mails m LEFT JOIN app.outgoing_mails o ON o.id = m.outgoing_id
       WHERE m.alert_id = $1 AND m.kind = 'alert' ORDER BY m.id DESC LIMIT $2`,
      [alertId, limit],
    )
    return rows
  }

  /** Drops pending e-mails of alerts that were deleted or unsubscribed. */
  async drop(db: ClientBase, alertIds: readonly string[]): Promise<void> {
    await query(
      db,
      `WITH dropped AS (
         UPDATE app.alert_mails SET status = 'dead', error = 'The alert was deleted or unsubscribed.'
         WHERE alert_id = ANY ($1) AND status = 'pending' RETURNING outgoing_id
       )
       DELETE FROM app.outgoing_mails WHERE id IN (SELECT outgoing_id FROM dropped)`,
      [alertIds],
    )
  }

  async page(token: string): Promise<LinkPage> {
    const found = await this.#find(this.#options.pool, token)
    if (found === undefined) return this.#invalid()
    const { kind, email, ...alert } = found
    const page = { site: this.#site, email, alert }
    return kind === 'confirm' ? confirmPage({ ...page, token }) : unsubscribePage(page)
  }

  /** The button, or one click in a mail program. */
  async act(token: string): Promise<LinkPage> {
    return await withTransaction(this.#options.pool, async (db) => {
      const found = await this.#find(db, token)
      if (found === undefined) return this.#invalid()
      if (found.kind === 'unsubscribe') {
        await this.#unsubscribe(db, 'id = $1', found.id)
        return outcomePage(this.#site, 200, 'Unsubscribed', 'You get no more e-mails of this alert.')
      }
      const { rowCount } = await query(
        db,
        `UPDATE app.alerts SET paused_at = NULL, paused_reason = NULL, next_run_at = now()
         WHERE id = $1 AND paused_reason = 'unconfirmed'`,
        [found.id],
      )
      await query(db, `DELETE FROM app.alert_mail_tokens WHERE alert_id = $1 AND kind = 'confirm'`, [found.id])
      if (rowCount !== 1) return this.#invalid()
      return outcomePage(this.#site, 200, 'Alert confirmed', 'You get an e-mail when the alert fires.')
    })
  }

  async refuse(token: string): Promise<LinkPage> {
    return await withTransaction(this.#options.pool, async (db) => {
      const found = await this.#find(db, token)
      // E-mails of alerts are forwarded, and a reader of one may not refuse all.
      if (found?.kind !== 'confirm') return this.#invalid()
      const { email } = found
      await query(db, 'INSERT INTO app.refused_mailboxes (mailbox) VALUES ($1) ON CONFLICT DO NOTHING', [
        digest(mailboxOf(email)),
      ])
      await this.#unsubscribe(db, 'email = $1', email)
      return outcomePage(this.#site, 200, 'Alerts refused', 'No alert is mailed to this address any more.')
    })
  }

  async prune(): Promise<void> {
    const { pool } = this.#options
    await query(
      pool,
      `DELETE FROM app.alerts
       WHERE paused_reason = 'unconfirmed' AND paused_at < now() - make_interval(hours => ${confirmHours})`,
    )
    await query(pool, 'DELETE FROM app.alert_mail_tokens WHERE expires_at < now()')
    await query(
      pool,
      `DELETE FROM app.alert_mails WHERE created_at < now() - make_interval(days => ${unsubscribeDays})`,
    )
  }

  async settled(): Promise<void> {
    await this.#outbox?.settled()
  }

  async close(): Promise<void> {
    await this.#outbox?.close()
  }

  get #site(): string {
    return new URL(this.#options.askUrl()).host
  }

  #linkOf(token: string): string {
    return new URL(`/api/v1/alert-mails/${token}`, this.#options.askUrl()).href
  }

  #invalid(): LinkPage {
    const text = 'The link has expired or was used, or its alert was deleted. Nothing was changed.'
    return outcomePage(this.#site, 404, 'This link is not valid', text)
  }

  #outboxOrThrow(): Outbox {
    if (this.#outbox !== undefined) return this.#outbox
    const { remedy = 'Set SMTP_URL.' } = this.#options
    throw new ApiError(400, 'email-unavailable', `This service sends no e-mails. ${remedy}`, { field: 'email' })
  }

  async #find(
    db: Pool | ClientBase,
    token: string,
  ): Promise<
    | (MailedAlert & { readonly id: string; readonly email: string; readonly kind: 'confirm' | 'unsubscribe' })
    | undefined
  > {
    if (!/^[\w-]{43}$/.test(token)) return undefined
    const { rows } = await query<Row<MailedAlert & { id: string; email: string; kind: 'confirm' | 'unsubscribe' }>>(
      db,
      `SELECT t.kind, a.id, a.email, a.name, a.question, a.target, a.sql, a.parameters, a.condition,
         a.interval_seconds AS "intervalSeconds"
       FROM app.alert_mail_tokens t JOIN app.alerts a ON a.id = t.alert_id
       WHERE t.token_hash = $1 AND t.expires_at > now()
         AND (t.kind = 'unsubscribe' OR a.paused_reason = 'unconfirmed')`,
      [digest(token)],
    )
    return rows[0]
  }

  /** A running statement no longer counts. */
  async #unsubscribe(db: ClientBase, condition: 'id = $1' | 'email = $1', value: string): Promise<void> {
    const { rows } = await query<{ id: string }>(
      db,
      `UPDATE app.alerts SET paused_at = coalesce(paused_at, now()), paused_reason = 'unsubscribed',
         generation = generation + 1, leased_until = NULL
       WHERE ${condition} AND email IS NOT NULL RETURNING id`,
      [value],
    )
    const ids = rows.map(({ id }) => id)
    await query(db, `DELETE FROM app.alert_mail_tokens WHERE alert_id = ANY ($1) AND kind = 'confirm'`, [ids])
    await this.drop(db, ids)
  }

  async #sendStored(send: SendMail, mail: Mail, outgoingId: string): Promise<void> {
    const token = newToken()
    const { rowCount } = await query(
      this.#options.pool,
      `INSERT INTO app.alert_mail_tokens (token_hash, alert_id, kind, expires_at)
       SELECT $1, a.id, 'unsubscribe', now() + make_interval(days => ${unsubscribeDays})
       FROM app.alert_mails m JOIN app.alerts a ON a.id = m.alert_id
       WHERE m.outgoing_id = $2 AND m.status = 'pending' AND a.paused_reason IS DISTINCT FROM 'unsubscribed'`,
      [digest(token), outgoingId],
    )
    if (rowCount !== 1) throw new StoppedMail('the alert was deleted or unsubscribed')
    await send(withUnsubscribe(mail, this.#linkOf(token)))
  }
}

const failureTexts: Readonly<Record<Exclude<StoredResult, 'sent'>, string>> = {
  refused: 'The mail server refused the address.',
  expired: 'The mail server did not accept the e-mail for a day.',
}

async function settle(db: ClientBase, outgoingId: string, attempts: number, result: StoredResult): Promise<void> {
  const error = result === 'sent' ? null : failureTexts[result]
  const { rows } = await query<{ id: string | null }>(
    db,
    `UPDATE app.alert_mails SET status = $2, error = $3, attempt_count = $4, outgoing_id = NULL
     WHERE outgoing_id = $1 AND status = 'pending' RETURNING alert_id AS id`,
    [outgoingId, result === 'sent' ? 'delivered' : 'dead', error, attempts],
  )
  const id = rows[0]?.id ?? null
  if (error === null || id === null) return
  await query(
    db,
    `UPDATE app.alerts SET paused_at = now(), paused_reason = 'mail', last_error = $2, generation = generation + 1,
       leased_until = NULL
     WHERE id = $1 AND paused_reason IS NULL`,
    [id, error],
  )
}

/** A 5xx for the recipient; others may be a wrong configuration. */
function isRejection(error: Error): boolean {
  return (
    'command' in error &&
    error.command === 'RCPT TO' &&
    'responseCode' in error &&
    typeof error.responseCode === 'number' &&
    error.responseCode >= 500
  )
}

async function lock(db: ClientBase): Promise<void> {
  await db.query(`SELECT pg_advisory_xact_lock(hashtextextended('app.alert_mails', 0))`)
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function tooMany(reason: string): ApiError {
  return new ApiError(429, 'too-many-confirmations', `Too many e-mails to confirm ${reason}. Try again later.`, {
    details: { retryAfterSeconds: 3600 },
  })
}
