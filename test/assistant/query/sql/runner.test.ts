import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { constants, getPriority } from 'node:os'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import type { ClientBase } from 'pg'
import { pino } from 'pino'
import { SqlRefusal, SqlStatementError } from '../../../../src/assistant/query/sql/sql-errors.ts'
import { lowerSessionPriority } from '../../../../src/assistant/query/sql/server-sessions.ts'
import { openSqlRunner } from '../../../../src/assistant/query/sql/sql-runner.ts'
import type { SqlRunner, SqlRunnerOptions } from '../../../../src/assistant/query/sql/sql-runner.ts'
import { ApiError, RetryableError } from '../../../../src/platform/errors.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'

/** Runs until it is cancelled; the gate estimates it as a plain sum. */
const endless = 'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b'

describe('statement runner', () => {
  let database: TestDatabase
  const runners: SqlRunner[] = []
  before(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.end()))
  })
  after(() => database.drop())

  async function open(options: Partial<SqlRunnerOptions> = {}): Promise<SqlRunner> {
    const runner = await openSqlRunner({
      target: 'indexer',
      url: database.url,
      log: pino({ level: 'silent' }),
      ...options,
    })
    runners.push(runner)
    return runner
  }

  async function failure(promise: Promise<unknown>): Promise<ApiError> {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(ApiError)
    return error as ApiError
  }

  /** Resolves when this many statements of the query service run, as seen by the database owner. */
  async function untilAtWork(count: number): Promise<void> {
    for (;;) {
      const { rows } = await database.pool.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'flowfarm ask' AND state = 'active'",
      )
      if (rows[0]?.count === count) return
      await database.pool.query('select pg_sleep(0.02)')
    }
  }

  it('returns exact values', async () => {
    const values: readonly (readonly [sql: string, type: string, value: unknown])[] = [
      ['9007199254740993::int8', 'int8', '9007199254740993'],
      ['12345678901234567890.000000010::numeric', 'numeric', '12345678901234567890.000000010'],
      ["'NaN'::numeric", 'numeric', 'NaN'],
      ["'-Infinity'::float8", 'float8', '-Infinity'],
      ["'NaN'::float4", 'float4', 'NaN'],
      ['0.1::float8 + 0.2', 'float8', 0.30000000000000004],
      ['1::int2', 'int2', 1],
      ['-7', 'int4', -7],
      ['true', 'bool', true],
      ['null', 'text', null],
      ["''", 'text', ''],
      ["E'a\\tb\\n\\u00e9\\U0001F600'", 'text', 'a\tb\né😀'],
      ["'\\xDEADbeef'::bytea", 'bytea', '0xdeadbeef'],
      ["''::bytea", 'bytea', '0x'],
      ["'2026-01-31 12:00:00.25+02'::timestamptz", 'timestamptz', '2026-01-31T10:00:00.25Z'],
      ["'2026-01-31 12:00'::timestamp", 'timestamp', '2026-01-31T12:00:00Z'],
      ["'infinity'::timestamptz", 'timestamptz', 'infinity'],
      ["'0044-03-15 BC'::timestamp", 'timestamp', '0044-03-15 00:00:00 BC'],
      ["'2026-01-31'::date", 'date', '2026-01-31'],
      ["'1 day 2 hours'::interval", 'interval', '1 day 02:00:00'],
      ["'12:30'::time", 'time', '12:30:00'],
      ["'6f1e2c3d-0000-4000-8000-000000000000'::uuid", 'uuid', '6f1e2c3d-0000-4000-8000-000000000000'],
      [
        `'{"big": 12345678901234567890, "small": 0.5, "text": "1", "none": null, "list": [1, 1.00, 9007199254740993]}'::jsonb`,
        'jsonb',
        { big: '12345678901234567890', small: 0.5, text: '1', none: null, list: [1, 1, '9007199254740993'] },
      ],
      ["'1e400'::json", 'json', '1e400'],
      ["'null'::jsonb", 'jsonb', null],
      ['array[1, null, 9007199254740993]::int8[]', '_int8', ['1', null, '9007199254740993']],
      [`array['a,b', 'c"d', null, 'NULL', '']`, '_text', ['a,b', 'c"d', null, 'NULL', '']],
      [
        'array[[1, 2], [3, 4]]',
        '_int4',
        [
          [1, 2],
          [3, 4],
        ],
      ],
      ["array['\\x01'::bytea]", '_bytea', ['0x01']],
      ["'{}'::text[]", '_text', []],
      ["'[2:3]={5,6}'::int4[]", '_int4', [5, 6]],
      ['int8range(1, 5)', 'int8range', '[1,5)'],
      ["'{[1,3),[5,9)}'::int8multirange", 'int8multirange', '{[1,3),[5,9)}'],
      ["row(1, 'a b')", 'record', '(1,"a b")'],
    ]
    const { columns, rows } = await (await open()).run(`select ${values.map(([sql]) => sql).join(', ')}`)
    expect(columns.map(({ type }) => type)).to.deep.equal(values.map(([, type]) => type))
    for (const [index, [sql, , value]] of values.entries()) expect(rows[0]?.[index], sql).to.deep.equal(value)
  })

  it('ends sessions before the time zones that statements name, which the server keeps, fill the memory', async () => {
    const runner = await open({ concurrency: 1 })
    for (let round = 0; round < 12; round++) {
      const zones = `select timezone('<a' || ${round} || 'b' || i || '>5', now()) as time from generate_series(1, 10000) i`
      expect((await runner.run(`select count(time) from (${zones}) t`)).rows).to.deep.equal([['10000']])
    }
  })

  it('leaves long and deeply nested values as text, which are slow to parse or overflow the stack', async () => {
    const runner = await open()
    const nested = (depth: number): string => `'[' || repeat('[', ${depth}) || repeat(']', ${depth}) || ']'`
    const list = (length: number): string => `'[' || repeat('1,', ${length}) || '1]'`
    const values: readonly (readonly [sql: string, isText: boolean])[] = [
      [`(${nested(199)})::json`, false],
      [`(${nested(200)})::json`, true],
      [`(${nested(5000)})::json`, true],
      [`array[(${nested(5000)})::json]`, false],
      [`(${list(131_070)})::json`, false],
      [`(${list(131_071)})::json`, true],
      [`(${list(3_000_000)})::json`, true],
      ["string_to_array(repeat('1,', 131070), ',')", false],
      ["string_to_array(repeat('1,', 131071), ',')", true],
    ]
    for (const [sql, isText] of values) {
      const { rows } = await runner.run(`select ${sql}`)
      expect(typeof rows[0]?.[0] === 'string', sql).to.equal(isText)
      expect(JSON.stringify(rows)).to.be.a('string')
    }
  })

  it('renames duplicate columns and returns the columns of an empty result', async () => {
    const runner = await open()
    const twice = await runner.run('select 1 as a, 2 as a, 3')
    expect([twice.columns.map(({ name }) => name), twice.rows]).to.deep.equal([['a', 'a', '?column?'], [[1, 2, 3]]])
    const empty = await runner.run('select height, id from raw.blocks where false')
    expect(empty).to.deep.include({
      columns: [
        { name: 'height', type: 'int8' },
        { name: 'id', type: 'bytea' },
      ],
      rows: [],
      rowCount: 0,
      truncated: false,
    })
    expect(await runner.run('select')).to.deep.include({ columns: [], rows: [[]], rowCount: 1 })
  })

  it('truncates at the row limit and reports it only when there are more rows', async () => {
    const runner = await open({ maxRows: 5 })
    const series = (to: number): string => `select g from generate_series(1, ${to}) g`
    expect(await runner.run(series(5)))
      .to.deep.include({ rowCount: 5, truncated: false })
      .and.not.have.property('truncatedBy')
    expect(await runner.run(series(1e6))).to.deep.include({
      rows: [[1], [2], [3], [4], [5]],
      rowCount: 5,
      truncated: true,
      truncatedBy: 'rows',
    })
    expect(await runner.run(series(6), { maxRows: 2 })).to.deep.include({ rowCount: 2, truncatedBy: 'rows' })
    expect(await runner.run(series(9), { maxRows: 100 })).to.deep.include({ rowCount: 5, truncatedBy: 'rows' })
  })

  it('cancels a statement at the memory limit of a session and reports it', async function () {
    if (process.platform !== 'linux') this.skip()
    const runner = await open()
    for (const greedy of ["string_agg(repeat('x', 1000000), '')", "array_agg(repeat('x', 1000000))"]) {
      const one = `(select ${greedy} from generate_series(1, 900))`
      const error = await failure(runner.run(`select ${Array.from({ length: 12 }, () => one).join(', ')}`))
      expect(error, greedy).to.deep.include({ status: 400, code: 'sql-memory' })
    }
    expect((await runner.run('select 1')).rows).to.deep.equal([[1]])
  })

  it('truncates at the byte limit while receiving and continues with another connection', async () => {
    const runner = await open({ maxBytes: 100_000, concurrency: 2 })
    const disconnect = new AbortController()
    const beside = failure(runner.run(endless, { signal: disconnect.signal }))
    await untilAtWork(1)
    const answer = await runner.run("select repeat('x', 30000) from generate_series(1, 400)")
    expect(answer).to.deep.include({ truncated: true, truncatedBy: 'bytes' })
    expect(answer.rowCount).to.be.within(1, 5)
    expect(await failure(runner.run("select repeat(repeat('x', 100000), 1000)"))).to.deep.include({
      status: 400,
      code: 'sql-row-too-large',
    })
    expect((await runner.run('select 1')).rows).to.deep.equal([[1]])
    disconnect.abort()
    expect(await beside).to.include({ code: 'sql-cancelled' })
    await untilAtWork(0)
  })

  it('rejects statements before it queries the database and reports database errors', async () => {
    const runner = await open()
    expect(await failure(runner.run('delete from raw.blocks'))).to.be.instanceOf(SqlRefusal)
    const wrong = await failure(runner.run('select 1,\n nope from raw.blocks'))
    expect(wrong).to.be.instanceOf(SqlStatementError)
    expect(wrong).to.deep.include({
      status: 400,
      code: 'sql-failed',
      field: 'sql',
      sqlState: '42703',
      position: 12,
      message: 'column "nope" does not exist',
    })
    expect(await failure(runner.run('select count(*) from raw.blocks where heigth = 1')))
      .to.have.property('hint')
      .that.includes('height')
    expect(await failure(runner.run('select 1 / 0'))).to.include({ sqlState: '22012' })
  })

  it('plans without running', async () => {
    const runner = await open()
    await runner.check('select 1 / (height - height) from raw.blocks')
    await runner.check('(select 1) union (select 2) order by 1')
    await runner.check(endless)
    expect(await failure(runner.check('select nope from raw.blocks'))).to.include({ sqlState: '42703', position: 8 })
    expect(await failure(runner.check('select pg_sleep(1)'))).to.be.instanceOf(SqlRefusal)
  })

  it('runs statements at a lower priority than other sessions of a local server', async function () {
    if (process.platform !== 'linux') this.skip()
    const runner = await open({ concurrency: 1 })
    const running = new AbortController()
    const statement = runner.run(endless, { signal: running.signal }).catch(() => undefined)
    await untilAtWork(1)
    const { rows } = await database.pool.query<{ pid: number; own: number }>(
      `SELECT pid, pg_backend_pid() AS own FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'flowfarm ask' AND state = 'active'`,
    )
    running.abort()
    await statement
    expect(rows.map(({ pid }) => getPriority(pid))).to.deep.equal([constants.priority.PRIORITY_BELOW_NORMAL])
    expect(getPriority(rows[0]?.own)).to.be.below(constants.priority.PRIORITY_BELOW_NORMAL)
  })

  it('does not touch a process that is not the session', async () => {
    const client = await database.pool.connect()
    try {
      const confused: ClientBase = Object.create(client, { processID: { value: process.pid } }) as ClientBase
      expect(await lowerSessionPriority(confused)).to.equal(false)
      expect(getPriority()).to.be.below(constants.priority.PRIORITY_BELOW_NORMAL)
    } finally {
      client.release()
    }
  })

  it('cancels a statement at its timeout', async () => {
    const runner = await open({ timeoutMs: 1000, concurrency: 1 })
    expect(await failure(runner.run(endless))).to.include({
      status: 504,
      code: 'sql-timeout',
      message: 'The statement timed out after 1 s. Reduce its work, for example to fewer blocks or days.',
    })
    await untilAtWork(0)
    expect((await runner.run('select 1')).rows).to.deep.equal([[1]])
  })

  it('cancels a statement on the server when its caller disconnects and frees its slot', async () => {
    const runner = await open({ concurrency: 1 })
    const disconnect = new AbortController()
    const left = failure(runner.run(endless, { signal: disconnect.signal }))
    await untilAtWork(1)
    const next = runner.run('select 2')
    disconnect.abort()
    expect(await left).to.include({ status: 499, code: 'sql-cancelled' })
    expect((await next).rows).to.deep.equal([[2]])
    await untilAtWork(0)
    expect(await failure(runner.run('select 1', { signal: AbortSignal.abort() }))).to.include({ code: 'sql-cancelled' })
  })

  it('limits running and queued statements and rejects the rest with a retry delay', async () => {
    const runner = await open({ concurrency: 2, maxWaiting: 2 })
    const disconnect = new AbortController()
    const held = [1, 2].map(() => failure(runner.run(endless, { signal: disconnect.signal })))
    await untilAtWork(2)
    const order: number[] = []
    const waiting = [1, 2].map(async (n) => {
      await runner.run('select 1')
      order.push(n)
    })
    expect(await failure(runner.run('select 1'))).to.deep.include({
      status: 503,
      code: 'sql-busy',
      message: 'Too many queued statements. Try again in 1 s.',
      details: { retryAfterSeconds: 1 },
    })
    disconnect.abort()
    await Promise.all([...held, ...waiting])
    expect(order).to.have.members([1, 2])
    expect((await runner.run('select 1')).rowCount).to.equal(1)
  })

  it('lets a queued caller cancel', async () => {
    const runner = await open({ concurrency: 1, maxWaiting: 1 })
    const first = new AbortController()
    const second = new AbortController()
    const held = failure(runner.run(endless, { signal: first.signal }))
    await untilAtWork(1)
    const waiting = failure(runner.run('select 1', { signal: second.signal }))
    second.abort()
    expect(await waiting).to.include({ code: 'sql-cancelled' })
    const taken = runner.run('select 3')
    first.abort()
    await held
    expect((await taken).rows).to.deep.equal([[3]])
  })

  it('cancels running statements when it closes', async () => {
    const runner = await open()
    const held = failure(runner.run(endless))
    await untilAtWork(1)
    await runner.end()
    expect(await held).to.include({ code: 'sql-cancelled' })
    runners.length = 0
  })

  it('reads the chain of an EVM explorer but not its accounts and keys', async () => {
    await database.pool.query(`
      CREATE TABLE public.blocks (number bigint, hash bytea); INSERT INTO public.blocks VALUES (7, '\\xabcd');
      CREATE TABLE public.account_api_keys (value uuid); CREATE TABLE public.users (email text)`)
    const runner = await open({ target: 'evm' })
    expect(
      (await runner.run("select number, '0x' || encode(hash, 'hex') as hash, hash from blocks")).rows,
    ).to.deep.equal([['7', '0xabcd', '0xabcd']])
    expect((await runner.run('select current_user')).rows).to.deep.equal([['pg_read_all_data']])
    for (const sql of [
      'select * from account_api_keys',
      'select * from public.users',
      'select * from app.developer_keys',
      'select * from raw.blocks',
    ]) {
      expect(await failure(runner.run(sql)), sql).to.include({ code: 'sql-relation' })
    }
  })

  it('reports a server error when an administrator terminates its sessions, and recovers', async () => {
    const runner = await open({ concurrency: 3 })
    const held = [1, 2, 3].map(() => failure(runner.run(endless)))
    await untilAtWork(3)
    await database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'flowfarm ask'",
    )
    for (const error of await Promise.all(held)) expect(error).to.include({ status: 503, code: 'sql-unavailable' })
    const answers = await Promise.all(Array.from({ length: 200 }, () => runner.run('select 1')))
    expect(answers.every(({ rowCount }) => rowCount === 1)).to.equal(true)
    const { rows } = await database.pool.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'flowfarm ask'",
    )
    expect(rows[0]?.count).to.be.within(1, 3)
  })

  it('distinguishes an unavailable database from an invalid statement, and reconnects', async () => {
    const proxy = await startProxy(database.url)
    try {
      const runner = await open({ url: proxy.url, concurrency: 1 })
      expect((await runner.run('select 1')).rowCount).to.equal(1)
      const held = failure(runner.run(endless))
      await untilAtWork(1)
      proxy.cut()
      expect(await held).to.deep.include({ status: 503, code: 'sql-unavailable', details: { retryAfterSeconds: 5 } })
      expect((await runner.run('select 1')).rowCount).to.equal(1)
    } finally {
      await Promise.all(runners.splice(0).map((runner) => runner.end()))
      await proxy.stop()
      await database.pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'flowfarm ask'",
      )
    }
    expect(await open({ url: proxy.url }).catch((error: unknown) => error)).to.be.instanceOf(RetryableError)
  })
})

/** A proxy between the runner and the server socket, to drop connections. */
async function startProxy(databaseUrl: string): Promise<{ url: string; cut: () => void; stop: () => Promise<void> }> {
  const real = new URL(databaseUrl)
  const path = `${decodeURIComponent(real.hostname)}/.s.PGSQL.${real.port}`
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(path)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
        sockets.delete(socket)
      })
    }
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `postgresql://${real.username}@127.0.0.1:${(server.address() as AddressInfo).port}${real.pathname}`,
    cut,
    stop: async () => {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
