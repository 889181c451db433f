import { create } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { BlockResponseSchema, TransactionResultResponseSchema } from '../../gen/flow/access/access_pb.ts'
import { MetadataSchema } from '../../gen/flow/entities/metadata_pb.ts'
import {
  TransactionSchema,
  Transaction_ProposalKeySchema,
  Transaction_SignatureSchema,
} from '../../gen/flow/entities/transaction_pb.ts'

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
