import type { ByteWriter } from '../platform/byte-writer.ts'
import type { SignatureMessage, TransactionMessage } from '../access/messages.ts'
import type { CopyWriter } from '../platform/db/copy/copy-writer.ts'

/** Tags of the length-delimited fields in the wire form of `flow.entities.Transaction`. */
const payloadSignaturesTag = (8 << 3) | 2
const envelopeSignaturesTag = (9 << 3) | 2
/** Tags within `flow.entities.Transaction.Signature`. */
const addressTag = (1 << 3) | 2
const keyIdTag = 2 << 3
const signatureTag = (3 << 3) | 2
const extensionDataTag = (4 << 3) | 2

/** Writes the signatures as one bytea field in their wire form, or null where there are none (system transactions). */
export function writeSignatures(rows: CopyWriter, transaction: TransactionMessage): void {
  if (transaction.payloadSignatures.length === 0 && transaction.envelopeSignatures.length === 0) {
    rows.null()
    return
  }
  const { out } = rows
  const start = out.position
  out.int32(0)
  for (const signature of transaction.payloadSignatures) writeSignature(out, payloadSignaturesTag, signature)
  for (const signature of transaction.envelopeSignatures) writeSignature(out, envelopeSignaturesTag, signature)
  out.bytes.writeInt32BE(out.position - start - 4, start)
}

function writeSignature(out: ByteWriter, tag: number, message: SignatureMessage): void {
  const { address, keyId, signature, extensionData } = message
  const keyIdLength = keyId === 0 ? 0 : 1 + varintLength(keyId)
  out.uint8(tag)
  writeVarint(out, fieldLength(address) + keyIdLength + fieldLength(signature) + fieldLength(extensionData))
  writeField(out, addressTag, address)
  if (keyId !== 0) {
    out.uint8(keyIdTag)
    writeVarint(out, keyId)
  }
  writeField(out, signatureTag, signature)
  writeField(out, extensionDataTag, extensionData)
}

/** As proto3 has it, a field without content is left out. */
function writeField(out: ByteWriter, tag: number, content: Buffer): void {
  if (content.length === 0) return
  out.uint8(tag)
  writeVarint(out, content.length)
  out.raw(content)
}

function fieldLength({ length }: Buffer): number {
  return length === 0 ? 0 : 1 + varintLength(length) + length
}

function writeVarint(out: ByteWriter, value: number): void {
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) out.uint8((rest % 128) | 128)
  out.uint8(rest)
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) length++
  return length
}
