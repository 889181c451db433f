import type { ByteWriter } from '../platform/byte-writer.ts'
import { readCcfEvent, readCcfValue, writeCcfEvent } from './ccf/ccf-payload.ts'
import { readJsonCdcEvent, readJsonCdcValue, writeJsonCdcEvent } from './json-cdc/json-cdc-payload.ts'
import type { EventShape } from './event-shape.ts'
import { outputLimitOf, PayloadError } from './payload-value.ts'
import type { PayloadFields, PayloadValue } from './payload-value.ts'

export type PayloadEncoding = 'ccf' | 'json-cdc'

/** CCF starts with a CBOR tag, JSON-CDC with a brace or white space. */
export function payloadEncoding(payload: Uint8Array): PayloadEncoding | undefined {
  switch (payload[0]) {
    case 0xd8:
      return 'ccf'
    case 0x7b:
    case 0x20:
    case 0x09:
    case 0x0a:
    case 0x0d:
      return 'json-cdc'
    default:
      return undefined
  }
}

/**
 * Appends the flattened field values of an event as a JSON array that jsonb accepts. Both encodings
 * give the same fields (`fieldsOf`):
 *
 * - integers and fixed-point numbers: decimal strings, fixed-point with all 8 or 24 decimals
 * - address: `0x` and 16 lower-case hex digits; optional: its value or null; Void: null
 * - [UInt8]: `0x` and hex digits; empty arrays of any type: `[]`, except the fields of
 * `byteFieldsOf`
 * - dictionary: an object with keys as text (see `dictionaryOf`)
 * - struct, resource, event: an object without its type; enum: its raw value
 * - path: `/domain/identifier`; type: its type id or null; InclusiveRange: {start, end, step}
 * - capability: {id, address, borrowType}, and path before Cadence 1.0, where id is null
 * - U+0000 in text: the six characters `\u0000`; invalid Unicode: U+FFFD
 *
 * @param type event type from the access node
 *
 * @param maxBytes limit of the text, if below `outputLimitOf` the payload
 *
 * @returns the shape, in the order of the values
 *
 * @throws PayloadError; `out.position` is restored
 */
export function writePayloadValues(
  type: string,
  payload: Uint8Array,
  out: ByteWriter,
  maxBytes = Number.POSITIVE_INFINITY,
): EventShape {
  const encoding = payloadEncoding(payload)
  const limit = Math.min(maxBytes, outputLimitOf(payload.length))
  if (encoding === 'ccf') return writeCcfEvent(type, asBuffer(payload), out, limit)
  if (encoding === 'json-cdc') return writeJsonCdcEvent(type, asBuffer(payload), out, limit)
  throw unknownEncoding()
}

/** @throws PayloadError */
export function decodePayload(type: string, payload: Uint8Array): PayloadFields {
  const encoding = payloadEncoding(payload)
  if (encoding === 'ccf') return readCcfEvent(type, asBuffer(payload))
  if (encoding === 'json-cdc') return readJsonCdcEvent(asBuffer(payload))
  throw unknownEncoding()
}

/** @throws PayloadError */
export function decodeValue(payload: Uint8Array): PayloadValue {
  const encoding = payloadEncoding(payload)
  if (encoding === 'ccf') return readCcfValue(asBuffer(payload))
  if (encoding === 'json-cdc') return readJsonCdcValue(asBuffer(payload))
  throw unknownEncoding()
}

function asBuffer(payload: Uint8Array): Buffer {
  return Buffer.isBuffer(payload) ? payload : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
}

function unknownEncoding(): PayloadError {
  return new PayloadError('payload-unknown-encoding', 'the payload is neither CCF nor JSON-CDC', 0)
}
