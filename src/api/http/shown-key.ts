import { isKeyText } from '../../auth/developer-keys.ts'
import { bearerToken } from '../../base/http/bearer-token.ts'

/**
 * The developer key that a request shows, not checked; '' without any. It comes as `X-API-Key`; clients of the Flow explorer's
 * webhooks send it as `Authorization: Bearer`, where tokens of administrators and people come too, which have another form.
 */
export function shownKey(apiKey: string, authorization: string): string {
  if (apiKey.trim() !== '') return apiKey.trim()
  const bearer = bearerToken(authorization)
  return bearer !== undefined && isKeyText(bearer) ? bearer : ''
}
