import type pg from 'pg'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { parseBody } from '../../platform/http/parse-input.ts'
import type { AuthSessions, SignedIn } from '../auth/auth-sessions.ts'
import type { PasskeyMailEvent } from '../auth/mail.ts'
import type { RateLimits, Attempt, RateLimit } from '../auth/stores/rate-limits.ts'
import type { ChallengeStore } from './challenges.ts'
import type { Caller, PasskeyAudit } from './passkey-audit.ts'
import type { KeysOnChain, PasskeyStore } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'
import type { SignInStore } from './sign-in.ts'

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
export interface ClientAttempt extends Attempt {
  /** Whether it was counted. Who does so together with something else sets it before. */
  isCounted: boolean
}

export interface OpenCall {
  readonly attempt: ClientAttempt
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

/** What clients send in every call of a ceremony: it has to be ours, where it is told at all. */
export const rpId = z.string().max(253).optional()

/** A name that people give. */
export const shortName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has characters that cannot be shown')

/** @throws ApiError 400 `INVALID_INPUT` that names the field */
export function readData<Schema extends z.ZodObject>(schema: Schema, data: unknown): z.output<Schema> {
  try {
    return parseBody(schema, data ?? {})
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw functionError('INVALID_INPUT', error.message, {
      cause: error,
      ...(error.field === undefined ? {} : { field: error.field }),
    })
  }
}

/** Settings alone say for whom passkeys are. @throws ApiError 400 `INVALID_INPUT` */
export function requireOwnRpId(given: string | undefined, relyingParty: RelyingParty): void {
  if (given === undefined || given === relyingParty.id) return
  throw functionError('INVALID_INPUT', `Field "rpId" has to be ${relyingParty.id}, for which the passkeys here are.`, {
    field: 'rpId',
  })
}

/** How often each endpoint may be called. */
export interface EndpointLimits {
  /** By one address on the net, or one network of IPv6. */
  readonly client: RateLimit
  /** Per account; for sign-ins also per e-mail address, whether it has an account or not. */
  readonly account: RateLimit
}

export interface PasskeyLimits {
  /** Beginning to sign in: pages do so when they are opened, to offer passkeys where e-mail addresses are typed. */
  readonly begin: EndpointLimits
  /** What has to do with making passkeys and signing in by them. */
  readonly ceremony: EndpointLimits
  /** What people do with what they have. */
  readonly manage: EndpointLimits
}

const in5Minutes = (max: number): RateLimit => ({ max, periodMs: 5 * 60_000 })

/** For ceremonies that of GoTrue. */
export const passkeyLimits: PasskeyLimits = {
  begin: { client: in5Minutes(90), account: in5Minutes(30) },
  ceremony: { client: in5Minutes(30), account: in5Minutes(30) },
  manage: { client: in5Minutes(300), account: in5Minutes(150) },
}

/** What the passkey function answers where something was not done; clients act on the code. */
const statuses = {
  UNAUTHORIZED: 401,
  /** Confirm by a passkey, or where the user has none, sign in again. */
  REAUTHENTICATION_REQUIRED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  CLIENT_NOT_ALLOWED: 403,
  CHALLENGE_MISMATCH: 400,
  CHALLENGE_EXPIRED: 410,
  CREDENTIAL_NOT_FOUND: 404,
  CREDENTIAL_EXISTS: 409,
  LAST_PASSKEY: 409,
  /** Accounts would be without a key that the user can sign with; `accounts` of the error has their addresses. */
  ONLY_KEY: 409,
  /** The passkeys changed at the same time: read them again. */
  PASSKEYS_CHANGED: 409,
  /** It was removed, and is no key of an account: sign in another way. */
  PASSKEY_REMOVED: 403,
  TOO_MANY_PASSKEYS: 409,
  NO_PUBLIC_KEY: 422,
  INVALID_INPUT: 400,
  NOT_FOUND: 404,
} as const

type FunctionErrorCode = keyof typeof statuses

export function functionError(
  code: FunctionErrorCode,
  text: string,
  options: {
    readonly field?: string
    readonly cause?: unknown
    readonly details?: Readonly<Record<string, unknown>>
  } = {},
): ApiError {
  return new ApiError(statuses[code], code, text, options)
}
