import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { accountParameter, contractItselfParameter } from './parameters.ts'
import type { TextParameter } from './text-parameter.ts'

/** Parameters and problems of the routes of one contract. */

export const contractParameters = z.object({ identifier: contractItselfParameter() })

/** A contract, or the account whose contracts are meant. */
export function contractOrAccountParameter(): z.ZodUnion<readonly [TextParameter, TextParameter]> {
  return z
    .union([accountParameter(), contractItselfParameter()], 'must be a contract, A.<address>.<name>, or an account')
    .describe('`A.<address>.<name>`, or an account for all of its contracts.')
}

export const unknownContractProblem = { 404: 'No such contract is known.' } as const

export function unknownContract(contract: string): ApiError {
  return new ApiError(404, 'unknown-contract', `Contract ${contract} is not known.`, { field: 'identifier' })
}
