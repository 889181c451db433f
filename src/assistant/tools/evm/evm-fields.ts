import { z } from 'zod'

/** Fields that several EVM tools have. */

export const addressField = z
  .string('must be a text')
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address: 0x and 40 hex digits (Flow addresses have 16)')

export const hexField = z
  .string('must be a text')
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be 0x and hex')
  .max(131_074, 'must have at most 64 KB')

const badBlock = 'must be a block number, or latest, finalized, safe, earliest, pending'
export const blockField = z.union(
  [
    z.int().nonnegative(),
    z.string().regex(/^(latest|finalized|safe|earliest|pending|\d{1,15}|0x[0-9a-fA-F]{1,13})$/, badBlock),
  ],
  badBlock,
)
export type BlockWord = z.output<typeof blockField>

/** A block as JSON-RPC has it: a word, or hex. */
export function blockParameter(block: BlockWord | null | undefined): string {
  if (block === null || block === undefined) return 'latest'
  const number = blockNumber(block)
  return number === undefined ? String(block) : toHex(number)
}

/** The number of a block; undefined for a word. */
export function blockNumber(block: BlockWord): number | undefined {
  return typeof block === 'number' || /^\d|^0x/.test(block) ? Number(block) : undefined
}

export function toHex(number: number | bigint): string {
  return `0x${number.toString(16)}`
}
