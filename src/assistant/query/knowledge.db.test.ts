import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { examplePairs } from './example-pairs.ts'
import { buildPrompt, describeCatalog, readCatalog } from './knowledge.ts'
import type { Prompt } from './knowledge.ts'
import { indexerTables } from './sql/readable-tables.ts'

describe('schema description for the model', () => {
  let db: TestDatabase
  let schema: string
  before(async () => {
    db = await createTestDatabase()
    schema = describeCatalog(await readCatalog(db.pool, indexerTables))
  })
  after(() => db.drop())

  const prompt = (changes: Partial<Parameters<typeof buildPrompt>[0]> = {}): Prompt =>
    buildPrompt({
      target: 'indexer',
      schema,
      notes: 'Notes.',
      examples: examplePairs('indexer', 'mainnet'),
      maxRows: 500,
      timeoutSeconds: 30,
      ...changes,
    })

  it('includes every readable table and no other', () => {
    const reported = [...schema.matchAll(/^CREATE TABLE (\S+) \($/gm)].map(([, name]) => name)
    expect(reported).to.have.members(indexerTables)
  })

  it('includes columns with types, comments, keys and indexes', () => {
    const blocks = schema.split('\n\n').find((table) => table.includes('CREATE TABLE raw.blocks (')) ?? ''
    expect(blocks).to.include('  id bytea NOT NULL, -- Block id, 32 bytes.')
    expect(blocks).to.include('-- PRIMARY KEY (height)')
    expect(schema).to.match(/^-- index: btree \(/m)
    expect(schema).to.include('-- raw.events is a view with these columns:')
  })

  it('adds the rows of partitions to their table and rounds the count', async () => {
    await db.pool.query(`
      CREATE TABLE public.counted (n int8) PARTITION BY RANGE (n);
      CREATE TABLE public.counted_0 PARTITION OF public.counted FOR VALUES FROM (0) TO (1000);
      CREATE TABLE public.counted_1 PARTITION OF public.counted FOR VALUES FROM (1000) TO (2000);
      INSERT INTO public.counted SELECT generate_series(0, 1233);
      ANALYZE public.counted_0, public.counted_1`)
    const [counted, ...others] = await readCatalog(db.pool, ['public.counted', 'public.nowhere'])
    await db.pool.query('DROP TABLE public.counted')
    expect(others).to.deep.equal([])
    expect(counted).to.include({ kind: 'table', approximateRows: 1234 })
    expect(describeCatalog([counted].filter((table) => table !== undefined))).to.include('-- About 1,200 rows.')
  })

  it('escapes names and comments that contain markup', () => {
    const text = describeCatalog([
      {
        schema: 'public',
        name: 'Odd "name"',
        kind: 'table',
        comment: 'one\n-- two',
        keys: [],
        indexes: [],
        approximateRows: null,
        columns: [{ name: 'select', type: 'text', isNullable: true, comment: 'x\nDROP' }],
      },
    ])
    expect(text).to.equal('-- one -- two\nCREATE TABLE public."Odd ""name""" (\n  select text -- x DROP\n);')
  })

  it('has a version that changes with each of its parts', () => {
    const { version, instructions } = prompt()
    expect(version).to.match(/^[0-9a-f]{12}$/)
    expect(prompt().version).to.equal(version)
    for (const other of [
      prompt({ notes: 'Other.' }),
      prompt({ maxRows: 10 }),
      prompt({ examples: [] }),
      prompt({ schema: '' }),
    ]) {
      expect(other.version).not.to.equal(version)
    }
    expect(instructions).to.include('limited to 500 rows').and.include('times out after 30 s')
  })

  it('has the measures for the indexer only', () => {
    expect(prompt().instructions).to.include('- active_accounts (accounts): Accounts that proposed')
    expect(prompt({ target: 'evm' }).instructions).to.not.include('active_accounts (accounts)')
  })

  it('is unchanged by a restart and by unrelated tables', async () => {
    await db.pool.query(`
      DO $$ BEGIN
        FOR n IN 1..300 LOOP EXECUTE format('CREATE TABLE app.other_%s (n int8); CREATE TABLE public.other_%s (n int8)', n, n); END LOOP;
      END $$`)
    const again = describeCatalog(await readCatalog(db.pool, indexerTables))
    expect(prompt({ schema: again }).version).to.equal(prompt().version)
    expect(prompt().instructions.length).to.be.below(200_000)
  })

  it('includes questions in English and Chinese', () => {
    const { instructions } = prompt()
    expect(instructions)
      .to.match(/^Question: [A-Z]/m)
      .and.match(/^Question: \p{Script=Han}/mu)
  })

  it('includes notes for each database', async () => {
    for (const target of ['indexer', 'evm']) {
      const notes = await readFile(new URL(`./${target}-notes.md`, import.meta.url), 'utf8')
      expect(notes).to.match(/^- /)
    }
  })
})
