import { expect } from 'chai'
import fc from 'fast-check'
import { createEmptyDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { copyInto } from '../platform/db/copy-into.ts'
import { CopyWriter } from '../platform/db/copy-writer.ts'
import { writeArguments, writeSignatures } from './transaction-fields.ts'
import { fromBinary } from '@bufbuild/protobuf'
import { TransactionSchema } from '../access/gen/flow/entities/transaction_pb.ts'
import type { SignatureMessage } from '../access/messages.ts'
import { blockOf } from './blocks.test-support.ts'

const undecoded = (argument: Buffer) => ({ undecoded: `0x${argument.toString('hex')}` })

describe('writing arguments', () => {
  let database: TestDatabase

  before(async () => {
    database = await createEmptyDatabase()
    await database.pool.query('create table stored (position int4, arguments jsonb)')
  })

  after(() => database.drop())

  /** PostgreSQL's value for each list of arguments. */
  async function stored(...lists: (string | Buffer)[][]): Promise<unknown[]> {
    const rows = new CopyWriter()
    for (const [position, list] of lists.entries()) {
      rows.row(2)
      rows.int4(position)
      writeArguments(
        rows,
        list.map((argument) => Buffer.from(argument as string)),
      )
    }
    const client = await database.pool.connect()
    try {
      await client.query('truncate stored')
      await copyInto(client, 'stored', ['position', 'arguments'], rows)
      const { rows: read } = await client.query<{ arguments: unknown }>(
        'select arguments from stored order by position',
      )
      return read.map((row) => row.arguments)
    } finally {
      client.release()
    }
  }

  const asReceived: Record<string, string> = {
    'a simple value': '{"value":"10.00000000","type":"UFix64"}',
    'the same with its keys the other way round and a newline': '{"type":"UFix64","value":"10.00000000"}\n',
    'an empty text': '{"value":"","type":"String"}',
    'text with escapes': String.raw`{"value":"a\"b\\c\n\u00e9\ud83d\ude00","type":"String"}`,
    'text that is not ASCII': '{"value":"é漢👍🏽","type":"String"}',
    'a bool and an optional': '{"type":"Optional","value":{"type":"Bool","value":true}}',
    nothing: '{"type":"Optional","value":null}',
    'an array of structs':
      '{"type":"Array","value":[{"type":"Struct","value":{"id":"A.01.C.S","fields":[' +
      '{"name":"x","value":{"type":"Int","value":"1"}}]}}]}',
    'a very large integer in text': `{"type":"Int","value":"${'9'.repeat(2000)}"}`,
    'nesting as deep as real arguments are': `${'{"type":"Optional","value":'.repeat(200)}null${'}'.repeat(200)}`,
    'the key that objects inherit': '{"type":"Struct","__proto__":{"value":"1"},"constructor":"x"}',
  }
  for (const [what, argument] of Object.entries(asReceived)) {
    it(`preserves ${what}`, async () => {
      const { rows } = await database.pool.query<{ as_jsonb: unknown }>('select $1::jsonb as as_jsonb', [argument])
      expect(await stored([argument])).to.deep.equal([[rows[0]?.as_jsonb]])
    })
  }

  it('is null for no arguments and preserves the order of several', async () => {
    const [one, two] = ['{"value":"1","type":"Int"}', '{"type":"Int",  "value":"2"}']
    expect(await stored([], [one, two, one])).to.deep.equal([
      null,
      [
        { value: '1', type: 'Int' },
        { value: '2', type: 'Int' },
        { value: '1', type: 'Int' },
      ],
    ])
  })

  it('escapes U+0000 and replaces unpaired surrogates, which text cannot hold', async () => {
    const nul = String.raw`{"type":"String","value":"a\u0000b"}`
    const half = String.raw`{"type":"String","value":"\ud800x"}`
    expect(await stored([nul, half])).to.deep.equal([
      [
        { type: 'String', value: String.raw`a\u0000b` },
        { type: 'String', value: '\uFFFDx' },
      ],
    ])
  })

  it('uses the last of duplicate keys, like the chain', async () => {
    expect(await stored(['{"type":"Int","value":"1","value":"2"}'])).to.deep.equal([[{ type: 'Int', value: '2' }]])
  })

  const hostile: Record<string, string | Buffer> = {
    'no bytes at all': '',
    'text that is not JSON': 'hello',
    'a bare number, whose digits jsonb would have to keep': '12',
    'a number too large for jsonb': '{"type":"Int","value":1e400000}',
    'a number with too many digits for jsonb': `{"type":"Int","value":1${'0'.repeat(200_000)}}`,
    'nesting that would be too deep for the server': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'objects nested too deep': `${'{"value":'.repeat(20_000)}null${'}'.repeat(20_000)}`,
    'a key that jsonb refuses': String.raw`{"a\u0000b":"1"}`,
    'bytes that are not UTF-8': Buffer.from('{"type":"String","value":"\xff\xfe"}', 'latin1'),
    'a byte 0': Buffer.from('{"type":"String","value":"\0"}', 'latin1'),
    'a byte order mark before the JSON': '\uFEFF{"type":"Int","value":"1"}',
    'two values': '{"type":"Int","value":"1"}{"type":"Int","value":"2"}',
    'an unfinished escape': String.raw`{"value":"\u00","type":"String"}`,
    'a simple value with a line break in it': '{"value":"a\nb","type":"String"}',
    'a simple value with two newlines behind it and a letter': '{"value":"a","type":"String"}\n\nx',
  }
  for (const [what, argument] of Object.entries(hostile)) {
    it(`stores the bytes of ${what}`, async () => {
      const bytes = Buffer.from(argument as string)
      const good = '{"value":"1","type":"Int"}'
      const neighbour = { value: '1', type: 'Int' }
      expect(await stored([good, bytes, good])).to.deep.equal([[neighbour, undecoded(bytes), neighbour]])
    })
  }

  it('stores any input without affecting adjacent rows', async () => {
    const json = fc.json({ maxDepth: 4 })
    const almostJson = fc.tuple(json, fc.nat(), fc.nat(255)).map(([text, at, byte]) => {
      const bytes = Buffer.from(text)
      if (bytes.length > 0) bytes[at % bytes.length] = byte
      return bytes
    })
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      json.map((text) => Buffer.from(text)),
      almostJson,
      fc.string({ unit: 'binary' }).map((value) => Buffer.from(JSON.stringify({ value, type: 'String' }))),
      fc.string({ unit: 'binary' }).map((value) => Buffer.from(`{"value":"${value}","type":"String"}`)),
    )
    const good = '{"value":"1","type":"Int"}'
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 20 }), async (list) => {
        const [[first, ...rest]] = (await stored([good, ...list, good])) as [unknown[]]
        expect(first).to.deep.equal({ value: '1', type: 'Int' })
        expect(rest.pop()).to.deep.equal({ value: '1', type: 'Int' })
        for (const [i, argument] of list.entries()) {
          const isKept = rest[i] as { undecoded?: string } | null
          const isUndecoded = typeof isKept === 'object' && isKept?.undecoded !== undefined
          if (isUndecoded) expect(isKept).to.deep.equal(undecoded(argument))
        }
        expect(rest.length).to.equal(list.length)
      }),
      { numRuns: 150 },
    )
  })
})

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((content) => Buffer.from(content))
const signature: fc.Arbitrary<SignatureMessage> = fc.record({
  address: bytes(20),
  keyId: fc.oneof(fc.nat(200), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  signature: bytes(300),
  extensionData: bytes(20_000),
})

/** The field as sent to PostgreSQL; undefined means null. */
function written(payloadSignatures: SignatureMessage[], envelopeSignatures: SignatureMessage[]): Buffer | undefined {
  const [transaction] = blockOf(1, { transactions: [{ body: { payloadSignatures, envelopeSignatures } }] }).transactions
  const rows = new CopyWriter(1)
  if (transaction !== undefined) writeSignatures(rows, transaction)
  const field = rows.out.view()
  const length = field.readInt32BE(0)
  expect(field.length).to.equal(4 + Math.max(0, length))
  return length < 0 ? undefined : field.subarray(4)
}

describe('writing signatures', () => {
  it('is readable by the chain schema', () => {
    const some = fc.array(signature, { maxLength: 4 })
    fc.assert(
      fc.property(some, some, (payload, envelope) => {
        fc.pre(payload.length + envelope.length > 0)
        const read = fromBinary(TransactionSchema, written(payload, envelope) ?? Buffer.alloc(0))
        const plain = (all: typeof read.payloadSignatures): SignatureMessage[] =>
          all.map((one) => ({
            address: Buffer.from(one.address),
            keyId: one.keyId,
            signature: Buffer.from(one.signature),
            extensionData: Buffer.from(one.extensionData),
          }))
        expect(plain(read.payloadSignatures)).to.deep.equal(payload)
        expect(plain(read.envelopeSignatures)).to.deep.equal(envelope)
        expect(read.$unknown).to.equal(undefined)
      }),
      { numRuns: 200 },
    )
  })

  it('is null without signatures', () => {
    expect(written([], [])).to.equal(undefined)
  })
})
