import type { IncomingMessage } from 'node:http'
import type pg from 'pg'
import type { Client } from '../../base/client-address.ts'
import type { Logger } from '../../base/log.ts'
import type { StatementRunner } from '../../db/named-query.ts'
import type { AuditLog } from './audit-log.ts'
import type { AttemptLimits } from './limits/attempt-limits.ts'
import type { Outbox } from './mail/outbox.ts'
import type { FlowStates } from './providers/flow-states.ts'
import type { OAuthProvider } from './providers/oauth-provider.ts'
import type { SessionStore } from './sessions/session-store.ts'
import type { AccessTokens } from './tokens/access-tokens.ts'
import type { AuthSecrets } from './tokens/auth-secrets.ts'
import type { ConfirmUserChange } from './user-change.ts'
import type { ForgetUser } from './remove-user.ts'
import type { OneTimeTokens } from './tokens/one-time-tokens.ts'
import type { UserStore } from './users/user-store.ts'

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
