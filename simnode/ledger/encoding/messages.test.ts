import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import fc from 'fast-check'
import { readTransactionResponse } from '../../../src/access/wire/read-transactions.ts'
import { bytesField, bytesOf, contentsOf, numberOf } from '../../node/wire.ts'
import { loadRecording, readRecordedEvents, recordingFiles } from '../../replay/recording.ts'
import type { RecordedBlock } from '../../replay/recording.ts'
import {
  collectionMessages,
  fullBlockMessage,
  headerMessage,
  lightBlockMessage,
  resultMessages,
  transactionMessages,
  writeEventPayload,
} from './messages.ts'
import type { BlockParts, ResultParts } from './messages.ts'
import type { EventShape, CadenceType, Field, CadenceValue } from './cadence.ts'
import { readCcf } from './ccf-reader.test-support.ts'
import { ByteWriter } from '../../../src/platform/byte-writer.ts'
import { anyEvent } from '../../../src/flow/cadence-value.test-support.ts'
import type * as oracle from '../../../src/flow/cadence-value.test-support.ts'
import { encodeCcf } from '../../../src/flow/ccf/ccf-encoder.test-support.ts'
import { decodePayload } from '../../../src/flow/payload.ts'
import { isAbstract } from './cadence.ts'

const folder = fileURLToPath(new URL('../../../test/recordings/base', import.meta.url))

/** Parts of the block, from its messages. */
function partsOf({ id, parentId, height, header, timestampNs, collections, collectionIds }: RecordedBlock): BlockParts {
  return {
    id,
    parentId,
    height,
    view: numberOf(header, 6),
    timestampNs,
    payloadHash: bytesOf(header, 5),
    chainId: bytesOf(header, 11).toString(),
    collections: collections.map((collection, index) => ({
      id: collectionIds[index] as Buffer,
      transactionIds: contentsOf(collection, 2),
    })),
  }
}

function resultOf(ccf: Buffer): ResultParts {
  return {
    transactionId: bytesOf(ccf, 6),
    collectionId: bytesOf(ccf, 7),
    computation: numberOf(ccf, 10),
    error: numberOf(ccf, 2) === 0 ? undefined : bytesOf(ccf, 3).toString(),
    events: contentsOf(ccf, 4).map((event) => {
      const { type, value } = readCcf(bytesOf(event, 5))
      return { shape: type as EventShape, values: value as CadenceValue[] }
    }),
  }
}

const hexOf = (messages: readonly Buffer[]): string[] => messages.map((message) => message.toString('hex'))

describe('messages of simulated blocks', () => {
  let blocks: readonly RecordedBlock[]

  before(async () => {
    const { versions } = await loadRecording(folder)
    blocks = [...versions.values()].flatMap((version) => version.blocks)
    expect(blocks).to.have.lengthOf(281)
  })

  it('match recorded blocks byte for byte', () => {
    for (const block of blocks) {
      const parts = partsOf(block)
      expect(headerMessage(parts), `header of ${block.height}`).to.deep.equal(block.header)
      expect(lightBlockMessage(parts), `light block ${block.height}`).to.deep.equal(block.light)
      expect(fullBlockMessage(parts), `full block ${block.height}`).to.deep.equal(block.full)
      expect(collectionMessages(parts.collections)).to.deep.equal(block.collections)
    }
  })

  it('match recorded transactions byte for byte', () => {
    for (const { transactions } of blocks) {
      const bodies = transactions.map((message) => readTransactionResponse(bytesField(1, message)))
      expect(transactionMessages(bodies)).to.deep.equal(transactions)
    }
  })

  it('match recorded results in both encodings byte for byte', () => {
    for (const block of blocks) {
      const results = block.results.ccf.map(resultOf)
      for (const encoding of ['ccf', 'json-cdc'] as const) {
        const made = hexOf(resultMessages(block, results, encoding))
        expect(made, `${encoding} at ${block.height}`).to.deep.equal(hexOf(block.results[encoding]))
      }
    }
  })
})

function encode(shape: EventShape, values: readonly CadenceValue[], encoding: 'ccf' | 'json-cdc'): Buffer {
  const out = new ByteWriter(16)
  writeEventPayload(out, shape, values, encoding)
  return out.view()
}

describe('payloads of simulated events', () => {
  for (const folder of ['base', 'fork'] as const) {
    for (const file of recordingFiles(folder)) {
      it(`are encoded from the values of ${folder}/${file} byte for byte as recorded, in both encodings`, () => {
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

/** Converts types and values of the tests' independent model to the ledger's. */
class Translation {
  readonly #known = new Map<oracle.CadenceType, CadenceType>()

  type(type: oracle.CadenceType): CadenceType {
    const known = this.#known.get(type)
    if (known !== undefined) return known
    const inner = (part: oracle.CadenceType): CadenceType => this.type(part)
    switch (type.kind) {
      case 'simple':
        return type.name as CadenceType
      case 'optional':
        return { kind: 'optional', element: inner(type.element) }
      case 'range':
        return { kind: 'range', element: inner(type.element) }
      case 'array': {
        const element = inner(type.element)
        return type.size === undefined ? { kind: 'array', element } : { kind: 'array', element, size: type.size }
      }
      case 'dictionary':
        return { kind: 'dictionary', key: inner(type.key), value: inner(type.value) }
      case 'reference':
        return { kind: 'reference', authorization: type.authorization, referenced: inner(type.referenced) }
      case 'intersection':
        return { kind: 'intersection', members: type.members.map(inner) } as CadenceType
      case 'capability':
        return { kind: 'capability', borrowType: type.borrowType === null ? null : inner(type.borrowType) }
      case 'function':
        return {
          kind: 'function',
          view: type.view,
          parameters: type.parameters.map(inner),
          returnType: inner(type.returnType),
          typeParameters: type.typeParameters.map(({ name, bound }) => {
            return { name, bound: bound === null ? null : inner(bound) }
          }),
        }
      case 'interface':
        return {
          kind: type.form.replace('Interface', '-interface').toLowerCase(),
          id: type.id,
          fields: [],
        } as unknown as CadenceType
      case 'composite': {
        const fields: Field[] = []
        const made = { kind: type.form.toLowerCase(), id: type.id, fields } as unknown as CadenceType
        this.#known.set(type, made)
        fields.push(...type.fields.map((field) => ({ name: field.name, type: inner(field.type) })))
        return made
      }
    }
  }

  value(place: oracle.CadenceType, { type, data }: oracle.CadenceValue): CadenceValue {
    if (place.kind === 'reference') return this.value(place.referenced, { type, data })
    if (isAbstract(this.type(place))) {
      if (data === null && type === place) return null
      return { type: this.type(type), value: this.value(type, { type, data }) }
    }
    const list = (items: unknown, of: (index: number) => oracle.CadenceType): CadenceValue[] =>
      (items as oracle.CadenceValue[]).map((item, index) => this.value(of(index), item))
    switch (place.kind) {
      case 'simple':
        return scalar(this, place.name, data)
      case 'optional':
        return data === null ? null : this.value(place.element, data as oracle.CadenceValue)
      case 'array':
      case 'range':
        return list(data, () => place.element)
      case 'dictionary':
        return (data as oracle.Pairs).pairs.map(([key, item]) => [
          this.value(place.key, key),
          this.value(place.value, item),
        ])
      case 'composite':
        return list(data, (index) => place.fields[index]?.type as oracle.CadenceType)
      case 'capability': {
        const { address, id } = data as oracle.CapabilityOf
        const value = [addressOf(address), id]
        return type === place ? value : { type: this.type(type), value }
      }
      default:
        throw new Error(`no value has the type ${place.kind}`)
    }
  }
}

function scalar(translation: Translation, name: string, data: oracle.CadenceValue['data']): CadenceValue {
  if (name === 'Address') return addressOf(data as bigint)
  if (name === 'Type') {
    const { stands } = data as oracle.TypeOf
    return { staticType: stands === null ? null : translation.type(stands) }
  }
  if (name.endsWith('Path')) return `/${(data as oracle.Path).domain}/${(data as oracle.Path).identifier}`
  return data as CadenceValue
}

function addressOf(address: bigint): Buffer {
  return Buffer.from(address.toString(16).padStart(16, '0'), 'hex')
}

describe('payloads of generated events', () => {
  it('match the payloads of the decoder tests in both encodings', () => {
    fc.assert(
      fc.property(anyEvent, ({ event, types }) => {
        const translation = new Translation()
        const shape = translation.type(event.type) as EventShape
        const values = translation.value(event.type, event) as CadenceValue[]
        const expected = decodePayload(shape.id, encodeCcf(event, types))
        for (const encoding of ['ccf', 'json-cdc'] as const) {
          const out = new ByteWriter(16)
          writeEventPayload(out, shape, values, encoding)
          expect(decodePayload(shape.id, out.view()), encoding).to.deep.equal(expected)
        }
      }),
      { numRuns: 300 },
    )
  })
})
