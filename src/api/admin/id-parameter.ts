import type { z } from 'zod'
import { integerParameter } from '../parameters/parameters.ts'

/** The number of a row, in a path. */
export function idParameter(description: string): z.ZodPreprocess<z.ZodInt> {
  return integerParameter(1, 999_999_999_999_999).describe(description)
}
