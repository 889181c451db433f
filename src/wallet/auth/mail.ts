import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { query } from '../../platform/db/pool.ts'
import { asError } from '../../platform/errors.ts'
import { escapeHtml } from '../../platform/http/not-found-page.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { pause } from '../../platform/retry.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** @throws if the e-mail was not accepted */
export type SendMail = (mail: Mail) => Promise<void>

/** Lock screens show subjects, so the code is not there. */
export function signInMail({
  to,
  name,
  link,
  code,
}: {
  readonly to: string
  readonly name: string
  readonly link: string
  readonly code: string
}): Mail {
  const text = `Your code for ${name}:

    ${code}

Enter it where you requested it, or open this link and confirm:

${link}

The code and the link expire in one hour and work once. ${name} will never ask you for them.
If you did not request this e-mail, ignore it.
`
  const html = `<p>Your code for ${escapeHtml(name)}:</p>
<p style="font-size:28px;letter-spacing:6px;font-family:monospace"><b>${escapeHtml(code)}</b></p>
<p>Enter it where you requested it, or
<a href="${escapeHtml(link)}">open this link</a> and confirm.</p>
<p style="color:#555">The code and the link expire in one hour and work once.
${escapeHtml(name)} will never ask you for them.
If you did not request this e-mail, ignore it.</p>
`
  return { to, subject: `Sign in to ${name}`, text, html }
}

export function identityAddedMail({
  to,
  name,
  provider,
}: {
  readonly to: string
  readonly name: string
  readonly provider: string
}): Mail {
  const providerName = provider === 'github' ? 'GitHub' : provider === 'google' ? 'Google' : 'this e-mail address'
  const text =
    `You can now sign in to your account at ${name} with ${providerName}. If you did not do this, secure that ` +
    'account, then ' +
    'sign out everywhere.\n'
  return { to, subject: `New way to sign in to ${name}`, text, html: `<p>${escapeHtml(text)}</p>` }
}

interface Notice {
  readonly to: string
  readonly name: string
}

export function emailChangeMail({
  to,
  name,
  link,
  code,
}: Notice & { readonly link: string; readonly code: string }): Mail {
  const text = `Your code for the new e-mail address of your account at ${name}:

    ${code}

Enter it where you requested the change, or open this link in the browser in which you are signed in and confirm:

${link}

The code and the link expire in one hour. If you did not request this change, ignore this e-mail.
`
  const html = `<p>Your code for the new e-mail address of your account at ${escapeHtml(name)}:</p>
<p style="font-size:28px;letter-spacing:6px;font-family:monospace"><b>${escapeHtml(code)}</b></p>
<p>Enter it where you requested the change, or <a href="${escapeHtml(link)}">open this link</a> in the browser in which
you are signed in and confirm.</p>
<p style="color:#555">The code and the link expire in one hour.
If you did not request this change, ignore this e-mail.</p>
`
  return { to, subject: `New e-mail address at ${name}`, text, html }
}

export function addressTakenMail({ to, name }: Notice): Mail {
  return plain(
    to,
    `New e-mail address at ${name}`,
    `Someone tried to use this e-mail address for another account at ${name}. The address already has an account, so ` +
      'nothing changed. If this was you, sign in with this address, or delete that account first.',
  )
}

export function emailChangedMail({ to, name, newEmail }: Notice & { readonly newEmail: string }): Mail {
  return plain(
    to,
    `E-mail address changed at ${name}`,
    `The e-mail address of your account at ${name} was changed to ${hidden(newEmail)}. You can no longer ` +
      'sign in with this address. If you did not do this, sign in with your passkey, sign out everywhere and ' +
      'change it back.',
  )
}

export function userRemovedMail({ to, name, from }: Notice & { readonly from: string }): Mail {
  return plain(
    to,
    `Account deleted at ${name}`,
    `Your account at ${name} was deleted from ${from}. Your accounts on Flow still exist: ` +
      'your passkeys remain their keys.',
  )
}

export type PasskeyMailEvent = 'added' | 'removed' | 'restored'

export function passkeyMail({
  to,
  name,
  event,
  from,
}: Notice & { readonly event: PasskeyMailEvent; readonly from: string }): Mail {
  const remedies: Readonly<Record<PasskeyMailEvent, string>> = {
    added: 'sign in with another passkey, remove the new one and sign out everywhere.',
    removed:
      'sign in with the removed passkey, which restores it while an account has its key. Then sign out ' +
      'everywhere.',
    restored: 'revoke its keys on your accounts, remove it again and sign out everywhere.',
  }
  return plain(
    to,
    `Passkey ${event} at ${name}`,
    `A passkey of your user at ${name} was ${event} from ${from}. If you did not do this, ` + remedies[event],
  )
}

export type RecoveryMailEvent = 'enabled' | 'disabled' | 'began' | 'was cancelled' | 'was used'

export function recoveryMail({
  to,
  name,
  event,
  from,
}: Notice & { readonly event: RecoveryMailEvent; readonly from: string }): Mail {
  const next: Readonly<Record<RecoveryMailEvent, string>> = {
    enabled:
      'After 24 hours of notice, anyone who reads this mailbox can register a passkey for your user. It becomes a key of ' +
      'a Flow account only if you switch that on for the account.',
    disabled: 'If you lose all passkeys, this mailbox no longer helps.',
    began:
      'In 24 hours, a new passkey is registered for your user, and becomes a key of the Flow accounts for which you ' +
      'switched that on. If you did not do this, sign in and cancel it on the Profile page, or sign in with a passkey, ' +
      'which cancels it.',
    'was cancelled': 'Nothing was changed.',
    'was used':
      'A passkey was registered for your user. It becomes a key of the Flow accounts for which you switched that on. ' +
      'If you did not do this, sign in with a passkey of yours, which ends that until it is done, revoke its keys, ' +
      'remove it and sign out everywhere.',
  }
  return plain(
    to,
    `Recovery by e-mail ${event} at ${name}`,
    `The recovery by e-mail of your user at ${name} ` +
      `${event === 'enabled' || event === 'disabled' ? `was ${event}` : event}, ` +
      `from ${from}. ${next[event]}`,
  )
}

export function keyChangeMail({
  to,
  name,
  change,
  address,
  from,
}: Notice & {
  readonly change: 'a key was added to' | 'a key was revoked on' | 'delayed recovery was switched on for'
  readonly address: string
  readonly from: string
}): Mail {
  return plain(
    to,
    `Keys of ${address} changed at ${name}`,
    `With one of your passkeys, ${change} your Flow account ${address}, from ${from}. If you did not do ` +
      'this, move what the account holds to another account, and revoke keys that you do not know.',
  )
}

/** Without the key's name, which a thief would choose. */
export function apiKeyMail({ to, name, from }: Notice & { readonly from: string }): Mail {
  return plain(
    to,
    `API key created at ${name}`,
    `A key of the explorer API was created for your user at ${name} from ${from}. If you did not do this, revoke it ` +
      'on the Profile page and sign out everywhere.',
  )
}

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg/, 'Edge'],
  [/OPR|Opera/, 'Opera'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** In fixed words: the client chooses its user agent, and could write an e-mail with it. */
function browserOf(userAgent: string): string {
  const wordOf = (words: readonly (readonly [RegExp, string])[], fallback: string): string =>
    words.find(([pattern]) => pattern.test(userAgent))?.[1] ?? fallback
  return `${wordOf(browsers, 'an unknown program')} on ${wordOf(systems, 'an unknown system')}`
}

export function newClientMail(
  name: string,
  { address, userAgent }: { readonly address: string; readonly userAgent: string },
): Omit<Mail, 'to'> {
  const { to: _to, ...mail } = plain(
    '',
    `New sign-in to ${name}`,
    `Your user at ${name} was signed in from a new network or browser: ${address}, ${browserOf(userAgent)}. If you ` +
      'did not do this, secure this mailbox, then sign in with your passkey and sign out everywhere.',
  )
  return mail
}

function plain(to: string, subject: string, sentence: string): Mail {
  return { to, subject, text: `${sentence}\n`, html: `<p>${escapeHtml(sentence)}</p>` }
}

/** `n…@example.com`: the old mailbox must not reveal the new address. */
function hidden(email: string): string {
  const [local = '', host = ''] = email.split('@')
  return `${local.slice(0, 1)}…@${host}`
}

export type MailResult = 'sent' | 'failed'

export interface OutboxOptions {
  readonly pool: pg.Pool
  readonly send: SendMail
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
    ...options
  }: OutboxOptions) {
    this.#options = { ...options, retryAfterMs, storedRetryMs, maxAgeMs, maxStored, onDone }
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

  /** Call `deliver` after the commit. */
  async store(db: pg.ClientBase, { to, subject, text, html }: Mail): Promise<void> {
    const { maxStored, log, onDone } = this.#options
    const { rowCount } = await query(
      db,
      `insert into wallet_auth.outgoing_mails (recipient, subject, text, html) select $1, $2, $3, $4
       where (select count(*) from (select from wallet_auth.outgoing_mails limit $5) as stored) < $5`,
      [to, subject, text, html, maxStored],
    )
    if (rowCount === 1) return
    log.error({ maxStored }, 'E-mail dropped: the queue is full. Check SMTP_URL or MAIL_FOLDER')
    onDone('failed')
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
    const { pool, maxAgeMs, onDone } = this.#options
    const { rowCount } = await query(
      pool,
      `delete from wallet_auth.outgoing_mails
       where next_attempt_at <= now() and attempts > 0 and created_at <= now() - make_interval(secs => $1)`,
      [maxAgeMs / 1000],
    )
    for (let count = rowCount ?? 0; count > 0; count--) onDone('failed')
  }

  async #next(): Promise<StoredMail | undefined> {
    if (this.#stop.signal.aborted) return undefined
    const {
      rows: [mail],
    } = await query<StoredMail>(
      this.#options.pool,
      `update wallet_auth.outgoing_mails
       set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $1)
       where id = (
         select id from wallet_auth.outgoing_mails where next_attempt_at <= now() order by id limit 1
         for update skip locked
       ) returning id, recipient as to, subject, text, html, attempts`,
      [leaseMs / 1000],
    )
    return mail
  }

  async #sendStored({ id, attempts, ...mail }: StoredMail): Promise<void> {
    const { pool, storedRetryMs, onDone } = this.#options
    if (await this.#isSent(mail)) {
      await query(pool, 'delete from wallet_auth.outgoing_mails where id = $1', [id])
      onDone('sent')
      return
    }
    const waitMs = Math.min(maxRetryMs, storedRetryMs * 2 ** (attempts - 1))
    await query(
      pool,
      'update wallet_auth.outgoing_mails set next_attempt_at = now() + make_interval(secs => $2) where id = $1',
      [id, waitMs / 1000],
    )
  }

  async #sendCode(mail: Mail): Promise<MailResult> {
    // Even building an e-mail takes measurable time.
    await setImmediate()
    for (const wait of [...this.#options.retryAfterMs, undefined]) {
      if (await this.#isSent(mail)) return 'sent'
      if (wait === undefined || this.#stop.signal.aborted) return 'failed'
      await pause(wait, this.#stop.signal).catch(() => undefined)
      if (this.#stop.signal.aborted) return 'failed'
    }
    return 'failed'
  }

  async #isSent(mail: Mail): Promise<boolean> {
    const { send, log } = this.#options
    try {
      await send(mail)
      return true
    } catch (error) {
      // Responses may quote the e-mail.
      const reason = asError(error)
      log.error(
        {
          code: 'code' in reason ? reason.code : undefined,
          responseCode: 'responseCode' in reason ? reason.responseCode : undefined,
        },
        'Could not send an e-mail. Check SMTP_URL or MAIL_FOLDER',
      )
      return false
    }
  }
}

interface MailSettings {
  /** Undefined: writes files to `folder`. */
  readonly smtpUrl: string | undefined
  readonly from: string
  readonly folder: string
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Without SMTP, writes private files named in the log. */
export function mailSender({ smtpUrl, from, folder }: MailSettings, log: Logger): SendMail {
  const transport = async (): Promise<SendMail> => {
    // Loaded on first use, for a faster start.
    const { createTransport } = await import('nodemailer')
    if (smtpUrl !== undefined) {
      const server = createTransport(
        { url: smtpUrl, ...timeouts },
        { from, disableFileAccess: true, disableUrlAccess: true },
      )
      return async (mail) => void (await server.sendMail(mail))
    }
    const writer = createTransport(
      { streamTransport: true, buffer: true, newline: 'unix' },
      { from, disableFileAccess: true, disableUrlAccess: true },
    )
    return async (mail) => {
      const { message } = await writer.sendMail(mail)
      await makeFolder(folder, 0o700)
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
      if (!Buffer.isBuffer(message)) throw new Error('unexpected stream from nodemailer')
      await writeFile(join(folder, name), message, { mode: 0o600, flag: 'wx' })
      log.info({ file: join(folder, name) }, 'E-mail written to a file, because SMTP_URL is not set')
    }
  }
  let ready: Promise<SendMail> | undefined
  return async (mail) => (await (ready ??= transport()))(mail)
}
