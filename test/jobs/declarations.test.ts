import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

interface Column {
  readonly column: string
  readonly type: string
  readonly isKey: boolean
  /** Columns that PostgreSQL computes from others. */
  readonly isGenerated: boolean
}

describe('worker declarations', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const columnsOf = async (table: string): Promise<Column[]> => {
    const { rows } = await database.pool.query<Column>(
      `select a.attname as column, format_type(a.atttypid, a.atttypmod) as type, a.attgenerated <> '' as "isGenerated",
         coalesce(a.attnum = any (i.indkey), false) as "isKey"
       from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
       where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped order by a.attnum`,
      [table],
    )
    return rows
  }

  const firstIndexedColumns = async (table: string): Promise<string[]> => {
    const { rows } = await database.pool.query<{ column: string }>(
      `select a.attname as column from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
       where i.indrelid = to_regclass($1) and i.indpred is null`,
      [table],
    )
    return rows.map(({ column }) => column)
  }

  it('name each table once', () => {
    const names = workers.flatMap(({ tables, folds }) => [...tables, ...folds].map(({ name }) => name))
    expect(names).to.deep.equal([...new Set(names)])
  })

  it('depend only on earlier workers', () => {
    for (const [i, { name, phase, follows, derive }] of workers.entries()) {
      const before = new Map(workers.slice(0, i).map((worker) => [worker.name, worker]))
      expect(
        follows.filter((other) => !before.has(other)),
        name,
      ).to.deep.equal([])
      expect(phase, name).to.equal(1 + Math.max(0, ...follows.map((other) => before.get(other)?.phase ?? 0)))
      if (derive === undefined) expect(follows, `${name} derives nothing and follows no worker`).to.not.deep.equal([])
    }
  })

  it('have folds that read only tables complete at that time', () => {
    for (const { name, tables, follows, folds } of workers) {
      const own = tables.map((table) => table.name)
      const followed = workers.filter((worker) => follows.includes(worker.name))
      const readable = new Set([...own, ...followed.flatMap((worker) => worker.tables.map((table) => table.name))])
      const done: string[] = []
      for (const fold of folds) {
        if (fold.kind === 'state') {
          expect(
            fold.reads.filter((table) => !readable.has(table)),
            `${name}: ${fold.name}`,
          ).to.deep.equal([])
        } else {
          expect([...own, ...done], `${name}: ${fold.name} adds up`).to.include.members([fold.of].flat())
          expect(
            fold.sums.map(({ column }) => column),
            `${name}: ${fold.name}`,
          ).to.include(fold.presence)
        }
        done.push(fold.name)
      }
    }
  })

  it('have the columns of their tables, in order', async () => {
    for (const { tables } of workers) {
      for (const { name, columns, heightColumn, partitionHeights } of tables) {
        const stored = await columnsOf(name)
        expect(columns, name).to.deep.equal(stored.map(({ column }) => column))
        expect(await firstIndexedColumns(name), `${name}: ranges are deleted by an index`).to.include(heightColumn)
        const {
          rows: [table],
        } = await database.pool.query<{ kind: string }>(
          'select relkind as kind from pg_class where oid = to_regclass($1)',
          [name],
        )
        expect(table?.kind, name).to.equal(partitionHeights === undefined ? 'r' : 'p')
      }
    }
  })

  it('have the keys of their folds, by name and type, and the sums', async () => {
    for (const fold of workers.flatMap(({ folds }) => folds)) {
      const stored = await columnsOf(fold.name)
      const keys = stored.filter(({ isKey }) => isKey).map(({ column, type }) => ({ column, type }))
      expect(fold.key, fold.name).to.deep.equal(keys)
      const others = stored
        .filter(({ isKey, isGenerated }) => !isKey && !isGenerated)
        .map(({ column, type }) => ({ column, type }))
      if (fold.kind === 'sum') expect(fold.sums, fold.name).to.deep.equal(others)
    }
  })
})
