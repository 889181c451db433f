import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { z } from 'zod'
import { clientNetwork } from '../../platform/limits/clients.ts'
import type { StatementRunner } from '../../platform/db/named-query.ts'
import { ApiError } from '../../platform/errors.ts'
import { pathCors } from '../../platform/http/cors.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import type { ErrorForm } from '../../platform/http/problem.ts'
import type { RequestState } from '../../platform/http/requests.ts'
import type { Call } from '../../platform/http/route.ts'
import type { Logger } from '../../platform/log.ts'
import type { Outbox } from '../../platform/mail/outbox.ts'
import type { FlowStates } from './provider-sign-in.ts'
import type { OAuthProvider } from './providers.ts'
import type { AccessTokens } from './stores/access-tokens.ts'
import type { AttemptLimits } from './stores/attempt-limits.ts'
import type { OneTimeTokens } from './stores/one-time-tokens.ts'
import type { AuthSecrets } from './stores/secrets.ts'
import type { SessionStore, AuthClient, OpenSession } from './stores/sessions.ts'
import type { AuditLog, UserStore } from './stores/users.ts'
import type { ConfirmUserChange, DeleteUserData } from './user-changes.ts'

export const authPath = '/auth/v1'

type AuthErrorCode =
  | 'bad_code_verifier'
  | 'bad_json'
  | 'bad_jwt'
  | 'bad_oauth_callback'
  | 'bad_oauth_state'
  | 'email_address_invalid'
  | 'email_exists'
  | 'flow_state_not_found'
  | 'no_authorization'
  | 'not_admin'
  | 'not_found'
  | 'oauth_provider_not_supported'
  | 'otp_expired'
  | 'over_email_send_rate_limit'
  | 'over_request_rate_limit'
  | 'provider_email_needs_verification'
  | 'reauthentication_needed'
  | 'refresh_token_already_used'
  | 'refresh_token_not_found'
  | 'session_expired'
  | 'session_not_found'
  | 'signup_disabled'
  | 'unexpected_failure'
  | 'user_banned'
  | 'user_not_found'
  | 'validation_failed'

export function authError(
  status: number,
  code: AuthErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): ApiError {
  return new ApiError(status, code, message, { details })
}

/** The same for every invalid code or link, so that it reveals nothing about accounts. */
export function tokenRefused(): ApiError {
  return authError(
    403,
    'otp_expired',
    'The link or code is invalid, expired or already used. Request a new e-mail; if its code fails too, use its link.',
  )
}

export interface AuthParts {
  readonly pool: pg.Pool
  readonly statements: StatementRunner
  readonly log: Logger
  readonly limits: AttemptLimits
  readonly users: UserStore
  readonly sessions: SessionStore
  readonly oneTimeTokens: OneTimeTokens
  readonly accessTokens: AccessTokens
  readonly secrets: AuthSecrets
  readonly flows: FlowStates
  readonly audit: AuditLog
  readonly outbox: Outbox
  readonly providers: ReadonlyMap<string, OAuthProvider>
  /** Without a trailing slash. */
  readonly walletUrl: string
  readonly name: string
  /** May call the API and be redirect targets. */
  readonly isAllowedOrigin: (origin: string) => boolean
  /** May call with their own tokens. */
  readonly isClientOrigin: (origin: string) => boolean
  /** For `/admin`; undefined: off. */
  readonly serviceToken: string | undefined
  readonly userChanges: ConfirmUserChange
  readonly deleteUserData: DeleteUserData
}

const maxUserAgent = 300

export function authClientOf({ client, header }: Call): AuthClient {
  const [address = ''] = client.address.split('%')
  return { address, network: clientNetwork(address), userAgent: header('User-Agent').slice(0, maxUserAgent) }
}

/** @throws ApiError 401 `no_authorization` */
export function bearerOf(call: Call): string {
  const token = bearerToken(call.header('Authorization'))
  if (token === undefined) throw authError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  return token
}

/** @throws ApiError 401 `no_authorization`; 403 `bad_jwt`, `session_not_found`, `user_banned` */
export async function sessionOf(call: Call, { accessTokens, sessions }: AuthParts): Promise<OpenSession> {
  return sessions.find(await accessTokens.verify(bearerOf(call)))
}

/**
 * Rejects sessions of clients such as the editor. @throws ApiError 403 `not_admin`, and as
 * `sessionOf`
 */
export async function ownSessionOf(call: Call, parts: AuthParts): Promise<OpenSession> {
  const session = await sessionOf(call, parts)
  if (session.clientId !== null)
    throw authError(403, 'not_admin', 'A session of another program cannot change the user. Use the wallet.')
  return session
}

const maxCharacters = 2000

/** The origin must be allowed. @throws ApiError 400 `validation_failed` */
export function readRedirect(
  given: string | undefined,
  { walletUrl, isAllowedOrigin }: Pick<AuthParts, 'walletUrl' | 'isAllowedOrigin'>,
): string | undefined {
  if (given === undefined || given === '') return undefined
  const url = given.length <= maxCharacters && URL.canParse(given) ? new URL(given) : undefined
  const isPage =
    url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  if (!isPage || (url.origin !== new URL(walletUrl).origin && !isAllowedOrigin(url.origin))) {
    throw authError(400, 'validation_failed', 'redirect_to must be a page of an origin in WALLET_ORIGINS.')
  }
  url.hash = ''
  return url.href
}

export function withParameters(page: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(page)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const versionHeader = 'X-Supabase-Api-Version'
/** Clients from this version on read the error code from `code`. */
const codeVersion = '2024-01-01'

function isNewVersion({ headers }: IncomingMessage): boolean {
  const version = headers[versionHeader.toLowerCase()]
  return typeof version === 'string' && version >= codeVersion
}

function gotrueCode({ status, code }: ApiError): string {
  if (!code.includes('-')) return code
  if (status >= 500) return 'unexpected_failure' satisfies AuthErrorCode
  const codes: Readonly<Record<string, AuthErrorCode>> = { 'bad-json': 'bad_json', 'unknown-path': 'not_found' }
  return codes[code] ?? 'validation_failed'
}

/** In GoTrue's format, for the version that the client requests. */
export const gotrueForm: ErrorForm = {
  schema: z.looseObject({ code: z.unknown(), message: z.string().optional() }).meta({ id: 'GoTrueError' }),
  contentType: 'application/json',
  bodyOf: (error, _requestId, request) => {
    const code = gotrueCode(error)
    const { facts } = error.details
    return {
      ...(typeof facts === 'object' ? facts : {}),
      ...(isNewVersion(request)
        ? { code, message: error.message }
        : { code: error.status, error_code: code, msg: error.message }),
    }
  },
  headersOf: (error, request) => ({
    'X-Sb-Error-Code': gotrueCode(error),
    ...(isNewVersion(request) ? { [versionHeader]: codeVersion } : {}),
  }),
}

export function authCors({ isAllowedOrigin, isClientOrigin }: AuthParts): Middleware<RequestState> {
  return pathCors(authPath, {
    errorForm: gotrueForm,
    allows: (origin) => isAllowedOrigin(origin) || isClientOrigin(origin),
    methods: 'GET, POST, PUT, DELETE',
    headers: 'Authorization, Content-Type, ApiKey, X-Client-Info, X-Supabase-Api-Version',
    exposed: 'Retry-After, X-Sb-Error-Code, X-Supabase-Api-Version',
  })
}
