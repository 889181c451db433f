import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { FatalError } from '../errors.ts'
import { migrate } from './migrate.ts'
import { createPool } from './pool.ts'

describe('migrate', () => {
  let db: TestDatabase
  let folder: string
  beforeEach(async () => {
    db = await createEmptyDatabase()
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-migrations-'))
  })
  afterEach(async () => {
    await rm(folder, { recursive: true })
    await db.drop()
  })

  const put = (file: string, sql: string): Promise<void> => writeFile(join(folder, file), sql)

  async function failure(): Promise<FatalError> {
    const error = await migrate(db.pool, folder).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(FatalError)
    return error as FatalError
  }

  async function applied(): Promise<number[]> {
    const { rows } = await db.pool.query<{ id: number }>('SELECT id FROM app.schema_migrations ORDER BY id')
    return rows.map((row) => row.id)
  }

  it('applies the new files in order, each once', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int); INSERT INTO a VALUES (1)')
    await put('0002_second.sql', 'ALTER TABLE a ADD COLUMN b int; INSERT INTO a VALUES (2, 2);')
    await put('README.md', 'not a migration')
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: ['0001_first', '0002_second'] })
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: [] })
    await put('0003_third.sql', 'DROP TABLE a')
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: ['0003_third'] })
    expect(await applied()).to.deep.equal([1, 2, 3])
  })

  it('keeps a database that has all the migrations that were squashed for 0.1.0', async () => {
    const migrations = join(import.meta.dirname, '../../../migrations')
    const names = (await migrate(db.pool, migrations)).applied
    await db.pool.query('DELETE FROM app.schema_migrations')
    await db.pool.query(
      `INSERT INTO app.schema_migrations (id, name, checksum)
       SELECT id, CASE id WHEN 34 THEN '0034_outgoing_mails' ELSE 'file ' || id END, 'x' FROM generate_series(1, 34) id`,
    )
    expect(await migrate(db.pool, migrations)).to.deep.equal({ applied: names.slice(16) })
    const { rows } = await db.pool.query<{ name: string }>('SELECT name FROM app.schema_migrations ORDER BY id')
    expect(rows.map(({ name }) => name)).to.deep.equal(names)
  })

  it('makes the bookkeeping for an empty folder too', async () => {
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: [] })
    expect(await applied()).to.deep.equal([])
  })

  it('lets eight starters come at once', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int)')
    await put('0002_index.sql', '-- flowfarm:no-transaction\nCREATE INDEX CONCURRENTLY a_id ON a (id);\n')
    await put('0003_third.sql', 'CREATE TABLE b (id int)')
    const pools = Array.from({ length: 8 }, () => createPool(db.url, { max: 1 }))
    try {
      const results = await Promise.all(pools.map((pool) => migrate(pool, folder)))
      expect(results.flatMap((result) => result.applied).toSorted()).to.deep.equal([
        '0001_first',
        '0002_index',
        '0003_third',
      ])
    } finally {
      await Promise.all(pools.map((pool) => pool.end()))
    }
  })

  it('leaves nothing of a file that fails, and goes on from there when it is mended', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int)')
    await put('0002_second.sql', 'CREATE TABLE b (id int);\nSELECT nothing')
    const error = await failure()
    expect(error.details).to.include({ sqlState: '42703' })
    expect(error.message).to.match(/^0002_second.sql line 2: /)
    expect(await applied()).to.deep.equal([1])
    await put('0002_second.sql', 'CREATE TABLE b (id int)')
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: ['0002_second'] })
  })

  it('runs the statements of a marked file outside of a transaction, and all again after a failure', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int); INSERT INTO a VALUES (1), (1)')
    const statements = 'DROP INDEX CONCURRENTLY IF EXISTS a_id;\nCREATE UNIQUE INDEX CONCURRENTLY a_id ON a (id);\n'
    await put('0002_index.sql', `-- why it is there\n-- flowfarm:no-transaction\n${statements}`)
    expect((await failure()).details).to.include({ sqlState: '23505' })
    expect(await applied()).to.deep.equal([1])
    await db.pool.query('TRUNCATE a')
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: ['0002_index'] })
    const { rows } = await db.pool.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'a_id'::regclass")
    expect(rows).to.deep.equal([{ indisvalid: true }])
  })

  it('refuses a database that is newer than the program', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int)')
    await put('0002_second.sql', 'CREATE TABLE b (id int)')
    await migrate(db.pool, folder)
    await rm(join(folder, '0002_second.sql'))
    const error = await failure()
    expect(error.code).to.equal('database-newer')
    expect(error.message).to.include('0002_second')
  })

  it('refuses a file that was changed after it was applied', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int)')
    await migrate(db.pool, folder)
    await put('0001_first.sql', 'CREATE TABLE a (id int, b int)')
    expect((await failure()).code).to.equal('migration-edited')
  })

  it('refuses gaps, doubles and odd names', async () => {
    for (const files of [
      ['0002_a.sql'],
      ['0001_a.sql', '0001_b.sql'],
      ['1_a.sql'],
      ['0001_A.sql'],
      ['0001_a.sql', '0003_b.sql'],
    ]) {
      for (const file of files) await put(file, 'SELECT 1')
      expect((await failure()).code, files.join()).to.equal('migration-numbering')
      for (const file of files) await rm(join(folder, file))
    }
  })
})
