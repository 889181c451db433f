import type { SignatureMessage, TransactionMessage } from '../access/messages.ts'
import type { CopyWriter } from '../db/copy/copy-writer.ts'

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
  const parts: Buffer[] = []
  for (const signature of transaction.payloadSignatures) parts.push(field(payloadSignaturesTag, encode(signature)))
  for (const signature of transaction.envelopeSignatures) parts.push(field(envelopeSignaturesTag, encode(signature)))
  rows.bytea(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts))
}

function encode(signature: SignatureMessage): Buffer {
  const parts = [field(addressTag, signature.address)]
  if (signature.keyId > 0) parts.push(Buffer.from([keyIdTag, ...varint(signature.keyId)]))
  parts.push(field(signatureTag, signature.signature))
  if (signature.extensionData.length > 0) parts.push(field(extensionDataTag, signature.extensionData))
  return Buffer.concat(parts)
}

function field(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...varint(content.length)]), content])
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
  return bytes
}
