import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { accountParameter, contractParameter } from './parameters.ts'

/** Parameters and problems of the routes of one contract. */

type TextParameter = z.ZodPreprocess<z.ZodString>

/** A contract itself, and none of its types but those that stand for it. Gives `A.<16 digits>.<name>`. */
function contractItself(): TextParameter {
  const hasNoType = (contract: string): boolean => contract.split('.').length === 3
  return contractParameter('contracts').refine(hasNoType, 'must be of the form A.<address>.<name>, without a type of the contract')
}

export const contractParameters = z.object({ identifier: contractItself() })

/** A contract, or the account whose contracts are meant. */
export function contractOrAccountParameter(): z.ZodUnion<readonly [TextParameter, TextParameter]> {
  return z.union([accountParameter(), contractItself()], 'must be a contract, A.<address>.<name>, or an account')
    .describe('`A.<address>.<name>`, or an account for all of its contracts.')
}

export const unknownContractProblem = { 404: 'No such contract is known.' } as const

export function unknownContract(contract: string): ApiError {
  return new ApiError(404, 'unknown-contract', `Contract ${contract} is not known.`, { field: 'identifier' })
}
