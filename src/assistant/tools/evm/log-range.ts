import { ApiError } from '../../../platform/errors.ts'
import { quantityOf } from './amounts.ts'
import { blockNumber } from './evm-fields.ts'
import type { BlockWord } from './evm-fields.ts'
import type { RpcNode } from './rpc-node.ts'

/** Blocks that are looked through, both included. */
export interface LogRange {
  readonly from: number
  readonly to: number
}

/** Nodes of Flow look through no more at once. */
export const mostLogBlocks = 10_000
const usualBlocks = 1000

/**
 * The blocks of a search for logs, as numbers.
 * @param from default: so that there are 1,000 blocks
 * @param to default: the latest one
 * @throws ApiError 400 `range-too-wide`, `bad-range`; those of the node
 */
export async function logRange(
  from: BlockWord | undefined,
  to: BlockWord | undefined,
  node: RpcNode,
  signal: AbortSignal,
): Promise<LogRange> {
  const knownTo = to === undefined ? undefined : numberOf(to)
  const knownFrom = from === undefined ? undefined : numberOf(from)
  const isLatestAsked = knownTo === undefined || (from !== undefined && knownFrom === undefined)
  const latest = isLatestAsked ? Number(quantityOf(await node.call('eth_blockNumber', [], signal))) : 0
  const last = knownTo ?? latest
  const first = knownFrom ?? (from === undefined ? Math.max(0, last - usualBlocks + 1) : latest)
  if (first > last)
    throw new ApiError(400, 'bad-range', `from_block ${first} is above to_block ${last}.`, { field: 'from_block' })
  if (last - first + 1 > mostLogBlocks) {
    throw new ApiError(
      400,
      'range-too-wide',
      `From ${first} to ${last} are ${last - first + 1} blocks; at most ${mostLogBlocks} are looked through at once. The latest can be left out.`,
      { field: 'from_block' },
    )
  }
  return { from: first, to: last }
}

/** Undefined for the words that mean the head, or near it. */
function numberOf(block: BlockWord): number | undefined {
  return block === 'earliest' ? 0 : blockNumber(block)
}
