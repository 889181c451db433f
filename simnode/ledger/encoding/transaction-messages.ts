import type { ByteWriter } from '../../../src/platform/byte-writer.ts'
import type { BodySignature, TransactionBody } from '../../../src/flow/transaction-body.ts'
import type { CadenceType } from './cadence-type.ts'
import type { CadenceValue } from './cadence-value.ts'
import { writeJsonCdc } from './json-value.ts'
import { messageOf, messagesOf } from './message-batch.ts'
import {
  beginMessage,
  endMessage,
  writeBytesField,
  writeBytesIfAny,
  writeUint64Field,
  writeVarintField,
} from './protobuf.ts'

/** An argument of a transaction or a script, as clients send it: JSON-CDC. @throws TypeError */
export function encodeArgument(type: CadenceType, value: CadenceValue): Buffer {
  return messageOf((out) => writeJsonCdc(out, type, value))
}

/** `entities.Transaction` messages. */
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
