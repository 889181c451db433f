import { ApiError } from '../../base/errors.ts'

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

export type FunctionErrorCode = keyof typeof statuses

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
