import { createHash, randomBytes } from 'node:crypto'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { z } from 'zod'
import type { StatementRunner } from '../platform/db/named-query.ts'
import { query } from '../platform/db/pool.ts'
import { ApiError } from '../platform/errors.ts'
import { pathCors } from '../platform/http/cors.ts'
import { bearerToken } from '../platform/http/guards.ts'
import type { RequestState } from '../platform/http/requests.ts'
import { routesOf } from '../platform/http/route.ts'
import type { Call, Route } from '../platform/http/route.ts'
import { guard } from '../platform/http/router.ts'
import type { Guard } from '../platform/http/router.ts'
import { clientNetwork } from '../platform/limits/clients.ts'
import type { AuthSessions, SignedIn } from './auth/auth-sessions.ts'
import { RateLimits } from './auth/stores/rate-limits.ts'
import { fitsChallenge } from './auth/stores/secrets.ts'

interface ClientSignInsOptions {
  readonly pool: pg.Pool
  readonly statements?: StatementRunner
  readonly sessions: AuthSessions
  /** A client's port may be known only later. */
  readonly clients: () => readonly SignInClient[]
  /** Only the wallet's pages may request codes. */
  readonly origin: string
}

export const clientLimits = {
  authorize: { max: 30, periodMs: 300_000 },
  token: { max: 60, periodMs: 300_000 },
} as const

const maxBodyBytes = 16 * 1024
/** base64url of a SHA-256 (RFC 7636 §4.2). */
const challengeForm = /^[\w-]{43}$/

const authorizeInput = z.object({
  response_type: z.literal('code', 'must be code'),
  client_id: z.string().max(100),
  redirect_uri: z.string().max(2000),
  state: z.string().min(16).max(200),
  code_challenge: z.string().regex(challengeForm, 'must be a SHA-256 in base64url'),
  code_challenge_method: z.literal('S256', 'must be S256'),
})
const tokenInput = z.object({
  grant_type: z.literal('authorization_code', 'must be authorization_code'),
  client_id: z.string().max(100),
  redirect_uri: z.string().max(2000),
  code: z.string().min(1).max(200),
  code_verifier: z.string().min(43).max(128),
})

interface ClientServices {
  readonly signIns: ClientSignIns
}

const route = routesOf<ClientServices, { walletPage: SignedIn; tokenRequest: undefined }>()

const tokenPath = '/oauth/token'

/** Authorization code grant (RFC 6749 §4.1) for public clients with PKCE (RFC 7636). */
export const clientRoutes: readonly Route<ClientServices>[] = [
  route({
    method: 'POST',
    path: '/oauth/authorize',
    operationId: 'authorizeClient',
    tag: 'Clients',
    summary: 'Authorize a client; called by the wallet page',
    access: 'walletPage',
    maxBodyBytes,
    body: authorizeInput,
    response: z.strictObject({ redirect_to: z.string() }),
    handler: async ({ body, caller }, { signIns }) => ({
      body: { redirect_to: await signIns.authorize(body, caller) },
      headers: { Vary: 'Origin' },
    }),
  }),
  route({
    method: 'POST',
    path: tokenPath,
    operationId: 'exchangeCode',
    tag: 'Clients',
    summary: 'Exchange a code and its verifier for a session',
    access: 'tokenRequest',
    maxBodyBytes,
    body: tokenInput,
    response: z.record(z.string(), z.unknown()),
    handler: async ({ body, call }, { signIns }) => ({ body: await signIns.exchange(body, call) }),
  }),
]

export class ClientSignIns {
  readonly #options: ClientSignInsOptions
  readonly #codes: ClientCodes
  readonly #rates: RateLimits

  constructor(options: ClientSignInsOptions) {
    const { pool, statements = pool } = options
    this.#options = options
    this.#codes = new ClientCodes(pool)
    this.#rates = new RateLimits(pool, statements)
  }

  guards(): { readonly walletPage: Guard<SignedIn>; readonly tokenRequest: Guard<undefined> } {
    return {
      walletPage: guard(async (call) => {
        if (call.header('Origin') !== this.#options.origin)
          throw new ApiError(403, 'origin-not-allowed', 'Only pages of the wallet can request codes.')
        await this.#count(call, 'authorize')
        const signedIn = await this.#options.sessions.authenticate(bearerToken(call.header('Authorization')) ?? '')
        if (signedIn.clientId !== undefined)
          throw new ApiError(
            403,
            'client-session',
            'A session of another program cannot authorize clients. Sign in at the wallet.',
          )
        return signedIn
      }),
      tokenRequest: guard(async (call) => {
        await this.#count(call, 'token')
        return undefined
      }),
    }
  }

  cors(): Middleware<RequestState> {
    return pathCors(tokenPath, {
      allows: (origin) => this.#options.clients().some(({ redirectUri }) => new URL(redirectUri).origin === origin),
      methods: 'POST',
      headers: 'content-type',
    })
  }

  /** @throws ApiError 400 `unknown-client` */
  async authorize(requested: z.output<typeof authorizeInput>, { user, sessionId }: SignedIn): Promise<string> {
    const client = findClient(this.#options.clients(), requested.client_id, requested.redirect_uri)
    if (client === undefined)
      throw new ApiError(400, 'unknown-client', 'No client is registered with this client_id and redirect_uri.', {
        field: 'redirect_uri',
      })
    const code = await this.#codes.make({
      clientId: client.id,
      redirectUri: client.redirectUri,
      codeChallenge: requested.code_challenge,
      userId: user.id,
      sessionId,
    })
    const url = new URL(client.redirectUri)
    url.searchParams.set('code', code)
    url.searchParams.set('state', requested.state)
    return url.href
  }

  /** @throws ApiError 400 `invalid-grant` */
  async exchange(
    given: z.output<typeof tokenInput>,
    { client: { address }, header }: Call,
  ): Promise<Record<string, unknown>> {
    const { sessions, clients } = this.#options
    // Also used up if the rest of the request is wrong: the code has leaked then.
    const found = await this.#codes.take(given.code)
    const isValid =
      found !== undefined &&
      found.clientId === given.client_id &&
      found.redirectUri === given.redirect_uri &&
      findClient(clients(), found.clientId, found.redirectUri) !== undefined &&
      fitsChallenge(given.code_verifier, found.codeChallenge)
    const session = isValid
      ? await sessions.openForClient(found, {
          address,
          network: clientNetwork(address),
          userAgent: header('User-Agent').slice(0, 300),
        })
      : undefined
    if (session === undefined)
      throw new ApiError(
        400,
        'invalid-grant',
        'Sign-in failed: the code was used, has expired or belongs to another page. Sign in again.',
      )
    return session
  }

  prune(): Promise<void> {
    return this.#codes.prune()
  }

  #count({ client }: Call, action: keyof typeof clientLimits): Promise<void> {
    return this.#rates.take(`client ${action}`, clientNetwork(client.address), clientLimits[action])
  }
}

const codeLifeMs = 60_000

interface ClientCode {
  readonly clientId: string
  readonly redirectUri: string
  readonly codeChallenge: string
  readonly userId: string
  readonly sessionId: string
}

class ClientCodes {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async make({ clientId, redirectUri, codeChallenge, userId, sessionId }: ClientCode): Promise<string> {
    const code = randomBytes(32).toString('base64url')
    await query(
      this.#pool,
      `insert into wallet_auth.client_codes (code_hash, client_id, redirect_uri, code_challenge, user_id, session_id,
        expires_at)
       values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms')`,
      [digestOf(code), clientId, redirectUri, codeChallenge, userId, sessionId, codeLifeMs],
    )
    return code
  }

  async take(code: string): Promise<ClientCode | undefined> {
    const {
      rows: [row],
    } = await query<ClientCode & { readonly isGood: boolean }>(
      this.#pool,
      `delete from wallet_auth.client_codes where code_hash = $1
       returning client_id as "clientId", redirect_uri as "redirectUri", code_challenge as "codeChallenge",
         user_id as "userId", session_id as "sessionId",
         expires_at > now() as "isGood"`,
      [digestOf(code)],
    )
    return row?.isGood === true ? row : undefined
  }

  async prune(): Promise<void> {
    await query(this.#pool, 'delete from wallet_auth.client_codes where expires_at <= now()')
  }
}

function digestOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}

export interface SignInClient {
  readonly id: string
  readonly name: string
  /** Requests must name it exactly. */
  readonly redirectUri: string
}

function findClient(clients: readonly SignInClient[], id: string, redirectUri: string): SignInClient | undefined {
  return clients.find((one) => one.id === id && one.redirectUri === redirectUri)
}
