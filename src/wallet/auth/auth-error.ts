import { ApiError } from '../../platform/errors.ts'

/** What went wrong, in the words of GoTrue, which clients of it know. */
export type AuthErrorCode =
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
    'The link or code has been used, is wrong or is too old: ask for another, and use its link where its code is refused again.',
  )
}
