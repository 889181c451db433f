import type pg from 'pg'
import { withTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { authError, tokenRefused, withParameters } from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import { signInMail } from './mail.ts'
import { countMail } from './stores/attempt-limits.ts'
import type { EmailSecrets, OneTimeToken } from './stores/one-time-tokens.ts'
import type { AuthClient, IssuedSession } from './stores/sessions.ts'
import { mailboxOf, readEmail } from '../../platform/mail/email-address.ts'

interface EmailRequest {
  readonly email: string
  /** False: only existing users; the response is the same. */
  readonly mayCreate: boolean
  readonly redirectTo: string | undefined
  readonly codeChallenge: string | undefined
  readonly userMetadata: Readonly<Record<string, unknown>>
}

/** A link and a code, each valid once. The first sign-in creates the user. */
export class EmailSignIn {
  readonly #parts: AuthParts

  constructor(parts: AuthParts) {
    this.#parts = parts
  }

  /** @throws ApiError 429 */
  async send({ email, mayCreate, ...options }: EmailRequest, client: AuthClient): Promise<void> {
    const { pool, limits, users, oneTimeTokens, outbox, name } = this.#parts
    await countMail(limits, mailboxOf(email), client)
    if (outbox.isFull) throw authError(503, 'unexpected_failure', 'Too many e-mails are queued. Try again in a minute.')
    const isWanted = mayCreate || (await users.findByEmail(pool, email)) !== undefined
    const secrets = await oneTimeTokens.makeForEmail(
      {
        email,
        redirectTo: options.redirectTo ?? null,
        codeChallenge: options.codeChallenge ?? null,
        userMetadata: options.userMetadata,
      },
      { isDead: !isWanted, requestedBy: client.network },
    )
    if (isWanted) outbox.put(signInMail({ to: email, name, link: this.linkOf(secrets), code: secrets.code }))
  }

  /** Without a pending e-mail, sends only to addresses of users. @throws ApiError 429 */
  async again(email: string, client: AuthClient): Promise<void> {
    const pending = await this.#parts.oneTimeTokens.waitingFor(email)
    await this.send(
      {
        email,
        mayCreate: pending !== undefined,
        redirectTo: pending?.redirectTo ?? undefined,
        codeChallenge: pending?.codeChallenge ?? undefined,
        userMetadata: pending?.userMetadata ?? {},
      },
      client,
    )
  }

  /** Opens a page only, because mail scanners open links. */
  linkOf({ token }: Pick<EmailSecrets, 'token'>): string {
    return withParameters(`${this.#parts.walletUrl}/auth/v1/verify`, { token, type: 'magiclink' })
  }

  /** Counts for the limit `verify`. @throws ApiError 403 `otp_expired`, `user_banned`; 429 */
  async withToken(token: string, client: AuthClient): Promise<IssuedSession> {
    const { pool, limits, oneTimeTokens, sessions } = this.#parts
    const traded = await sessions.trade(token, client, limits.attempt('verify', client.network))
    if (traded === 'limited') {
      await limits.refuse('verify', client.network)
      throw tokenRefused()
    }
    return (
      traded ??
      withTransaction(pool, async (db) => this.#open(db, await oneTimeTokens.take(db, token, ['email']), client))
    )
  }

  /**
   * The caller counts the limit `verify`. Address limits apply only with a live code and fail like
   * a wrong code, because a 429 would reveal the code. @throws ApiError 403 `otp_expired`,
   * `user_banned`
   */
  async withCode(email: string, code: string, client: AuthClient): Promise<IssuedSession> {
    const { pool, limits, oneTimeTokens, users, audit } = this.#parts
    const session = await withTransaction(pool, async (db) => {
      const live = await oneTimeTokens.lockCode(db, email, client.network)
      if (live === undefined) return undefined
      await limits.take('codeBy', `${email} ${client.network}`, db)
      await limits.take('codeOf', email, db)
      const taken = await oneTimeTokens.takeCode(db, live, code)
      return taken === undefined ? undefined : this.#open(db, taken, client)
    }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 429) return undefined
      throw error
    })
    if (session !== undefined) return session
    const user = await users.findByEmail(pool, email)
    await audit.note(pool, 'code_failed', { ...(user === undefined ? {} : { userId: user.id }), client })
    throw tokenRefused()
  }

  /**
   * @returns the page with a code that needs the page's verifier, or a token. URLs never contain
   * session tokens. @throws ApiError 403 `otp_expired`
   */
  async followLink(token: string, client: AuthClient): Promise<string> {
    const { pool, oneTimeTokens, walletUrl } = this.#parts
    return withTransaction(pool, async (db) => {
      const taken = await oneTimeTokens.take(db, token, ['email'])
      if (taken === undefined) throw tokenRefused()
      const userId = await this.#userOf(db, taken, client)
      const given = await oneTimeTokens.makeForPage(db, {
        userId,
        method: taken.method,
        codeChallenge: taken.codeChallenge,
      })
      return withParameters(
        taken.redirectTo ?? `${walletUrl}/`,
        taken.codeChallenge === null ? { token_hash: given, type: 'magiclink' } : { code: given },
      )
    })
  }

  async #open(db: pg.ClientBase, taken: OneTimeToken | undefined, client: AuthClient): Promise<IssuedSession> {
    if (taken === undefined) throw tokenRefused()
    return this.#parts.sessions.open(db, {
      userId: await this.#userOf(db, taken, client),
      method: taken.method,
      client,
    })
  }

  async #userOf(db: pg.ClientBase, { userId, email, userMetadata }: OneTimeToken, client: AuthClient): Promise<string> {
    const { users, audit } = this.#parts
    if (userId !== null) return userId
    if (email === null) throw tokenRefused()
    const user = await users.confirm(db, email, userMetadata)
    if (user.isNew) await audit.note(db, 'user_created', { userId: user.id, client, detail: { provider: 'email' } })
    else if (user.isNewIdentity)
      await audit.note(db, 'identity_added', { userId: user.id, client, detail: { provider: 'email' } })
    return user.id
  }
}

/** @throws ApiError 400 `email_address_invalid` */
export function emailOf(given: unknown): string {
  const email = readEmail(given)
  if (email === undefined)
    throw authError(400, 'email_address_invalid', 'Invalid e-mail address. Use the form name@example.com.')
  return email
}
