import { expect } from 'chai'
import { readKnownObjects } from '../../../../src/assistant/query/sql/gate/known-objects.ts'
import { forbiddenWords, SqlGate } from '../../../../src/assistant/query/sql/gate/sql-gate.ts'
import { evmSchemas, indexerSchemas, indexerTables } from '../../../../src/assistant/query/sql/readable-tables.ts'
import { SqlRefusal } from '../../../../src/assistant/query/sql/sql-errors.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { mutated } from './corpora/mutations.ts'
import { refusedInUnusualPlaces } from './corpora/refused-in-unusual-places.ts'
import { refusedStatements } from './corpora/refused-statements.ts'

describe('statement gate', () => {
  let database: TestDatabase
  let gate: SqlGate
  before(async () => {
    database = await createTestDatabase()
    gate = await openGate()
  })
  after(() => database.drop())

  async function openGate(searchPath = indexerSchemas): Promise<SqlGate> {
    const client = await database.pool.connect()
    try {
      return await SqlGate.open(await readKnownObjects(client, { searchPath, readable: indexerTables }))
    } finally {
      client.release()
    }
  }

  /** Undefined: the statement passed. */
  async function refusalOf(sql: string, of: SqlGate = gate): Promise<SqlRefusal | undefined> {
    try {
      await of.check(sql)
      return undefined
    } catch (error) {
      if (error instanceof SqlRefusal) return error
      throw error
    }
  }

  const corpora = [
    ...Object.entries(refusedStatements),
    ...Object.entries(refusedInUnusualPlaces).map(([code, statements]) => [code, statements] as const),
  ]
  for (const [code, statements] of corpora) {
    it(`rejects ${statements.length} statements as ${code}`, async () => {
      const found = await Promise.all(
        statements.map(async (sql) => [sql.slice(0, 200), (await refusalOf(sql))?.code ?? 'passes']),
      )
      const others = found.filter(([, actual]) => actual !== code)
      expect(others).to.deep.equal([])
    })
  }

  it('rejects mutations of rejected statements', async () => {
    const { 'sql-syntax': _broken, 'sql-text': _unreadable, ...meant } = refusedStatements
    const passing: string[] = []
    for (const sql of mutated([...Object.values(meant), ...Object.values(refusedInUnusualPlaces)].flat(), 3000, 9)) {
      if ((await refusalOf(sql)) === undefined) passing.push(sql)
    }
    expect(passing).to.deep.equal([])
  })

  it('names the offending word, function, table or type and says what to do', async () => {
    for (const word of forbiddenWords)
      expect((await refusalOf(`select '${word.toLowerCase()}'`))?.message).to.include(`The word ${word} `)
    expect((await refusalOf('select * from x where pg_sleep(1) is null'))?.message).to.match(/Table x /)
    expect((await refusalOf('select pg_sleep(1)'))?.message).to.match(/^Function pg_sleep is not allowed/)
    expect((await refusalOf('explain select 1'))?.message).to.match(/^EXPLAIN is not allowed. Use SELECT/)
    expect((await refusalOf('/* all */ -- of it\n show all'))?.message).to.match(/^SHOW is not allowed/)
    expect((await refusalOf('/* a /* b */ c */ show all'))?.message).to.match(/VariableShow is not allowed/)
    expect((await refusalOf('select * from raw.accounts'))?.message).to.match(
      /raw\.accounts.+did you mean app\.accounts/,
    )
    expect((await refusalOf('select 1::regclass'))?.message).to.match(/Type regclass/)
    expect((await refusalOf('select 1,\n  from raw.blocks'))?.message).to.match(/line 2, column 3/)
    expect(await refusalOf('select 1')).to.equal(undefined)
  })

  it('distinguishes a word from a part of a word', async () => {
    for (const sql of [
      'select 1 as updated_at',
      'select 1 as created',
      "select 'deleted'",
      'select 1 as execution, 2 as "grants"',
    ])
      expect(await refusalOf(sql), sql).to.equal(undefined)
  })

  it('allows a CTE with the name of a private table where it is in scope', async () => {
    for (const sql of [
      'with developer_keys as (select 1 as a) select * from developer_keys',
      'with pg_authid as (select 1), b as (select * from pg_authid) select * from b',
      'with recursive t as (select 1 as n union all select n + 1 from t where n < 3) select * from t',
      'with a as (select 1) (select * from a union select * from a) order by 1',
      'with a as (select 1) select (select count(*) from a), exists (select from a)',
      'with a as (select 1) select * from raw.blocks cross join lateral (with b as (select * from a) select * from b) c',
    ])
      expect((await refusalOf(sql))?.message, sql).to.equal(undefined)
  })

  it('rejects a function name if any overload in the search path is unsafe', async () => {
    await database.pool.query(`
      CREATE FUNCTION raw.is_fine(a int) RETURNS int IMMUTABLE LANGUAGE sql RETURN a;
      CREATE FUNCTION raw.is_fine(a text) RETURNS int VOLATILE LANGUAGE sql RETURN 1;
      CREATE FUNCTION raw.reads_keys() RETURNS bigint STABLE SECURITY DEFINER LANGUAGE sql AS 'select count(*) from app.developer_keys';
      CREATE FUNCTION raw.adds(a int, b int) RETURNS int VOLATILE LANGUAGE sql RETURN a + b;
      CREATE OPERATOR raw.|+| (FUNCTION = raw.adds, LEFTARG = int, RIGHTARG = int);
      CREATE FUNCTION raw.doubled(a int) RETURNS int IMMUTABLE LANGUAGE sql RETURN 2 * a;
      CREATE FUNCTION raw.of_library(text) RETURNS text STABLE LANGUAGE c AS '$libdir/dict_snowball', 'dsnowball_init';
      CREATE DOMAIN raw.named AS regclass; CREATE DOMAIN raw.twice_named AS raw.named[]; CREATE DOMAIN raw.height AS bigint`)
    const changed = await openGate()
    for (const sql of [
      'select is_fine(1)',
      'select raw.is_fine(1)',
      'select reads_keys()',
      'select 1 |+| 2',
      'select 1 operator(raw.|+|) 2',
      'select (1).is_fine',
    ]) {
      expect((await refusalOf(sql, changed))?.code, sql).to.be.oneOf(['sql-function', 'sql-operator'])
    }
    expect((await refusalOf("select of_library('a')", changed))?.code).to.equal('sql-function')
    for (const type of ['named', 'raw.named', 'raw.named[]', '_named', 'twice_named'])
      expect((await refusalOf(`select null::${type}`, changed))?.code, type).to.equal('sql-type')
    expect(
      await refusalOf('select 1::height, null::raw.height[], null::raw.blocks[], null::_blocks', changed),
    ).to.equal(undefined)
    expect(await refusalOf('select doubled(1), raw.doubled(2), app.search_words($$a b$$)', changed)).to.equal(undefined)
    expect((await refusalOf('select raw.doubled(2)', await openGate(evmSchemas)))?.code).to.equal('sql-function')
  })

  it('accepts every column of every readable table when qualified by the table', async () => {
    const { rows } = await database.pool.query<{ table: string; name: string }>(
      `SELECT table_schema || '.' || table_name AS table, column_name AS name FROM information_schema.columns WHERE table_schema || '.' || table_name = ANY ($1)`,
      [indexerTables],
    )
    expect(rows).to.have.length.above(300)
    for (const { table, name } of rows)
      expect((await refusalOf(`select t."${name}" from ${table} as t`))?.message, `${table}.${name}`).to.equal(
        undefined,
      )
  })

  it('rejects expressions that the planner would expand, and says how to limit them', async () => {
    const nested = (
      levels: number,
      level: (inner: string) => string,
      inner = 'select height as x from raw.blocks',
    ): string => (levels === 0 ? inner : nested(levels - 1, level, level(inner)))
    const growing: Readonly<Record<string, (inner: string) => string>> = {
      'a column by its name': (inner) => `select x + x as x from (${inner}) t`,
      'and by its table': (inner) => `select t.x + t.x as x from (${inner}) t`,
      'a column without a name': (inner) => `select a + a from (${inner}) t (a)`,
      'a whole row': (inner) => `select row(t, t) as x from (${inner}) t`,
      'through a star': (inner) => `select t.* from (select x + x as x from (${inner}) u) t`,
      'in a part of a union': (inner) => `select x + x as x from (${inner} union all select 1) t`,
      'beside it, with LATERAL': (inner) => `select u.y + u.y as x from (${inner}) t, lateral (select t.x as y) u`,
      'through a join with a name': (inner) =>
        `select j.x + j.x as x from ((${inner}) t join (select 1 as one) o on true) j`,
      'in a subquery': (inner) => `select (select x + x) as x from (${inner}) t`,
      'by WITH': (inner) => `with w as (${inner}) select x + x as x from w`,
      'by WITH, written out each time': (inner) => `with w as not materialized (${inner}) select a.x from w a, w b`,
      'by WITH from within': (inner) => `with w as (${inner}) select x + x as x from (select * from w) v`,
      'by the columns of a row': (inner) =>
        `select (x::text::raw.blocks).* from (select t::text as x from (${inner}) t) u`,
    }
    for (const [name, level] of Object.entries(growing)) {
      expect(await refusalOf(nested(name === 'by the columns of a row' ? 1 : 3, level)), name).to.equal(undefined)
      expect((await refusalOf(nested(24, level)))?.message, name).to.include('AS MATERIALIZED')
    }
    for (const comparison of ['between 0 and 2', 'not between symmetric 0 and 2', 'in (height, tx_count)']) {
      const sql = `select ${nested(24, (inner) => `(${inner} ${comparison})::int`, '1')} from raw.blocks`
      expect((await refusalOf(sql))?.code, comparison).to.equal('sql-text')
    }
    const kept = `with a as materialized (select height + 1 as x from raw.blocks), ${Array.from({ length: 40 }, (_, i) => `a${i} as materialized (select x + x as x from a${i === 0 ? '' : i - 1})`).join(', ')} select x from a39`
    expect(await refusalOf(kept)).to.equal(undefined)
    expect(
      await refusalOf(`select 1 where 'a' in (${Array.from({ length: 5000 }, (_, i) => `'${i}'`).join(',')})`),
    ).to.equal(undefined)
  })

  it('allows linear work on values of any length up to its limit', async () => {
    const columns = (count: number, column: string): string => Array.from({ length: count }, () => column).join(', ')
    const max: Readonly<Record<string, number>> = {
      "lower(string_agg(status, ','))": 3,
      "array_to_string(array_agg(status), ', ')": 3,
      'jsonb_agg(t)::text': 2,
      "string_agg(status, ',') like '%SEALED%'": 2,
      "array_agg(status) && array['a', 'b', 'c', 'd', 'e', 'f']": 2,
    }
    for (const [column, count] of Object.entries(max)) {
      const sql = (n: number): string => `select ${columns(n, column)} from raw.transactions t`
      expect((await refusalOf(sql(count)))?.message, column).to.equal(undefined)
      expect((await refusalOf(sql(count + 1)))?.code, column).to.equal('sql-text')
    }
  })

  it('rejects multiplied operands of any form', async () => {
    const numbers = 'from generate_series(1, 300000) g'
    const recursive = (columns: string, next: string): string =>
      `with recursive t(n, x) as (select ${columns} union all select ${next} from t where n < 1000000) select count(*) from t`
    for (const sql of [
      "select length(translate(repeat('a', 30000000), repeat('b', 30000), ''))",
      "select strpos(repeat('a', 100000000), 'b' || repeat('a', 100000))",
      "select repeat('a', 200000) like '%' || repeat('a', 100000) || 'b'",
      `select array_agg(g) && array_agg(-g) ${numbers}`,
      `select array_agg(g) @> (select array_agg(-g) ${numbers}) ${numbers}`,
      `select to_jsonb(array_agg(g)) @> jsonb_agg(g) ${numbers}`,
      `select jsonb_agg(g) - array_agg(g::text) ${numbers}`,
      `select coalesce(array_agg(g), '{}') && array_agg(-g) ${numbers}`,
      "select string_to_array(repeat('a,', 30000), ',') && string_to_array(repeat('b,', 30000), ',')",
      'select count(*) from raw.events where payload @> payload',
      'select int8multirange(variadic array_agg(int8range(g, g + 1))) from generate_series(1, 10000000) g',
      `select strpos(format('${'%1$s'.repeat(1000)}', repeat('a', 30000)), 'b' || repeat('a', 10000))`,
      `select strpos(regexp_replace(pattern => 'a', replacement => repeat('b', 10000), string => repeat('a', 10000),
        flags => 'g'), 'c' || repeat('b', 10000))`,
      // The bounds of a constant hold only for the first iteration of a recursion.
      recursive("1, ''", "n + 100000, translate(repeat('a', n), repeat('b', n), '')"),
      recursive('1, array[1]', 'n + 100000, case when x && x then x || x end'),
    ])
      expect((await refusalOf(sql))?.code, sql).to.equal('sql-text')
  })

  it('rejects subqueries that are copied to each partition of each other', async () => {
    const nested = (depth: number, from: string): string => {
      const part = `select height from ${from} where height not in (`
      return `${part.repeat(depth)}select 1${')'.repeat(depth)}`
    }
    const union = `(select height from raw.blocks union all select height from raw.blocks) as b`
    for (const from of ['raw.blocks', union, '(select * from raw.blocks) as b']) {
      expect(await refusalOf(nested(3, from)), from).to.equal(undefined)
      expect((await refusalOf(nested(5, from)))?.message, from).to.include('too many subqueries')
    }
    let value = '1'
    for (let depth = 0; depth < 5; depth++) value = `(select max(${value}) from raw.blocks)`
    expect((await refusalOf(`select ${value} from raw.blocks`))?.code).to.equal('sql-text')
    const once = `with b as materialized (${nested(3, 'raw.blocks')}) select height from b where height not in (select height from b)`
    expect(await refusalOf(once)).to.equal(undefined)
  })

  it('rejects constant arrays with many elements for each partition', async () => {
    const literal = (n: number): string => `'{${Array.from({ length: n }, (_, index) => index).join(',')}}'`
    const long = "string_to_array(repeat('1,', 50000), ',')::int[]"
    for (const sql of [
      `select 1 from raw.blocks where tx_count = any(${long})`,
      `select 1 from raw.blocks where tx_count <> all(${long})`,
      `select 1 from raw.blocks where tx_count = any(coalesce(${long}, array[tx_count]))`,
      `select 1 from raw.blocks where tx_count = any(case when true then ${long} else array[tx_count] end)`,
      `select 1 from raw.blocks, (select ${long} as list) as l where tx_count = any(l.list)`,
      `select 1 from raw.blocks, string_to_array(repeat('1,', 50000), ',') as list where id::text = any(list)`,
      `with l as (select ${literal(4000)}::int[] as list) select 1 from raw.blocks, l where ${Array.from({ length: 20 }, () => 'tx_count = any(list)').join(' or ')}`,
    ])
      expect((await refusalOf(sql))?.code, sql.slice(0, 99)).to.equal('sql-text')
    for (const sql of [
      `select 1 from raw.blocks where tx_count = any(${literal(5000)}::int[])`,
      `select 1 from raw.blocks where id::text = any(string_to_array('${'0x12,'.repeat(3000)}', ','))`,
      `select 1 from raw.blocks where tx_count = any(array(select tx_count from raw.blocks))`,
      `select 1 from raw.transactions, raw.blocks where 'a' = any(authorizers)`,
      `with l as materialized (select ${long} as list) select 1 from raw.blocks, l where tx_count = any(list)`,
    ])
      expect(await refusalOf(sql), sql.slice(0, 99)).to.equal(undefined)
  })

  it('rejects texts and documents of many parts that take much memory', async () => {
    const ranges = (n: number): string => `'{' || repeat('[1,2),', ${n}) || '[5,6)}'`
    const list = (n: number): string => `string_to_array(repeat('1,', ${n}), ',')`
    for (const call of [
      `(${ranges(1e6)})::int4multirange`,
      `int4multirange(${ranges(1e6)})`,
      `_int4range(${ranges(1e6)})`,
      `(${ranges(1e6)})::nummultirange`,
      `string_to_array(repeat('empty;', 1000000), ';')::daterange[]`,
      `${list(1e6)}::jsonb[]`,
      `${list(1e6)}::json[]`,
      `_jsonb('{' || repeat('1,', 1000000) || '1}')`,
    ])
      expect((await refusalOf(`select ${call}`))?.code, call).to.equal('sql-text')
    const document = (n: number): string => `('{"a":[' || repeat('"1",', ${n}) || '1]}')::jsonb`
    const others = (n: number): string[] => [
      `* from jsonb_to_record(${document(n)}) as x(a jsonb[])`,
      `* from rows from (jsonb_to_record(${document(n)}) as (a int4range[]))`,
      `* from json_table(${document(n)}, '$' columns (a int4multirange path '$'))`,
      `json_query(${document(n)}, '$' returning jsonb[])`,
      `jsonb_path_query(${document(n)}, '$.a[*].keyvalue()')`,
      `repeat('"1":2,', ${10 * n}) is json with unique keys`,
      `json(repeat('"1":2,', ${10 * n}) with unique keys)`,
    ]
    for (const sql of others(1.5e6)) expect((await refusalOf(`select ${sql}`))?.code, sql).to.equal('sql-text')
    for (const sql of others(1e5)) expect(await refusalOf(`select ${sql}`), sql).to.equal(undefined)
    for (const call of [
      `(${ranges(10_000)})::int4multirange`,
      `${list(10_000)}::jsonb[]`,
      `array_agg(id::text)::int[]`,
      `int4range(1, 2)::text::int4range`,
    ])
      expect(await refusalOf(`select ${call} from raw.blocks group by height`), call).to.equal(undefined)
  })

  it('handles any nesting depth and continues to work', async () => {
    for (const [opening, middle, closing] of [
      ['(', '1', ')'],
      ['not ', 'true', ''],
      ['array[', '1', ']'],
      ['(select ', '1', ')'],
      ['- ', '1', ''],
      ['case when ', 'true', ' then 1 end'],
      ['1+', '1', ''],
      ['1::int union select ', '1', ''],
    ] as const) {
      for (const depth of [500, 5000, 20_000]) {
        const sql = `select ${opening.repeat(depth)}${middle}${closing.repeat(depth)}`.slice(0, 49_999)
        expect((await refusalOf(sql))?.code ?? 'passes', `${depth} ${opening}`).to.be.oneOf([
          'passes',
          'sql-text',
          'sql-syntax',
        ])
      }
    }
    expect(await refusalOf('select count(*) from raw.blocks')).to.equal(undefined)
  })
})
