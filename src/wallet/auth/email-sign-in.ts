import type { IncomingMessage } from 'node:http'
import type pg from 'pg'
import { z } from 'zod'
import { withTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import type { RequestContext } from '../../platform/http/requests.ts'
import { parseBody } from '../../platform/http/parse-input.ts'
import { readJson } from '../../platform/http/read-json.ts'
import {
  authError,
  tokenRefused,
  withParameters,
  readRedirect,
  answerJson,
  clientOf,
  maxBodyBytes,
  ownSessionOf,
} from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import type { EmailChange } from './email-change.ts'
import { refusalPage, signInPage } from './link-page.ts'
import type { LinkPage } from './link-page.ts'
import { signInMail } from './mail.ts'
import type { AuthRoute } from './router.ts'
import { presentSession } from './stores/access-tokens.ts'
import { countMail } from './stores/attempt-limits.ts'
import type { EmailSecrets, OneTimeToken } from './stores/one-time-tokens.ts'
import { readChallenge } from './stores/secrets.ts'
import type { AuthClient, KeptSession } from './stores/sessions.ts'
import { mailboxOf, readEmail, presentUser, requireSmall } from './stores/users.ts'

/** What somebody asks for who wants an e-mail. */
interface EmailWish {
  readonly email: string
  /** False: only who has a user already is sent one; the answer is the same. */
  readonly mayCreate: boolean
  readonly redirectTo: string | undefined
  readonly codeChallenge: string | undefined
  /** What a new user says of themselves. */
  readonly userMetadata: Readonly<Record<string, unknown>>
}

/** Sign-in by e-mail: a link and a code, either good once. The user is created on first use. */
export class EmailSignIn {
  readonly #parts: AuthParts

  constructor(parts: AuthParts) {
    this.#parts = parts
  }

  /** @throws ApiError 429 */
  async send({ email, mayCreate, ...wish }: EmailWish, client: AuthClient): Promise<void> {
    const { pool, limits, users, oneTimeTokens, outbox, name } = this.#parts
    await countMail(limits, mailboxOf(email), client)
    if (outbox.isFull)
      throw authError(503, 'unexpected_failure', 'Too many e-mails wait to be sent: try again in a minute.')
    const isWanted = mayCreate || (await users.findByEmail(pool, email)) !== undefined
    const secrets = await oneTimeTokens.makeForEmail(
      {
        email,
        redirectTo: wish.redirectTo ?? null,
        codeChallenge: wish.codeChallenge ?? null,
        userMetadata: wish.userMetadata,
      },
      { isDead: !isWanted, askedBy: client.network },
    )
    if (isWanted) outbox.put(signInMail({ to: email, name, link: this.linkOf(secrets), code: secrets.code }))
  }

  /** Sends a waiting e-mail again; without one, only to an address that has a user. @throws ApiError 429 */
  async again(email: string, client: AuthClient): Promise<void> {
    const kept = await this.#parts.oneTimeTokens.waitingFor(email)
    await this.send(
      {
        email,
        mayCreate: kept !== undefined,
        redirectTo: kept?.redirectTo ?? undefined,
        codeChallenge: kept?.codeChallenge ?? undefined,
        userMetadata: kept?.userMetadata ?? {},
      },
      client,
    )
  }

  /** The link opens a page and does nothing else: programs that look at the links of e-mails use up none. */
  linkOf({ token }: Pick<EmailSecrets, 'token'>): string {
    return withParameters(`${this.#parts.walletUrl}/auth/v1/verify`, { token, type: 'magiclink' })
  }

  /**
   * Trades a token for a session: that of a link, or of a sign-in by passkey. It counts for the limit `verify`.
   * @throws ApiError 403 `otp_expired`, `user_banned`; 429
   */
  async withToken(token: string, client: AuthClient): Promise<KeptSession> {
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
   * Trades a code for a session. The caller counts the limit `verify`. The limits of the address count only while it
   * has a live code, and are refused like a wrong code: otherwise a 429 would reveal that there is one.
   * @throws ApiError 403 `otp_expired`, `user_banned`
   */
  async withCode(email: string, code: string, client: AuthClient): Promise<KeptSession> {
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
   * Follows a link to its page, with a code that needs the page's verifier, or else a token. URLs never hold the
   * session's own tokens. @throws ApiError 403 `otp_expired`
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

  async #open(db: pg.ClientBase, taken: OneTimeToken | undefined, client: AuthClient): Promise<KeptSession> {
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

const wish = z.object({
  email: z.string(),
  create_user: z.boolean().nullish(),
  data: z.record(z.string(), z.unknown()).nullish(),
  redirect_to: z.string().nullish(),
  code_challenge: z.string().nullish(),
  code_challenge_method: z.string().nullish(),
})

const proof = z.object({
  type: z.enum(['email', 'magiclink', 'signup', 'recovery', 'invite', 'email_change']),
  token: z.string().max(200).nullish(),
  token_hash: z.string().max(200).nullish(),
  email: z.string().nullish(),
})

const again = z.object({
  type: z.enum(['signup', 'email_change'], { error: 'must be signup or email_change' }),
  email: z.string(),
})

/** Sign-in by e-mail: asking for one, and showing what was in it; and the same for a new address. */
export function emailRoutes(parts: AuthParts, signIn: EmailSignIn, change: EmailChange): readonly AuthRoute[] {
  const ask = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('otp', client.network)
    const body = parseBody(wish, await readJson(context.req, maxBodyBytes))
    const userMetadata = body.data ?? {}
    requireSmall(userMetadata)
    await signIn.send(
      {
        email: emailOf(body.email),
        mayCreate: body.create_user ?? true,
        userMetadata,
        redirectTo: readRedirect(parameterOf(context, 'redirect_to') ?? body.redirect_to ?? undefined, parts),
        codeChallenge: readChallenge(body.code_challenge, body.code_challenge_method),
      },
      client,
    )
    answerJson(context, {})
  }

  /** The last e-mail once more. Whether there was one is not told. */
  const resend = async (context: RequestContext): Promise<void> => {
    const client = clientOf(context, parts)
    await parts.limits.take('otp', client.network)
    const { type, email } = parseBody(again, await readJson(context.req, maxBodyBytes))
    if (type === 'signup') await signIn.again(emailOf(email), client)
    else await change.again(emailOf(email), client)
    answerJson(context, {})
  }

  const verify = async (context: RequestContext): Promise<void> => {
    if (context.is('application/x-www-form-urlencoded') === 'application/x-www-form-urlencoded') return follow(context)
    const client = clientOf(context, parts)
    const given = await readProof(context).catch(async (error: unknown) => {
      await parts.limits.take('verify', client.network)
      throw error
    })
    // A token counts in the statement that takes it.
    if ('code' in given || given.isChange) await parts.limits.take('verify', client.network)
    if (given.isChange) {
      const user = await change.confirm(
        await ownSessionOf(context, parts),
        'code' in given ? { code: given.code } : { token: given.hash },
        client,
      )
      return answerJson(context, presentUser(user))
    }
    const session =
      'code' in given
        ? await signIn.withCode(emailOf(given.email), given.code, client)
        : await signIn.withToken(given.hash, client)
    answerJson(context, presentSession(session, parts.accessTokens))
    return undefined
  }

  /** What the button of the page does. People see the answer, so that it is a page too. */
  const follow = async (context: RequestContext): Promise<void> => {
    await answerPage(context, async () => {
      const client = clientOf(context, parts)
      await parts.limits.take('verify', client.network)
      const token = (await readForm(context.req)).get('token') ?? ''
      const goesTo = await signIn.followLink(token, client)
      context.set({ 'Cache-Control': 'no-store', Location: goesTo })
      context.status = 303
      return undefined
    })
  }

  const open = async (context: RequestContext): Promise<void> => {
    await answerPage(context, async () => {
      await parts.limits.take('session', clientOf(context, parts).network)
      const token = parameterOf(context, 'token') ?? parameterOf(context, 'token_hash') ?? ''
      const kept = await parts.oneTimeTokens.peek(token)
      if (kept === undefined || kept.email === null) throw tokenRefused()
      return signInPage({ name: parts.name, email: kept.email, token, goesTo: kept.redirectTo ?? parts.walletUrl })
    })
  }

  const answerPage = async (context: RequestContext, make: () => Promise<LinkPage | undefined>): Promise<void> => {
    const page = await make().catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (error.status === 413) context.set('Connection', 'close')
      return refusalPage({ name: parts.name, status: error.status, message: error.message })
    })
    if (page === undefined) return
    context.set({ ...page.headers, 'Cache-Control': 'no-store' })
    context.status = page.status
    context.body = page.html
  }

  return [
    { method: 'POST', path: '/otp', run: ask },
    { method: 'POST', path: '/magiclink', run: ask },
    { method: 'POST', path: '/resend', run: resend },
    { method: 'POST', path: '/verify', run: verify },
    { method: 'GET', path: '/verify', run: open },
  ]
}

/** The token of a link or sign-in, or the code of an e-mail. @throws ApiError 400, 413, 415 */
async function readProof(
  context: RequestContext,
): Promise<
  { readonly isChange: boolean } & ({ readonly hash: string } | { readonly code: string; readonly email: unknown })
> {
  const body = parseBody(proof, await readJson(context.req, maxBodyBytes))
  const [code, hash] = [body.token ?? '', body.token_hash ?? '']
  if ((code === '') === (hash === ''))
    throw authError(400, 'validation_failed', 'Verify requires either a token or a token hash')
  if (hash !== '' && (body.email ?? '') !== '')
    throw authError(400, 'validation_failed', 'Only the token_hash and type should be provided')
  const isChange = body.type === 'email_change'
  return hash === '' ? { isChange, code, email: body.email } : { isChange, hash }
}

/** @throws ApiError 400 `email_address_invalid` */
export function emailOf(given: unknown): string {
  const email = readEmail(given)
  if (email === undefined)
    throw authError(
      400,
      'email_address_invalid',
      'This is no e-mail address that we can send to: it has to be like name@example.com.',
    )
  return email
}

/** A parameter of the address; the first, if there are several. */
export function parameterOf(context: RequestContext, name: string): string | undefined {
  return new URLSearchParams(context.querystring).get(name) ?? undefined
}

const maxBytes = 4096

/**
 * Reads a form of our own pages only (by Origin): no site can sign its visitors in to another account.
 * @throws ApiError 403 `validation_failed`, 413
 */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { 'sec-fetch-site': site, origin = '', host = '' } = request.headers
  const isOurs =
    site === undefined ? URL.canParse(origin) && new URL(origin).host === host.toLowerCase() : site === 'same-origin'
  if (!isOurs)
    throw authError(403, 'validation_failed', 'Open the link of the e-mail, and press the button on its page.')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new ApiError(413, 'body-too-large', `A form has at most ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
