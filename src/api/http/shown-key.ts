import { isKeyText } from '../../auth/developer-keys.ts'

/** What an `Authorization` header holds behind `Bearer`. */
export function bearerOf(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/**
 * The developer key that a request shows, not checked; '' without any. It comes as `X-API-Key`; clients of the Flow explorer's
 * webhooks send it as `Authorization: Bearer`, where tokens of administrators and people come too, which have another form.
 */
export function shownKey(apiKey: string, authorization: string): string {
  if (apiKey.trim() !== '') return apiKey.trim()
  const bearer = bearerOf(authorization)
  return bearer !== undefined && isKeyText(bearer) ? bearer : ''
}
