import fc from 'fast-check'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { BlockResponseSchema, TransactionResultResponseSchema } from '../gen/flow/access/access_pb.ts'
import type { BlockResponse, BlockHeaderResponse, TransactionResultResponse } from '../gen/flow/access/access_pb.ts'
import {
  TransactionSchema,
  Transaction_ProposalKeySchema,
  Transaction_SignatureSchema,
} from '../gen/flow/entities/transaction_pb.ts'
import type { Transaction, Transaction_Signature } from '../gen/flow/entities/transaction_pb.ts'
import { transactionStatuses } from '../messages.ts'
import type {
  BlockMessage,
  HeadMessage,
  SignatureMessage,
  TransactionMessage,
  TransactionResultMessage,
} from '../messages.ts'
import { create } from '@bufbuild/protobuf'
import { MetadataSchema } from '../gen/flow/entities/metadata_pb.ts'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** The result of the generated decoder in the shape of our readers, as the reference in their tests. */
export function plainBlock(response: BlockResponse): BlockMessage {
  const block = response.block
  if (block === undefined) throw new Error('no block')
  return {
    id: Buffer.from(block.id),
    parentId: Buffer.from(block.parentId),
    height: Number(block.height),
    timestampUs: plainTimestamp(block.timestamp),
    collectionIds: block.collectionGuarantees.map((guarantee) => Buffer.from(guarantee.collectionId)),
  }
}

export function plainHead(response: BlockHeaderResponse): HeadMessage {
  const header = response.block
  if (header === undefined) throw new Error('no header')
  return {
    id: Buffer.from(header.id),
    parentId: Buffer.from(header.parentId),
    height: Number(header.height),
    timestampUs: plainTimestamp(header.timestamp),
  }
}

export function plainTransaction(transaction: Transaction): TransactionMessage {
  return {
    script: Buffer.from(transaction.script),
    arguments: transaction.arguments.map((argument) => Buffer.from(argument)),
    referenceBlockId: Buffer.from(transaction.referenceBlockId),
    gasLimit: transaction.gasLimit,
    proposerAddress: Buffer.from(transaction.proposalKey?.address ?? []),
    proposerKeyId: transaction.proposalKey?.keyId ?? 0,
    proposerSequenceNumber: transaction.proposalKey?.sequenceNumber ?? 0n,
    payer: Buffer.from(transaction.payer),
    authorizers: transaction.authorizers.map((address) => Buffer.from(address)),
    payloadSignatures: transaction.payloadSignatures.map(plainSignature),
    envelopeSignatures: transaction.envelopeSignatures.map(plainSignature),
  }
}

export function plainResult(result: TransactionResultResponse): TransactionResultMessage {
  return {
    transactionId: Buffer.from(result.transactionId),
    status: transactionStatuses[result.status] ?? 'UNKNOWN',
    statusCode: result.statusCode,
    errorMessage: result.errorMessage,
    events: result.events.map((event) => ({
      type: event.type,
      transactionIndex: event.transactionIndex,
      eventIndex: event.eventIndex,
      payload: Buffer.from(event.payload),
    })),
    collectionId: Buffer.from(result.collectionId),
    computationUsage: result.computationUsage,
  }
}

function plainSignature(signature: Transaction_Signature): SignatureMessage {
  return {
    address: Buffer.from(signature.address),
    keyId: signature.keyId,
    signature: Buffer.from(signature.signature),
    extensionData: Buffer.from(signature.extensionData),
  }
}

function plainTimestamp(timestamp: Timestamp | undefined): number {
  return timestamp === undefined ? 0 : Number(timestamp.seconds) * 1e6 + Math.floor(timestamp.nanos / 1000)
}

const bytes = fc.uint8Array({ maxLength: 300 })
const uint32 = fc.nat({ max: 0xffff_ffff })
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
/** The generated decoder drops a leading byte order mark, the own readers keep it. */
const text = fc.string({ unit: 'binary', maxLength: 300 }).filter((value) => !value.startsWith('\ufeff'))

const timestamp = fc
  .record({ seconds: fc.bigInt({ min: -9_000_000_000n, max: 9_000_000_000n }), nanos: fc.nat({ max: 999_999_999 }) })
  .map((fields) => create(TimestampSchema, fields))

const metadata = fc
  .record({ nodeId: bytes, latestFinalizedHeight: uint64 })
  .map((fields) => create(MetadataSchema, fields))

const signature = fc
  .record({ address: bytes, keyId: uint32, signature: bytes, extensionData: bytes })
  .map((fields) => create(Transaction_SignatureSchema, fields))

export const randomBlockResponse = fc
  .record({
    block: fc.record({
      id: bytes,
      parentId: bytes,
      height: fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) }),
      timestamp,
      collectionGuarantees: fc.array(fc.record({ collectionId: bytes, signatures: fc.array(bytes), signature: bytes })),
      signatures: fc.array(bytes),
    }),
    blockStatus: fc.constantFrom(0, 1, 2),
    metadata,
  })
  .map((fields) => create(BlockResponseSchema, fields))

export const randomTransaction = fc
  .record({
    script: bytes,
    arguments: fc.array(bytes),
    referenceBlockId: bytes,
    gasLimit: uint64,
    proposalKey: fc.option(
      fc
        .record({ address: bytes, keyId: uint32, sequenceNumber: uint64 })
        .map((fields) => create(Transaction_ProposalKeySchema, fields)),
      { nil: undefined },
    ),
    payer: bytes,
    authorizers: fc.array(bytes),
    payloadSignatures: fc.array(signature),
    envelopeSignatures: fc.array(signature),
  })
  .map(({ proposalKey, ...fields }) =>
    create(TransactionSchema, proposalKey === undefined ? fields : { ...fields, proposalKey }),
  )

export const randomResult = fc
  .record({
    status: fc.constantFrom(0, 1, 2, 3, 4, 5),
    statusCode: uint32,
    errorMessage: text,
    events: fc.array(
      fc.record({ type: text, transactionId: bytes, transactionIndex: uint32, eventIndex: uint32, payload: bytes }),
    ),
    blockId: bytes,
    transactionId: bytes,
    collectionId: bytes,
    blockHeight: uint64,
    metadata,
    computationUsage: uint64,
  })
  .map((fields) => create(TransactionResultResponseSchema, fields))

const files = ['base/calls', 'fork/calls-a', 'fork/calls-b', 'fork/calls-c']

interface Line {
  readonly method: string
  readonly request: string
  readonly response?: string
}

export interface RecordedCall {
  readonly request: Buffer
  readonly response: Buffer
}

/** Every recorded call of a method that was answered, over all recorded chains. */
export function recordedCalls(method: string): RecordedCall[] {
  lines ??= files.flatMap(readLines)
  return lines.flatMap((line) =>
    line.method === method && line.response !== undefined
      ? [{ request: Buffer.from(line.request, 'base64'), response: Buffer.from(line.response, 'base64') }]
      : [],
  )
}

let lines: Line[] | undefined

function readLines(file: string): Line[] {
  const url = new URL(`../../../test/recordings/${file}.jsonl.gz`, import.meta.url)
  return gunzipSync(readFileSync(url))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}
