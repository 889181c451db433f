import type { ByteWriter } from '../platform/byte-writer.ts'
import { readCcfEvent, readCcfValue, writeCcfEvent } from './ccf/ccf-payload.ts'
import { readJsonCdcEvent, readJsonCdcValue, writeJsonCdcEvent } from './json-cdc/json-cdc-payload.ts'
import type { EventShape } from './event-shape.ts'
import { outputLimitOf, PayloadError } from './payload-value.ts'
import type { PayloadFields, PayloadValue } from './payload-value.ts'

/** The two encodings of Cadence values that access nodes send. */
export type PayloadEncoding = 'ccf' | 'json-cdc'

/** The encoding of a payload by its first byte: CCF starts with a CBOR tag, JSON-CDC with a brace or white space. */
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
 * Appends the flattened values of an event's fields as JSON text, an array that jsonb accepts.
 *
 * Both encodings of one event give the same fields (`fieldsOf`), by these rules:
 * - integers and fixed-point numbers are decimal strings, fixed-point with all of its 8 or 24 decimals
 * - an address is `0x` and 16 lower-case hex digits, an optional is its value or null, Void is null
 * - a [UInt8] is `0x` and hex digits; empty arrays of any type are `[]`, but for the fields in `payload-byte-fields.ts`
 * - a dictionary is an object, its keys as text (`payload-dictionary.ts` for keys with one text)
 * - a struct, resource or event is an object of its fields, without its type; an enum is its raw value
 * - a path is `/domain/identifier`; a type is its type id, null if unknown; an InclusiveRange is {start, end, step}
 * - a capability is {id, address, borrowType}, and path if it has one, as before Cadence 1.0, when id is null
 * - U+0000 in text is written as the six characters `\u0000`; what is no Unicode becomes U+FFFD
 *
 * @param type the event's type as the access node names it
 * @param maxBytes of the text, where less than `outputLimitOf` the payload is left
 * @returns the names of the fields, in the order of the values
 * @throws PayloadError where the payload cannot be decoded; `out.position` is then where it was
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

/**
 * The flattened fields of an event as an object: what `fieldsOf` makes of the text of `writePayloadValues`.
 * @throws PayloadError
 */
export function decodePayload(type: string, payload: Uint8Array): PayloadFields {
  const encoding = payloadEncoding(payload)
  if (encoding === 'ccf') return readCcfEvent(type, asBuffer(payload))
  if (encoding === 'json-cdc') return readJsonCdcEvent(asBuffer(payload))
  throw unknownEncoding()
}

/**
 * A Cadence value (argument of a transaction, result of a script), flattened as by `writePayloadValues`.
 * @throws PayloadError
 */
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
