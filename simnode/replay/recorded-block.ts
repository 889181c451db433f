import type { EventEncoding } from '../../src/access/messages.ts'
import type { NodeError } from '../node/node-chain.ts'
import { bytesOf, contentsOf, numberOf } from '../node/wire.ts'

/** One block of a recording, cut into the messages that answers are put together from. All buffers are as recorded. */
export interface RecordedBlock {
  readonly height: number
  /** 32 bytes. */
  readonly id: Buffer
  readonly parentId: Buffer
  /** Nanoseconds since 1970. */
  readonly timestampNs: bigint
  /** `entities.Block` without and with `full_block_response`. */
  readonly light: Buffer
  readonly full: Buffer
  /** `entities.BlockHeader`. */
  readonly header: Buffer
  /** `entities.Collection` messages in the order of the guarantees. */
  readonly collections: readonly Buffer[]
  readonly collectionIds: readonly Buffer[]
  /** `entities.Transaction` messages in block order, system transactions last. */
  readonly transactions: readonly Buffer[]
  readonly transactionIds: readonly Buffer[]
  /** How many of the transactions are in collections; the others are system transactions. */
  readonly userTransactionCount: number
  /** `TransactionResultResponse` messages in block order, without metadata. */
  readonly results: Readonly<Record<EventEncoding, readonly Buffer[]>>
  /** What the node said instead of transactions and results; it does so at height 0. */
  readonly bulkError: NodeError | undefined
}

/** The answers of one height, by what was asked. */
export interface HeightAnswers {
  readonly light: Buffer
  readonly full: Buffer
  readonly header: Buffer
  readonly collections: ReadonlyMap<string, Buffer>
  readonly transactions: Buffer | NodeError
  readonly results: Readonly<Record<EventEncoding, Buffer | NodeError>>
}

/** Cuts the recorded answers of one height into messages. */
export function recordedBlockOf(answers: HeightAnswers): RecordedBlock {
  const light = bytesOf(answers.light, 1)
  const timestamp = bytesOf(light, 4)
  const collectionIds = contentsOf(light, 5).map((guarantee) => bytesOf(guarantee, 1))
  const collections = collectionIds.map((id) => {
    const answer = answers.collections.get(id.toString('hex'))
    if (answer === undefined) throw new RangeError(`The recording lacks collection ${id.toString('hex')}`)
    return bytesOf(answer, 1)
  })
  const results = { 'json-cdc': listOf(answers.results['json-cdc']), ccf: listOf(answers.results.ccf) }
  return {
    height: numberOf(light, 3),
    id: bytesOf(light, 1),
    parentId: bytesOf(light, 2),
    timestampNs: timestampNsOf(timestamp),
    light,
    full: bytesOf(answers.full, 1),
    header: bytesOf(answers.header, 1),
    collections,
    collectionIds,
    transactions: listOf(answers.transactions),
    transactionIds: results.ccf.map((result) => bytesOf(result, 6)),
    userTransactionCount: collections.reduce((sum, collection) => sum + contentsOf(collection, 2).length, 0),
    results,
    bulkError: Buffer.isBuffer(answers.results.ccf) ? undefined : answers.results.ccf,
  }
}

/** A `google.protobuf.Timestamp` in nanoseconds. */
export function timestampNsOf(timestamp: Buffer): bigint {
  return BigInt(numberOf(timestamp, 1)) * 1_000_000_000n + BigInt(numberOf(timestamp, 2))
}

function listOf(answer: Buffer | NodeError): Buffer[] {
  return Buffer.isBuffer(answer) ? contentsOf(answer, 1) : []
}
