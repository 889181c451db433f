import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { FatalError } from '../errors.ts'
import { dumpSchema } from './dump-schema.ts'
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

  it('applies new files in order, once each', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int); INSERT INTO a VALUES (1)')
    await put('0002_second.sql', 'ALTER TABLE a ADD COLUMN b int; INSERT INTO a VALUES (2, 2);')
    await put('README.md', 'not a migration')
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: ['0001_first', '0002_second'] })
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: [] })
    await put('0003_third.sql', 'DROP TABLE a')
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: ['0003_third'] })
    expect(await applied()).to.deep.equal([1, 2, 3])
  })

  for (const [history, last, checksum] of [
    ['the 34 files before the squash', 34, '53432673ae63e216141d64f7bdf3398a5ac4f2fa32a48c9249f55103eefffe33'],
    ['the 16 files with their first comments', 16, 'b5313091b5125edea39e6bd3d77d49eb8dbdb41bebedb5116ab593c13f8971a2'],
  ] as const) {
    it(`adopts a database created by ${history} and updates its comments`, async () => {
      const folderOfProject = join(import.meta.dirname, '../../../migrations')
      const files = (await readdir(folderOfProject)).filter((file) => file.endsWith('.sql')).toSorted()
      const names = files.map((file) => file.slice(0, -'.sql'.length))
      for (const file of files.slice(0, 16)) await copyFile(join(folderOfProject, file), join(folder, file))
      await migrate(db.pool, folder)
      await db.pool.query('DELETE FROM app.schema_migrations')
      await db.pool.query(
        `INSERT INTO app.schema_migrations (id, name, checksum)
         SELECT id, 'file ' || id, CASE id WHEN $1 THEN $2 ELSE 'x' END FROM generate_series(1, $1) id`,
        [last, checksum],
      )
      await db.pool.query(`COMMENT ON TABLE raw.blocks IS 'old'; COMMENT ON COLUMN raw.blocks.height IS 'old'`)
      expect(await migrate(db.pool, folderOfProject)).to.deep.equal({ applied: names.slice(16) })
      const { rows } = await db.pool.query<{ name: string }>('SELECT name FROM app.schema_migrations ORDER BY id')
      expect(rows.map(({ name }) => name)).to.deep.equal(names)
      const current = await createTestDatabase()
      expect(await dumpSchema(db.pool)).to.equal(await dumpSchema(current.pool))
      await current.drop()
      expect(await migrate(db.pool, folderOfProject)).to.deep.equal({ applied: [] })
    })
  }

  it('creates its own table for an empty folder', async () => {
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: [] })
    expect(await applied()).to.deep.equal([])
  })

  it('serves eight concurrent callers', async () => {
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

  it('rolls back a failing file and resumes there once it is corrected', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int)')
    await put('0002_second.sql', 'CREATE TABLE b (id int);\nSELECT nothing')
    const error = await failure()
    expect(error.details).to.include({ sqlState: '42703' })
    expect(error.message).to.match(/^0002_second.sql line 2: /)
    expect(await applied()).to.deep.equal([1])
    await put('0002_second.sql', 'CREATE TABLE b (id int)')
    expect(await migrate(db.pool, folder)).to.deep.equal({ applied: ['0002_second'] })
  })

  it('runs a marked file outside a transaction, and from its first statement after a failure', async () => {
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

  it('rejects a database newer than the program', async () => {
    await put('0001_first.sql', 'CREATE TABLE a (id int)')
    await put('0002_second.sql', 'CREATE TABLE b (id int)')
    await migrate(db.pool, folder)
    await rm(join(folder, '0002_second.sql'))
    const error = await failure()
    expect(error.code).to.equal('database-newer')
    expect(error.message).to.include('0002_second')
  })

  const original = `-- A table.
    CREATE TABLE a (id int DEFAULT 1, note text DEFAULT 'it''s -- ; kept');
    COMMENT ON TABLE a IS 'old; -- text';
    DO $body$ BEGIN PERFORM 'x;  y'; END $body$;`

  it('accepts changed comments and white space in an applied file', async () => {
    await put('0001_first.sql', original)
    await migrate(db.pool, folder)
    for (const sql of [
      original.replace('-- A table.', '/* Other; words */'),
      original.replace('old; -- text', "it''s new"),
      original.replace(/^\s*COMMENT.*$/m, ''),
      original.replace('a (id int', 'a\n  (id  -- number\n int'),
    ]) {
      expect(sql).not.to.equal(original)
      await put('0001_first.sql', sql)
      expect(await migrate(db.pool, folder), sql).to.deep.equal({ applied: [] })
    }
  })

  it('rejects an applied file whose statements changed', async () => {
    await put('0001_first.sql', original)
    await migrate(db.pool, folder)
    for (const sql of [
      original.replace('id int', 'id bigint'),
      original.replace('-- ; kept', '; kept'),
      original.replace('x;  y', 'x; y'),
      `${original} DROP TABLE a`,
    ]) {
      await put('0001_first.sql', sql)
      expect((await failure()).code, sql).to.equal('migration-edited')
    }
  })

  it('rejects gaps, duplicate numbers and invalid names', async () => {
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
