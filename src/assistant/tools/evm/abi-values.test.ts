import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalType, readSignature } from './abi-signature.ts'
import type { AbiType } from './abi-signature.ts'
import { decodeValues, encodeArguments } from './abi-values.ts'

/** Decoded input of a call. */
function inputOf(declaration: string, ...values: readonly unknown[]): string[] {
  const { hash, inputs } = readSignature(declaration, 'signature')
  const data = encodeArguments(inputs, values, 'args').toString('hex')
  return [hash.slice(0, 8), ...(data.match(/.{64}/g) ?? []).map((word) => word.replace(/^0+(?=.)/, ''))]
}

const padded = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0')

describe('contract ABI', () => {
  // Source: Solidity, "Contract ABI Specification", Examples and Use of Dynamic Types.
  it('encodes the calls of the specification', () => {
    expect(inputOf('baz(uint32,bool)', 69, true)).to.deep.equal(['cdcd77c0', '45', '1'])
    expect(inputOf('bar(bytes3[2])', ['0x616263', '0x646566'])).to.deep.equal([
      'fce353f6',
      padded('abc'),
      padded('def'),
    ])
    expect(inputOf('sam(bytes,bool,uint[])', '0x64617665', true, [1, '2', '0x3'])).to.deep.equal([
      'a5643bf2',
      '60',
      '1',
      'a0',
      '4',
      padded('dave'),
      '3',
      '1',
      '2',
      '3',
    ])
    expect(
      inputOf(
        'f(uint256,uint32[],bytes10,bytes)',
        '0x123',
        ['0x456', '0x789'],
        `0x${Buffer.from('1234567890').toString('hex')}`,
        `0x${Buffer.from('Hello, world!').toString('hex')}`,
      ),
    ).to.deep.equal([
      '8be65246',
      '123',
      '80',
      padded('1234567890'),
      'e0',
      '2',
      '456',
      '789',
      'd',
      padded('Hello, world!'),
    ])
    expect(inputOf('g(uint256[][],string[])', [[1, 2], [3]], ['one', 'two', 'three'])).to.deep.equal([
      '2289b18c',
      '40',
      '140',
      '2',
      '40',
      'a0',
      '2',
      '1',
      '2',
      '1',
      '3',
      '3',
      '60',
      'a0',
      'e0',
      '3',
      padded('one'),
      '3',
      padded('two'),
      '5',
      padded('three'),
    ])
  })

  it('parses Solidity signatures', () => {
    const read = readSignature(
      'function transfer(address to, uint amount) external payable returns (bool ok);',
      'signature',
    )
    expect(read).to.include({ name: 'transfer', canonical: 'transfer(address,uint256)' })
    expect(read.hash.slice(0, 8)).to.equal('a9059cbb')
    expect(read.outputs?.map(({ name, type }) => [name, canonicalType(type)])).to.deep.equal([['ok', 'bool']])
    const event = readSignature('event Transfer(address indexed from, address indexed to, uint256 value)', 'event')
    expect(event.hash).to.equal('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
    expect(event.inputs.map(({ isIndexed }) => isIndexed)).to.deep.equal([true, true, false])
    expect(readSignature('f((uint8,string)[3][] memory x, tuple(bool b) y)', 'signature').canonical).to.equal(
      'f((uint8,string)[3][],(bool))',
    )
    expect(readSignature('f()', 'signature').outputs).to.equal(undefined)
  })

  it('rejects invalid signatures with the position', () => {
    const bad = [
      '',
      'f',
      'f(',
      'f(uint256',
      'f(uint7)',
      'f(uint264)',
      'f(bytes33)',
      'f(uint08)',
      'f(number)',
      'f(uint256,)',
      'f(uint256) returns',
      'f(uint256)) x',
      '(uint256)',
      'f(uint256[0])',
      'f(uint256[99999999999])',
      'f(uint256[1000][1000])',
      `f(${'('.repeat(20)}uint8${')'.repeat(20)})`,
      `f(uint8${'[]'.repeat(20)})`,
      `f(${'uint8,'.repeat(400)}uint8)`,
      'f(uint256) — x',
    ]
    for (const declaration of bad)
      expect(() => readSignature(declaration, 'signature'), declaration).to.throw(/The signature/)
  })

  it('rejects values that do not match their type and names them', () => {
    const bad: ReadonlyArray<readonly [declaration: string, ...values: readonly unknown[]]> = [
      ['f(uint8)', 256],
      ['f(uint8)', -1],
      ['f(int8)', 128],
      ['f(uint256)', 1.5],
      ['f(uint256)', 2 ** 60],
      ['f(uint256)', '1e3'],
      ['f(uint256)', `1${'0'.repeat(78)}`],
      ['f(bool)', 1],
      ['f(address)', '0x12'],
      ['f(address)', '1654653399040a61'],
      ['f(bytes)', '0x1'],
      ['f(bytes4)', '0x0011'],
      ['f(string)', 7],
      ['f(uint8[2])', [1]],
      ['f(uint8[])', 'x'],
      ['f((uint8,bool))', [1]],
      ['f(uint8)', null],
    ]
    for (const [declaration, ...values] of bad)
      expect(() => inputOf(declaration, ...values), `${declaration} ${JSON.stringify(values)}`).to.throw(/args\[0\]/)
    expect(() => inputOf('f(uint8)')).to.throw(/the signature has 1, got 0/)
    expect(() => inputOf('f(bytes)', `0x${'00'.repeat(70_000)}`)).to.throw(/too long/)
  })

  it('decodes what it encoded, for any types', () => {
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 5 }), (parts) => {
        const parameters = parts.map(({ type }) => ({ type, name: '', isIndexed: false }))
        const data = encodeArguments(
          parameters,
          parts.map(({ value }) => value),
          'args',
        )
        expect(data.length % 32).to.equal(0)
        expect(
          decodeValues(
            parts.map(({ type }) => type),
            data,
          ),
        ).to.deep.equal(parts.map(({ value }) => value))
      }),
    )
  })

  it('decodes any bytes as any types without an error and reports truncation', () => {
    fc.assert(
      fc.property(fc.array(typed, { minLength: 1, maxLength: 4 }), fc.uint8Array({ maxLength: 400 }), (parts, data) => {
        decodeValues(
          parts.map(({ type }) => type),
          data,
        )
      }),
    )
    fc.assert(
      fc.property(fc.array(typed, { minLength: 1, maxLength: 4 }), (parts) => {
        const data = encodeArguments(
          parts.map(({ type }) => ({ type, name: '', isIndexed: false })),
          parts.map(({ value }) => value),
          'args',
        )
        expect(
          decodeValues(
            parts.map(({ type }) => type),
            data.subarray(0, -32),
          ),
        ).to.equal(undefined)
      }),
    )
  })

  it('does not expand lists that reference each other', () => {
    const { outputs = [] } = readSignature('f() returns (uint256[][][][][][])', 'signature')
    // Each list has 60 entries that point to the next list: 60^6 values in 12 kilobytes.
    const word = (number: number): Buffer => Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
    const list = [word(60), ...Array.from({ length: 60 }, () => word(60 * 32))]
    const data = Buffer.concat([word(32), ...Array.from({ length: 6 }, () => list).flat()])
    expect(
      decodeValues(
        outputs.map(({ type }) => type),
        data,
      ),
    ).to.equal(undefined)
  })
})

interface Typed {
  readonly type: AbiType
  readonly value: unknown
}

const hexOf = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => 8 * bytes)

const words: fc.Arbitrary<readonly [AbiType, fc.Arbitrary<unknown>]> = fc.oneof(
  bits.map(
    (size) =>
      [
        { kind: 'word', name: `uint${size}` },
        fc.bigInt({ min: 0n, max: 2n ** BigInt(size) - 1n }).map(String),
      ] as const,
  ),
  bits.map(
    (size) =>
      [
        { kind: 'word', name: `int${size}` },
        fc.bigInt({ min: -(2n ** BigInt(size - 1)), max: 2n ** BigInt(size - 1) - 1n }).map(String),
      ] as const,
  ),
  fc.integer({ min: 1, max: 32 }).map((size) => [{ kind: 'word', name: `bytes${size}` }, hexOf(size)] as const),
  fc.constant([{ kind: 'word', name: 'address' }, hexOf(20)] as const),
  fc.constant([{ kind: 'word', name: 'bool' }, fc.boolean()] as const),
  fc.constant([{ kind: 'string' }, fc.string({ unit: 'binary' })] as const),
  fc.constant([
    { kind: 'bytes' },
    fc.uint8Array({ maxLength: 70 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  ] as const),
)

/** A type with an arbitrary for its values. */
const { kinds } = fc.letrec<{ kinds: readonly [AbiType, fc.Arbitrary<unknown>] }>((tie) => ({
  kinds: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    words,
    tie('kinds').map(
      ([of, values]) => [{ kind: 'list', of, length: undefined }, fc.array(values, { maxLength: 3 })] as const,
    ),
    fc
      .tuple(tie('kinds'), fc.integer({ min: 1, max: 3 }))
      .map(
        ([[of, values], length]) =>
          [{ kind: 'list', of, length }, fc.array(values, { minLength: length, maxLength: length })] as const,
      ),
    fc
      .array(tie('kinds'), { minLength: 1, maxLength: 3 })
      .map(
        (parts) =>
          [{ kind: 'tuple', of: parts.map(([of]) => of) }, fc.tuple(...parts.map(([, values]) => values))] as const,
      ),
  ),
}))

const typed: fc.Arbitrary<Typed> = kinds.chain(([type, values]) => values.map((value) => ({ type, value })))
