import { z } from 'zod'
import { parseAddress } from '../../chain/address.ts'

/** An account of Flow (16 hex digits) or of Flow EVM (40), with or without 0x. Gives 0x and lower-case digits. */
export function labelledAddressParameter(): z.ZodPreprocess<z.ZodString> {
  const toText = (text: unknown): unknown => {
    if (typeof text !== 'string') return text
    return /^(0x)?[0-9a-f]{40}$/i.test(text) ? `0x${text.slice(-40).toLowerCase()}` : (parseAddress(text) ?? text)
  }
  return z.preprocess(toText, z.string('must be an account').regex(
    /^0x(?:[0-9a-f]{16}|[0-9a-f]{40})$/, 'must be an account: 0x and 16 hex digits, or 40 for one of the EVM',
  )).describe('Account: 0x and 16 hex digits, or 40 for one of the EVM.')
}

/** The short name of a label. */
export function labelTagParameter(): z.ZodString {
  return z.string('must be text').max(60, 'has at most 60 characters')
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case letters, digits and dashes')
    .describe('Short name of the label: lower case, digits and dashes.')
}
