import type { IncomingHttpHeaders } from 'node:http'
import { bearerToken } from '../../base/http/bearer-token.ts'

/** Longer texts are no keys; what is looked up and remembered stays small. */
const mostCharacters = 512

/** The key that a request shows, not checked: `Authorization: Bearer`, or else `X-API-Key`. Undefined: none. */
export function shownKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = bearerToken(headers.authorization)
  const key = bearer ?? [headers['x-api-key'] ?? []].flat()[0]?.trim() ?? ''
  return key === '' || key.length > mostCharacters ? undefined : key
}
