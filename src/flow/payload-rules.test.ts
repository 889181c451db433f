import { expect } from 'chai'
import { ByteWriter } from '../platform/byte-writer.ts'
import { expandingPayload } from '../../simnode/node/fault-edits.ts'
import type { CadenceType, CadenceValue, CompositeType, InterfaceType, Pairs } from './cadence-value.test-support.ts'
import { array, bytes, encodeCcf, head, tagged, text } from './ccf/ccf-encoder.test-support.ts'
import { encodeJsonCdc } from './json-cdc/json-cdc-encoder.test-support.ts'
import { mainnetEvents } from './mainnet-events.test-support.ts'
import { PayloadError, outputLimitOf, payloadLimits } from './payload-value.ts'
import type { PayloadErrorCode, PayloadValue } from './payload-value.ts'
import { fieldsOf } from './event-shape.ts'
import type { EventShape } from './event-shape.ts'
import { decodePayload, decodeValue, writePayloadValues } from './payload.ts'

const simple = (name: string): CadenceType => ({ kind: 'simple', name })
const uint8 = (data: bigint): CadenceValue => ({ type: simple('UInt8'), data })
const string = (data: string): CadenceValue => ({ type: simple('String'), data })
const struct: CompositeType = {
  kind: 'composite',
  form: 'Struct',
  id: 'A.0000000000000001.C.S',
  fields: [{ name: 'x', type: simple('Int') }],
}

/** The field `field` of an event with one field. Asserts that all decoders agree. */
function flattened(
  value: CadenceValue,
  options: { place?: CadenceType; id?: string; field?: string; types?: Array<CompositeType | InterfaceType> } = {},
): unknown {
  const { id = 'A.0000000000000001.C.Happened', field = 'field' } = options
  const fields = [{ name: field, type: options.place ?? value.type }]
  const type: CompositeType = { kind: 'composite', form: 'Event', id, fields }
  const event: CadenceValue = { type, data: [value] }
  const ccf = encodeCcf(event, [type, ...(options.types ?? [])])
  const decoded = decodePayload(id, ccf)
  for (const payload of [ccf, encodeJsonCdc(event, 'sorted')]) {
    expect(decodePayload(id, payload)).to.deep.equal(decoded)
    const { shape, text } = written(id, payload)
    expect(fieldsOf(shape, JSON.parse(text) as PayloadValue[])).to.deep.equal(decoded)
  }
  return decoded[field]
}

function written(type: string, payload: Buffer): { shape: EventShape; text: string } {
  const out = new ByteWriter(16)
  const shape = writePayloadValues(type, payload, out)
  return { shape, text: out.view().toString('utf8') }
}

function codeOf(decode: () => unknown): PayloadErrorCode | undefined {
  try {
    decode()
    return undefined
  } catch (error) {
    expect(error).to.be.instanceOf(PayloadError)
    return (error as PayloadError).code
  }
}

describe('flattened form', () => {
  it('matches the fields of mainnet events', () => {
    for (const { ccf, json, fields } of mainnetEvents) {
      const { id } = (JSON.parse(json) as { value: { id: string } }).value
      expect(decodePayload(id, Buffer.from(ccf, 'hex'))).to.deep.equal(fields)
      expect(decodePayload(id, Buffer.from(json))).to.deep.equal(fields)
      expect(written(id, Buffer.from(ccf, 'hex'))).to.deep.equal({
        shape: { type: id, fields: Object.keys(fields) },
        text: JSON.stringify(Object.values(fields)),
      })
    }
  })

  const numbers: Array<[type: string, data: bigint, text: string]> = [
    ['UInt64', (1n << 64n) - 1n, '18446744073709551615'],
    ['UInt64', 1n << 53n, '9007199254740992'],
    ['UInt64', 125_764_308_943_568_897n, '125764308943568897'],
    ['Int64', -(1n << 63n), '-9223372036854775808'],
    ['Int64', -(1n << 32n), '-4294967296'],
    ['Int8', -128n, '-128'],
    ['Int', 0n, '0'],
    ['Int', -(10n ** 40n), `-1${'0'.repeat(40)}`],
    ['UInt256', (1n << 256n) - 1n, ((1n << 256n) - 1n).toString()],
    ['UFix64', 1n, '0.00000001'],
    ['UFix64', (1n << 64n) - 1n, '184467440737.09551615'],
    ['Fix64', -50_000_000n, '-0.50000000'],
    ['Fix64', -(1n << 63n), '-92233720368.54775808'],
    ['UFix128', 1n, '0.000000000000000000000001'],
    ['Fix128', -1_500_000_000_000_000_000_000_000n, '-1.500000000000000000000000'],
  ]
  for (const [type, data, expected] of numbers) {
    it(`writes the ${type} ${expected} as a decimal string`, () => {
      expect(flattened({ type: simple(type), data })).to.equal(expected)
    })
  }

  it('writes addresses with all digits, and bytes as hex', () => {
    expect(flattened({ type: simple('Address'), data: 1n })).to.equal('0x0000000000000001')
    const type: CadenceType = { kind: 'array', element: simple('UInt8') }
    expect(flattened({ type, data: [0n, 23n, 24n, 255n].map(uint8) })).to.equal('0x001718ff')
    expect(flattened({ type: { ...type, size: 1 }, data: [uint8(9n)] })).to.equal('0x09')
  })

  it('writes items that are all UInt8 as bytes, even in an array of another type', () => {
    const place: CadenceType = { kind: 'array', element: simple('AnyStruct') }
    expect(flattened({ type: place, data: [uint8(7n), uint8(200n)] })).to.equal('0x07c8')
    expect(flattened({ type: place, data: [uint8(7n), string('a')] })).to.deep.equal(['7', 'a'])
  })

  it('writes an empty array as [], or as 0x in the byte fields of EVM.TransactionExecuted', () => {
    const type: CadenceType = { kind: 'array', element: simple('UInt8') }
    const evm = 'A.e467b9dd11fa00df.EVM.TransactionExecuted'
    expect(flattened({ type, data: [] })).to.deep.equal([])
    expect(flattened({ type, data: [] }, { id: evm, field: 'logs' })).to.equal('0x')
    expect(flattened({ type, data: [uint8(1n)] }, { id: evm, field: 'logs' })).to.equal('0x01')
    expect(flattened({ type, data: [] }, { id: evm, field: 'other' })).to.deep.equal([])
    const dictionary: CadenceType = { kind: 'dictionary', key: simple('String'), value: simple('String') }
    expect(flattened({ type: dictionary, data: { pairs: [] } }, { id: evm, field: 'logs' })).to.deep.equal({})
  })

  it('preserves dictionary entries whose keys have equal text', () => {
    const type: CadenceType = { kind: 'dictionary', key: simple('HashableStruct'), value: simple('String') }
    const one: CadenceValue = { type: simple('Int'), data: 1n }
    const pairs: Pairs['pairs'] = [
      [string('1'), string('text')],
      [one, string('number')],
    ]
    expect(flattened({ type, data: { pairs } })).to.deep.equal([
      { key: '1', value: 'number' },
      { key: '1', value: 'text' },
    ])
  })

  it('orders such entries alike even if the encodings order nested values differently', () => {
    const inner: CadenceType = { kind: 'dictionary', key: simple('String'), value: simple('String') }
    const type: CadenceType = { kind: 'dictionary', key: simple('String'), value: inner }
    const one: CadenceValue = { type: inner, data: { pairs: ['a', 'd'].map((key) => [string(key), string('x')]) } }
    const two: CadenceValue = { type: inner, data: { pairs: ['b', 'c'].map((key) => [string(key), string('x')]) } }
    const pairs = [one, two, one].map((value): [CadenceValue, CadenceValue] => [string('k'), value])
    expect(flattened({ type, data: { pairs } })).to.have.lengthOf(3)
  })

  it('writes non-text keys as JSON', () => {
    const type: CadenceType = { kind: 'dictionary', key: simple('Bool'), value: simple('String') }
    const pairs: Pairs['pairs'] = [[{ type: simple('Bool'), data: true }, string('yes')]]
    expect(flattened({ type, data: { pairs } })).to.deep.equal({ true: 'yes' })
  })

  it('preserves a field named __proto__', () => {
    const id = 'A.0000000000000001.C.Happened'
    const definedFields = [{ name: '__proto__', type: simple('Int') }]
    const type: CompositeType = { kind: 'composite', form: 'Event', id, fields: definedFields }
    const fields = decodePayload(id, encodeCcf({ type, data: [{ type: simple('Int'), data: 1n }] }, [type]))
    expect(Object.keys(fields)).to.deep.equal(['__proto__'])
    expect(Object.getPrototypeOf(fields)).to.equal(Object.prototype)
  })

  it('escapes U+0000 and replaces invalid Unicode', () => {
    expect(flattened(string('a\0b'))).to.equal('a\\u0000b')
    const invalid = tagged(130, array([tagged(137, head(0, 1n)), Buffer.from('63ffed61', 'hex')]))
    expect(decodeValue(invalid)).to.equal('\uFFFD\uFFFDa')
    const type: CompositeType = {
      kind: 'composite',
      form: 'Event',
      id: 'A.0000000000000001.C.Happened',
      fields: [{ name: 'f', type: simple('String') }],
    }
    const ccf = encodeCcf({ type, data: [string('123')] }, [type])
    ccf.set(Buffer.from('ffed61', 'hex'), ccf.length - 3)
    expect(JSON.parse(written(type.id, ccf).text)).to.deep.equal(['\uFFFD\uFFFDa'])
    expect(decodeValue(Buffer.from('{"type":"String","value":"\\ud800x"}'))).to.equal('\uFFFDx')
  })

  const types: Array<[CadenceType, string]> = [
    [{ kind: 'optional', element: simple('Int') }, '(Int)?'],
    [{ kind: 'array', element: simple('UInt8') }, '[UInt8]'],
    [{ kind: 'array', element: simple('UInt8'), size: 32 }, '[UInt8;32]'],
    [{ kind: 'dictionary', key: simple('String'), value: simple('Int') }, '{String:Int}'],
    [{ kind: 'reference', authorization: { kind: 'none' }, referenced: struct }, '&A.0000000000000001.C.S'],
    [
      { kind: 'reference', authorization: { kind: 'disjunction', entitlements: ['B', 'A'] }, referenced: struct },
      'auth(A|B)&A.0000000000000001.C.S',
    ],
    [{ kind: 'capability', borrowType: null }, 'Capability'],
    [{ kind: 'range', element: simple('Int') }, 'InclusiveRange<Int>'],
    [
      {
        kind: 'function',
        view: true,
        typeParameters: [],
        parameters: [simple('Int'), struct],
        returnType: simple('Int'),
      },
      'view fun(Int,A.0000000000000001.C.S):Int',
    ],
  ]
  for (const [stands, expected] of types) {
    it(`writes the type ${expected} as Cadence names it`, () => {
      expect(flattened({ type: simple('Type'), data: { stands } })).to.equal(expected)
    })
  }

  it('writes composite values by kind', () => {
    const types = [struct]
    const raw = { name: 'rawValue', type: simple('UInt8') }
    const enumType: CompositeType = { kind: 'composite', form: 'Enum', id: 'A.0000000000000001.C.E', fields: [raw] }
    expect(flattened({ type: struct, data: [{ type: simple('Int'), data: 4n }] }, { types })).to.deep.equal({ x: '4' })
    expect(flattened({ type: enumType, data: [uint8(2n)] }, { types: [enumType] })).to.equal('2')
    const borrowType: CadenceType = { kind: 'reference', authorization: { kind: 'none' }, referenced: struct }
    const capability: CadenceValue = { type: { kind: 'capability', borrowType }, data: { address: 5n, id: 9n } }
    expect(flattened(capability, { types })).to.deep.equal({
      id: '9',
      address: '0x0000000000000005',
      borrowType: '&A.0000000000000001.C.S',
    })
    const path: CadenceValue = { type: simple('StoragePath'), data: { domain: 'storage', identifier: 'a' } }
    expect(flattened(path)).to.equal('/storage/a')
    expect(flattened({ type: simple('Type'), data: { stands: null } })).to.equal(null)
  })
})

describe('JSON-CDC before Cadence 1.0', () => {
  const json = (value: unknown): unknown => decodeValue(Buffer.from(JSON.stringify(value)))

  it('reads static types written as text', () => {
    const staticType = 'A.0b2a3299cc857e29.TopShot.NFT'
    expect(json({ type: 'Type', value: { staticType } })).to.equal(staticType)
  })

  it('reads capabilities with a path and links', () => {
    const path = { type: 'Path', value: { domain: 'public', identifier: 'flowTokenReceiver' } }
    const value = { path, address: '0x01', borrowType: '&AnyResource{A.f233dcee88fe0abe.FungibleToken.Receiver}' }
    expect(json({ type: 'Capability', value })).to.deep.equal({
      id: null,
      address: '0x0000000000000001',
      borrowType: '&AnyResource{A.f233dcee88fe0abe.FungibleToken.Receiver}',
      path: '/public/flowTokenReceiver',
    })
    expect(json({ type: 'Link', value: { targetPath: path, borrowType: '&Int' } })).to.deep.equal({
      targetPath: '/public/flowTokenReceiver',
      borrowType: '&Int',
    })
  })

  it('reads restricted types and authorized and unauthorized references', () => {
    const nft = { kind: 'Resource', typeID: 'A.1.N.NFT', fields: [], initializers: [], type: '' }
    const restricted = { kind: 'Restriction', typeID: '', type: nft, restrictions: [{ ...nft, typeID: 'A.1.I' }] }
    const staticType = { kind: 'Reference', authorized: true, type: restricted }
    expect(json({ type: 'Type', value: { staticType } })).to.equal('auth&A.1.N.NFT{A.1.I}')
  })

  it('names an attachment field by its type', () => {
    const attachment = { type: 'Attachment', value: { id: 'A.1.C.A', fields: [] } }
    expect(json({ type: 'Struct', value: { id: 'A.1.C.S', fields: [{ name: '', value: attachment }] } })).to.deep.equal(
      {
        'A.1.C.A': {},
      },
    )
  })
})

describe('hostile payloads', () => {
  const event = 'A.0000000000000001.C.Happened'
  /** An event with one field. The definition is encoded by hand and may be invalid. */
  const eventWith = (fieldType: Buffer, value: Buffer, name = 'f'): Buffer => {
    const fields = array([array([text(name), fieldType])])
    const definitions = array([tagged(162, array([bytes(Buffer.alloc(0)), text(event), fields]))])
    return tagged(129, array([definitions, array([tagged(136, bytes(Buffer.alloc(0))), array([value])])]))
  }
  const anyStruct = tagged(137, head(0, 39n))
  const jsonEvent = (fields: unknown): Buffer =>
    Buffer.from(JSON.stringify({ type: 'Event', value: { id: event, fields } }))
  const both = (payload: Buffer): unknown => {
    const code = codeOf(() => written(event, payload))
    expect(codeOf(() => decodePayload(event, payload))).to.equal(code)
    return code
  }

  it('rejects a length beyond the payload before allocating memory', () => {
    const list = tagged(139, tagged(137, head(0, 12n)))
    for (const length of [1n << 20n, 1n << 40n, (1n << 64n) - 1n]) {
      expect(both(eventWith(list, head(4, length)))).to.equal('ccf-truncated')
      expect(both(eventWith(tagged(137, head(0, 1n)), head(3, length)))).to.equal('ccf-truncated')
    }
  })

  /** Nested lists, each with its type. */
  const nestedLists = (levels: number): Buffer => {
    let value: Buffer = Buffer.from([0xf6])
    for (let level = 0; level < levels; level++) value = tagged(130, array([tagged(139, anyStruct), array([value])]))
    return value
  }

  it('decodes deeply nested values and rejects unbounded nesting', () => {
    expect(both(eventWith(anyStruct, nestedLists(200)))).to.equal(undefined)
    expect(both(eventWith(anyStruct, nestedLists(2000)))).to.equal('payload-too-deep')
    const json = `${'{"type":"Optional","value":'.repeat(100_000)}null${'}'.repeat(100_000)}`
    const payload = `{"type":"Event","value":{"id":"A","fields":[{"name":"f","value":${json}}]}}`
    expect(both(Buffer.from(payload))).to.equal('payload-too-deep')
  })

  it('rejects unbounded type nesting', () => {
    const type = Buffer.concat([Buffer.from('d88a'.repeat(100_000), 'hex'), anyStruct])
    expect(both(eventWith(type, Buffer.from([0xf6])))).to.equal('payload-too-deep')
    const typeValue = Buffer.concat([Buffer.from('d8bb'.repeat(100_000), 'hex'), Buffer.from('d8b904', 'hex')])
    expect(both(eventWith(tagged(137, head(0, 41n)), typeValue))).to.equal('payload-too-deep')
  })

  const structs = (count: number, nameLength: number): Buffer =>
    expandingPayload({ type: event, structs: count, nameLength })

  it('limits the text to a multiple of the payload', () => {
    const textOf = (payload: Buffer): number => {
      const out = new ByteWriter(16)
      writePayloadValues(event, payload, out)
      expect(out.limit).to.equal(Number.POSITIVE_INFINITY)
      return out.position
    }
    const within = structs(33, 57_000)
    expect(textOf(within)).to.be.within(31 * within.length, outputLimitOf(within.length))
    expect(codeOf(() => textOf(structs(35, 57_000)))).to.equal('payload-too-large')
    // The text was 64 MiB before.
    expect(codeOf(() => textOf(structs(1100, 57_000)))).to.equal('payload-too-large')
  })

  it('writes text up to exactly the given limit', () => {
    const payload = structs(3, 20)
    const out = new ByteWriter(16)
    writePayloadValues(event, payload, out)
    const { position: length } = out
    out.clear()
    writePayloadValues(event, payload, out, length)
    expect(out.position).to.equal(length)
    expect(codeOf(() => writePayloadValues(event, payload, out, length - 1))).to.equal('payload-too-large')
    expect(out.position).to.equal(length)
    const json = jsonEvent([{ name: 'f', value: { type: 'String', value: 'é'.repeat(50) } }])
    out.clear()
    writePayloadValues(event, json, out)
    const { position: jsonLength } = out
    out.clear()
    writePayloadValues(event, json, out, jsonLength)
    expect(codeOf(() => writePayloadValues(event, json, out, jsonLength - 1))).to.equal('payload-too-large')
    expect(out.position).to.equal(jsonLength)
  })

  it('rejects types that repeat a long name', () => {
    const id = Buffer.from([1])
    const eventOfFields = (count: number): Buffer => {
      const intersection = tagged(143, array([tagged(136, bytes(id))]))
      const fields = array(Array.from({ length: count }, (_, i) => array([text(`f${i}`), intersection])))
      const definitions = array([
        tagged(162, array([bytes(Buffer.alloc(0)), text(event), fields])),
        tagged(176, array([bytes(id), text('n'.repeat(30_000))])),
      ])
      const values = array(Array.from({ length: count }, () => Buffer.from([0xf6])))
      return tagged(129, array([definitions, array([tagged(136, bytes(Buffer.alloc(0))), values])]))
    }
    expect(both(eventOfFields(100))).to.equal(undefined)
    expect(both(eventOfFields(3000))).to.equal('payload-too-large')
  })

  it('rejects dictionary keys whose text doubles at each level, and long lists of repeated pairs', () => {
    const dictionary = tagged(141, array([anyStruct, anyStruct]))
    const nested = (levels: number): Buffer => {
      let value: Buffer = tagged(130, array([tagged(137, head(0, 1n)), text('"')]))
      for (let i = 0; i < levels; i++) value = tagged(130, array([dictionary, array([value, Buffer.from([0xf6])])]))
      return value
    }
    expect(both(eventWith(anyStruct, nested(3)))).to.equal(undefined)
    expect(both(eventWith(anyStruct, nested(100)))).to.equal('payload-too-large')
    const one = (length: number): Buffer => {
      const number = tagged(130, array([tagged(137, head(0, 12n)), head(0, 1n)]))
      const name = tagged(130, array([tagged(137, head(0, 1n)), text('1')]))
      const value = tagged(130, array([tagged(137, head(0, 1n)), text('v'.repeat(length))]))
      return array([number, value, name, value])
    }
    expect(both(eventWith(dictionary, one(30_000)))).to.equal(undefined)
    expect(both(eventWith(dictionary, one(40_000)))).to.equal('payload-too-large')
  })

  it('quotes only a short part of a payload in the message', () => {
    const payload = Buffer.from(
      JSON.stringify({
        type: 'Event',
        value: { id: event, fields: [{ name: 'f', value: { type: 'x'.repeat(200_000) } }] },
      }),
    )
    try {
      decodePayload(event, payload)
      expect.fail('decoded')
    } catch (error) {
      expect(error).to.be.instanceOf(PayloadError)
      expect((error as PayloadError).message.length).to.be.below(400)
    }
  })

  it('rejects an integer that takes too long to format', () => {
    const integer = tagged(2, bytes(Buffer.alloc(payloadLimits.integerBytes + 1, 0xff)))
    expect(both(eventWith(tagged(137, head(0, 4n)), integer))).to.equal('payload-too-large')
  })

  it('rejects values outside their type', () => {
    expect(both(eventWith(tagged(137, head(0, 12n)), head(0, 256n)))).to.equal('ccf-malformed')
    expect(both(eventWith(tagged(137, head(0, 5n)), head(1, 128n)))).to.equal('ccf-malformed')
    expect(both(eventWith(tagged(137, head(0, 11n)), tagged(3, bytes(Buffer.from([1])))))).to.equal('ccf-malformed')
    expect(both(eventWith(tagged(137, head(0, 3n)), bytes(Buffer.alloc(7))))).to.equal('ccf-malformed')
    const list = tagged(139, tagged(137, head(0, 12n)))
    expect(both(eventWith(list, array([head(0, 1n), text('a')])))).to.equal('ccf-malformed')
    const dictionary = tagged(141, array([tagged(137, head(0, 12n)), tagged(137, head(0, 12n))]))
    expect(both(eventWith(dictionary, array([head(0, 1n)])))).to.equal('ccf-malformed')
    expect(both(Buffer.concat([eventWith(anyStruct, Buffer.from([0xf6])), Buffer.from([0])]))).to.equal('ccf-malformed')
    const items = [{ type: 'UInt8', value: '256' }]
    expect(both(jsonEvent([{ name: 'f', value: { type: 'Array', value: items } }]))).to.equal('json-cdc-malformed')
  })

  it('rejects two fields with the same name', () => {
    const field = array([text('f'), anyStruct])
    const id = bytes(Buffer.alloc(0))
    const definitions = array([tagged(162, array([id, text(event), array([field, field])]))])
    const nils = Buffer.from([0xf6])
    const value = array([tagged(136, id), array([nils, nils])])
    expect(both(tagged(129, array([definitions, value])))).to.equal('ccf-malformed')
    const named = { name: 'f', value: { type: 'Void' } }
    expect(both(jsonEvent([named, named]))).to.equal('json-cdc-malformed')
    expect(both(jsonEvent([named]))).to.equal(undefined)
  })
})
