import type { ByteWriter } from '../../base/byte-writer.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'
import { flattenJsonCdc, isJsonCdcEvent } from './json-cdc-value.ts'
import { malformed } from './json-node.ts'
import type { JsonNode } from './json-node.ts'

/**
 * Appends the flattened JSON text of an event in JSON-CDC.
 * Source: onflow/cadence-lang.org, docs/json-cadence-spec.md.
 * @throws PayloadError; `out` is then as it was
 */
export function writeJsonCdcEvent(payload: Buffer, out: ByteWriter): void {
  out.utf8(JSON.stringify(readJsonCdcEvent(payload)))
}

/**
 * The flattened fields of an event in JSON-CDC.
 * @throws PayloadError
 */
export function readJsonCdcEvent(payload: Buffer): PayloadFields {
  const node = parse(payload)
  if (!isJsonCdcEvent(node)) throw malformed('the value is not an event')
  return flattenJsonCdc(node, 0) as PayloadFields
}

/**
 * Any Cadence value in JSON-CDC, flattened: an argument of a transaction, a result of a script.
 * @throws PayloadError
 */
export function readJsonCdcValue(payload: Buffer): PayloadValue {
  return flattenJsonCdc(parse(payload), 0)
}

function parse(payload: Buffer): JsonNode {
  try {
    return JSON.parse(payload.toString('utf8')) as JsonNode
  } catch (error) {
    throw malformed('not JSON', 'json-cdc-malformed', error)
  }
}
