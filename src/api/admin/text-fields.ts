import { z } from 'zod'
import { lineForm } from '../parameters/text-parameter.ts'
import type { TextParameter } from '../parameters/text-parameter.ts'

/** A name that people give something, in one line. Half a pair of UTF-16 is none, since nobody could store or send it. */
export function nameField(most: number): TextParameter {
  const problem = `must be a text of 1 to ${most} characters, none of them a control character`
  return z
    .string(problem)
    .regex(lineForm(most), problem)
    .refine(isWellFormed, problem)
    .transform((text) => text.trim())
}

/** The text of a script. PostgreSQL stores no U+0000. */
export function scriptField(): z.ZodString {
  const problem = 'must be the text of a script'
  return z
    .string(problem)
    .regex(/^[^\x00]+$/, problem)
    .refine(isWellFormed, problem)
}

/** The name of a worker or ingester, known or not. */
export function workerField(): z.ZodString {
  const problem = 'must be the name of a worker'
  return z.string(problem).regex(/^[a-z][a-z0-9_]{0,99}$/, problem)
}

function isWellFormed(text: string): boolean {
  return text.isWellFormed()
}
