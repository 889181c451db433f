import type { IncomingMessage } from 'node:http'
import type pg from 'pg'
import type { Client } from '../../platform/limits/clients.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import type { StatementRunner } from '../../platform/db/named-query.ts'
import { ApiError } from '../../platform/errors.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import type { RequestContext } from '../../platform/http/requests.ts'
import type { Logger } from '../../platform/log.ts'
import type { Outbox } from './mail.ts'
import type { FlowStates } from './provider-sign-in.ts'
import type { OAuthProvider } from './providers.ts'
import type { AccessTokens } from './stores/access-tokens.ts'
import type { AttemptLimits } from './stores/attempt-limits.ts'
import type { OneTimeTokens } from './stores/one-time-tokens.ts'
import type { AuthSecrets } from './stores/secrets.ts'
import type { SessionStore, AuthClient, OpenSession } from './stores/sessions.ts'
import type { AuditLog, UserStore } from './stores/users.ts'
import type { ConfirmUserChange, ForgetUser } from './user-changes.ts'

/** What went wrong, in the words of GoTrue, which clients of it know. */
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

/** An answer of the auth endpoint that says no. */
export function authError(
  status: number,
  code: AuthErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): ApiError {
  return new ApiError(status, code, message, { details })
}

/** The one answer for whatever is wrong with a code or a link, so that it tells nothing of accounts. */
export function tokenRefused(): ApiError {
  return authError(
    403,
    'otp_expired',
    'The link or code has been used, is wrong or is too old: ask for another, and use its link where its code is ' +
      'refused again.',
  )
}

/** What the auth endpoint is made of. */
export interface AuthParts {
  readonly pool: pg.Pool
  /** For the statements of sign-ins by passkey. */
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
  /** By name. */
  readonly providers: ReadonlyMap<string, OAuthProvider>
  /** Where people reach the wallet, without a slash at its end. */
  readonly walletUrl: string
  /** WALLET_RP_NAME, for e-mails and pages. */
  readonly name: string
  /** Whether pages of an origin may be gone back to, and may call from a browser. */
  readonly isAllowedOrigin: (origin: string) => boolean
  /**
   * Whether pages of an origin may call, beside those that may be gone back to: those of clients. They bring a token of
   * their own.
   */
  readonly isClientOrigin: (origin: string) => boolean
  readonly clientOf: (request: IncomingMessage) => Client
  /** Lets in to `/admin`. Undefined: nobody is. */
  readonly serviceToken: string | undefined
  /** Has users with a passkey confirm changes by it. */
  readonly userChanges: ConfirmUserChange
  /** What other parts of the program forget of a user who goes. */
  readonly forgetUser: ForgetUser
}

const maxUserAgent = 300

/** Largest body, in bytes: nothing that is sent here is long. */
export const maxBodyBytes = 64 * 1024

/** Who asks. Those of one network of IPv6 are one, as far as limits are concerned. */
export function clientOf({ req }: RequestContext, parts: Pick<AuthParts, 'clientOf'>): AuthClient {
  const [address = ''] = parts.clientOf(req).address.split('%')
  return {
    address,
    network: clientNetwork(address),
    userAgent: (req.headers['user-agent'] ?? '').slice(0, maxUserAgent),
  }
}

/** The token of `Authorization`. @throws ApiError 401 `no_authorization` */
export function bearerOf(context: RequestContext): string {
  const token = bearerToken(context.get('Authorization'))
  if (token === undefined) throw authError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  return token
}

/** The caller's session. @throws ApiError 401 `no_authorization`; 403 `bad_jwt`, `session_not_found`, `user_banned` */
export async function sessionOf(context: RequestContext, { accessTokens, sessions }: AuthParts): Promise<OpenSession> {
  return sessions.find(await accessTokens.verify(bearerOf(context)))
}

/**
 * The session of a caller who changes the user. A client, such as the editor, has none for that.
 * @throws ApiError as `sessionOf`; 403 `not_admin`
 */
export async function ownSessionOf(context: RequestContext, parts: AuthParts): Promise<OpenSession> {
  const session = await sessionOf(context, parts)
  if (session.clientId !== null)
    throw authError(403, 'not_admin', 'A session of another program cannot change the user. Open the wallet.')
  return session
}

export function answerJson(context: RequestContext, body: unknown, status = 200): void {
  context.status = status
  context.set('Cache-Control', 'no-store')
  context.body = JSON.stringify(body)
  context.type = 'application/json'
}

const maxCharacters = 2000

/**
 * The page to which somebody is sent in the end: one of an allowed origin, since a code goes with them.
 * @returns undefined where none is given
 * @throws ApiError 400 `validation_failed`
 */
export function readRedirect(
  given: string | undefined,
  { walletUrl, isAllowedOrigin }: Pick<AuthParts, 'walletUrl' | 'isAllowedOrigin'>,
): string | undefined {
  if (given === undefined || given === '') return undefined
  const url = given.length <= maxCharacters && URL.canParse(given) ? new URL(given) : undefined
  const isPage =
    url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
  if (!isPage || (url.origin !== new URL(walletUrl).origin && !isAllowedOrigin(url.origin))) {
    throw authError(400, 'validation_failed', 'redirect_to must be a page of one of the origins in WALLET_ORIGINS.')
  }
  url.hash = ''
  return url.href
}

/** A page with more parameters; those of the same names are replaced. */
export function withParameters(page: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(page)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
