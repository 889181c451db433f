import { expect } from 'chai'
import { CopyWriter } from '../../platform/db/copy-writer.ts'
import { FatalError } from '../../platform/errors.ts'
import { readDeclaration } from '../read-declaration.ts'
import { maxValueBytes } from './limits.ts'
import { declaredWriter } from './rows.ts'

const types = ['text', 'boolean', 'integer', 'bigint', 'numeric', 'jsonb', 'timestamptz', 'date']
const declaration = readDeclaration({
  contract: 'A.0000000000000001.Shop',
  version: 1,
  tables: {
    ...Object.fromEntries(types.map((type) => [type, { columns: { value: { type } } }])),
    indexed: { columns: { a: { type: 'text', index: true }, b: { type: 'numeric' }, c: { type: 'text' } } },
    optional: { columns: { value: { type: 'text', optional: true } } },
  },
  folds: {
    wide: { kind: 'sum', of: 'indexed', key: ['a', 'c'], sums: { total: 'b' } },
  },
})

function problemOf(tableName: string, ...values: unknown[]): string | undefined {
  const table = declaration.tables.find(({ name }) => name === tableName)
  if (table === undefined) throw new Error(tableName)
  const writer = new CopyWriter()
  try {
    declaredWriter('own_shop', declaration, table).write(writer, values)
    expect(writer.out.position).to.be.above(0)
    return undefined
  } catch (error) {
    if (error instanceof FatalError && error.code === 'own-worker-row') return error.message
    throw error
  }
}

describe('values of own workers', () => {
  it('are accepted if the column can store them exactly', () => {
    const accepted: Readonly<Record<string, readonly unknown[]>> = {
      text: ['', 'é', '👋', 'x'.repeat(100_000)],
      boolean: [true, false],
      integer: [0, -5, '2147483647', '-2147483648', '+7'],
      bigint: ['9223372036854775807', '-9223372036854775808', 9_007_199_254_740_991],
      numeric: ['0', '-1.50', '1'.repeat(100_000), `0.${'1'.repeat(16_383)}`, 5],
      jsonb: ['a', 1.5, false, [], { a: [{ b: null }] }, nested(1000)],
      timestamptz: ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123456Z', '2026-01-31T12:00+05:30'],
      date: ['2026-01-31', '2024-02-29', '2026-01-31T23:59:59.999Z'],
      optional: [null, undefined, 'a'],
    }
    for (const [table, values] of Object.entries(accepted))
      for (const value of values)
        expect(problemOf(table, value), `${table} ${String(value)}`.slice(0, 50)).to.equal(undefined)
  })

  it('are rejected with table, column, value and remedy', () => {
    const rejected: readonly (readonly [string, unknown, string])[] = [
      ['text', 5, 'own_shop.text.value: 5 is not text.'],
      [
        'text',
        undefined,
        'own_shop.text.value: the value is missing. Write a value, or declare the column as optional.',
      ],
      ['text', 'a\0', String.raw`"a\u0000" contains U+0000, which PostgreSQL cannot store. Remove it.`],
      ['text', '\ud800', 'contains an unpaired surrogate. Use toWellFormed().'],
      ['text', 'x'.repeat(maxValueBytes + 1), `has ${maxValueBytes + 1} bytes, a value at most ${maxValueBytes} bytes`],
      ['boolean', 'true', '"true" is not a boolean.'],
      ['integer', '2147483648', 'does not fit into 32 bits. Declare the column as numeric.'],
      ['integer', '1.0', 'is not an integer.'],
      ['bigint', '9223372036854775808', 'does not fit into 64 bits.'],
      ['bigint', '1'.repeat(1_000_000), 'does not fit into 64 bits.'],
      ['numeric', 0.1, '0.1 is not a safe integer. Write decimal numbers as text.'],
      ['numeric', 2 ** 53, 'is not a safe integer.'],
      ['numeric', '1e5', '"1e5" is not a decimal number.'],
      ['numeric', 'NaN', 'is not a decimal number.'],
      ['numeric', '', 'is not a decimal number.'],
      ['numeric', '1'.repeat(100_001), 'has too many digits.'],
      ['numeric', `0.${'1'.repeat(16_384)}`, 'has too many digits.'],
      ['numeric', { toString: () => '1' }, 'is not a decimal number.'],
      ['jsonb', ['a\0'], 'contains U+0000'],
      ['jsonb', { 'a\0': 1 }, 'contains U+0000'],
      ['jsonb', nested(1001), 'is nested deeper than 1000 levels.'],
      ['timestamptz', '2026-01-31', 'is not a time. Write a Date, or ISO 8601 with a zone'],
      ['timestamptz', '2026-13-31T12:00:00Z', 'is not a time.'],
      ['timestamptz', 5, 'is not a time.'],
      ['date', '2026-02-30', '"2026-02-30" is not a date. Write a Date, or text such as 2026-01-31.'],
      ['date', '26-02-01', 'is not a date.'],
    ]
    for (const [table, value, message] of rejected) {
      const problem = problemOf(table, value)
      expect(problem, message).to.include(message)
      expect(problem?.length).to.be.below(350)
    }
  })

  it('are oversize if an index cannot contain them', () => {
    const table = declaration.tables.find(({ name }) => name === 'indexed')
    const { oversize } = declaredWriter('own_shop', declaration, table ?? expect.fail())
    // (b, a, c) is an index of the fold.
    const limit = 800
    const text = 'x'.repeat(limit)
    expect(oversize([text, '1'.repeat(limit), text])).to.equal(undefined)
    expect(oversize([null, 5, undefined])).to.equal(undefined)
    expect(oversize([`${text}x`, 1, ''])).to.equal('own_shop.indexed.a has 801 bytes, an indexed value at most 800')
    expect(oversize(['', '1'.repeat(limit + 1), ''])).to.include('own_shop.indexed.b has 801 bytes')
    expect(oversize(['é'.repeat(limit), 1, ''])).to.include('1600 bytes')
  })
})

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = [value]
  return value
}
