import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { hashPattern } from '../formats/formats.ts'
import { findBlockHeight, readBlock } from '../queries/blocks.ts'
import type { WholeBlockRow } from '../queries/blocks.ts'
import type { Services } from '../route.ts'

/** `{height}` of a path: a height, or the id of a block. */
export const blockKeyParameters = z.object({
  height: z
    .string()
    .regex(/^([0-9]{1,15}|(0[xX])?[0-9a-fA-F]{64})$/, 'must be a block height or a block id of 64 hex digits')
    .describe('Block height; a block id of 64 hex digits is taken too.'),
})

/**
 * The block that a path names.
 * @throws ApiError 404 `unknown-block`
 */
export async function requireBlock(key: string, { database }: Services): Promise<WholeBlockRow> {
  const height = hashPattern.test(key) ? await findBlockHeight(database, key) : Number(key)
  const block = height === undefined ? undefined : await readBlock(database, height)
  if (block === undefined) throw new ApiError(404, 'unknown-block', `Block ${key} is not stored.`, { field: 'height' })
  return block
}
