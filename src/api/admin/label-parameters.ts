import { z } from 'zod'
import { partyParameter } from '../parameters/parameters.ts'
import type { TextParameter } from '../parameters/text-parameter.ts'

/** An account of Flow (16 hex digits) or of Flow EVM (40), with or without 0x. Gives 0x and lower-case digits. */
export function labelledAddressParameter(): TextParameter {
  return partyParameter().describe('Account: 0x and 16 hex digits, or 40 for one of the EVM.')
}

/** The short name of a label. */
export function labelTagParameter(): z.ZodString {
  return z
    .string('must be text')
    .max(60, 'has at most 60 characters')
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case letters, digits and dashes')
    .describe('Short name of the label: lower case, digits and dashes.')
}
