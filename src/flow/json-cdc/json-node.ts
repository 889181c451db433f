import { PayloadError } from '../payload-error.ts'
import type { PayloadErrorCode } from '../payload-error.ts'

/** What JSON.parse gives. */
export type JsonNode = string | number | boolean | null | JsonNode[] | JsonObject

export interface JsonObject {
  [name: string]: JsonNode | undefined
}

export function malformed(
  message: string,
  code: PayloadErrorCode = 'json-cdc-malformed',
  cause?: unknown,
): PayloadError {
  return new PayloadError(code, message, 0, cause)
}

export function asObject(node: JsonNode | undefined): JsonObject {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) throw malformed('expected an object')
  return node
}

export function asList(node: JsonNode | undefined): JsonNode[] {
  if (!Array.isArray(node)) throw malformed('expected a list')
  return node
}

export function asText(node: JsonNode | undefined): string {
  if (typeof node !== 'string') throw malformed('expected text')
  return node
}
