import { expect } from 'chai'
import fc from 'fast-check'
import { readKnownObjects } from '../../../../src/assistant/query/sql/gate/known-objects.ts'
import { maxStatementLength, SqlGate } from '../../../../src/assistant/query/sql/gate/sql-gate.ts'
import { indexerSchemas, indexerTables } from '../../../../src/assistant/query/sql/readable-tables.ts'
import { SqlRefusal } from '../../../../src/assistant/query/sql/sql-errors.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'

/** CPU time of this thread for one statement, ms. */
const maxCpuMs = 100

/** Repeats a text up to the maximum length, between a prefix and a suffix. */
function filled(
  before: string,
  unit: string | ((index: number) => string),
  after = '',
  length: number = maxStatementLength,
): string {
  let middle = ''
  for (let index = 0; ; index++) {
    const next = typeof unit === 'string' ? unit : unit(index)
    if (before.length + middle.length + next.length + after.length > length) return before + middle + after
    middle += next
  }
}

function nested(opening: string, middle: string, closing: string, depth: number): string {
  return opening.repeat(depth) + middle + closing.repeat(depth)
}

const handMade: Readonly<Record<string, string>> = {
  'references within nested subqueries': `${'SELECT('.repeat(600)}SELECT ${'z,'.repeat(15_000)}z${')'.repeat(600)}`,
  'fewer of both': `${'SELECT('.repeat(600)}SELECT ${'z,'.repeat(5000)}z${')'.repeat(600)}`,
  'references beside many tables': `SELECT ${'z,'.repeat(11_000)}z FROM ${Array.from({ length: 3500 }, (_, i) => `c _${i}`).join(',')}`,
  'fewer references beside many tables': `SELECT ${'z,'.repeat(2000)}z FROM ${Array.from({ length: 1500 }, (_, i) => `raw.blocks _${i}`).join(',')}`,
  stars: filled('SELECT *', ',*', ' FROM raw.transactions a, raw.transactions b', 11_000),
  'stars of stars': `SELECT ${'*,'.repeat(80)}* FROM (SELECT ${'*,'.repeat(80)}* FROM (SELECT ${'*,'.repeat(80)}* FROM raw.transactions) a) b`,
  'recursive queries in each other': nested(
    'WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL ',
    'SELECT x || x FROM a',
    ') SELECT x || x FROM a',
    40,
  ),
  'a chain of WITH': filled(
    'WITH a0 AS (SELECT 1 AS x)',
    (i) => `,a${i + 1} AS (SELECT x,x FROM a${i})`,
    ' SELECT 1',
    40_000,
  ),
  'quotes in paths': filled(`SELECT jsonb_path_exists(payload, '$."`, '\\"', `') FROM raw.events`, 20_000),
  'nested comments': filled('SELECT 1 ', '/*'),
  'operator signs': filled('SELECT ', '+-', '1'),
  signs: filled('SELECT ', '+', '1'),
  'rows of signs': filled('SELECT ', `${'+'.repeat(63)}1`),
  sums: filled('SELECT 1', '+1'),
  parentheses: nested('(', 'SELECT 1', ')', 20_000),
  nots: filled('SELECT ', 'NOT ', 'TRUE'),
  casts: filled('SELECT 1', '::int'),
  indices: filled('SELECT a', '[1]'),
  unions: filled('SELECT 1', ' UNION SELECT 1'),
  values: filled('SELECT * FROM (VALUES (1)', ',(1)', ') v'),
  joins: filled('SELECT 1 FROM raw.blocks a', ' NATURAL JOIN raw.blocks'),
  commas: filled('SELECT 1', ',1'),
  texts: filled("SELECT ''", ",''"),
  names: filled('SELECT a', ',a()'),
  'long names': filled('SELECT a', `,${'b'.repeat(100)}`),
  'one text': filled("SELECT '", '\u{4e00}', "'"),
  escapes: filled("SELECT E'", '\\\\', "'"),
  dollars: filled('SELECT ', (i) => `$a${i}`),
  cases: nested('CASE WHEN ', 'TRUE', ' THEN 1 END', 2000),
  windows: filled('SELECT 1', ',count(*)OVER()'),
  statements: filled('', 'SELECT 1;'),
  'row stars': `SELECT ${nested('(', 'a', ').*', 3000)} FROM raw.blocks a`,
  'the grammar overflows': filled('SELECT 1', '- -1'),
}

const atom = fc.constantFrom(
  '1',
  'z',
  'height',
  'a.height',
  '*',
  'a.*',
  "'x'",
  'NULL',
  '1.5',
  'count(*)',
  'x',
  't',
  '$$a$$',
  '10',
  'TRUE',
  'now()',
)
const operator = fc.constantFrom(
  '+',
  '||',
  '=',
  ' AND ',
  ' OR ',
  ' LIKE ',
  ' IN ',
  ' - ',
  ' IS NOT NULL AND ',
  '::text||',
  '->',
  ' BETWEEN 1 AND ',
  ' UNION SELECT ',
  ' UNION ALL SELECT ',
  ',',
  ',',
  ',',
)
const wrapper = fc.constantFrom(
  ['(', ')'],
  ['(SELECT ', ')'],
  ['(SELECT * FROM (SELECT ', ')t)'],
  ['f(', ')'],
  ['md5(', ')'],
  ['coalesce(', ',1)'],
  ['ARRAY[', ']'],
  ['ARRAY(SELECT ', ')'],
  ['CASE WHEN ', ' THEN 1 END'],
  ['(SELECT x FROM (VALUES(', '))v(x))'],
  ['(WITH c AS (SELECT ', ') SELECT * FROM c)'],
  ['(WITH RECURSIVE c AS (SELECT 1 x UNION ALL SELECT ', ') SELECT x FROM c)'],
  ['(SELECT a.x FROM (SELECT ', ' AS x) a, LATERAL (SELECT a.x, a.*) b)'],
  ['(SELECT 1 FROM raw.blocks a JOIN raw.transactions t ON ', ')'],
  ['string_agg(', ",',')"],
  ['(', ')::numeric'],
  ['- ', ''],
  ['NOT ', ''],
  ['(', ').height'],
  ['(SELECT * FROM raw.blocks a, raw.events z WHERE ', ')'],
)

/** Generated from the grammar: parts are repeated, nested and joined. */
const expression = fc.letrec<{ readonly part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    atom,
    fc.tuple(tie('part'), operator, tie('part')).map((parts) => parts.join('')),
    fc
      .tuple(wrapper, tie('part'), fc.constantFrom(1, 2, 5, 40, 300, 1500))
      .map(([[before, after], part, depth]) => nested(before ?? '', part, after ?? '', depth)),
    fc
      .tuple(tie('part'), operator, fc.constantFrom(2, 20, 300, 3000, 20_000))
      .map(([part, sign, count]) =>
        filled(
          part,
          sign + part,
          '',
          Math.min(maxStatementLength - 100, part.length + count * (sign.length + part.length)),
        ),
      ),
  ),
})).part

const statement = fc
  .tuple(
    fc.constantFrom(
      'SELECT ',
      'SELECT 1 FROM raw.blocks a WHERE ',
      'WITH c AS (SELECT 1 x) SELECT ',
      'SELECT * FROM raw.blocks a ORDER BY ',
      'SELECT z FROM ',
      'SELECT * FROM (SELECT * FROM raw.blocks) a, ',
    ),
    expression,
    fc.constantFrom('', ' FROM raw.blocks a', ' FROM raw.blocks z, raw.transactions t', ' t'),
  )
  .map((parts) => parts.join('').slice(0, maxStatementLength))

const token = fc.oneof(
  atom,
  operator,
  fc.constantFrom(
    'SELECT',
    'FROM',
    'WHERE',
    '(',
    ')',
    '[',
    ']',
    ',',
    ';',
    'AS',
    'WITH',
    'JOIN',
    'ON',
    'CASE',
    'END',
    '/*',
    '*/',
    '--',
    "'",
    '"',
    '$$',
    '\n',
    '::',
    '.',
    "E'",
    'U&"',
    '+',
    '-',
    '@',
    '#',
    'NOT',
    'é',
    '\u{1f600}',
  ),
)
const soup = fc
  .tuple(
    fc.array(token, { minLength: 1, maxLength: 12 }),
    fc.constantFrom('', ' '),
    fc.constantFrom(1, 50, 5000, 50_000),
  )
  .map(
    ([tokens, space, times]) =>
      `SELECT ${filled('', tokens.join(space) + space, '', Math.min(maxStatementLength - 10, times * (tokens.join(space).length + 1)))}`,
  )

describe('gate CPU time', () => {
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
    // V8 compiles functions of the parser on their first call.
    for (const sql of Object.values(handMade)) await judge(sql)
  })
  after(() => database.drop())

  async function judge(sql: string): Promise<string> {
    try {
      await gate.check(sql)
      return 'passes'
    } catch (error) {
      if (error instanceof SqlRefusal) return error.code
      throw error
    }
  }

  /** The minimum of three runs, since garbage collection and other threads add time. */
  async function cpuOf(sql: string): Promise<number> {
    let min = Infinity
    for (let attempt = 0; attempt < 3 && min >= maxCpuMs; attempt++) {
      const before = process.threadCpuUsage()
      await judge(sql)
      const { user, system } = process.threadCpuUsage(before)
      min = Math.min(min, (user + system) / 1000)
    }
    return min
  }

  it('stays within the limit for adversarial statements', async () => {
    const slow: unknown[] = []
    for (const [name, sql] of Object.entries(handMade)) {
      expect(sql.length, name).to.be.at.most(maxStatementLength + 100)
      const ms = await cpuOf(sql)
      if (ms >= maxCpuMs) slow.push([name, ms])
    }
    expect(slow).to.deep.equal([])
  })

  it('stays within the limit for any statement', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(statement, statement, soup), async (sql) => {
        expect(await cpuOf(sql)).to.be.below(maxCpuMs)
      }),
      { numRuns: 400, plugins: [fc.interruptAfterTimeLimit(30_000)] },
    )
  })

  it('is unaffected by statements that overflow the parser', async () => {
    for (let round = 0; round < 40; round++) {
      expect(
        await Promise.all([
          judge(filled('SELECT 1', '- 1', '', 20_000)),
          judge('select 1'),
          judge('select pg_sleep(1)'),
        ]),
        String(round),
      ).to.deep.equal(['sql-text', 'passes', 'sql-function'])
    }
  })
})
