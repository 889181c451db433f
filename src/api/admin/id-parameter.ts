import { z } from 'zod'

/** The number of a row, in a path. */
export function idParameter(description: string): z.ZodPreprocess<z.ZodInt> {
  const fromText = (text: unknown): unknown => (typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : text)
  return z.preprocess(fromText, z.int('must be a number').min(1, 'must be a number').max(999_999_999_999_999, 'must be a number')).describe(description)
}
