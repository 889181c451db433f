import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Router } from '@koa/router'
import type pg from 'pg'
import { z } from 'zod'
import type { Client } from '../platform/limits/clients.ts'
import { clientNetwork } from '../platform/limits/clients.ts'
import type { StatementRunner } from '../platform/db/named-query.ts'
import { query } from '../platform/db/pool.ts'
import { ApiError } from '../platform/errors.ts'
import { bearerToken } from '../platform/http/guards.ts'
import type { RequestContext, RequestState } from '../platform/http/requests.ts'
import { parseBody } from '../platform/http/parse-input.ts'
import { readJson } from '../platform/http/read-json.ts'
import type { AuthSessions } from './auth/auth-sessions.ts'
import { fitsChallenge } from './auth/stores/secrets.ts'
import { RateLimits } from './auth/stores/rate-limits.ts'

interface ClientRoutesOptions {
  readonly pool: pg.Pool
  readonly statements?: StatementRunner
  readonly sessions: AuthSessions
  /** Read for each request: a port that is picked when the editor listens may be part of it. */
  readonly clients: () => readonly SignInClient[]
  /** Origin of the wallet, whose pages alone ask for codes. */
  readonly origin: string
  readonly clientOf: (request: IncomingMessage) => Client
}

interface ClientRoutes {
  readonly router: Router<RequestState>
  /** Deletes codes that have expired. */
  prune(): Promise<void>
}

/** Requests of one client network: codes that are asked for, and codes that are traded. */
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

/**
 * Sign-in of other programs by the wallet: the authorization code grant (RFC 6749 §4.1) for public clients with PKCE
 * (RFC 7636). The page `/authorize` asks the user, and only it is given codes; only the redirect URI of the client is
 * sent them.
 *
 *     POST /oauth/authorize  Bearer, of a page of the wallet → {redirect_to}
 *     POST /oauth/token      a code with its verifier → a session
 */
export function clientRoutes({
  pool,
  statements = pool,
  sessions,
  clients,
  origin,
  clientOf,
}: ClientRoutesOptions): ClientRoutes {
  const codes = new ClientCodes(pool)
  const rates = new RateLimits(pool, statements)
  const router = new Router<RequestState>()
  const count = (context: RequestContext, action: keyof typeof clientLimits): Promise<void> =>
    rates.take(`client ${action}`, clientNetwork(clientOf(context.req).address), clientLimits[action])

  router.post('/oauth/authorize', async (context) => {
    begin(context, '/oauth/authorize')
    // A page of somebody else has no access token of the wallet either; this says so before it could use one.
    if (context.get('Origin') !== origin)
      throw new ApiError(403, 'origin-not-allowed', 'Codes are given to pages of the wallet only.')
    await count(context, 'authorize')
    const signedIn = await sessions.authenticate(bearerToken(context.get('Authorization')) ?? '')
    if (signedIn.clientId !== undefined)
      throw new ApiError(
        403,
        'client-session',
        'A session of another program lets no program in. Sign in at the wallet.',
      )
    const asked = parseBody(authorizeInput, await readJson(context.req, maxBodyBytes))
    const client = findClient(clients(), asked.client_id, asked.redirect_uri)
    if (client === undefined)
      throw new ApiError(400, 'unknown-client', 'No program is registered with this client_id and redirect_uri.', {
        field: 'redirect_uri',
      })
    const code = await codes.make({
      clientId: client.id,
      redirectUri: client.redirectUri,
      codeChallenge: asked.code_challenge,
      userId: signedIn.user.id,
      sessionId: signedIn.sessionId,
    })
    const url = new URL(client.redirectUri)
    url.searchParams.set('code', code)
    url.searchParams.set('state', asked.state)
    context.body = { redirect_to: url.href }
  })

  router.options('/oauth/token', (context) => {
    begin(context, '/oauth/token')
    allowClientOrigin(context, clients())
    context.set({
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'content-type',
      'Access-Control-Max-Age': '600',
    })
    context.status = 204
  })

  router.post('/oauth/token', async (context) => {
    begin(context, '/oauth/token')
    allowClientOrigin(context, clients())
    await count(context, 'token')
    const given = parseBody(tokenInput, await readJson(context.req, maxBodyBytes))
    // Whoever shows a code uses it up, also where something beside it is wrong: it has leaked then.
    const found = await codes.take(given.code)
    const isRight =
      found !== undefined &&
      found.clientId === given.client_id &&
      found.redirectUri === given.redirect_uri &&
      findClient(clients(), found.clientId, found.redirectUri) !== undefined &&
      fitsChallenge(given.code_verifier, found.codeChallenge)
    const { address } = clientOf(context.req)
    const session = isRight
      ? await sessions.openForClient(found, {
          address,
          network: clientNetwork(address),
          userAgent: context.get('User-Agent').slice(0, 300),
        })
      : undefined
    if (session === undefined)
      throw new ApiError(
        400,
        'invalid-grant',
        'The sign-in was not finished: the code was used, has expired or belongs to another page. Sign in again.',
      )
    context.body = session
  })

  return { router, prune: () => codes.prune() }
}

function begin(context: RequestContext, route: string): void {
  context.state.route = route
  context.set('Cache-Control', 'no-store')
  context.vary('Origin')
}

/** Pages of the clients may trade codes. Cookies are of no use there, so none may be sent. */
function allowClientOrigin(context: RequestContext, clients: readonly SignInClient[]): void {
  const origin = context.get('Origin')
  if (clients.some(({ redirectUri }) => new URL(redirectUri).origin === origin))
    context.set('Access-Control-Allow-Origin', origin)
}

/** Life of an authorization code, ms: the page that it is sent to trades it at once. */
const codeLifeMs = 60_000

/** What a code was made for. */
interface ClientCode {
  readonly clientId: string
  readonly redirectUri: string
  /** PKCE, S256, base64url. */
  readonly codeChallenge: string
  readonly userId: string
  /** Session of the wallet in which the user let the client in. */
  readonly sessionId: string
}

/** Authorization codes. One DELETE takes a code, so that it is good once. */
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

  /** Uses a code up, whoever shows it. Undefined: it is unknown, was used or has expired. */
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

/** A program of the operator, such as the editor, at whose pages people sign in by the wallet. */
export interface SignInClient {
  /** `client_id` */
  readonly id: string
  /** As people read it. */
  readonly name: string
  /** The one page that codes are sent to; a request has to name it letter by letter. */
  readonly redirectUri: string
}

/** The client of a request. Undefined: there is none with this id and page. */
function findClient(clients: readonly SignInClient[], id: string, redirectUri: string): SignInClient | undefined {
  return clients.find((one) => one.id === id && one.redirectUri === redirectUri)
}
