import type { CcfInput } from './ccf-input.ts'

/** Consumes the id by which types of one payload refer to each other: a byte string, leading zeros without meaning. */
export function readDefinitionId(input: CcfInput): string {
  const bytes = input.readBytes()
  if (bytes.length > 8) throw input.fail('a type id of more than 8 bytes')
  return bytes.toString('hex').replace(/^(?:00)+/, '')
}
