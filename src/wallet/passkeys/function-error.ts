import { ApiError } from '../../base/errors.ts'

/** What the passkey function answers where something was not done; clients act on the code. */
const statuses = {
  UNAUTHORIZED: 401,
  /** The session is good, but too old for what was asked: confirm by a passkey, or sign in again. */
  REAUTHENTICATION_REQUIRED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  CHALLENGE_MISMATCH: 400,
  CHALLENGE_EXPIRED: 410,
  CREDENTIAL_NOT_FOUND: 404,
  CREDENTIAL_EXISTS: 409,
  LAST_PASSKEY: 409,
  TOO_MANY_PASSKEYS: 409,
  NO_PUBLIC_KEY: 422,
  INVALID_INPUT: 400,
  NOT_FOUND: 404,
} as const

export type FunctionErrorCode = keyof typeof statuses

export function functionError(code: FunctionErrorCode, text: string, options: { readonly field?: string; readonly cause?: unknown } = {}): ApiError {
  return new ApiError(statuses[code], code, text, options)
}
