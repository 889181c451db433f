import { WriteLimitError } from '../../platform/byte-writer.ts'
import type { ByteWriter } from '../../platform/byte-writer.ts'
import type { EventShape } from '../event-shape.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'
import { flattenJsonCdc, isJsonCdcEvent, malformed } from './json-cdc-value.ts'
import type { JsonNode } from './json-cdc-value.ts'

/**
 * Source: onflow/cadence-lang.org, docs/json-cadence-spec.md.
 *
 * @throws PayloadError; `out` is restored
 */
export function writeJsonCdcEvent(type: string, payload: Buffer, out: ByteWriter, maxBytes: number): EventShape {
  const fields = readJsonCdcEvent(payload)
  const { limit } = out
  out.limit = Math.min(limit, out.position + maxBytes)
  try {
    out.utf8(JSON.stringify(Object.values(fields)))
  } catch (error) {
    if (!(error instanceof WriteLimitError)) throw error
    throw malformed(`the text of the payload is too long (limit ${maxBytes} bytes)`, 'payload-too-large')
  } finally {
    out.limit = limit
  }
  return { type, fields: Object.keys(fields) }
}

/** @throws PayloadError */
export function readJsonCdcEvent(payload: Buffer): PayloadFields {
  const node = parse(payload)
  if (!isJsonCdcEvent(node)) throw malformed('the value is not an event')
  return flattenJsonCdc(node, 0) as PayloadFields
}

/** @throws PayloadError */
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
