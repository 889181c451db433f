import { once } from 'node:events'
import { createServer } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import fc from 'fast-check'
import { FrameReader } from './frame-reader.ts'
import type { HeaderField } from './header-field.ts'
import { HpackDecoder } from './hpack-decoder.ts'
import { Http2Error } from './http2-error.ts'
import { frameType, preface } from './protocol.ts'
import { encodeHead } from '../http2-transport.ts'
import { staticTable } from './static-table.ts'
import { rawFrame } from '../testing/raw-http2-server.ts'

const limits = { tableSize: 4096, listSize: 65_536 }

function decoder(changed: Partial<typeof limits> = {}): HpackDecoder {
  return new HpackDecoder({ ...limits, ...changed })
}

function decode(hpack: HpackDecoder, hex: string): string[] | undefined {
  const bytes = Buffer.from(`ee${hex.replaceAll(' ', '')}ee`, 'hex')
  return hpack.decode(bytes, 1, bytes.length - 1)?.map(({ name, value }) => `${name}: ${value}`)
}

describe('HpackDecoder', () => {
  it('decodes the requests of RFC 7541, C.4', () => {
    const hpack = decoder()
    const request = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com']
    expect(decode(hpack, '828684418cf1e3c2e5f23a6ba0ab90f4ff')).to.deep.equal(request)
    expect(decode(hpack, '828684be5886a8eb10649cbf')).to.deep.equal([...request, 'cache-control: no-cache'])
    expect(decode(hpack, '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf')).to.deep.equal([
      ':method: GET',
      ':scheme: https',
      ':path: /index.html',
      ':authority: www.example.com',
      'custom-key: custom-value',
    ])
  })

  it('decodes the answers of RFC 7541, C.6, with a table that is too small for them', () => {
    const hpack = decoder({ tableSize: 256 })
    const date = 'date: Mon, 21 Oct 2013 20:13:21 GMT'
    const common = ['cache-control: private', date, 'location: https://www.example.com']
    const first =
      '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3'
    expect(decode(hpack, first)).to.deep.equal([':status: 302', ...common])
    expect(decode(hpack, '4883640effc1c0bf')).to.deep.equal([':status: 307', ...common])
    // The status 302 was forgotten for the 307: the table's oldest entry is what came after it.
    expect(decode(hpack, 'c1')).to.deep.equal(['cache-control: private'])
    expect(() => decode(hpack, 'c2')).to.throw(Http2Error)
  })

  it('decodes what it encodes', () => {
    const unit = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
    const text = fc.string({ unit, maxLength: 400 })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (fields) => {
        const block = encodeHead([[':method', 'POST'], [':scheme', 'https'], ...fields])
        const expected = [[':method', 'POST'], [':scheme', 'https'], ...fields]
        const decoded = decoder({ tableSize: 0, listSize: 1e6 }).decode(block, 0, block.length)
        expect(decoded?.map(({ name, value }) => [name, value])).to.deep.equal(expected)
      }),
    )
  })

  it('decodes what a simple encoder with a table makes, whatever it remembers and forgets', () => {
    const field = fc.record({
      name: fc.constantFrom('a', 'grpc-status', 'bb'),
      value: fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    })
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('remember' as const, 'once' as const, 'never' as const), field }),
      fc.record({ kind: fc.constant('again' as const), pick: fc.nat() }),
    )
    const block = fc.record({ resize: fc.option(fc.nat(300)), steps: fc.array(step, { maxLength: 12 }) })
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        const [hpack, table] = [decoder({ tableSize: 300 }), new TableModel(300)]
        for (const { resize, steps } of blocks) {
          const bytes: number[] = []
          if (resize !== null) bytes.push(...table.resize(resize))
          const expected: HeaderField[] = []
          for (const step of steps) {
            const known = step.kind === 'again' ? table.pick(step.pick) : undefined
            if (known !== undefined) {
              bytes.push(...integer(0x80, 7, known.index))
              expected.push(known.field)
            } else if (step.kind !== 'again') {
              bytes.push(...table.literal(step.kind, step.field))
              expected.push(step.field)
            }
          }
          expect(hpack.decode(Buffer.from(bytes), 0, bytes.length)).to.deep.equal(expected)
          const beyond = Buffer.from(integer(0x80, 7, staticTable.length + 1 + table.length))
          expect(() => hpack.decode(beyond, 0, beyond.length)).to.throw(Http2Error)
        }
      }),
    )
  })

  it('decodes what node:http2 makes of any headers, Huffman code and table included', async () => {
    const sent: string[][] = []
    const blocks = await blocksOfNode(sent)
    const hpack = decoder({ listSize: 1e6 })
    for (const [i, expected] of sent.entries()) {
      const block = blocks[i] ?? Buffer.alloc(0)
      const decoded = hpack.decode(block, 0, block.length)?.map(({ name, value }) => `${name}: ${value}`)
      expect(decoded?.filter((field) => field.startsWith('x-'))).to.deep.equal(expected)
    }
  })

  it('says so when the headers exceed the limit, and goes on with the next block', () => {
    const hpack = decoder({ listSize: 200 })
    const long = `40 0161 3c ${'62'.repeat(60)}`
    expect(decode(hpack, long)).to.have.length(1)
    expect(decode(hpack, 'be be be')).to.equal(undefined)
    // The block was read to its end: what it remembered is known.
    expect(decode(hpack, 'be be be 4001630164')).to.equal(undefined)
    expect(decode(hpack, 'be')).to.deep.equal(['c: d'])
  })

  it('refuses malformed blocks', () => {
    const malformed = [
      '80', // index 0
      'be', // index 62 of an empty table
      '40',
      '4001',
      '400161',
      '40016105',
      '0001 61 7f ff', // cut off
      'ff ff ff ff ff ff', // an integer too large
      '3f e2 1f', // a table of 4,097 bytes
      '3f 09 40 0161 0a 61616161616161616161 be', // what was too large for a table of 40 bytes
      '82 20', // a new size after a header
      '00 84 ff ff ff ff 01 61', // the end mark
      '00 81 18 01 61', // filled up with zeros
      '00 81 ff 01 61', // filled up with a whole byte
    ]
    for (const hex of malformed) expect(() => decode(decoder(), hex), hex).to.throw(Http2Error)
  })

  it('ends on any bytes, with headers or an Http2Error', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 5 }), (blocks) => {
        const hpack = decoder()
        try {
          for (const block of blocks) hpack.decode(Buffer.from(block), 0, block.length)
        } catch (error) {
          expect(error).to.be.instanceOf(Http2Error)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

/** The table as its rules say it, told independently of the decoder. */
class TableModel {
  #entries: HeaderField[] = []
  #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#entries.length
  }

  resize(limit: number): number[] {
    this.#limit = limit
    this.#fit()
    return integer(0x20, 5, limit)
  }

  literal(kind: 'remember' | 'once' | 'never', field: HeaderField): number[] {
    const found = [...staticTable, ...this.#entries].findIndex(({ name }) => name === field.name)
    const [first, bits] = kind === 'remember' ? [0x40, 6] : [kind === 'never' ? 0x10 : 0, 4]
    const name = found < 0 ? [first, ...text(field.name)] : integer(first, bits, found + 1)
    if (kind === 'remember') {
      this.#entries.unshift(field)
      this.#fit()
    }
    return [...name, ...text(field.value)]
  }

  pick(at: number): { index: number; field: HeaderField } | undefined {
    const field = this.#entries[at % Math.max(1, this.#entries.length)]
    return field && { index: staticTable.length + 1 + (at % this.#entries.length), field }
  }

  #fit(): void {
    let size = 0
    const kept = this.#entries.findIndex(({ name, value }) => (size += name.length + value.length + 32) > this.#limit)
    if (kept >= 0) this.#entries = this.#entries.slice(0, kept)
  }
}

function integer(first: number, bits: number, value: number): number[] {
  const most = 2 ** bits - 1
  if (value < most) return [first | value]
  const bytes = [first | most]
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

function text(value: string): number[] {
  return [...integer(0, 7, value.length), ...Buffer.from(value, 'latin1')]
}

/** Has node:http2 answer with random headers, all on one connection; returns the header blocks that it sent. */
async function blocksOfNode(sent: string[][]): Promise<Buffer[]> {
  const printable = Array.from({ length: 0x5f }, (_, i) => 0x20 + i)
  const characters = [0x09, ...printable, ...Array.from({ length: 0x80 }, (_, i) => 0x80 + i)]
  const value = fc
    .array(fc.constantFrom(...characters), { maxLength: 80 })
    .map((codes) => String.fromCharCode(...codes).trim())
  const lists = fc.sample(fc.array(fc.tuple(fc.constantFrom('x-a', 'x-bb', 'x-ccc'), value), { maxLength: 6 }), 60)
  const headers = lists.map((list) => Object.fromEntries(list))
  headers.push({ 'x-all': String.fromCharCode(...characters).trim() })
  for (const list of headers) sent.push(Object.entries(list).map(([name, value]) => `${name}: ${value}`))

  const server = createServer()
  server.on('stream', (stream) => stream.respond({ ...headers[(Number(stream.id) - 1) / 2] }, { endStream: true }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(preface)
  socket.write(rawFrame(frameType.settings, 0, 0, Buffer.alloc(0)))
  const head = encodeHead([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'x'],
  ])
  for (const i of headers.keys()) socket.write(rawFrame(frameType.headers, 5, 2 * i + 1, head))
  const blocks: Buffer[] = []
  const reader = new FrameReader({
    dataBegins: () => undefined,
    data: () => undefined,
    dataEnds: () => undefined,
    frame: (type, _flags, stream, bytes, from, to) => {
      if (type !== frameType.headers) return
      blocks[(stream - 1) / 2] = Buffer.from(bytes.subarray(from, to))
      if (Object.keys(blocks).length === headers.length) socket.destroy()
    },
  })
  socket.on('data', (chunk: Buffer) => reader.read(chunk, chunk.length))
  await once(socket, 'close')
  server.close()
  return blocks
}
