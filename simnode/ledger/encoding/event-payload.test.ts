import { expect } from 'chai'
import { ByteWriter } from '../../../src/platform/byte-writer.ts'
import { readRecordedEvents, recordingFiles } from '../../replay/recorded-events.ts'
import type { EventShape } from './cadence-type.ts'
import type { CadenceValue } from './cadence-value.ts'
import { readCcf } from './ccf-reader.test-support.ts'
import { writeEventPayload } from './event-payload.ts'

function encode(shape: EventShape, values: readonly CadenceValue[], encoding: 'ccf' | 'json-cdc'): Buffer {
  const out = new ByteWriter(16)
  writeEventPayload(out, shape, values, encoding)
  return out.view()
}

describe('payloads of simulated events', () => {
  for (const folder of ['base', 'fork'] as const) {
    for (const file of recordingFiles(folder)) {
      it(`come out of the values of ${folder}/${file} byte for byte as recorded, in both encodings`, () => {
        for (const { type, ccf, json } of readRecordedEvents(folder, file)) {
          const event = readCcf(ccf)
          const [shape, values] = [event.type as EventShape, event.value as CadenceValue[]]
          expect(encode(shape, values, 'ccf').toString('hex'), `${type} in CCF`).to.equal(ccf.toString('hex'))
          expect(encode(shape, values, 'json-cdc').toString(), `${type} in JSON-CDC`).to.equal(json.toString())
        }
      })
    }
  }
})
