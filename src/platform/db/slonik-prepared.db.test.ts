import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { sql } from 'slonik'
import { z } from 'zod'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { RetryableError } from '../errors.ts'
import { fixedStatement } from './named-query.ts'
import { createReadPool } from './slonik.ts'

const numberRow = z.object({ n: z.number() })
const pidOf = fixedStatement(
  sql.prepared('pid', z.object({ pid: z.number() }))`select pg_backend_pid() as pid where $1::int > 0`,
)

describe('prepared statements of the typed read pool', () => {
  let database: TestDatabase
  let pool: DatabasePool

  before(async () => {
    database = await createTestDatabase()
    await database.pool.query(
      `create schema prepared; create table prepared.numbers as select n::int4 from generate_series(1, 9) n`,
    )
  })

  beforeEach(async () => {
    pool = await createReadPool({ url: database.url, maxConnections: 4 })
  })

  afterEach(() => pool.end())

  after(() => database.drop())

  const above = (min: number): Promise<readonly { n: number }[]> =>
    pool.any(sql.prepared('numbers', numberRow)`
    select n from prepared.numbers where n > ${min} order by n
  `)

  async function pids(): Promise<number[]> {
    const found = await Promise.all(Array.from({ length: 30 }, () => pool.one(pidOf(1))))
    return [...new Set(found.map(({ pid }) => pid))]
  }

  it('return their own results when many run at once on one connection', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => above(i % 10)))
    answers.forEach((rows, i) =>
      expect(rows.map(({ n }) => n)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9].slice(i % 10)),
    )
    // A stalled event loop looks like a stalled connection, which adds another one.
    let used = await pids()
    for (let tries = 0; used.length > 1 && tries < 20; tries++) used = await pids()
    expect(used).to.have.length(1)
  })

  it('use other connections if all of theirs are stalled', async () => {
    const locker = await database.pool.connect()
    try {
      await locker.query('begin; lock table prepared.numbers in access exclusive mode')
      const held = above(8)
      const free = fixedStatement(sql.prepared('free', numberRow)`select $1::int4 as n`)
      const answered = new AbortController()
      const requested: Promise<unknown>[] = []
      while (!answered.signal.aborted) {
        requested.push(pool.one(free(1)).then(() => answered.abort()))
        await setImmediate()
      }
      await locker.query('rollback')
      await Promise.all([held, ...requested])
    } finally {
      locker.release()
    }
  })

  it('are sent again if they wait behind a blocked one', async () => {
    const locker = await database.pool.connect()
    try {
      await locker.query('begin; lock table prepared.numbers in access exclusive mode')
      const held = above(8)
      const behind = pool.one(pidOf(1))
      const first = await Promise.race([held.then(() => 'held'), behind.then(() => 'behind')])
      expect(first).to.equal('behind')
      await locker.query('rollback')
      await held
    } finally {
      locker.release()
    }
  })

  it('are planned once per connection, not per value', async () => {
    for (let i = 0; i < 20; i++) await above(i)
    const plans = z.object({ name: z.string(), generic: z.number(), custom: z.number() })
    const rows = await pool.any(sql.prepared('plans', plans)`
      select name, generic_plans as generic, custom_plans as custom from pg_prepared_statements where name like '%numbers'
    `)
    expect(rows.map(({ generic, custom }) => [generic, custom])).to.deep.equal([[20, 0]])
  })

  it('may share a name with different text', async () => {
    expect(
      await pool.any(sql.prepared('numbers', numberRow)`select n from prepared.numbers where n = ${3}`),
    ).to.deep.equal([{ n: 3 }])
    expect(await above(8)).to.deep.equal([{ n: 9 }])
  })

  it('fail individually', async () => {
    const divided = (by: number): Promise<readonly { n: number }[]> =>
      pool.any(sql.prepared('divided', numberRow)`select 6 / ${by}::int as n`)
    const results = await Promise.allSettled([divided(2), divided(0), divided(3)])
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('fail if the connection is lost, then use another one', async () => {
    const lost = await pids()
    const sleeping = pool
      .any(sql.prepared('sleep', numberRow)`select 1 as n from pg_sleep(${60})`)
      .catch((error: unknown) => error)
    const isAsleep = async (): Promise<boolean> => {
      const { rowCount } = await database.pool.query(
        `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      )
      return rowCount === 1
    }
    for (;;) if (await isAsleep()) break
    await database.pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [lost])
    expect(await sleeping).to.be.instanceOf(RetryableError)
    expect(await above(8)).to.deep.equal([{ n: 9 }])
    expect((await pids()).some((pid) => lost.includes(pid))).to.equal(false)
  })

  it('are replanned after a change to their table', async () => {
    const all = (): Promise<readonly unknown[]> =>
      pool.any(sql.prepared('all', z.object({ n: z.number(), m: z.number().optional() }))`
      select * from prepared.numbers where n > ${8}
    `)
    expect(await all()).to.deep.equal([{ n: 9 }])
    await database.pool.query('alter table prepared.numbers add column m int4 default 5')
    expect(await all()).to.deep.equal([{ n: 9, m: 5 }])
  })

  it('reject rows that do not match their declared shape', async () => {
    const more = pool.any(sql.prepared('more', numberRow)`select n, n as more from prepared.numbers`)
    const error = await more.catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(TypeError)
  })

  it('report extra rows if they return one row, or one or none', async () => {
    const some = sql.prepared('some', numberRow)`select n from prepared.numbers where n > ${7}`
    const none = sql.prepared('none', numberRow)`select n from prepared.numbers where n > ${9}`
    expect(await pool.maybeOne(none)).to.equal(null)
    for (const wrong of [() => pool.maybeOne(some), () => pool.one(some), () => pool.one(none)]) {
      expect(
        await wrong().then(
          () => 'no error',
          () => 'an error',
        ),
      ).to.equal('an error')
    }
  })

  it('complete before the pool closes', async () => {
    const other = await createReadPool({ url: database.url })
    const requested = other.any(sql.prepared('numbers', numberRow)`select n from prepared.numbers where n > ${8}`)
    await other.end()
    expect(await requested).to.have.length(1)
  })
})
