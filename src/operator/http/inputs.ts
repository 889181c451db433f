import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'

/** The forms in which values come in, with words that say what would be right. */

const highestHeight = 999_999_999_999_999

/** A block height in a body. */
export const heightField = wholeNumber(0, highestHeight)

export const workerField = z.string('must be the name of a worker').min(1, 'must be the name of a worker')

/** A whole number in a query. */
export function numberParameter(min: number, max: number): z.ZodPreprocess<z.ZodInt> {
  const fromText = (text: unknown): unknown =>
    typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text
  return z.preprocess(fromText, wholeNumber(min, max))
}

export const heightParameter = numberParameter(0, highestHeight)

/** Words of a query, separated by commas. */
export const wordsParameter = z.string().transform((text) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
)

/** @throws ApiError 400 that names `to` */
export function requireHeights({ from, to }: HeightRange, code: 'invalid-parameter' | 'invalid-field'): void {
  if (to > from) return
  const what = code === 'invalid-field' ? 'Field' : 'Parameter'
  throw new ApiError(400, code, `${what} "to" must be above "from" (${from}); the range does not include it.`, {
    field: 'to',
  })
}

export function wholeNumber(min: number, max: number): z.ZodInt {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int(message).min(min, message).max(max, message)
}
