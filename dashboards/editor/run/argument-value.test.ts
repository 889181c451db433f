import { expect } from 'chai'
import fc from 'fast-check'
import { argumentValue, ArgumentProblem, inputText } from './argument-value.ts'

describe('argument values', () => {
  const made: readonly (readonly [string, string, unknown])[] = [
    ['Address', '0xF8D6e0586b0a20c7', { type: 'Address', value: '0xf8d6e0586b0a20c7' }],
    ['Address', '1', { type: 'Address', value: '0x0000000000000001' }],
    ['UFix64', ' 12.5 ', { type: 'UFix64', value: '12.50000000' }],
    ['Fix64', '-0.00000001', { type: 'Fix64', value: '-0.00000001' }],
    ['UFix64', '007', { type: 'UFix64', value: '7.00000000' }],
    ['UFix64', '-0', { type: 'UFix64', value: '0.00000000' }],
    ['UFix128', '1.5', { type: 'UFix128', value: '1.500000000000000000000000' }],
    [
      'Fix128',
      '-170141183460469.231731687303715884105728',
      { type: 'Fix128', value: '-170141183460469.231731687303715884105728' },
    ],
    ['Int', '-5', { type: 'Int', value: '-5' }],
    ['UInt8', '255', { type: 'UInt8', value: '255' }],
    ['Bool', 'true', { type: 'Bool', value: true }],
    ['String', ' as it is ', { type: 'String', value: ' as it is ' }],
    ['String?', '', { type: 'Optional', value: null }],
    ['Int?', '3', { type: 'Optional', value: { type: 'Int', value: '3' } }],
    [
      '[UInt64]',
      '[1, "2"]',
      {
        type: 'Array',
        value: [
          { type: 'UInt64', value: '1' },
          { type: 'UInt64', value: '2' },
        ],
      },
    ],
    ['[Address; 1]', '["0x1"]', { type: 'Array', value: [{ type: 'Address', value: '0x0000000000000001' }] }],
    [
      '{String: [Int]}',
      '{"a": [1]}',
      {
        type: 'Dictionary',
        value: [
          { key: { type: 'String', value: 'a' }, value: { type: 'Array', value: [{ type: 'Int', value: '1' }] } },
        ],
      },
    ],
    [
      'StoragePath',
      '/storage/flowTokenVault',
      { type: 'Path', value: { domain: 'storage', identifier: 'flowTokenVault' } },
    ],
    ['A.0x1.S', '{"type": "Struct", "value": {}}', { type: 'Struct', value: {} }],
    [
      '[UInt64]',
      '["18446744073709551615", 9007199254740991]',
      {
        type: 'Array',
        value: [
          { type: 'UInt64', value: '18446744073709551615' },
          { type: 'UInt64', value: '9007199254740991' },
        ],
      },
    ],
    [
      '[UFix64]',
      '[0.1, 123456.12345678]',
      {
        type: 'Array',
        value: [
          { type: 'UFix64', value: '0.10000000' },
          { type: 'UFix64', value: '123456.12345678' },
        ],
      },
    ],
    ['String', '{"type": "image/png"}', { type: 'String', value: '{"type": "image/png"}' }],
    ['String', '{"type": "String", "value": "a"}', { type: 'String', value: 'a' }],
    [
      'String?',
      '{"type": "image/png"}',
      { type: 'Optional', value: { type: 'String', value: '{"type": "image/png"}' } },
    ],
    [
      '{String: String}',
      '{"type": "sword"}',
      {
        type: 'Dictionary',
        value: [{ key: { type: 'String', value: 'type' }, value: { type: 'String', value: 'sword' } }],
      },
    ],
    [
      '[{String: String}]',
      '[{"type": "sword"}]',
      {
        type: 'Array',
        value: [
          {
            type: 'Dictionary',
            value: [{ key: { type: 'String', value: 'type' }, value: { type: 'String', value: 'sword' } }],
          },
        ],
      },
    ],
    ['{String: String}', '{"type": "Dictionary", "value": []}', { type: 'Dictionary', value: [] }],
    ['{A.0x1.I}', '{"type": "Struct", "value": {}}', { type: 'Struct', value: {} }],
    ['Int?', '{"type": "Int", "value": "3"}', { type: 'Optional', value: { type: 'Int', value: '3' } }],
    ['Int?', '{"type": "Optional", "value": null}', { type: 'Optional', value: null }],
    ['[AnyStruct]', '[{"type": "Int", "value": "3"}]', { type: 'Array', value: [{ type: 'Int', value: '3' }] }],
  ]
  for (const [type, typed, value] of made) {
    it(`accept ${JSON.stringify(typed)} for ${type}`, () => expect(argumentValue(type, typed)).to.deep.equal(value))
  }

  for (const [type, typed, reason] of [
    ['Address', '0xzz', /16 hex/],
    ['UFix64', '-1', /negative/],
    ['UFix64', '1.123456789', /8 decimals/],
    ['UFix64', '184467440737.09551616', /too large/],
    ['UFix128', '340282366920938.463463374607431768211456', /too large/],
    ['Fix128', `0.${'0'.repeat(25)}`, /24 decimals/],
    ['Int', '1.5', /whole/],
    ['UInt8', '256', /from 0 to 255/],
    ['Int8', '-129', /from -128/],
    ['UInt', '-1', /negative/],
    ['Bool', 'yes', /true or false/],
    ['[Int]', '1', /array/],
    ['[Int]', '[', /Invalid JSON/],
    ['{String: Int}', '[]', /object/],
    ['Type', 'x', /JSON-CDC/],
    ['PublicPath', 'x', /public/],
    ['Int', '1'.repeat(101), /whole/],
    ['[UInt64]', '[9007199254740993]', /quotes/],
    ['[UInt64]', '[18446744073709551615]', /quotes/],
    ['{String: UFix64}', '{"a": 123456789012.12345678}', /quotes/],
    ['Int', '', /whole/],
    ['constructor', '1', /JSON-CDC/],
    ['__proto__', '1', /JSON-CDC/],
    ['[toString]', '[1]', /JSON-CDC/],
  ] as const) {
    it(`reject ${JSON.stringify(typed.slice(0, 20))} for ${type}`, () =>
      expect(() => argumentValue(type, typed)).to.throw(ArgumentProblem, reason))
  }

  it('round-trip through their input text', () => {
    const simple = fc.oneof(
      fc
        .bigInt({ min: 0n, max: 2n ** 64n - 1n })
        .map((value) => ['UInt64', { type: 'UInt64', value: value.toString() }] as const),
      fc
        .bigInt({ min: 0n, max: 2n ** 64n - 1n })
        .map(
          (value) =>
            [
              'UFix64',
              { type: 'UFix64', value: `${value / 10n ** 8n}.${(value % 10n ** 8n).toString().padStart(8, '0')}` },
            ] as const,
        ),
      fc
        .string()
        .filter((text) => !/^\s*\{\s*"type"/.test(text))
        .map((value) => ['String', { type: 'String', value }] as const),
      fc.boolean().map((value) => ['Bool', { type: 'Bool', value }] as const),
      fc
        .array(fc.nat(255))
        .map(
          (list) =>
            [
              '[UInt8]',
              { type: 'Array', value: list.map((value) => ({ type: 'UInt8', value: String(value) })) },
            ] as const,
        ),
    )
    fc.assert(
      fc.property(simple, ([type, value]) => {
        expect(argumentValue(type, inputText(value))).to.deep.equal(value)
      }),
    )
  })

  it('are converted or rejected with a message', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Int', 'UFix64', 'Address', '[Int]', '{Int: Bool}', 'Int??', 'Path', '[', '{'),
        fc.string(),
        (type, typed) => {
          try {
            expect(argumentValue(type, typed)).to.have.property('type')
          } catch (error) {
            expect(error).to.be.instanceOf(ArgumentProblem)
          }
        },
      ),
    )
  })
})
