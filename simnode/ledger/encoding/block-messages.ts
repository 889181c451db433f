import type { ByteWriter } from '../../../src/platform/byte-writer.ts'
import { messageOf, messagesOf } from './message-batch.ts'
import { beginMessage, endMessage, writeBytesField, writeBytesIfAny, writeVarintField } from './protobuf.ts'

/** A block as its messages tell it. Ids have 32 bytes. */
export interface BlockParts {
  readonly id: Buffer
  readonly parentId: Buffer
  readonly height: number
  readonly view: number
  /** Nanoseconds since 1970. */
  readonly timestampNs: bigint
  readonly payloadHash: Buffer
  /** E.g. `flow-emulator`. */
  readonly chainId: string
  readonly collections: readonly CollectionParts[]
}

export interface CollectionParts {
  readonly id: Buffer
  readonly transactionIds: readonly Buffer[]
}

const zeroId = Buffer.alloc(32)
const nothing = Buffer.alloc(0)

/** `google.protobuf.Timestamp` */
export function timestampMessage(timestampNs: bigint): Buffer {
  return messageOf((out) => writeTimestamp(out, timestampNs))
}

/** `entities.BlockHeader`, with the fields that the emulator fills. */
export function headerMessage(block: BlockParts): Buffer {
  return messageOf((out) => writeHeader(out, block))
}

/** `entities.Block` as without `full_block_response`. */
export function lightBlockMessage(block: BlockParts): Buffer {
  return messageOf((out) => writeLightBlock(out, block))
}

/** `entities.Block` as with `full_block_response`. */
export function fullBlockMessage(block: BlockParts): Buffer {
  return messageOf((out) => {
    writeLightBlock(out, block)
    const start = beginMessage(out, 10)
    writeHeader(out, block)
    endMessage(out, start)
    writeBytesField(out, 11, zeroId)
  })
}

/** `entities.Collection` messages. */
export function collectionMessages(collections: readonly CollectionParts[]): Buffer[] {
  return messagesOf(collections, (out, { id, transactionIds }) => {
    writeBytesField(out, 1, id)
    for (const transactionId of transactionIds) writeBytesField(out, 2, transactionId)
  })
}

function writeLightBlock(out: ByteWriter, block: BlockParts): void {
  writePlace(out, block)
  for (const { id } of block.collections) {
    const start = beginMessage(out, 5)
    writeBytesField(out, 1, id)
    writeBytesField(out, 2, nothing)
    writeBytesField(out, 3, zeroId)
    endMessage(out, start)
  }
  writeBytesField(out, 7, nothing)
}

function writeHeader(out: ByteWriter, block: BlockParts): void {
  writePlace(out, block)
  writeBytesField(out, 5, block.payloadHash)
  writeVarintField(out, 6, block.view)
  writeBytesField(out, 9, zeroId)
  writeBytesIfAny(out, 11, Buffer.from(block.chainId))
}

/** The fields that `entities.Block` and `entities.BlockHeader` have in common. */
function writePlace(out: ByteWriter, { id, parentId, height, timestampNs }: BlockParts): void {
  writeBytesField(out, 1, id)
  writeBytesField(out, 2, parentId)
  writeVarintField(out, 3, height)
  const start = beginMessage(out, 4)
  writeTimestamp(out, timestampNs)
  endMessage(out, start)
}

function writeTimestamp(out: ByteWriter, timestampNs: bigint): void {
  writeVarintField(out, 1, Number(timestampNs / 1_000_000_000n))
  writeVarintField(out, 2, Number(timestampNs % 1_000_000_000n))
}
