import { authError } from './auth-error.ts'
import type { AuthParts } from './auth-parts.ts'

const mostCharacters = 2000

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
  const url = given.length <= mostCharacters && URL.canParse(given) ? new URL(given) : undefined
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
