import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { query } from '../../platform/db/pool.ts'
import { asError } from '../../platform/errors.ts'
import { escapeHtml } from '../../platform/http/not-found-page.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import { pause } from '../../platform/retry.ts'

/** An e-mail to one person. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Hands an e-mail on. @throws when it was not taken */
export type SendMail = (mail: Mail) => Promise<void>

/** The e-mail with a link and a code. The code is not in the subject, which locked screens show. */
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

Type it where you asked for it. Or open this link, and press the button on its page:

${link}

Both are good for one hour, and once. Nobody from ${name} will ever ask you for them. If you did not ask for this
e-mail, do nothing: nobody can sign in without it.
`
  const html = `<p>Your code for ${escapeHtml(name)}:</p>
<p style="font-size:28px;letter-spacing:6px;font-family:monospace"><b>${escapeHtml(code)}</b></p>
<p>Type it where you asked for it.
Or <a href="${escapeHtml(link)}">open this link</a>, and press the button on its page.</p>
<p style="color:#555">Both are good for one hour, and once. Nobody from ${escapeHtml(name)} will ever ask you for them.
If you did not ask for this e-mail, do nothing: nobody can sign in without it.</p>
`
  return { to, subject: `Sign in to ${name}`, text, html }
}

/** Told to people when an account elsewhere begins to lead to theirs. */
export function identityAddedMail({
  to,
  name,
  provider,
}: {
  readonly to: string
  readonly name: string
  readonly provider: string
}): Mail {
  const said = provider === 'github' ? 'GitHub' : provider === 'google' ? 'Google' : 'this e-mail address'
  const text =
    `Your account at ${name} can now be signed in to with ${said}, which was done a moment ago. If that ` +
    'was not ' +
    `you, secure that account, then sign out everywhere.\n`
  return { to, subject: `New way to sign in to ${name}`, text, html: `<p>${escapeHtml(text)}</p>` }
}

/** E-mails about an account, beside those that sign in. */

interface Told {
  readonly to: string
  readonly name: string
}

/** To the address that somebody wants instead of theirs. */
export function emailChangeMail({
  to,
  name,
  link,
  code,
}: Told & { readonly link: string; readonly code: string }): Mail {
  const text = `Your code for the new e-mail address of your account at ${name}:

    ${code}

Type it where you asked for the change. Or open this link in the browser in which you are signed in, and press the
button on its page:

${link}

Both are good for one hour. If you did not ask for this, do nothing: your address stays out of it.
`
  const html = `<p>Your code for the new e-mail address of your account at ${escapeHtml(name)}:</p>
<p style="font-size:28px;letter-spacing:6px;font-family:monospace"><b>${escapeHtml(code)}</b></p>
<p>Type it where you asked for the change. Or <a href="${escapeHtml(link)}">open this link</a> in the browser in which
you are signed in, and press the button on its page.</p>
<p style="color:#555">Both are good for one hour.
If you did not ask for this, do nothing: your address stays out of it.</p>
`
  return { to, subject: `New e-mail address at ${name}`, text, html }
}

/** To the owner of an address that somebody else wants, or they themselves, who forgot. */
export function addressTakenMail({ to, name }: Told): Mail {
  return plain(
    to,
    `New e-mail address at ${name}`,
    `Somebody wanted to use this e-mail address for another account at ${name}. It has an account already, so ` +
      'nothing was changed. If that was you, sign in by this address instead, or delete that account first.',
  )
}

/** To the old address, when it is one no more. */
export function emailChangedMail({ to, name, newEmail }: Told & { readonly newEmail: string }): Mail {
  return plain(
    to,
    `E-mail address changed at ${name}`,
    `The e-mail address of your account at ${name} was changed to ${hidden(newEmail)} a moment ago. This address ` +
      'signs in there no more. If that was not you, sign in by your passkey, sign out everywhere, and change it back.',
  )
}

/** When an account is gone. */
export function userRemovedMail({ to, name, from }: Told & { readonly from: string }): Mail {
  return plain(
    to,
    `Account deleted at ${name}`,
    `Your account at ${name} was deleted a moment ago, from ${from}. Accounts on Flow are not deleted by that: ` +
      'your passkeys are still their keys.',
  )
}

export type PasskeyMailEvent = 'added' | 'removed' | 'restored'

/** After every change of the passkeys of a user. */
export function passkeyMail({
  to,
  name,
  event,
  from,
}: Told & { readonly event: PasskeyMailEvent; readonly from: string }): Mail {
  const remedies: Readonly<Record<PasskeyMailEvent, string>> = {
    added: 'sign in by another passkey, remove the new one, and sign out everywhere.',
    removed:
      'sign in by the removed passkey: while one of your accounts has its key, this brings it back. Then sign out ' +
      'everywhere.',
    restored: 'revoke its keys on your accounts, remove it again, and sign out everywhere.',
  }
  return plain(
    to,
    `Passkey ${event} at ${name}`,
    `A passkey of your user at ${name} was ${event} a moment ago, from ${from}. If that was not you, ` +
      remedies[event],
  )
}

function plain(to: string, subject: string, sentence: string): Mail {
  return { to, subject, text: `${sentence}\n`, html: `<p>${escapeHtml(sentence)}</p>` }
}

/** `n…@example.com`: whoever reads an old mailbox need not know all of the new one. */
function hidden(email: string): string {
  const [local = '', host = ''] = email.split('@')
  return `${local.slice(0, 1)}…@${host}`
}

/** What became of an e-mail in the end. */
export type MailResult = 'sent' | 'failed'

export interface OutboxOptions {
  readonly pool: pg.Pool
  readonly send: SendMail
  readonly log: Logger
  /** Waits before a code is sent again, ms. Default 1 s, 5 s and 30 s. */
  readonly retryAfterMs?: readonly number[]
  /** Wait before a stored e-mail is sent again, ms; it doubles with each attempt, up to an hour. Default 5 s. */
  readonly storedRetryMs?: number
  /** Age at which a stored e-mail is given up, ms. Default one day. */
  readonly maxAgeMs?: number
  /** Stored e-mails, of all processes, above which no more are stored. Default 10,000. */
  readonly maxStored?: number
  /** Told of each e-mail once. */
  readonly onDone?: ((result: MailResult) => void) | undefined
}

/** Codes that may wait to be sent; more are refused. */
const maxWaiting = 1000
/** How often each process looks for stored e-mails, such as those of a process that was killed, ms. */
const pollMs = 5000
/** A process that has not sent an e-mail by then no longer will, ms: longer than all time limits of `mailSender`. */
const leaseMs = 120_000
const maxRetryMs = 3_600_000

type StoredMail = Mail & { readonly id: string; readonly attempts: number }

/**
 * Sends e-mails after the response, whose time then does not reveal whether there was one to send. E-mails about a
 * change are stored in its transaction and sent at least once. Those with a code or a link are only in memory, because
 * the database has nothing but their hashes: a user who gets none asks again.
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
    maxStored = 10_000,
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

  /** Sends an e-mail with a code or a link, which is lost with the process. */
  put(mail: Mail): void {
    const sending = this.#sendCode(mail)
      .then(this.#options.onDone)
      .finally(() => this.#waiting.delete(sending))
    this.#waiting.add(sending)
  }

  /** Stores an e-mail about a change in the transaction of the change. The caller calls `deliver` after the commit. */
  async store(db: pg.ClientBase, { to, subject, text, html }: Mail): Promise<void> {
    const { maxStored, log, onDone } = this.#options
    const { rowCount } = await query(
      db,
      `insert into wallet_auth.outgoing_mails (recipient, subject, text, html) select $1, $2, $3, $4
       where (select count(*) from (select from wallet_auth.outgoing_mails limit $5) as stored) < $5`,
      [to, subject, text, html, maxStored],
    )
    if (rowCount === 1) return
    log.error({ maxStored }, 'an e-mail about a change was dropped: too many wait. Check SMTP_URL or MAIL_FOLDER')
    onDone('failed')
  }

  /** Sends the stored e-mails that are due, in the background. */
  deliver(): void {
    if (this.#stop.signal.aborted) return
    this.#isDue = true
    this.#delivery ??= this.#deliverAll()
  }

  /** Waits until all e-mails that are due were handed on. */
  async settled(): Promise<void> {
    this.deliver()
    await Promise.all([...this.#waiting, this.#delivery])
  }

  /** Tries those that are under way to the end, and none again. */
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
      this.#throttle.log(this.#options.log, 'warn', { err: asError(error) }, 'the stored e-mails could not be read')
    } finally {
      // In the same tick as the last look: a later `deliver` begins anew.
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

  /** Takes the oldest e-mail that is due, which no other process takes meanwhile. */
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
    // The answer goes first: even the making of an e-mail takes time that tells.
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
      // What a server says may repeat the e-mail: its reason alone is told.
      const reason = asError(error)
      log.error(
        {
          code: 'code' in reason ? reason.code : undefined,
          responseCode: 'responseCode' in reason ? reason.responseCode : undefined,
        },
        'an e-mail could not be sent: look at SMTP_URL or MAIL_FOLDER',
      )
      return false
    }
  }
}

interface MailSettings {
  /** SMTP_URL. Undefined: files in `folder`. */
  readonly smtpUrl: string | undefined
  /** MAIL_FROM. */
  readonly from: string
  /** MAIL_FOLDER. */
  readonly folder: string
}

/** What a server of e-mail has to answer in, ms. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Sends e-mails by SMTP; without a server, writes them to private files named in the log. */
export function mailSender({ smtpUrl, from, folder }: MailSettings, log: Logger): SendMail {
  const transport = async (): Promise<SendMail> => {
    // Loaded when the first is sent: a start need not wait for it.
    const { createTransport } = await import('nodemailer')
    if (smtpUrl !== undefined) {
      const server = createTransport(
        { url: smtpUrl, ...patience },
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
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
      if (!Buffer.isBuffer(message)) throw new Error('the e-mail was made as a stream')
      await writeFile(join(folder, name), message, { mode: 0o600, flag: 'wx' })
      log.info({ file: join(folder, name) }, 'an e-mail was written to a file, since SMTP_URL is not set')
    }
  }
  let ready: Promise<SendMail> | undefined
  return async (mail) => (await (ready ??= transport()))(mail)
}
