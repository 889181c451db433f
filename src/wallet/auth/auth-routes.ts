import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { withTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { parseBody } from '../../platform/http/parse-input.ts'
import { readJson } from '../../platform/http/read-json.ts'
import { routesOf } from '../../platform/http/route.ts'
import type { Answer, Call, Route } from '../../platform/http/route.ts'
import { guard } from '../../platform/http/router.ts'
import type { Guard } from '../../platform/http/router.ts'
import {
  authClientOf,
  authError,
  authPath,
  bearerOf,
  gotrueForm,
  ownSessionOf,
  readRedirect,
  sessionOf,
  tokenRefused,
} from './auth-parts.ts'
import type { AuthParts } from './auth-parts.ts'
import { adminRoutes } from './admin-routes.ts'
import type { EmailChange } from './email-change.ts'
import { emailOf } from './email-sign-in.ts'
import type { EmailSignIn } from './email-sign-in.ts'
import { refusalPage, signInPage } from './link-page.ts'
import type { LinkPage } from '../../platform/http/link-page.ts'
import { flowSeconds } from './provider-sign-in.ts'
import type { ProviderSignIn } from './provider-sign-in.ts'
import { presentSession } from './stores/access-tokens.ts'
import type { AuthLimits } from './stores/attempt-limits.ts'
import { digestOf, readChallenge } from './stores/secrets.ts'
import { signOutScopes } from './stores/sessions.ts'
import type { AuthClient, OpenSession } from './stores/sessions.ts'
import { presentUser, requireValidMetadata } from './stores/users.ts'
import { removeUser } from './user-changes.ts'

export interface AuthServices {
  readonly auth: AuthParts
  readonly email: EmailSignIn
  readonly provider: ProviderSignIn
  readonly change: EmailChange
}

interface SessionCaller {
  readonly client: AuthClient
  readonly session: OpenSession
}

interface VerifyCaller {
  readonly client: AuthClient
  isCounted: boolean
}

interface AuthCallers {
  readonly otp: AuthClient
  readonly token: AuthClient
  readonly authorize: AuthClient
  readonly admin: AuthClient
  readonly verify: VerifyCaller
  /** Errors are pages, because browsers show them. */
  readonly verifyPage: AuthClient
  readonly callback: AuthClient
  readonly user: SessionCaller
  /** A user of the wallet itself, not of a client's session. */
  readonly ownUser: SessionCaller
}

const route = routesOf<AuthServices, AuthCallers>()
const shared = { tag: 'Auth (GoTrue)', errorForm: gotrueForm } as const
const jsonObject = z.record(z.string(), z.unknown())
const redirectQuery = z.object({ redirect_to: z.string().optional() })

const otpBody = z.object({
  email: z.string(),
  create_user: z.boolean().nullish(),
  data: jsonObject.nullish(),
  redirect_to: z.string().nullish(),
  code_challenge: z.string().nullish(),
  code_challenge_method: z.string().nullish(),
})

const otpRoute = {
  ...shared,
  method: 'POST',
  access: 'otp',
  query: redirectQuery,
  body: otpBody,
  response: jsonObject,
} as const

async function sendOtp(
  body: z.output<typeof otpBody>,
  redirectTo: string | undefined,
  client: AuthClient,
  { auth, email }: AuthServices,
): Promise<Answer<Record<string, unknown>>> {
  const userMetadata = body.data ?? {}
  requireValidMetadata(userMetadata)
  await email.send(
    {
      email: emailOf(body.email),
      mayCreate: body.create_user ?? true,
      userMetadata,
      redirectTo: readRedirect(redirectTo ?? body.redirect_to ?? undefined, auth),
      codeChallenge: readChallenge(body.code_challenge, body.code_challenge_method),
    },
    client,
  )
  return { body: {} }
}

const emailRoutes = [
  route({
    ...otpRoute,
    path: `${authPath}/otp`,
    operationId: 'sendOtp',
    summary: 'Send a sign-in e-mail with a link and a code',
    handler: ({ body, query, caller }, services) => sendOtp(body, query.redirect_to, caller, services),
  }),
  route({
    ...otpRoute,
    path: `${authPath}/magiclink`,
    operationId: 'sendMagicLink',
    summary: 'The same as /otp, for older clients',
    handler: ({ body, query, caller }, services) => sendOtp(body, query.redirect_to, caller, services),
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${authPath}/resend`,
    operationId: 'resendEmail',
    summary: 'Send the last e-mail again; the answer does not reveal whether there was one',
    access: 'otp',
    body: z.object({
      type: z.enum(['signup', 'email_change'], { error: 'must be signup or email_change' }),
      email: z.string(),
    }),
    response: jsonObject,
    handler: async ({ body, caller: client }, { email, change }) => {
      if (body.type === 'signup') await email.again(emailOf(body.email), client)
      else await change.again(emailOf(body.email), client)
      return { body: {} }
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${authPath}/verify`,
    operationId: 'verify',
    summary: 'Exchange a code or token for a session; the form of the link page redirects instead',
    access: 'verify',
    body: z.unknown(),
    readBody: (request, maxBytes) => (isForm(request) ? readForm(request) : readJson(request, maxBytes)),
    response: jsonObject,
    handler: async ({ body, caller, call }, { auth, email, change }) => {
      const { client } = caller
      if (body instanceof URLSearchParams) {
        const location = await email.followLink(body.get('token') ?? '', client)
        return { status: 303, headers: { Location: location } }
      }
      const proof = readProof(body)
      caller.isCounted = true
      // The statement that takes a token counts it.
      if ('code' in proof || proof.isChange) await auth.limits.take('verify', client.network)
      if (proof.isChange) {
        const secret = 'code' in proof ? { code: proof.code } : { token: proof.hash }
        return { body: presentUser(await change.confirm(await ownSessionOf(call, auth), secret, client)) }
      }
      const session =
        'code' in proof
          ? await email.withCode(emailOf(proof.email), proof.code, client)
          : await email.withToken(proof.hash, client)
      return { body: presentSession(session, auth.accessTokens) }
    },
  }),
  route({
    ...shared,
    path: `${authPath}/verify`,
    operationId: 'openLink',
    summary: 'The page of an e-mailed link, whose button signs in',
    access: 'verifyPage',
    query: z.object({ token: z.string().optional(), token_hash: z.string().optional() }),
    contentType: 'text/html; charset=utf-8',
    response: z.string(),
    handler: async ({ query }, { auth }) => {
      const token = query.token ?? query.token_hash ?? ''
      const pending = await auth.oneTimeTokens.peek(token)
      if (pending === undefined || pending.email === null) throw tokenRefused()
      return presentPage(
        signInPage({ name: auth.name, email: pending.email, token, goesTo: pending.redirectTo ?? auth.walletUrl }),
      )
    },
  }),
]

const proofBody = z.object({
  type: z.enum(['email', 'magiclink', 'signup', 'recovery', 'invite', 'email_change']),
  token: z.string().max(200).nullish(),
  token_hash: z.string().max(200).nullish(),
  email: z.string().nullish(),
})

/** @throws ApiError 400 */
function readProof(
  given: unknown,
): { readonly isChange: boolean } & ({ readonly hash: string } | { readonly code: string; readonly email: unknown }) {
  const body = parseBody(proofBody, given)
  const [code, hash] = [body.token ?? '', body.token_hash ?? '']
  if ((code === '') === (hash === ''))
    throw authError(400, 'validation_failed', 'Verify requires either a token or a token hash')
  if (hash !== '' && (body.email ?? '') !== '')
    throw authError(400, 'validation_failed', 'Only the token_hash and type should be provided')
  const isChange = body.type === 'email_change'
  return hash === '' ? { isChange, code, email: body.email } : { isChange, hash }
}

function isForm({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded'
}

const maxFormBytes = 4096

/**
 * No site can sign its visitors in to another account: own pages only, by Origin. @throws ApiError
 * 403 `validation_failed`, 413
 */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { 'sec-fetch-site': site, origin = '', host = '' } = request.headers
  const isOurs =
    site === undefined ? URL.canParse(origin) && new URL(origin).host === host.toLowerCase() : site === 'same-origin'
  if (!isOurs)
    throw authError(403, 'validation_failed', 'Open the link in the e-mail and press the button on its page.')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxFormBytes) throw new ApiError(413, 'body-too-large', `Form too large (limit ${maxFormBytes} bytes).`)
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

const refreshBody = z.object({ refresh_token: z.string().min(1).max(200) })
const pkceBody = z.object({ auth_code: z.string().min(1).max(200), code_verifier: z.string().min(1).max(200) })
const removalBody = z.object({
  confirmation: z.unknown().optional().describe('Passkey assertion, if the user has a passkey.'),
  abandon: z.array(z.string().max(20)).max(300).default([]).describe('Accounts that become unusable.'),
})

const operatorOnly = { status: 403, code: 'not_admin' } as const
const unsupported = { status: 422, code: 'validation_failed' } as const
const fixedFields = {
  app_metadata: { ...operatorOnly, message: 'Only the operator can change app_metadata.' },
  role: { ...operatorOnly, message: 'Only the operator can change roles.' },
  phone: { ...unsupported, message: 'Sign-in by phone is not supported.' },
  password: { ...unsupported, message: 'Passwords are not supported.' },
} as const

const sessionRoutes = [
  route({
    ...shared,
    method: 'POST',
    path: `${authPath}/token`,
    operationId: 'getToken',
    summary: 'Exchange a refresh token or a PKCE code for a session',
    access: 'token',
    query: z.object({ grant_type: z.string().optional() }),
    body: z.unknown(),
    response: jsonObject,
    handler: async ({ query: { grant_type: grant }, body, caller: client }, { auth, provider }) => {
      if (grant === 'refresh_token') {
        const { refresh_token: given } = parseBody(refreshBody, body)
        return { body: presentSession(await auth.sessions.refresh(given, client), auth.accessTokens) }
      }
      if (grant === 'pkce') {
        const { auth_code: code, code_verifier: verifier } = parseBody(pkceBody, body)
        return { body: presentSession(await provider.trade(code, verifier, client), auth.accessTokens) }
      }
      throw authError(400, 'validation_failed', 'unsupported_grant_type: must be refresh_token or pkce.')
    },
  }),
  route({
    ...shared,
    path: `${authPath}/user`,
    operationId: 'getUser',
    summary: 'The user of the session',
    access: 'user',
    response: jsonObject,
    handler: async ({ caller: { session } }, { change }) => ({
      body: presentUser(session.user, await change.wanted(session.user.id)),
    }),
  }),
  route({
    ...shared,
    method: 'PUT',
    path: `${authPath}/user`,
    operationId: 'changeUser',
    summary: 'Change metadata or the e-mail address of the user',
    access: 'ownUser',
    query: redirectQuery,
    body: jsonObject,
    response: jsonObject,
    handler: async ({ query, body, caller: { client, session }, call }, { auth, change }) => {
      const { user, sessionId } = session
      for (const [name, { status, code, message }] of Object.entries(fixedFields))
        if (body[name] !== undefined && body[name] !== null && body[name] !== '') throw authError(status, code, message)
      const { data, email, confirmation } = parseBody(
        z.object({
          data: jsonObject.nullish(),
          email: z.string().nullish(),
          confirmation: z.unknown().optional(),
        }),
        body,
      )
      if ((email ?? '') !== '')
        await change.ask(emailOf(email), readRedirect(query.redirect_to, auth), {
          session,
          confirmation,
          client,
          signal: call.signal,
        })
      const changed = await withTransaction(auth.pool, async (db) => {
        if (data === undefined || data === null) return auth.users.find(db, user.id)
        const row = await auth.users.changeMetadata(db, user.id, data)
        await auth.audit.note(db, 'user_changed', { userId: user.id, sessionId, client })
        return row
      })
      if (changed === undefined) throw authError(404, 'user_not_found', 'The user no longer exists.')
      return { body: presentUser(changed, await change.wanted(user.id)) }
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: `${authPath}/user`,
    operationId: 'deleteUser',
    summary: 'Delete the user',
    access: 'ownUser',
    body: removalBody,
    readBody: (request, maxBytes) => (hasBody(request) ? readJson(request, maxBytes) : Promise.resolve({})),
    successStatus: 204,
    handler: async ({ body: { confirmation, abandon }, caller: { client, session }, call }, { auth }) => {
      await removeUser(auth, { session, confirmation, abandon, client, signal: call.signal })
      return {}
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${authPath}/logout`,
    operationId: 'logOut',
    summary: 'End sessions',
    access: 'user',
    query: z.object({ scope: z.string().default('global') }),
    successStatus: 204,
    handler: async ({ query, caller: { client, session } }, { auth }) => {
      const scope = signOutScopes.find((known) => known === query.scope)
      if (scope === undefined) throw authError(400, 'validation_failed', 'scope must be global, local or others.')
      await auth.sessions.end(session, scope, client)
      return {}
    },
  }),
]

function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? '0') > 0 || headers['transfer-encoding'] !== undefined
}

const providerRoutes = [
  route({
    ...shared,
    path: `${authPath}/authorize`,
    operationId: 'authorize',
    summary: 'Redirect to a sign-in provider',
    access: 'authorize',
    query: z.object({
      provider: z.string().default(''),
      redirect_to: z.string().optional(),
      code_challenge: z.string().optional(),
      code_challenge_method: z.string().optional(),
    }),
    successStatus: 302,
    handler: async ({ query }, { auth, provider }) => {
      const challenge = readChallenge(query.code_challenge, query.code_challenge_method)
      if (challenge === undefined)
        throw authError(
          400,
          'validation_failed',
          "code_challenge is required (PKCE; flowType: 'pkce' in auth-js), because URLs must not contain sessions.",
        )
      const { url, browser } = await provider.begin({
        provider: query.provider,
        codeChallenge: challenge,
        redirectTo: readRedirect(query.redirect_to, auth) ?? `${auth.walletUrl}/`,
      })
      const state = new URL(url).searchParams.get('state') ?? ''
      return { headers: { 'Set-Cookie': stateCookie(auth, state, browser, flowSeconds), Location: url } }
    },
  }),
  route({
    ...shared,
    path: `${authPath}/callback`,
    operationId: 'finishAuthorize',
    summary: 'Where the provider sends the browser',
    access: 'callback',
    query: z.object({
      state: z.string().default(''),
      code: z.string().optional(),
      error: z.string().optional(),
    }),
    successStatus: 302,
    handler: async ({ query: { state, code, error }, caller: client, call }, { auth, provider }) => {
      const location = await provider.end({ state, code, error }, call.cookie(cookieName(auth, state)) ?? '', client)
      return { headers: { 'Set-Cookie': stateCookie(auth, state, '', 0), Location: location } }
    },
  }),
]

/** Per sign-in: several tabs may sign in at the same time. */
function cookieName({ walletUrl }: AuthParts, state: string): string {
  const prefix = walletUrl.startsWith('https:') ? '__Host-' : ''
  return `${prefix}flowfarm-sign-in-${digestOf(state).toString('hex').slice(0, 16)}`
}

function stateCookie(auth: AuthParts, state: string, value: string, seconds: number): string {
  const secure = auth.walletUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(auth, state)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

const serviceRoutes = [
  route({
    ...shared,
    path: `${authPath}/health`,
    operationId: 'getAuthHealth',
    summary: 'Whether the auth endpoint runs',
    response: jsonObject,
    handler: () => ({ body: { name: 'flowfarm', version: 'v1', description: 'GoTrue-compatible sign-in.' } }),
  }),
  route({
    ...shared,
    path: `${authPath}/settings`,
    operationId: 'getAuthSettings',
    summary: 'The enabled sign-in methods',
    response: jsonObject,
    handler: (_input, { auth: { providers } }) => ({
      body: {
        external: {
          email: true,
          phone: false,
          anonymous_users: false,
          github: providers.has('github'),
          google: providers.has('google'),
        },
        disable_signup: false,
        mailer_autoconfirm: false,
        phone_autoconfirm: false,
        sms_provider: '',
        saml_enabled: false,
      },
    }),
  }),
  route({
    ...shared,
    path: `${authPath}/.well-known/jwks.json`,
    operationId: 'getKeys',
    summary: 'The public keys of access tokens',
    response: jsonObject,
    handler: (_input, { auth }) => ({
      body: { keys: [auth.accessTokens.jwk] },
      headers: { 'Cache-Control': 'public, max-age=600', 'Access-Control-Allow-Origin': '*' },
    }),
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${authPath}/admin/generate_link`,
    operationId: 'generateLink',
    summary: 'A sign-in link, for a program that sends its own e-mails',
    access: 'admin',
    query: redirectQuery,
    body: z.object({
      type: z.enum(['magiclink', 'recovery', 'invite'], { error: 'must be magiclink, recovery or invite' }),
      email: z.string(),
      data: jsonObject.nullish(),
      redirect_to: z.string().nullish(),
    }),
    response: jsonObject,
    handler: async ({ query, body, caller: client }, { auth, email: signIn }) => {
      const email = emailOf(body.email)
      const redirectTo = readRedirect(query.redirect_to ?? body.redirect_to ?? undefined, auth)
      const metadata = body.data ?? {}
      requireValidMetadata(metadata)
      const user = await withTransaction(auth.pool, async (db) => {
        const id =
          body.type === 'recovery'
            ? (await auth.users.findByEmail(db, email))?.id
            : (await auth.users.invite(db, email, metadata)).id
        if (id === undefined) return undefined
        await auth.audit.note(db, 'link_made', { userId: id, client, detail: { type: body.type } })
        return auth.users.find(db, id)
      })
      if (user === undefined) throw authError(404, 'user_not_found', 'No user has this e-mail address.')
      const secrets = await auth.oneTimeTokens.makeForEmail({
        email,
        redirectTo: redirectTo ?? null,
        codeChallenge: null,
        userMetadata: {},
      })
      return {
        body: {
          ...presentUser(user),
          action_link: signIn.linkOf(secrets),
          email_otp: secrets.code,
          hashed_token: secrets.token,
          redirect_to: redirectTo ?? `${auth.walletUrl}/`,
          verification_type: body.type,
        },
      }
    },
  }),
]

/** `/auth/v1`, compatible with clients of GoTrue. */
export const authRoutes: readonly Route<AuthServices>[] = [
  ...emailRoutes,
  ...sessionRoutes,
  ...providerRoutes,
  ...serviceRoutes,
  ...adminRoutes,
]

export function authGuards(auth: AuthParts): { readonly [Name in keyof AuthCallers]: Guard<AuthCallers[Name]> } {
  const count = async (call: Call, limit: keyof AuthLimits): Promise<AuthClient> => {
    const client = authClientOf(call)
    await auth.limits.take(limit, client.network)
    return client
  }
  const limited = (limit: keyof AuthLimits): Guard<AuthClient> => guard((call) => count(call, limit))
  const withPage =
    (limit: keyof AuthLimits): Guard<AuthClient> =>
    (call, run) =>
      answerPage(auth, async () => run(await count(call, limit)))
  return {
    otp: limited('otp'),
    token: limited('token'),
    authorize: limited('authorize'),
    verifyPage: withPage('session'),
    callback: withPage('authorize'),
    admin: guard(async (call) => {
      const client = await count(call, 'admin')
      requireService(bearerOf(call), auth.serviceToken)
      return client
    }),
    user: guard(async (call) => ({ client: await count(call, 'session'), session: await sessionOf(call, auth) })),
    ownUser: guard(async (call) => {
      const client = await count(call, 'session')
      const session = await ownSessionOf(call, auth)
      await auth.limits.take('changeBy', session.user.id)
      return { client, session }
    }),
    verify: async (call, run) => {
      if (isForm(call.request))
        return answerPage(auth, async () => run({ client: await count(call, 'verify'), isCounted: true }))
      const caller = { client: authClientOf(call), isCounted: false }
      try {
        return await run(caller)
      } catch (error) {
        if (!caller.isCounted) await auth.limits.take('verify', caller.client.network)
        throw error
      }
    },
  }
}

async function answerPage({ name }: AuthParts, run: () => Promise<Answer<unknown>>): Promise<Answer<unknown>> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const { headers, ...page } = presentPage(refusalPage({ name, status: error.status, message: error.message }))
    return { ...page, headers: { ...headers, ...(error.status === 413 ? { Connection: 'close' } : {}) } }
  }
}

function presentPage({ status, html, headers }: LinkPage): Answer<string> {
  return { status, body: html, headers }
}

/** @throws ApiError 403 `not_admin` */
function requireService(given: string, token: string | undefined): void {
  if (token === undefined || !timingSafeEqual(digestOf(given), digestOf(token)))
    throw authError(403, 'not_admin', 'User not allowed')
}
