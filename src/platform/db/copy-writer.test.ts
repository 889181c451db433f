import { expect } from 'chai'
import fc from 'fast-check'
import type { PoolClient } from 'pg'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { copyInto } from './copy-into.ts'
import { CopyWriter, pgText } from './copy-writer.ts'

const int2 = fc.integer({ min: -32_768, max: 32_767 })
const int4 = fc.integer({ min: -2_147_483_648, max: 2_147_483_647 })
const safeInteger = fc.maxSafeInteger()
const int8 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const bytes = fc.uint8Array({ maxLength: 100 }).map((array) => Buffer.from(array))
// Includes lone surrogates and U+0000. Text length and ASCII content select the code path.
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
  fc
    .array(fc.constantFrom(0, 0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd83d, 0xde00), { maxLength: 50 })
    .map((codes) => String.fromCharCode(...codes)),
)
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 90n }),
    fc.option(fc.bigInt({ min: 0n, max: 10n ** 40n }), { nil: undefined }),
  )
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`)
const json = fc.json().filter((value) => !value.includes(String.raw`\u0000`) && value.isWellFormed())

describe('CopyWriter', () => {
  let db: TestDatabase
  let client: PoolClient
  before(async () => {
    db = await createEmptyDatabase()
    client = await db.pool.connect()
  })
  after(async () => {
    client.release()
    await db.drop()
  })

  /** Sends one-column rows and returns their text form from the server. */
  async function roundTrip<T>(
    type: string,
    values: readonly T[],
    write: (rows: CopyWriter, value: T) => void,
  ): Promise<(string | null)[]> {
    await client.query(`DROP TABLE IF EXISTS trip; CREATE TEMP TABLE trip (n int4, v ${type})`)
    // A small initial size makes the buffer grow.
    const rows = new CopyWriter(8)
    for (const [n, value] of values.entries()) {
      rows.row(2)
      rows.int4(n)
      write(rows, value)
    }
    expect(await copyInto(client, 'trip', ['n', 'v'], rows)).to.equal(values.length)
    const stored = await client.query<{ v: string | null }>('SELECT v::text AS v FROM trip ORDER BY n')
    return stored.rows.map((row) => row.v)
  }

  async function check<T>(
    type: string,
    arbitrary: fc.Arbitrary<T>,
    write: (rows: CopyWriter, value: T) => void,
    textOf: (value: T) => string | null,
  ): Promise<void> {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { maxLength: 50 }), async (values) => {
        expect(await roundTrip(type, values, write)).to.deep.equal(values.map(textOf))
      }),
      { numRuns: 25 },
    )
  }

  it('writes int2', () => check('int2', int2, (rows, v) => rows.int2(v), String))
  it('writes int4', () => check('int4', int4, (rows, v) => rows.int4(v), String))
  it('writes int8 from a number', () => check('int8', safeInteger, (rows, v) => rows.int8(v), String))
  it('writes int8 from a bigint', () => check('int8', int8, (rows, v) => rows.int8(v), String))
  it('writes bool', () => check('bool', fc.boolean(), (rows, v) => rows.bool(v), String))
  it('writes text', () => check('text', text, (rows, v) => rows.text(v), pgText))
  it('escapes U+0000 and replaces lone surrogates, in short and in long text', async () => {
    const long = 'x'.repeat(100)
    const values = ['\0', 'a\0b', 'é\0', `${long}\0`, '\ud83d', `${long}\ude00`]
    expect(await roundTrip('text', values, (rows, v) => rows.text(v))).to.deep.equal([
      String.raw`\u0000`,
      String.raw`a\u0000b`,
      String.raw`é\u0000`,
      long + String.raw`\u0000`,
      '\ufffd',
      `${long}\ufffd`,
    ])
  })
  it('writes text from bytes', () => check('text', text, (rows, v) => rows.textBytes(Buffer.from(pgText(v))), pgText))
  it('writes bytea', () =>
    check(
      'bytea',
      bytes,
      (rows, v) => rows.bytea(v),
      (v) => String.raw`\x` + v.toString('hex'),
    ))
  it('writes null', () =>
    check(
      'text',
      fc.option(text),
      (rows, v) => (v === null ? rows.null() : rows.text(v)),
      (v) => v && pgText(v),
    ))
  it('writes numeric', () =>
    check(
      'numeric',
      decimal,
      (rows, v) => rows.numeric(v),
      (v) => (/^-0(\.0*)?$/.test(v) ? v.slice(1) : v),
    ))

  it('writes jsonb', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(json, { maxLength: 30 }), async (values) => {
        const stored = await roundTrip('jsonb', values, (rows, value) => {
          rows.jsonbBegin()
          rows.out.utf8(value)
          rows.jsonbEnd()
        })
        const { rows } = await client.query<{ same: boolean }>(
          'SELECT a::jsonb = b::jsonb AS same FROM unnest($1::text[], $2::text[]) AS t (a, b)',
          [stored, values],
        )
        expect(rows.every((row) => row.same)).to.equal(true)
      }),
      { numRuns: 25 },
    )
  })

  it('writes json[], with nulls, and int4[] whose elements are written later', async () => {
    const element = fc.option(json)
    const rowValues = fc.array(fc.tuple(element, int4), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(rowValues, { minLength: 1, maxLength: 20 }), async (values) => {
        await client.query('DROP TABLE IF EXISTS lists; CREATE TEMP TABLE lists (n int4, texts json[], numbers int4[])')
        const rows = new CopyWriter(8)
        for (const [n, elements] of values.entries()) {
          rows.row(3)
          rows.int4(n)
          rows.jsonArrayBegin(elements.length)
          for (const [content] of elements) {
            if (content === null) rows.null()
            else {
              rows.jsonBegin()
              rows.out.utf8(content)
              rows.jsonEnd()
            }
          }
          rows.jsonArrayEnd()
          const start = rows.out.position
          rows.int4Array(elements.map(() => 0))
          const end = rows.out.position
          for (const [i, [, number]] of elements.entries()) rows.overwriteInt4Element(start, i, number)
          expect(rows.out.position).to.equal(end)
        }
        await copyInto(client, 'lists', ['n', 'texts', 'numbers'], rows)
        const stored = await client.query<{ texts: (string | null)[]; numbers: number[] }>(
          'SELECT texts::text[] AS texts, numbers FROM lists ORDER BY n',
        )
        expect(stored.rows).to.deep.equal(
          values.map((elements) => ({
            texts: elements.map(([content]) => content),
            numbers: elements.map(([, number]) => number),
          })),
        )
      }),
      { numRuns: 25 },
    )
  })

  it('writes timestamptz to the microsecond, before and after 2000', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -6e16 / 20, max: 8e15 })), async (values) => {
        await roundTrip('timestamptz', values, (rows, v) => rows.timestamptzUs(v))
        const { rows } = await client.query<{ us: string }>(
          'SELECT trunc(extract(epoch FROM v) * 1000000)::int8 AS us FROM trip ORDER BY n',
        )
        expect(rows.map((row) => row.us)).to.deep.equal(values.map(String))
      }),
      { numRuns: 25 },
    )
  })

  it('writes dates, before and after 1970 and 2000', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -700_000, max: 2_900_000 })), async (values) => {
        await roundTrip('date', values, (rows, v) => rows.date(v))
        const { rows } = await client.query<{ days: number }>(
          "SELECT v - date '1970-01-01' AS days FROM trip ORDER BY n",
        )
        expect(rows.map((row) => row.days)).to.deep.equal(values)
      }),
      { numRuns: 25 },
    )
  })

  it('writes arrays of int4, including empty ones', () =>
    check(
      'int4[]',
      fc.array(int4, { maxLength: 5 }),
      (rows, v) => rows.int4Array(v),
      (v) => `{${v.join(',')}}`,
    ))

  it('writes arrays of numeric, including empty ones', () =>
    check(
      'numeric[]',
      fc.array(
        decimal.filter((v) => !/^-0(\.0*)?$/.test(v)),
        { maxLength: 5 },
      ),
      (rows, v) => rows.numericArray(v),
      (v) => `{${v.join(',')}}`,
    ))

  it('writes arrays of text and of bytea, including empty ones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(text, { maxLength: 5 }), { maxLength: 10 }), async (values) => {
        await roundTrip('text[]', values, (rows, v) => rows.textArray(v))
        const texts = await client.query<{ v: string[] }>('SELECT v FROM trip ORDER BY n')
        expect(texts.rows.map((row) => row.v)).to.deep.equal(values.map((v) => v.map(pgText)))

        const buffers = values.map((v) => v.map((s) => Buffer.from(s)))
        await roundTrip('bytea[]', buffers, (rows, v) => rows.byteaArray(v))
        const stored = await client.query<{ v: Buffer[]; empty: boolean }>('SELECT v FROM trip ORDER BY n')
        expect(stored.rows.map((row) => row.v)).to.deep.equal(buffers)
      }),
      { numRuns: 25 },
    )
  })

  it('rejects text that is not a decimal number', () => {
    for (const wrong of ['', '1e5', '0x10', '1.', '.5', 'NaN', '1 ']) {
      expect(() => new CopyWriter().numeric(wrong), wrong).to.throw(RangeError)
    }
  })
})
