import { ApiError } from '../../base/errors.ts'
import { cursorParameter } from '../parameters/parameters.ts'

/** A place in a list of contracts: the numbers that it is sorted by, if any, and the contract. */
export interface ContractPlace {
  readonly numbers: readonly number[]
  /** A.<address>.<name> */
  readonly contract: string
}

const pattern = /^((\d{1,15}:){0,3}A\.[0-9a-f]{16}\.\w{1,200})?$/

/** `cursor` of a list of contracts, whatever it is sorted by. */
export const contractCursorParameter = cursorParameter(pattern, '[<sort key>:]A.<address>.<name>')

/**
 * @param cursor a text that `contractCursorParameter` accepts
 * @param counts how many numbers the sort key may have
 * @throws ApiError 400 for the cursor of another order
 */
export function parseContractCursor(cursor: string | undefined, counts: readonly number[]): ContractPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const parts = cursor.split(':')
  const contract = parts.pop() ?? ''
  const numbers = parts.map(Number)
  if (!counts.includes(numbers.length) || numbers.slice(1).some((number) => number > 2 ** 31 - 1)) {
    throw new ApiError(400, 'invalid-parameter', 'Parameter "cursor" is not one of this order.', { field: 'cursor' })
  }
  return { numbers, contract }
}

export function formatContractCursor({ numbers, contract }: ContractPlace): string {
  return [...numbers, contract].join(':')
}
