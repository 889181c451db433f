import type { IncomingMessage } from 'node:http'
import { Router } from '@koa/router'
import type pg from 'pg'
import { z } from 'zod'
import type { Client } from '../../base/client-address.ts'
import { clientNetwork } from '../../base/client-network.ts'
import { ApiError } from '../../base/errors.ts'
import { bearerToken } from '../../base/http/bearer-token.ts'
import type { RequestContext, RequestState } from '../../base/http/requests.ts'
import { parseBody } from '../../base/parse-input.ts'
import { readJson } from '../../base/read-json.ts'
import type { StatementRunner } from '../../db/named-query.ts'
import type { AuthSessions } from '../auth/auth-sessions.ts'
import { fitsChallenge } from '../auth/code-challenge.ts'
import { RateLimits } from '../limits/rate-limits.ts'
import { ClientCodes } from './client-codes.ts'
import { findClient } from './sign-in-client.ts'
import type { SignInClient } from './sign-in-client.ts'

export interface ClientRoutesOptions {
  readonly pool: pg.Pool
  readonly statements?: StatementRunner
  readonly sessions: AuthSessions
  /** Read for each request: a port that is picked when the editor listens may be part of it. */
  readonly clients: () => readonly SignInClient[]
  /** Origin of the wallet, whose pages alone ask for codes. */
  readonly origin: string
  readonly clientOf: (request: IncomingMessage) => Client
}

export interface ClientRoutes {
  readonly router: Router<RequestState>
  /** Deletes codes that have expired. */
  prune(): Promise<void>
}

/** Requests of one client network: codes that are asked for, and codes that are traded. */
export const clientLimits = {
  authorize: { most: 30, periodMs: 300_000 },
  token: { most: 60, periodMs: 300_000 },
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
