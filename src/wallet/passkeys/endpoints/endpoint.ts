import type pg from 'pg'
import type { Logger } from '../../../base/log.ts'
import type { AuthSessions, SignedIn } from '../../auth/auth-sessions.ts'
import type { RateLimits, Turn } from '../../limits/rate-limits.ts'
import type { PasskeyMailEvent } from '../../auth/mail/account-mail.ts'
import type { KeysOnChain } from '../keys-on-chain.ts'
import type { PasskeyLimits } from '../passkey-limits.ts'
import type { RelyingParty } from '../relying-party.ts'
import type { Caller } from '../stores/caller.ts'
import type { ChallengeStore } from '../stores/challenge-store.ts'
import type { PasskeyAudit } from '../stores/passkey-audit.ts'
import type { PasskeyStore } from '../stores/passkey-store.ts'
import type { SignInStore } from '../stores/sign-in-store.ts'

/** What endpoints work with. */
export interface PasskeyParts {
  readonly relyingParty: RelyingParty
  readonly sessions: AuthSessions
  readonly passkeys: PasskeyStore
  readonly challenges: ChallengeStore
  readonly audit: PasskeyAudit
  readonly signIns: SignInStore
  readonly rates: RateLimits
  readonly limits: PasskeyLimits
  readonly keysOnChain: KeysOnChain
  /**
   * Stores an e-mail to the owner, if they have an address, in the transaction of the change. The endpoint calls
   * `deliverMails` after the commit.
   */
  readonly tellOwner: (
    client: pg.ClientBase,
    email: string | undefined,
    event: PasskeyMailEvent,
    caller: Caller,
  ) => Promise<void>
  readonly deliverMails: () => void
  readonly log: Logger
}

/** The time that a call takes of its client. */
export interface ClientTurn extends Turn {
  /** Whether it was counted. Who does so together with something else sets it before. */
  isCounted: boolean
}

export interface OpenCall {
  readonly turn: ClientTurn
  readonly caller: Caller
  /** Of the body, unread. */
  readonly data: unknown
  readonly parts: PasskeyParts
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal
}

export interface SessionCall extends OpenCall {
  readonly signedIn: SignedIn
}

/** One of the things that the passkey function does. What `run` gives is the `data` of the answer. */
export type Endpoint =
  /** It counts its call itself, with what it does first; what it refuses before that is counted after it. */
  | {
      readonly access: 'open'
      readonly limits: keyof PasskeyLimits
      readonly run: (call: OpenCall) => Promise<unknown>
    }
  | {
      readonly access: 'session'
      readonly limits: keyof PasskeyLimits
      readonly run: (call: SessionCall) => Promise<unknown>
    }

/**
 * What other parts of the wallet add: for those who are signed in. What it gives is the `data` of the answer.
 * @param from `signal`: aborted when the client disconnects; `network`: of the client, for limits
 * @throws ApiError, whose code, status and text are answered
 */
export type SessionEndpoint = (
  signedIn: SignedIn,
  data: unknown,
  from: { readonly signal: AbortSignal; readonly network: string },
) => Promise<unknown>
