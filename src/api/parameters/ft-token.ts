import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { contractParameter } from './parameters.ts'
import { isFungibleToken } from '../queries/fungible-tokens.ts'

/** Parameters and problems of the routes of one token. */

export const tokenParameters = z.object({ token: contractParameter('tokens') })

export const unknownToken = { 404: 'The token was not seen to move.' }

/** What is answered where a token was not seen to move. */
export function unknownTokenError(token: string): ApiError {
  return new ApiError(404, 'unknown-token', `Token ${token} was not seen to move.`, { field: 'token' })
}

/** @throws ApiError 404 `unknown-token` */
export async function requireToken(database: DatabasePool, token: string): Promise<void> {
  if (!(await isFungibleToken(database, token))) throw unknownTokenError(token)
}
