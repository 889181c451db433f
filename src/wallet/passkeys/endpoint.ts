import type pg from 'pg'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { parseBody } from '../../platform/http/parse-input.ts'
import type { AuthSessions, SignedIn } from '../auth/auth-sessions.ts'
import type { PasskeyMailEvent, RecoveryMailEvent } from '../auth/mail.ts'
import type { AuthClient } from '../auth/stores/sessions.ts'
import type { UserChange } from '../auth/user-changes.ts'
import type { RateLimits, Attempt, RateLimit } from '../auth/stores/rate-limits.ts'
import type { ChallengeStore } from './challenges.ts'
import type { DeviceRequests } from './devices.ts'
import type { EmailRecovery } from './email-recovery.ts'
import type { Caller, PasskeyAudit } from './passkey-audit.ts'
import type { KeysOnChain, PasskeyStore } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'
import type { SignInStore } from './sign-in.ts'

export interface PasskeyParts {
  readonly relyingParty: RelyingParty
  readonly sessions: AuthSessions
  readonly passkeys: PasskeyStore
  readonly challenges: ChallengeStore
  readonly audit: PasskeyAudit
  readonly signIns: SignInStore
  readonly pool: pg.Pool
  readonly devices: DeviceRequests
  readonly recovery: EmailRecovery
  readonly rates: RateLimits
  readonly limits: PasskeyLimits
  readonly keysOnChain: KeysOnChain
  /** Runs in the transaction of the change. Call `deliverMails` after the commit. */
  readonly notifyOwner: (
    client: pg.ClientBase,
    email: string | undefined,
    event: PasskeyMailEvent,
    caller: Caller,
  ) => Promise<void>
  /** As `notifyOwner`. */
  readonly notifyRecovery: (
    client: pg.ClientBase,
    email: string | undefined,
    event: RecoveryMailEvent,
    caller: Caller,
  ) => Promise<void>
  readonly deliverMails: () => void
  readonly log: Logger
}

export interface ClientAttempt extends Attempt {
  isCounted: boolean
}

export interface OpenCall {
  readonly attempt: ClientAttempt
  readonly caller: Caller
  readonly data: unknown
  readonly parts: PasskeyParts
  readonly signal: AbortSignal
}

export interface SessionCall extends OpenCall {
  readonly signedIn: SignedIn
}

export type Endpoint =
  /** The handler counts the call; earlier failures are counted afterwards. */
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

export type SessionEndpoint = (
  signedIn: SignedIn,
  data: unknown,
  from: {
    readonly signal: AbortSignal
    readonly network: string
    readonly client: AuthClient
    /** @throws ApiError 403 `REAUTHENTICATION_REQUIRED` */
    readonly confirm: (change: UserChange, given: unknown) => Promise<boolean>
  },
) => Promise<unknown>

/** Must be ours if present. */
export const rpId = z.string().max(253).optional()

export const shortName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'contains invisible characters')

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

/** @throws ApiError 400 `INVALID_INPUT` */
export function requireOwnRpId(given: string | undefined, relyingParty: RelyingParty): void {
  if (given === undefined || given === relyingParty.id) return
  throw functionError('INVALID_INPUT', `Field "rpId" must be ${relyingParty.id}.`, {
    field: 'rpId',
  })
}

export interface EndpointLimits {
  readonly client: RateLimit
  /** Applies to sign-ins per e-mail address too. */
  readonly account: RateLimit
}

export interface PasskeyLimits {
  /** Pages call it on load, for passkey autofill. */
  readonly begin: EndpointLimits
  readonly ceremony: EndpointLimits
  readonly manage: EndpointLimits
}

const in5Minutes = (max: number): RateLimit => ({ max, periodMs: 5 * 60_000 })

/** The limit of ceremonies is GoTrue's. */
export const passkeyLimits: PasskeyLimits = {
  begin: { client: in5Minutes(90), account: in5Minutes(30) },
  ceremony: { client: in5Minutes(30), account: in5Minutes(30) },
  manage: { client: in5Minutes(300), account: in5Minutes(150) },
}

const statuses = {
  UNAUTHORIZED: 401,
  /** Confirm with a passkey or, without one, sign in again. */
  REAUTHENTICATION_REQUIRED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  CLIENT_NOT_ALLOWED: 403,
  CHALLENGE_MISMATCH: 400,
  CHALLENGE_EXPIRED: 410,
  CREDENTIAL_NOT_FOUND: 404,
  CREDENTIAL_EXISTS: 409,
  LAST_PASSKEY: 409,
  /** `accounts` has the addresses. */
  ONLY_KEY: 409,
  /** Changed concurrently: read them again. */
  PASSKEYS_CHANGED: 409,
  /** The passkey is no longer registered; the user must sign in another way. */
  PASSKEY_REMOVED: 403,
  TOO_MANY_PASSKEYS: 409,
  RECOVERED_PASSKEY: 403,
  /** Off, or begun. */
  RECOVERY_UNAVAILABLE: 409,
  TOO_MANY_CONTACTS: 409,
  CONTACT_EXISTS: 409,
  TOO_MANY_POLICIES: 409,
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
