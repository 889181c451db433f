import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { query, withTransaction } from '../../platform/db/pool.ts'
import { ApiError, FatalError } from '../../platform/errors.ts'
import { authError, tokenRefused, withParameters } from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import { addressTakenMail, emailChangedMail, emailChangeMail } from './mail.ts'
import { countMail } from './stores/attempt-limits.ts'
import { digestOf, randomCode, randomToken } from './stores/secrets.ts'
import type { AuthClient, OpenSession } from './stores/sessions.ts'
import { mailboxOf } from '../../platform/mail/email-address.ts'
import type { UserRow } from './stores/users.ts'
import { requireConfirmedChange } from './user-changes.ts'
import type { ChangeRequest } from './user-changes.ts'

type EmailChangeProof = { readonly code: string } | { readonly token: string }

interface Waiting {
  readonly email: string
  readonly tokenHash: Buffer
  readonly hash: Buffer
  readonly salt: Buffer
  readonly attempts: number
  readonly redirectTo: string | null
  readonly isConfirmed: boolean
}

const liveSeconds = 3600
const maxWrongCodes = 5

/** The session must be of the same user, so that a mistyped address gives its owner no access. */
export class EmailChange {
  readonly #parts: AuthParts

  constructor(parts: AuthParts) {
    this.#parts = parts
  }

  /**
   * If another user has the address, only that user is notified. @throws ApiError 403
   * `reauthentication_needed`, 429, 503
   */
  async ask(email: string, redirectTo: string | undefined, request: Omit<ChangeRequest, 'change'>): Promise<void> {
    const { session, client } = request
    const { user } = session
    if (email === user.email) return
    const isConfirmed = await requireConfirmedChange(this.#parts, {
      ...request,
      change: { action: 'change-email', email },
    })
    this.#requireCapacity()
    await countMail(this.#parts.limits, mailboxOf(email), client)
    await this.#send(user, { email, redirectTo: redirectTo ?? null, isConfirmed })
    await this.#parts.audit.note(this.#parts.pool, 'email_change_asked', {
      userId: user.id,
      sessionId: session.sessionId,
      client,
    })
  }

  /**
   * Anyone may call this, so limits of a pending change are silent. @throws ApiError 429 by client
   * and address only; 503
   */
  async again(email: string, client: AuthClient): Promise<void> {
    const { pool, users, limits } = this.#parts
    this.#requireCapacity()
    await countMail(limits, `change of ${mailboxOf(email)}`, client)
    const user = await users.findByEmail(pool, email)
    const waiting = user === undefined ? undefined : await this.#waiting(pool, user.id, '')
    if (user === undefined || waiting === undefined) return
    try {
      await this.#countMailTo(mailboxOf(waiting.email))
    } catch (error) {
      if (error instanceof ApiError && error.status === 429) return
      throw error
    }
    await this.#send(user, waiting)
  }

  async wanted(userId: string): Promise<string | undefined> {
    return (await this.#waiting(this.#parts.pool, userId, ''))?.email
  }

  /** Notifies the old address. @throws ApiError 403 `otp_expired`, 422 `email_exists`, 429 */
  async confirm({ user, sessionId }: OpenSession, proof: EmailChangeProof, client: AuthClient): Promise<UserRow> {
    const { pool, limits, secrets, users, audit, outbox, name, userChanges } = this.#parts
    const hasPasskey = await userChanges.hasPasskey(user.id)
    const outcome = await withTransaction(pool, async (db) => {
      const waiting = await this.#waiting(db, user.id, 'for update')
      if (waiting === undefined) return 'refused'
      // The change was requested before the user had a passkey.
      if (!waiting.isConfirmed && hasPasskey) return 'refused'
      if ('code' in proof) await limits.take('codeBy', `change of ${user.id}`, db)
      const isShown =
        'token' in proof
          ? digestOf(proof.token).equals(waiting.tokenHash)
          : waiting.attempts < maxWrongCodes && secrets.isCode(proof.code, waiting)
      if (!isShown) {
        if ('code' in proof)
          await query(db, 'update wallet_auth.email_changes set code_attempts = code_attempts + 1 where user_id = $1', [
            user.id,
          ])
        return 'refused'
      }
      await query(db, 'delete from wallet_auth.email_changes where user_id = $1', [user.id])
      const changed = await users.changeEmail(db, user.id, waiting.email)
      if (changed === undefined) return 'taken'
      await audit.note(db, 'email_changed', { userId: user.id, sessionId, client })
      if (user.email !== null) {
        await outbox.store(db, emailChangedMail({ to: user.email, name, newEmail: waiting.email }))
      }
      return changed
    }).catch((error: unknown) => {
      // Another user took the address in the meantime.
      if (error instanceof FatalError && error.details['sqlState'] === '23505') return 'taken' as const
      throw error
    })
    if (outcome === 'taken')
      throw authError(422, 'email_exists', 'Another account uses this e-mail address. Sign in with it instead.')
    if (outcome === 'refused') {
      await audit.note(pool, 'code_failed', { userId: user.id, sessionId, client, detail: { of: 'email change' } })
      throw tokenRefused()
    }
    outbox.deliver()
    return outcome
  }

  #requireCapacity(): void {
    if (this.#parts.outbox.isFull)
      throw authError(503, 'unexpected_failure', 'Too many e-mails are queued. Try again in a minute.')
  }

  async #countMailTo(subject: string): Promise<void> {
    await this.#parts.limits.take('mailAgain', subject)
    await this.#parts.limits.take('mailTo', subject)
  }

  async #send(
    user: UserRow,
    { email, redirectTo, isConfirmed }: Pick<Waiting, 'email' | 'redirectTo' | 'isConfirmed'>,
  ): Promise<void> {
    const { pool, secrets, users, outbox, name, walletUrl } = this.#parts
    const [token, code, salt] = [randomToken(), randomCode(), randomBytes(16)]
    await query(
      pool,
      `insert into wallet_auth.email_changes (user_id, email, token_hash, code_hash, code_salt, redirect_to,
        is_confirmed, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))
       on conflict (user_id) do update
         set email = excluded.email, token_hash = excluded.token_hash, code_hash = excluded.code_hash,
         code_salt = excluded.code_salt,
         code_attempts = 0, redirect_to = excluded.redirect_to, is_confirmed = excluded.is_confirmed,
           created_at = now(), expires_at = excluded.expires_at`,
      [
        user.id,
        email,
        digestOf(token),
        secrets.codeHash(code, { email, salt }),
        salt,
        redirectTo,
        isConfirmed,
        liveSeconds,
      ],
    )
    const link = withParameters(redirectTo ?? `${walletUrl}/account`, { email_change: token })
    const isTaken = (await users.findByEmail(pool, email)) !== undefined
    outbox.put(isTaken ? addressTakenMail({ to: email, name }) : emailChangeMail({ to: email, name, link, code }))
  }

  async #waiting(db: pg.Pool | pg.ClientBase, userId: string, lock: '' | 'for update'): Promise<Waiting | undefined> {
    const {
      rows: [row],
    } = await query<Waiting>(
      db,
      `select email, token_hash as "tokenHash", code_hash as hash, code_salt as salt, code_attempts as attempts,
        redirect_to as "redirectTo", is_confirmed as "isConfirmed"
       from wallet_auth.email_changes where user_id = $1 and expires_at > now() ${lock}`,
      [userId],
    )
    return row
  }
}
