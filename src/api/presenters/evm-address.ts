import { z } from 'zod'
import { addressFormat } from '../formats/formats.ts'

export const evmAddressFormat = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .describe('0x and 40 hex digits, lower case.')
export const evmHashFormat = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .describe('0x and 64 hex digits.')
export const evmDigitsFormat = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .describe('40 hex digits, no 0x.')

/** An address of the EVM, and what is known of it. */
export const evmPartySchema = z
  .strictObject({
    hash: evmAddressFormat,
    name: z.string().nullable().describe('Label of the address, or name of the token; null where neither is known.'),
    is_contract: z
      .boolean()
      .nullable()
      .describe('Null where nothing tells: contracts that contracts create tell nothing of themselves.'),
    flow_address: addressFormat
      .nullable()
      .describe('The Flow account that owns it (COA); null where none is known to.'),
  })
  .meta({ id: 'EvmAddressReference' })
export type EvmParty = z.output<typeof evmPartySchema>

/** What the tables know of an address; 40 hex digits. */
export const evmAddressFacts = z.object({
  address: z.string(),
  name: z.string().nullable(),
  flow_address: z.string().nullable(),
  is_coa: z.boolean(),
  is_contract: z.boolean(),
  has_signed: z.boolean(),
})
export type EvmAddressFacts = z.output<typeof evmAddressFacts>

/** By address, 40 hex digits. */
export type EvmDirectory = ReadonlyMap<string, EvmAddressFacts>

/** @param address 40 hex digits; null is nobody */
export function presentEvmParty(address: string, directory: EvmDirectory): EvmParty
export function presentEvmParty(address: string | null, directory: EvmDirectory): EvmParty | null
export function presentEvmParty(address: string | null, directory: EvmDirectory): EvmParty | null {
  if (address === null) return null
  const facts = directory.get(address)
  return {
    hash: `0x${address}`,
    name: facts?.name ?? null,
    is_contract: facts === undefined ? null : isContract(facts),
    flow_address: facts?.flow_address ?? null,
  }
}

/** An account that signs for itself has no code, but for what EIP-7702 lends it. */
export function isContract(facts: EvmAddressFacts): boolean | null {
  if (facts.is_coa || facts.is_contract) return true
  return facts.has_signed ? false : null
}
