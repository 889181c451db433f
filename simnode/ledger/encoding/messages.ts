import {
  messageOf,
  messagesOf,
  beginMessage,
  endMessage,
  writeBytesField,
  writeBytesIfAny,
  writeVarintField,
  writeUint64Field,
} from './protobuf.ts'
import type { BodySignature, TransactionBody } from '../../../src/flow/transactions/transaction-id.ts'
import type { CadenceType, EventShape, CadenceValue } from './cadence.ts'
import { writeJsonCdc } from './json-cdc.ts'
import type { EventEncoding } from '../../../src/access/messages.ts'
import { writeCcf } from './ccf.ts'
import { ByteWriter } from '../../../src/platform/byte-writer.ts'

/** Ids have 32 bytes. */
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

interface CollectionParts {
  readonly id: Buffer
  readonly transactionIds: readonly Buffer[]
}

const zeroId = Buffer.alloc(32)
const nothing = Buffer.alloc(0)

export function timestampMessage(timestampNs: bigint): Buffer {
  return messageOf((out) => writeTimestamp(out, timestampNs))
}

export function headerMessage(block: BlockParts): Buffer {
  return messageOf((out) => writeHeader(out, block))
}

export function lightBlockMessage(block: BlockParts): Buffer {
  return messageOf((out) => writeLightBlock(out, block))
}

export function fullBlockMessage(block: BlockParts): Buffer {
  return messageOf((out) => {
    writeLightBlock(out, block)
    const start = beginMessage(out, 10)
    writeHeader(out, block)
    endMessage(out, start)
    writeBytesField(out, 11, zeroId)
  })
}

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

/** JSON-CDC. @throws TypeError */
export function encodeArgument(type: CadenceType, value: CadenceValue): Buffer {
  return messageOf((out) => writeJsonCdc(out, type, value))
}

export function transactionMessages(bodies: readonly TransactionBody[]): Buffer[] {
  return messagesOf(bodies, writeTransaction)
}

function writeTransaction(out: ByteWriter, body: TransactionBody): void {
  writeBytesIfAny(out, 1, body.script)
  for (const argument of body.arguments) writeBytesField(out, 2, argument)
  writeBytesIfAny(out, 3, body.referenceBlockId)
  writeVarintField(out, 4, Number(body.gasLimit))
  if (body.proposerAddress.length > 0) {
    const start = beginMessage(out, 5)
    writeBytesField(out, 1, body.proposerAddress)
    writeVarintField(out, 2, body.proposerKeyId)
    writeUint64Field(out, 3, body.proposerSequenceNumber)
    endMessage(out, start)
  }
  writeBytesIfAny(out, 6, body.payer)
  for (const authorizer of body.authorizers) writeBytesField(out, 7, authorizer)
  for (const signature of body.payloadSignatures) writeSignature(out, 8, signature)
  for (const signature of body.envelopeSignatures) writeSignature(out, 9, signature)
}

function writeSignature(
  out: ByteWriter,
  number: number,
  { address, keyId, signature, extensionData }: BodySignature,
): void {
  const start = beginMessage(out, number)
  writeBytesIfAny(out, 1, address)
  writeVarintField(out, 2, keyId)
  writeBytesIfAny(out, 3, signature)
  writeBytesIfAny(out, 4, extensionData)
  endMessage(out, start)
}

const lineBreak = 0x0a

/**
 * @param values in the order of the shape's fields
 * @throws TypeError for a value of another type
 */
export function writeEventPayload(
  out: ByteWriter,
  shape: EventShape,
  values: readonly CadenceValue[],
  encoding: EventEncoding,
): void {
  if (encoding === 'ccf') {
    writeCcf(out, shape, values)
    return
  }
  writeJsonCdc(out, shape, values)
  out.uint8(lineBreak)
}

interface EventParts {
  readonly shape: EventShape
  readonly values: readonly CadenceValue[]
}

export interface ResultParts {
  /** 32 bytes. */
  readonly transactionId: Buffer
  /** 32 bytes, zeros for a system transaction. */
  readonly collectionId: Buffer
  /** Undefined for success. */
  readonly error: string | undefined
  readonly computation: number
  readonly events: readonly EventParts[]
}

const sealed = 4
const failed = 1

const typeFields = new Map<EventShape, Buffer>()

/** In the block's order. */
export function resultMessages(
  block: { readonly height: number; readonly id: Buffer },
  results: readonly ResultParts[],
  encoding: EventEncoding,
): Buffer[] {
  return messagesOf(results, (out, result, transactionIndex) => {
    writeVarintField(out, 1, sealed)
    if (result.error !== undefined) {
      writeVarintField(out, 2, failed)
      writeBytesIfAny(out, 3, Buffer.from(result.error))
    }
    result.events.forEach((event, eventIndex) => {
      const start = beginMessage(out, 4)
      writeEvent(out, event, result.transactionId, transactionIndex, eventIndex, encoding)
      endMessage(out, start)
    })
    writeBytesField(out, 5, block.id)
    writeBytesField(out, 6, result.transactionId)
    writeBytesField(out, 7, result.collectionId)
    writeVarintField(out, 8, block.height)
    writeVarintField(out, 10, result.computation)
  })
}

function writeEvent(
  out: ByteWriter,
  { shape, values }: EventParts,
  transactionId: Buffer,
  transactionIndex: number,
  eventIndex: number,
  encoding: EventEncoding,
): void {
  out.raw(typeField(shape))
  writeBytesField(out, 2, transactionId)
  writeVarintField(out, 3, transactionIndex)
  writeVarintField(out, 4, eventIndex)
  const start = beginMessage(out, 5)
  writeEventPayload(out, shape, values, encoding)
  endMessage(out, start)
}

function typeField(shape: EventShape): Buffer {
  const found = typeFields.get(shape)
  if (found !== undefined) return found
  const out = new ByteWriter(128)
  writeBytesField(out, 1, Buffer.from(shape.id))
  const made = out.view()
  typeFields.set(shape, made)
  return made
}
