import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { isDynamic } from './abi-signature.ts'
import type { Signature } from './abi-signature.ts'
import { decodeValues, showValue } from './abi-values.ts'
import type { PresentedValue } from './abi-values.ts'
import { blockNumber, quantityOf } from './rpc-node.ts'
import type { BlockWord, RpcNode } from './rpc-node.ts'

/** Both ends included. */
export interface LogRange {
  readonly from: number
  readonly to: number
}

/** The limit of Flow's nodes. */
export const maxLogBlocks = 10_000
const defaultBlocks = 1000

/**
 * @param from default: 1,000 blocks up to `to`
 * @param to default: the latest block
 * @throws ApiError 400 `range-too-wide`, `bad-range`; errors of the node
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
  const first = knownFrom ?? (from === undefined ? Math.max(0, last - defaultBlocks + 1) : latest)
  if (first > last)
    throw new ApiError(400, 'bad-range', `Invalid range: from_block ${first} is above to_block ${last}.`, {
      field: 'from_block',
    })
  if (last - first + 1 > maxLogBlocks) {
    throw new ApiError(
      400,
      'range-too-wide',
      `Range too wide: ${first} to ${last} has ${last - first + 1} blocks, the limit is ${maxLogBlocks}. Use a ` +
        'narrower range, or omit to_block for the latest blocks.',
      { field: 'from_block' },
    )
  }
  return { from: first, to: last }
}

function numberOf(block: BlockWord): number | undefined {
  return block === 'earliest' ? 0 : blockNumber(block)
}

export interface PresentedEvent {
  readonly name: string
  readonly args: readonly PresentedValue[]
}

export interface PresentedLog {
  readonly address: string
  readonly block_number: number
  readonly transaction_hash: string
  readonly log_index: number
  readonly topics: readonly string[]
  readonly data: string
  readonly event?: PresentedEvent | null
}

const hex = z.string().regex(/^0x[0-9a-fA-F]*$/)
const logSchema = z.object({
  address: hex,
  blockNumber: hex,
  transactionHash: hex,
  logIndex: hex,
  topics: z.array(hex).max(4),
  data: hex,
})
const maxDataCharacters = 4000

/** @throws ApiError 502 `node-failed` */
export function readLogs(
  answer: unknown,
  max: number,
  event: Signature | undefined,
): { readonly logs: readonly PresentedLog[]; readonly count: number } {
  if (!Array.isArray(answer)) throw new ApiError(502, 'node-failed', 'The EVM node returned an invalid list of logs.')
  const logs = z.array(logSchema).safeParse(answer.slice(0, max))
  if (!logs.success)
    throw new ApiError(502, 'node-failed', 'The EVM node returned invalid logs.', { cause: logs.error })
  return {
    count: answer.length,
    logs: logs.data.map(({ address, blockNumber, transactionHash, logIndex, topics, data }) => ({
      address: address.toLowerCase(),
      block_number: Number(blockNumber),
      transaction_hash: transactionHash,
      log_index: Number(logIndex),
      topics,
      data: data.length > maxDataCharacters ? `${data.slice(0, maxDataCharacters)}…` : data,
      ...(event === undefined ? {} : { event: readEvent(event, topics, data) }),
    })),
  }
}

function readEvent({ name, hash, inputs }: Signature, topics: readonly string[], data: string): PresentedEvent | null {
  if (topics[0]?.toLowerCase() !== `0x${hash}`) return null
  const indexed = inputs.filter(({ isIndexed }) => isIndexed)
  const others = inputs.filter(({ isIndexed }) => !isIndexed)
  const values = decodeValues(
    others.map(({ type }) => type),
    Buffer.from(data.slice(2), 'hex'),
  )
  if (values === undefined || topics.length !== indexed.length + 1) return null
  const args: PresentedValue[] = []
  for (const parameter of inputs) {
    const topic = topics[indexed.indexOf(parameter) + 1] ?? ''
    // Topics of dynamic values are hashes.
    const isHashed = parameter.isIndexed && (isDynamic(parameter.type) || parameter.type.kind !== 'word')
    const read =
      parameter.isIndexed && !isHashed
        ? decodeValues([parameter.type], Buffer.from(topic.slice(2), 'hex'))?.[0]
        : undefined
    const value = parameter.isIndexed ? (isHashed ? topic : read) : values[others.indexOf(parameter)]
    if (value === undefined) return null
    args.push(
      isHashed
        ? { ...showValue({ ...parameter, type: { kind: 'bytes' } }, value), type: 'hash of the value' }
        : showValue(parameter, value),
    )
  }
  return { name, args }
}
