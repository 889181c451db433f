import { once } from 'node:events'
import { expect } from 'chai'
import { Client } from 'pg'
import { readKnownObjects } from '../../../../src/assistant/query/sql/gate/known-objects.ts'
import { SqlGate } from '../../../../src/assistant/query/sql/gate/sql-gate.ts'
import { indexerSchemas, indexerTables } from '../../../../src/assistant/query/sql/readable-tables.ts'
import { SqlRefusal } from '../../../../src/assistant/query/sql/sql-errors.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'

type Calls = Readonly<Record<string, (n: number) => string>>

const repeated = (count: number, part: (index: number) => string, sign: string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(sign)
const square = '(10::numeric ^ 65000 - 1) * (10::numeric ^ 65000 - 1)'
const array = (of: string, n: number): string => `string_to_array(repeat('${of},', ${n}), ',')`

const document = (n: number): string => `jsonb_build_object('a', ${array('a', n)}, 'b', ${array('b', n)})`

/**
 * The worst calls with super-linear time. Unbounded, each runs for minutes and cannot be cancelled.
 */
const multiplied: Calls = {
  strpos: (n) => `strpos(repeat('a', ${10 * n}), 'b' || repeat('a', ${n}))`,
  translate: (n) => `translate(repeat('a', ${n}), repeat('b', ${n}), '')`,
  trim: (n) => `btrim(repeat('a', ${n}), repeat('b', ${n}) || 'a')`,
  like: (n) => `repeat('a', ${n}) like '%' || repeat('a', ${n / 2}) || 'b'`,
  ilike: (n) => `repeat('a', ${n}) ilike '%' || repeat('a', ${n / 2}) || 'b'`,
  'arrays that overlap': (n) => `${array('a', n)} && ${array('b', n)}`,
  'documents that contain': (n) => `to_jsonb(${array('a', n)}) @> to_jsonb(${array('b', n)})`,
  'items of documents': (n) => `jsonb_path_exists(${document(n)}, '$.a[*] == $.b[*]')`,
  'items of documents, by an operator': (n) => `${document(n)} @? '$ ? (@.a == @.b)'`,
  'items of documents and of a variable': (n) =>
    `jsonb_path_match(to_jsonb(${array('a', n)}), '$ == $v', jsonb_build_object('v', ${array('b', n)}))`,
  'items of documents, in standard functions': (n) => `json_exists(${document(n)}, '$ ? (@.a > @.b)')`,
  'dates in documents': (n) =>
    `jsonb_path_exists(to_jsonb(repeat('1', ${100 * n})), '$.datetime("${'Q'.repeat(Math.min(n, 40_000))}")')`,
  'dates in documents, in standard functions': (n) =>
    `json_exists(to_jsonb(repeat('1', ${100 * n})), '$.DateTime("${'Q'.repeat(Math.min(n, 40_000))}")')`,
  dates: (n) => `to_date(repeat('1', ${n}), repeat('Q', ${n}))`,
  products: (n) => repeated(Math.min(n, 400), () => square, ' + '),
  'constant arrays, when planned': (n) =>
    `(select count(*) from generate_series(1, 2) as x where x = any(string_to_array(repeat('1,', ${n}) || '1', ',')::int[]))`,
  windows: (n) => repeated(Math.min(n, 1000), (index) => `sum(1) over (order by ${index}::text)`, ' + '),
  hashes: (n) => repeated(Math.min(n, 1000), () => "md5(repeat('a', 100000000))", ' || '),
}

/** Linear calls with the largest operands that a session of the embedded server can build. */
const linear: Readonly<Record<string, string>> = {
  replace: "replace(repeat('a', 1000000), 'a', repeat('b', 2000))",
  'an array as text': "array_to_string(string_to_array(repeat('t,', 10000000), ','), ',')",
  'parsed json': "('[' || repeat('1,', 16000000) || '1]')::jsonb",
  'escapes in json': 'to_jsonb(repeat(chr(1), 40000000))::text',
  'nested json, indented':
    "jsonb_pretty((repeat('[', 2000) || repeat('1,', 100000) || '1' || repeat(']', 2000))::jsonb)",
  'lower case': "lower(repeat('a', 240000000))",
  'ilike with a short pattern': "repeat('a', 120000000) ilike '%aaaaaaaab'",
  'items compared with literals': `jsonb_path_exists(to_jsonb(${array('a', 1_000_000)}), '$[*] ? ((@ == "b" || 1 < @) && @ like_regex "a\\d" && @.double() > -1.5)')`,
  'translate with a short list': `translate(repeat('a', 120000000), '{}"', '')`,
}

describe('functions that the gate allows', () => {
  let database: TestDatabase
  let gate: SqlGate
  before(async () => {
    database = await createTestDatabase()
    const client = await database.pool.connect()
    try {
      gate = await SqlGate.open(await readKnownObjects(client, { searchPath: indexerSchemas, readable: indexerTables }))
    } finally {
      client.release()
    }
  })
  after(() => database.drop())

  async function passes(sql: string): Promise<boolean> {
    try {
      await gate.check(sql)
      return true
    } catch (error) {
      if (error instanceof SqlRefusal) return false
      throw error
    }
  }

  /** Ends by itself or by its timeout; unbounded, it exceeds the test's timeout. */
  async function ends(call: string): Promise<void> {
    const client = new Client(database.url)
    await client.connect()
    try {
      await client.query('SET statement_timeout = 1000')
      // Cancelled, numeric or date overflow, value above 1 GB, out of memory.
      await client.query(`select (${call}) is null`).catch((error: unknown) => {
        expect(error).to.have.property('code').that.is.oneOf(['57014', '22003', '22008', '54000', '53200'])
      })
      expect((await client.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }])
    } finally {
      const ended = once(client, 'end')
      await client.end()
      await ended
    }
  }

  for (const [name, call] of Object.entries(multiplied)) {
    it(`have an operand limit and stop on cancellation: ${name}`, async () => {
      let size = 1
      while (size < 1e9 && (await passes(`select ${call(4 * size)}`))) size *= 4
      expect(size, 'no bound').to.be.below(1e9)
      await ends(call(size))
    })
  }

  it('recognise paths that may compare items with items', async () => {
    const refused = [
      '$.a == $.b',
      '1 + $.a == $.b',
      '$.a[1] == 1[0, 0, 0]',
      '$.a11 == $.b',
      '$.a /*"*/ == $.b /*"*/',
      '$.a\\" == $.b\\"',
      '$ ? (@.a == $"v")',
      `$.a${' '.repeat(300)}== $.b`,
      `$.a${'1'.repeat(300)} == $.b`,
    ]
    for (const path of refused)
      expect(await passes(`select jsonb_path_exists(payload, '${path}') from raw.events`), path).to.equal(false)
    const dated = ['datetime', 'DATETIME', 'date\\u0074ime'].map((name) => `$.${name}("${'Q'.repeat(9000)}")`)
    for (const path of dated)
      expect(await passes(`select jsonb_path_exists(payload, '${path}') from raw.events`), path).to.equal(false)
    for (const path of ['$.a == 1', '$ ? ("x" <= @.b.c)', '$[*] ? (@.d < "2025-01-01".datetime() && (@.e <> null))'])
      expect(await passes(`select jsonb_path_exists(payload, '${path}') from raw.events`), path).to.equal(true)
  })

  for (const [name, call] of Object.entries(linear)) {
    it(`accept operands of any length and stop on cancellation: ${name}`, async () => {
      expect(await passes(`select ${call}`)).to.equal(true)
      await ends(call)
    })
  }
})
