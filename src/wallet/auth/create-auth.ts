import type { Middleware } from 'koa'
import type pg from 'pg'
import type { StatementRunner } from '../../platform/db/named-query.ts'
import { query } from '../../platform/db/pool.ts'
import { asError } from '../../platform/errors.ts'
import type { RequestState } from '../../platform/http/requests.ts'
import { bindRoutes } from '../../platform/http/route.ts'
import type { Route } from '../../platform/http/route.ts'
import type { Logger } from '../../platform/log.ts'
import { RateLimits } from './stores/rate-limits.ts'
import { AuditLog, UserStore } from './stores/users.ts'
import type { AuthParts } from './auth-parts.ts'
import type { AuthSessions } from './auth-sessions.ts'
import { authCors, authPath } from './auth-parts.ts'
import { authGuards, authRoutes } from './auth-routes.ts'
import { EmailChange } from './email-change.ts'
import { EmailSignIn } from './email-sign-in.ts'
import { AttemptLimits, authLimits } from './stores/attempt-limits.ts'
import type { AuthLimits } from './stores/attempt-limits.ts'
import type { SendMail } from '../../platform/mail/mail-sender.ts'
import { Outbox } from '../../platform/mail/outbox.ts'
import type { MailResult } from '../../platform/mail/outbox.ts'
import { newClientMail } from './mail.ts'
import { createAuthSessions } from './auth-sessions.ts'
import { FlowStates, ProviderSignIn } from './provider-sign-in.ts'
import type { OAuthProvider } from './providers.ts'
import type { DeleteUserData, ConfirmUserChange } from './user-changes.ts'
import type { SignInMethod } from './stores/sessions.ts'
import { SessionStore } from './stores/sessions.ts'
import { AccessTokens, readSigningKey } from './stores/access-tokens.ts'
import { AuthSecrets } from './stores/secrets.ts'
import { OneTimeTokens } from './stores/one-time-tokens.ts'

export interface AuthOptions {
  readonly pool: pg.Pool
  readonly statements?: StatementRunner
  readonly log: Logger
  /** Default: http://localhost and the port. */
  readonly walletUrl: string
  readonly name: string
  readonly jwtKey: string | undefined
  readonly sessionHours: number
  readonly sendMail: SendMail
  readonly providers: readonly OAuthProvider[]
  /** The origin of `walletUrl` is always a valid redirect. */
  readonly isAllowedOrigin: (origin: string) => boolean
  readonly isClientOrigin?: ((origin: string) => boolean) | undefined
  readonly serviceToken: string | undefined
  /** Default: users have no passkeys. */
  readonly userChanges?: ConfirmUserChange | undefined
  /** Runs in the transaction that deletes the user. Default: nothing. */
  readonly deleteUserData?: DeleteUserData | undefined
  readonly onSignIn?: ((method: SignInMethod) => void) | undefined
  readonly onMail?: ((result: MailResult) => void) | undefined
  readonly limits?: Partial<AuthLimits>
}

export interface AuthHttp {
  readonly routes: readonly Route<unknown>[]
  readonly guards: ReturnType<typeof authGuards>
  readonly cors: Middleware<RequestState>
}

export interface Auth {
  readonly http: AuthHttp
  readonly sessions: AuthSessions
  /** For servers that store refresh tokens in cookies. */
  readonly parts: AuthParts
  mailsSent(): Promise<void>
  close(): Promise<void>
}

const pruneEveryMs = 3_600_000

/** @throws FatalError `bad-jwt-key` */
export async function createAuth(options: AuthOptions): Promise<Auth> {
  const { pool, statements = pool, log, walletUrl: given } = options
  const walletUrl = given.replace(/\/+$/, '')
  const key = await readSigningKey(pool, options.jwtKey)
  const secrets = new AuthSecrets(key)
  const counts = new RateLimits(pool, statements)
  const outbox = new Outbox({
    pool,
    table: 'wallet_auth.outgoing_mails',
    send: options.sendMail,
    log,
    onDone: options.onMail,
  })
  const parts: AuthParts = {
    pool,
    statements,
    log,
    walletUrl,
    secrets,
    outbox,
    name: options.name,
    isAllowedOrigin: options.isAllowedOrigin,
    isClientOrigin: options.isClientOrigin ?? (() => false),
    userChanges: options.userChanges ?? {
      hasPasskey: () => Promise.resolve(false),
      confirm: () => Promise.resolve(false),
    },
    serviceToken: options.serviceToken,
    deleteUserData: options.deleteUserData ?? (() => Promise.resolve()),
    limits: new AttemptLimits(counts, { ...authLimits, ...options.limits }),
    users: new UserStore(),
    sessions: new SessionStore(pool, {
      secrets,
      statements,
      hours: options.sessionHours,
      onOpen: options.onSignIn,
      mailOf: (client) => newClientMail(options.name, client),
    }),
    oneTimeTokens: new OneTimeTokens(pool, secrets, statements),
    accessTokens: await AccessTokens.create(key, `${walletUrl}${authPath}`),
    flows: new FlowStates(pool),
    audit: new AuditLog(),
    providers: new Map(options.providers.map((provider) => [provider.name, provider])),
  }
  const prune = async (): Promise<void> => {
    await pruneAuth(pool)
    await counts.prune()
  }
  const pruning = setInterval(() => {
    prune().catch((error: unknown) => log.warn({ err: asError(error) }, 'Could not delete expired sign-in data'))
  }, pruneEveryMs)
  pruning.unref()
  return {
    parts,
    http: {
      routes: bindRoutes(authRoutes, {
        auth: parts,
        email: new EmailSignIn(parts),
        provider: new ProviderSignIn(parts),
        change: new EmailChange(parts),
      }),
      guards: authGuards(parts),
      cors: authCors(parts),
    },
    sessions: createAuthSessions(parts),
    mailsSent: () => outbox.settled(),
    close: async () => {
      clearInterval(pruning)
      await outbox.close()
    },
  }
}

const statements = [
  'delete from wallet_auth.one_time_tokens where expires_at <= now()',
  'delete from wallet_auth.email_changes where expires_at <= now()',
  'delete from wallet_auth.flow_states where expires_at <= now()',
  'delete from wallet_auth.sessions where not_after <= now()',
  "delete from wallet_auth.audit_log where at < now() - interval '90 days'",
  "delete from wallet_auth.known_clients where last_seen_at < now() - interval '180 days'",
]

/** Safe to run concurrently. */
export async function pruneAuth(pool: pg.Pool): Promise<void> {
  for (const statement of statements) await query(pool, statement)
}
