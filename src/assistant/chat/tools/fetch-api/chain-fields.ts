import type { JsonValue } from '../../../../platform/exact-json.ts'

/** Reads a Cadence value in JSON-CDC. @throws when it is none */
export type ReadCadence = (payload: Buffer) => unknown

/** What the REST API of access nodes answers. Source: onflow/flow, openapi/access.yaml. */
const chainPath =
  /^\/v1\/(?:transactions|transaction_results|execution_results|blocks|collections|accounts|events|scripts)(?:\/|$)/

/** Deeper than any answer of that API has these fields. */
const mostDepth = 12

export function isChainPath(pathname: string): boolean {
  return chainPath.test(pathname)
}

/**
 * An answer of an access node in which base64 is what it stands for: scripts and contracts as text, arguments, payloads of events and
 * results of scripts as flat values. What cannot be read stays as it is.
 */
export function readChainFields(value: JsonValue, readCadence: ReadCadence): JsonValue {
  if (typeof value === 'string') return cadenceOf(value, readCadence)
  return readWithin(value, readCadence, 0)
}

function readWithin(value: JsonValue, readCadence: ReadCadence, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null || depth > mostDepth) return value
  if (isList(value)) return value.map((item) => readWithin(item, readCadence, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, readField(name, item, readCadence, depth + 1)]),
  )
}

function readField(name: string, value: JsonValue, readCadence: ReadCadence, depth: number): JsonValue {
  if (name === 'script') return textOf(value)
  if (name === 'payload' && typeof value === 'string') return cadenceOf(value, readCadence)
  if (name === 'arguments' && isList(value)) return value.map((item) => cadenceOf(item, readCadence))
  if (name === 'contracts' && typeof value === 'object' && value !== null && !isList(value)) {
    return Object.fromEntries(Object.entries(value).map(([contract, code]) => [contract, textOf(code)]))
  }
  return readWithin(value, readCadence, depth)
}

function cadenceOf(value: JsonValue, readCadence: ReadCadence): JsonValue {
  const bytes = bytesOf(value)
  if (bytes === undefined) return value
  try {
    return readCadence(bytes) as JsonValue
  } catch {
    // Not Cadence, or in another encoding (CCF): whoever wrote it knows.
    return value
  }
}

function textOf(value: JsonValue): JsonValue {
  const bytes = bytesOf(value)
  if (bytes === undefined) return value
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? value : text
}

function bytesOf(value: JsonValue): Buffer | undefined {
  if (typeof value !== 'string' || value === '' || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value))
    return undefined
  return Buffer.from(value, 'base64')
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
