import type { EventEncoding } from '../../../src/access/messages.ts'
import type { ByteWriter } from '../../../src/platform/byte-writer.ts'
import type { EventShape } from './cadence-type.ts'
import type { CadenceValue } from './cadence-value.ts'
import { writeCcf } from './ccf-message.ts'
import { writeJsonCdc } from './json-value.ts'

const lineBreak = 0x0a

/**
 * Appends the payload of an event as a node gives it in the encoding asked for.
 * @param values of the shape's fields, in their order
 * @throws TypeError where a value is not of its field's type
 */
export function writeEventPayload(
  out: ByteWriter,
  shape: EventShape,
  values: readonly CadenceValue[],
  encoding: EventEncoding,
): void {
  if (encoding === 'ccf') {
    writeCcf(out, shape, values)
    return
  }
  writeJsonCdc(out, shape, values)
  out.uint8(lineBreak)
}
