import { z } from 'zod'
import { integerParameter } from './parameters.ts'
import { textParameter, withoutPrefix } from './text-parameter.ts'
import type { TextParameter } from './text-parameter.ts'

/** A node of the network. Gives 64 lower-case hex digits. */
export function nodeIdParameter(): TextParameter {
  const canonical = (text: string): string => withoutPrefix(text).toLowerCase()
  return textParameter(/^(0[xX])?[0-9a-fA-F]{64}$/, 'must be the id of a node: 64 hex digits', canonical).describe(
    'Id of a node: 64 hex digits.',
  )
}

/** Counter of an epoch. */
export function epochParameter(): z.ZodPreprocess<z.ZodInt> {
  return integerParameter(0, 999_999_999_999_999).describe('Counter of the epoch.')
}

const roles = ['collection', 'consensus', 'execution', 'verification', 'access'] as const

/** `role` of lists of nodes, by number or by name. Gives the number. */
export function roleParameter(): z.ZodOptional<z.ZodType<number>> {
  const name = z.enum(roles).transform((role) => roles.indexOf(role) + 1)
  return z
    .union([integerParameter(1, 5), name], `must be 1 to 5, or one of ${roles.join(', ')}`)
    .optional()
    .describe('Only nodes of this role: 1 collection, 2 consensus, 3 execution, 4 verification, 5 access; or the name.')
}
