import { expect } from 'chai'
import type { Pool, PoolClient } from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { ensurePartitions } from './partitions.ts'
import { createPool } from './pool.ts'

describe('ensurePartitions', () => {
  let db: TestDatabase
  let pool: Pool
  before(async () => {
    db = await createTestDatabase()
    await db.pool.query('CREATE SCHEMA "Heights"')
  })
  after(() => db.drop())
  beforeEach(async () => {
    // Existing partitions are cached per pool.
    pool = createPool(db.url)
    await pool.query(`
      CREATE TABLE "Heights".facts (
        height int8, n int4 NOT NULL DEFAULT 7, body text CHECK (body <> 'bad'), PRIMARY KEY (height, n)
      ) PARTITION BY RANGE (height);
      CREATE INDEX facts_body ON "Heights".facts (body)`)
  })
  afterEach(async () => {
    await pool.query('DROP TABLE "Heights".facts')
    await pool.end()
  })

  const table = 'Heights.facts'

  async function bounds(): Promise<string[]> {
    const { rows } = await pool.query<{ bound: string }>(
      `SELECT c.relname || ' ' || pg_get_expr(c.relpartbound, c.oid) AS bound
       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = '"Heights".facts'::regclass ORDER BY length(c.relname), c.relname`,
    )
    return rows.map((row) => row.bound)
  }

  const bound = (from: number, to: number): string => `facts_p${from} FOR VALUES FROM ('${from}') TO ('${to}')`

  it('creates the partitions that a range touches and one above', async () => {
    await ensurePartitions(pool, table, 100, { from: 250, to: 401 })
    expect(await bounds()).to.deep.equal([bound(200, 300), bound(300, 400), bound(400, 500), bound(500, 600)])
  })

  it('excludes the end of a range', async () => {
    await ensurePartitions(pool, table, 100, { from: 0, to: 100 })
    expect(await bounds()).to.deep.equal([bound(0, 100), bound(100, 200)])
  })

  it('creates nothing for an empty range', async () => {
    await ensurePartitions(pool, table, 100, { from: 5, to: 5 })
    expect(await bounds()).to.deep.equal([])
  })

  it('creates partitions identical to their parent', async () => {
    await ensurePartitions(pool, table, 100, { from: 0, to: 1 })
    const { rows } = await pool.query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint WHERE conrelid = '"Heights".facts_p0'::regclass AND contype <> 'n'
       UNION ALL SELECT indexrelid::regclass::text FROM pg_index i JOIN pg_inherits h ON h.inhrelid = i.indexrelid
       WHERE indrelid = '"Heights".facts_p0'::regclass ORDER BY name`,
    )
    expect(rows.map((row) => row.name)).to.deep.equal([
      '"Heights".facts_p0_body_idx',
      '"Heights".facts_p0_pkey',
      'facts_body_check',
      'facts_p0_pkey',
    ])
    await pool.query('INSERT INTO "Heights".facts (height) VALUES (50)')
    expect((await pool.query('SELECT n FROM "Heights".facts_p0')).rows).to.deep.equal([{ n: 7 }])
  })

  it('supports eight concurrent callers', async () => {
    const pools = Array.from({ length: 8 }, () => createPool(db.url, { max: 2 }))
    try {
      await Promise.all(
        pools.flatMap((pool, i) => [
          ensurePartitions(pool, table, 10, { from: 0, to: 95 }),
          ensurePartitions(pool, table, 10, { from: i * 10, to: i * 10 + 5 }),
        ]),
      )
    } finally {
      await Promise.all(pools.map((pool) => pool.end()))
    }
    expect(await bounds()).to.have.length(11)
  })

  it('does not block readers or writers of other partitions', async () => {
    await ensurePartitions(pool, table, 100, { from: 0, to: 1 })
    const writer = await pool.connect()
    try {
      await writer.query('BEGIN')
      await writer.query('INSERT INTO "Heights".facts VALUES (1, 1)')
      await ensurePartitions(pool, table, 100, { from: 500, to: 501 })
      await writer.query('COMMIT')
    } finally {
      writer.release()
    }
    expect(await bounds()).to.have.length(4)
  })

  it('queries the database once per partition', async () => {
    const hold = (): Promise<PoolClient[]> => Promise.all(Array.from({ length: 10 }, () => pool.connect()))
    // A new session clears the cache: the database may be a restored backup.
    for (const client of await hold()) client.release()
    await ensurePartitions(pool, table, 100, { from: 0, to: 50 })
    const held = await hold()
    try {
      // Every connection of the pool is in use, so a query would wait forever.
      await ensurePartitions(pool, table, 100, { from: 10, to: 60 })
    } finally {
      for (const client of held) client.release()
    }
  })

  it('does not cache a failed creation', async () => {
    const failure = await ensurePartitions(pool, 'Heights.nothing', 100, { from: 0, to: 1 }).catch(
      (error: unknown) => error,
    )
    expect(failure).to.have.property('code', 'database-error')
    await pool.query('CREATE TABLE "Heights".nothing (height int8) PARTITION BY RANGE (height)')
    await ensurePartitions(pool, 'Heights.nothing', 100, { from: 0, to: 1 })
    await pool.query('INSERT INTO "Heights".nothing VALUES (150); DROP TABLE "Heights".nothing')
  })

  it('rejects negative heights and invalid step sizes', async () => {
    for (const [step, from] of [
      [100, -1],
      [0, 0],
      [-5, 0],
      [1.5, 0],
      [100, Number.MAX_SAFE_INTEGER],
    ] as const) {
      const failure = await ensurePartitions(pool, table, step, { from, to: from + 1 }).catch((error: unknown) => error)
      expect(failure, `${step} ${from}`).to.be.instanceOf(RangeError)
    }
  })
})
