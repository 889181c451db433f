import { clientNetwork } from '../../../base/client-network.ts'
import { bearerToken } from '../../../base/http/bearer-token.ts'
import type { RequestContext } from '../../../base/http/requests.ts'
import { authError } from '../auth-error.ts'
import type { AuthParts } from '../auth-parts.ts'
import type { AuthClient, OpenSession } from '../sessions/open-session.ts'

const mostUserAgent = 300

/** Largest body, in bytes: nothing that is sent here is long. */
export const mostBodyBytes = 64 * 1024

/** Who asks. Those of one network of IPv6 are one, as far as limits are concerned. */
export function clientOf({ req }: RequestContext, parts: Pick<AuthParts, 'clientOf'>): AuthClient {
  const [address = ''] = parts.clientOf(req).address.split('%')
  return {
    address,
    network: clientNetwork(address),
    userAgent: (req.headers['user-agent'] ?? '').slice(0, mostUserAgent),
  }
}

/** The token of `Authorization`. @throws ApiError 401 `no_authorization` */
export function bearerOf(context: RequestContext): string {
  const token = bearerToken(context.get('Authorization'))
  if (token === undefined) throw authError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  return token
}

/** The session of who asks. @throws ApiError 401 `no_authorization`; 403 `bad_jwt`, `session_not_found`, `user_banned` */
export async function sessionOf(context: RequestContext, { accessTokens, sessions }: AuthParts): Promise<OpenSession> {
  return sessions.find(await accessTokens.verify(bearerOf(context)))
}

/**
 * The session of a caller who changes the user. A client, such as the editor, has none for that.
 * @throws ApiError as `sessionOf`; 403 `not_admin`
 */
export async function ownSessionOf(context: RequestContext, parts: AuthParts): Promise<OpenSession> {
  const session = await sessionOf(context, parts)
  if (session.clientId !== null)
    throw authError(403, 'not_admin', 'A session of another program cannot change the user. Open the wallet.')
  return session
}

export function answerJson(context: RequestContext, body: unknown, status = 200): void {
  context.status = status
  context.set('Cache-Control', 'no-store')
  context.body = JSON.stringify(body)
  context.type = 'application/json'
}
