import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'
import { bearerToken } from '../http/bearer-token.ts'

/** Who calls a service that wants no token. */
export const everybody = 'everybody'

/**
 * Decides whether whoever sent an `Authorization` header may come in.
 * @param token API_TOKEN; undefined: everybody may
 * @returns whose history it is; two tokens never have the same
 * @throws ApiError 401 `missing-token` or `wrong-token`
 */
export function admitBearer(header: string, token: string | undefined): string {
  if (token === undefined) return everybody
  const given = bearerToken(header)
  if (given === undefined)
    throw new ApiError(401, 'missing-token', 'Send the token of this service as `Authorization: Bearer <API_TOKEN>`.')
  // Of equal length whatever was sent, so that the time of the comparison tells nothing.
  if (!timingSafeEqual(digest(given), digest(token)))
    throw new ApiError(401, 'wrong-token', 'This is not the token of this service.')
  return digest(given).toString('hex')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
