import { isUtf8 } from 'node:buffer'
import type { CopyWriter } from '../platform/db/copy-writer.ts'
import type { ByteWriter } from '../platform/byte-writer.ts'
import type { SignatureMessage, TransactionMessage } from '../access/messages.ts'

const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c

/**
 * One jsonb array of JSON-CDC as received. An invalid argument (nodes do not check before
 * execution) becomes `{"undecoded": "0x…"}`, so that positions stay.
 */
export function writeArguments(rows: CopyWriter, args: readonly Buffer[]): void {
  if (args.length === 0) {
    rows.null()
    return
  }
  rows.jsonbBegin()
  rows.out.uint8(openBracket)
  for (const [index, argument] of args.entries()) {
    if (index > 0) rows.out.uint8(comma)
    const json = asJsonb(argument)
    if (json === undefined) rows.out.utf8(`{"undecoded":"0x${argument.toString('hex')}"}`)
    else rows.out.raw(json)
  }
  rows.out.uint8(closeBracket)
  rows.jsonbEnd()
}

/** The form of nearly all arguments; valid jsonb without changes. */
const simpleArgument = /^\{"(?:value":"[ !#-[\]-~]*","type":"[A-Z]\w*|type":"[A-Z]\w*","value":"[ !#-[\]-~]*)"\}\n?$/

/** PostgreSQL parses JSON recursively. */
const maxDepth = 500

/** U+0000 is escaped. Undefined if it is not valid jsonb. */
function asJsonb(argument: Buffer): Buffer | undefined {
  if (simpleArgument.test(argument.toString('latin1'))) return argument
  if (!isUtf8(argument)) return undefined
  let value: unknown
  try {
    value = JSON.parse(argument.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  return isJsonCdcLike(value, maxDepth) ? Buffer.from(JSON.stringify(value, makeStorable)) : undefined
}

/** JSON-CDC has no bare numbers and only plain keys; jsonb rejects some others. */
function isJsonCdcLike(value: unknown, depth: number): boolean {
  if (typeof value === 'number' || depth === 0) return false
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => /^\w*$/.test(key) && isJsonCdcLike(inner, depth - 1))
}

function makeStorable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\u0000', String.raw`\u0000`).toWellFormed() : value
}

/** Tags of length-delimited fields in `flow.entities.Transaction`. */
const payloadSignaturesTag = (8 << 3) | 2
const envelopeSignaturesTag = (9 << 3) | 2
/** Tags in `flow.entities.Transaction.Signature`. */
const addressTag = (1 << 3) | 2
const keyIdTag = 2 << 3
const signatureTag = (3 << 3) | 2
const extensionDataTag = (4 << 3) | 2

/** Protobuf encoding as one bytea, or null without signatures (system transactions). */
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

/** proto3 omits empty fields. */
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
