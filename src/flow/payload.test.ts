import { expect } from 'chai'
import fc from 'fast-check'
import { ByteWriter } from '../platform/byte-writer.ts'
import { anyEvent } from './cadence-value.test-support.ts'
import { encodeCcf } from './ccf/ccf-encoder.test-support.ts'
import { encodeJsonCdc } from './json-cdc/json-cdc-encoder.test-support.ts'
import { fieldsOf } from './event-shape.ts'
import { PayloadError } from './payload-value.ts'
import type { PayloadValue } from './payload-value.ts'
import { decodePayload, payloadEncoding, writePayloadValues } from './payload.ts'
import { readRecordedEvents, recordedCounts, recordingFiles } from '../../simnode/replay/recording.ts'

const eventType = 'A.0000000000000001.C.Happened'

/** Parses the stored text and asserts that it equals the object. */
function flattened(type: string, payload: Buffer): unknown {
  const out = new ByteWriter(16)
  out.utf8('before')
  const shape = writePayloadValues(type, payload, out)
  expect(shape.type).to.equal(type)
  const text = out.view().toString('utf8')
  expect(text.startsWith('before[')).to.equal(true)
  const values = JSON.parse(text.slice('before'.length)) as PayloadValue[]
  expect(values).to.have.lengthOf(shape.fields.length)
  const parsed = fieldsOf(shape, values)
  expect(decodePayload(type, payload)).to.deep.equal(parsed)
  return parsed
}

/** Decodes both ways. @returns the error code, or undefined. Any other exception fails the test. */
function failure(payload: Buffer): string | undefined {
  const out = new ByteWriter(16)
  out.utf8('before')
  const codes = [() => writePayloadValues(eventType, payload, out), () => decodePayload(eventType, payload)].map(
    (decode) => {
      try {
        decode()
        return undefined
      } catch (error) {
        expect(error).to.be.instanceOf(PayloadError)
        return (error as PayloadError).code
      }
    },
  )
  expect(codes[0]).to.equal(codes[1])
  if (codes[0] !== undefined) expect(out.view().toString()).to.equal('before')
  return codes[0]
}

/** Positions, modulo the length of a payload, and their new bytes. */
const changedBytes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 })

/** Text that jsonb rejects: U+0000, half a surrogate pair. */
function hasForbiddenText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  return typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasForbiddenText)
}

describe('event payloads', () => {
  it('decode to the same fields from CCF and JSON-CDC, as text and as an object', () => {
    fc.assert(
      fc.property(anyEvent, ({ event, types }) => {
        const fromCcf = flattened(eventType, encodeCcf(event, types))
        expect(flattened(eventType, encodeJsonCdc(event, 'sorted'))).to.deep.equal(fromCcf)
        expect(flattened(eventType, encodeJsonCdc(event, 'type-first'))).to.deep.equal(fromCcf)
        expect(hasForbiddenText(fromCcf)).to.equal(false)
      }),
      { numRuns: 1500 },
    )
  })

  it('reject every truncation and leave the output unchanged', () => {
    fc.assert(
      fc.property(anyEvent, ({ event, types }) => {
        const ccf = encodeCcf(event, types)
        for (let length = 1; length < ccf.length; length++) {
          expect(failure(ccf.subarray(0, length)), `${length} bytes`).to.equal('ccf-truncated')
        }
        const json = encodeJsonCdc(event, 'sorted')
        const step = Math.ceil(json.length / 50)
        for (let length = 1; length < json.length - 1; length += step) {
          expect(failure(json.subarray(0, length))).to.equal('json-cdc-malformed')
        }
      }),
      { numRuns: 60 },
    )
  })

  it('decode any bytes to fields or a PayloadError', () => {
    fc.assert(
      fc.property(anyEvent, changedBytes, ({ event, types }, changes) => {
        for (const payload of [encodeCcf(event, types), encodeJsonCdc(event, 'sorted')]) {
          for (const [at, byte] of changes) payload[at % payload.length] = byte
          failure(payload)
        }
      }),
      { numRuns: 3000 },
    )
    fc.assert(
      fc.property(fc.constantFrom(129, 130), fc.uint8Array({ maxLength: 200 }), (tag, bytes) => {
        failure(Buffer.from([0xd8, tag, 0x82, ...bytes]))
      }),
      { numRuns: 3000 },
    )
  })

  it('have an encoding determined by the first byte', () => {
    expect(payloadEncoding(Buffer.from('d882', 'hex'))).to.equal('ccf')
    expect(payloadEncoding(Buffer.from('{}'))).to.equal('json-cdc')
    expect(payloadEncoding(Buffer.from('  {}'))).to.equal('json-cdc')
    expect(payloadEncoding(Buffer.alloc(0))).to.equal(undefined)
    expect(failure(Buffer.from([0xf9]))).to.equal('payload-unknown-encoding')
  })

  it('may be a plain Uint8Array', () => {
    const payload = new Uint8Array(Buffer.from('{"type":"Event","value":{"id":"A","fields":[]}}'))
    expect(decodePayload('A', payload)).to.deep.equal({})
  })
})

describe('event payloads of recorded blocks', () => {
  for (const folder of ['base', 'fork'] as const) {
    for (const file of recordingFiles(folder)) {
      it(`decode to the same fields in both encodings for every event of ${folder}/${file}`, () => {
        const events = readRecordedEvents(folder, file)
        expect(events).to.not.be.empty
        for (const { type, ccf, json } of events) {
          expect(flattened(type, json), type).to.deep.equal(flattened(type, ccf))
        }
      })
    }
  }

  it('decode to as many events of each type as with the reference decoder', () => {
    const counts: Record<string, number> = {}
    for (const { type, ccf } of recordingFiles('base').flatMap((file) => readRecordedEvents('base', file))) {
      decodePayload(type, ccf)
      counts[type] = (counts[type] ?? 0) + 1
    }
    expect(counts).to.deep.equal(recordedCounts('base'))
  })
})
