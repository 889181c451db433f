import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { decodeValues } from './abi/decode-values.ts'
import type { Signature } from './abi/read-signature.ts'
import { isDynamic } from './abi/abi-type.ts'
import { showValue } from './shown-values.ts'
import type { ShownValue } from './shown-values.ts'

/** What a log says by the signature of its event. */
export interface ShownEvent {
  readonly name: string
  readonly args: readonly ShownValue[]
}

/** A log as it is told. */
export interface ShownLog {
  readonly address: string
  readonly block_number: number
  readonly transaction_hash: string
  readonly log_index: number
  readonly topics: readonly string[]
  readonly data: string
  /** By the signature that was given; null where the log is not of that form. */
  readonly event?: ShownEvent | null
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
const mostDataCharacters = 4000

/** The first of the logs that a node gave. @throws ApiError 502 `node-failed` */
export function readLogs(
  answer: unknown,
  most: number,
  event: Signature | undefined,
): { readonly logs: readonly ShownLog[]; readonly count: number } {
  if (!Array.isArray(answer)) throw new ApiError(502, 'node-failed', 'The EVM node answered no list of logs.')
  const logs = z.array(logSchema).safeParse(answer.slice(0, most))
  if (!logs.success)
    throw new ApiError(502, 'node-failed', 'The EVM node answered logs of another form.', { cause: logs.error })
  return {
    count: answer.length,
    logs: logs.data.map(({ address, blockNumber, transactionHash, logIndex, topics, data }) => ({
      address: address.toLowerCase(),
      block_number: Number(blockNumber),
      transaction_hash: transactionHash,
      log_index: Number(logIndex),
      topics,
      data: data.length > mostDataCharacters ? `${data.slice(0, mostDataCharacters)}…` : data,
      ...(event === undefined ? {} : { event: readEvent(event, topics, data) }),
    })),
  }
}

function readEvent({ name, hash, inputs }: Signature, topics: readonly string[], data: string): ShownEvent | null {
  if (topics[0]?.toLowerCase() !== `0x${hash}`) return null
  const indexed = inputs.filter(({ isIndexed }) => isIndexed)
  const others = inputs.filter(({ isIndexed }) => !isIndexed)
  const values = decodeValues(
    others.map(({ type }) => type),
    Buffer.from(data.slice(2), 'hex'),
  )
  if (values === undefined || topics.length !== indexed.length + 1) return null
  const args: ShownValue[] = []
  for (const parameter of inputs) {
    const topic = topics[indexed.indexOf(parameter) + 1] ?? ''
    // What has no fixed size is a topic by its hash alone.
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
