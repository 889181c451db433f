import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import type { StateFold, Worker } from '../../../jobs/worker.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { activeLease, commitRange } from './example-worker.test-support.ts'
import { RangeOutput } from './range-output.ts'
import { rollBackDerived } from './folds.ts'

interface Move {
  readonly height: number
  readonly txIndex: number
  readonly item: string
  readonly owner: string | null
}

type Step = { readonly derive: number; readonly moves: readonly Move[] } | { readonly rollBackTo: number }

const table = {
  name: 'app.moves',
  columns: ['block_height', 'tx_index', 'item', 'owner'],
  heightColumn: 'block_height',
  partitionHeights: undefined,
}
const owners: StateFold = {
  kind: 'state',
  name: 'app.owners',
  key: [{ column: 'item', type: 'text' }],
  reads: [table.name],
  touched: "select distinct item from app.moves where block_height >= $1 and block_height < $2 and item <> 'hidden'",
  fold: `
    with keys as (select unnest($1::text[]) as item), gone as (
      delete from app.owners o using keys k
      where o.item = k.item and not exists (select from app.moves m where m.item = k.item)
    )
    insert into app.owners as o (item, block_height, tx_index, owner)
    select k.item, l.block_height, l.tx_index, l.owner from keys k cross join lateral (
      select m.block_height, m.tx_index, m.owner from app.moves m
      where m.item = k.item order by m.block_height desc, m.tx_index desc limit 1
    ) l
    on conflict (item) do update
    set block_height = excluded.block_height, tx_index = excluded.tx_index, owner = excluded.owner`,
  merge: `
    insert into app.owners as o (item, block_height, tx_index, owner)
    select distinct on (item) item, block_height, tx_index, owner from app.moves
    where block_height >= $1 and block_height < $2 and item <> 'hidden'
    order by item, block_height desc, tx_index desc
    on conflict (item) do update
    set block_height = excluded.block_height, tx_index = excluded.tx_index, owner = excluded.owner
    where (o.block_height, o.tx_index) < (excluded.block_height, excluded.tx_index)`,
}
const counts: Worker['folds'][number] = {
  kind: 'sum',
  name: 'app.counts',
  key: [{ column: 'owner', type: 'text' }],
  sums: [{ column: 'items', type: 'bigint' }],
  presence: 'items',
  of: owners.name,
  touched: 'select distinct owner from app.moves where block_height >= $1 and block_height < $2',
  counted: 'select owner, 1::bigint as items from app.owners where item = any ($1::text[]) and owner is not null',
}
const base = {
  description: 'Items and who has them.',
  phase: 1,
  follows: [],
  tables: [table],
  derive: () => undefined,
} as const
const alone: Worker = { ...base, name: 'alone', folds: [owners] }
const counted: Worker = { ...base, name: 'counted', folds: [owners, counts] }

describe('an incremental fold', () => {
  let database: TestDatabase
  let pool: pg.Pool
  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await pool.query(`
      create table app.moves (block_height bigint, tx_index integer, item text, owner text, primary key (block_height, tx_index, item));
      create index on app.moves (item, block_height, tx_index);
      create table app.owners (item text primary key, block_height bigint not null, tx_index integer not null, owner text);
      create table app.counts (owner text primary key, items bigint not null);
      insert into app.indexing_checkpoints (service_name) values ('main_ingester')`)
  })
  after(() => database.drop())

  const derive = async (worker: Worker, range: number, moves: readonly Move[]): Promise<void> => {
    const output = new RangeOutput(worker)
    const rows = output.rows(table.name)
    for (const { height, txIndex, item, owner } of moves) {
      rows.row(4)
      rows.int8(height)
      rows.int4(txIndex)
      rows.text(item)
      if (owner === null) rows.null()
      else rows.text(owner)
    }
    const lease = await activeLease(pool, range * 10, range * 10 + 10, worker.name)
    expect(await commitRange(pool, { worker, lease, chainVersion: 0, output })).to.equal('committed')
  }
  const all = async (sql: string): Promise<unknown[]> => (await pool.query<Record<string, unknown>>(sql)).rows

  const key = fc.record({ offset: fc.nat(9), txIndex: fc.nat(2), item: fc.constantFrom('a', 'b', 'c', 'hidden') })
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record({
          range: fc.nat(3),
          rows: fc.dictionary(
            fc.constantFrom('a', 'b', 'c', 'hidden'),
            fc.array(fc.tuple(key, fc.constantFrom('x', 'y', null)), { maxLength: 4 }),
          ),
        })
        .map(({ range, rows }) => {
          const moves = new Map<string, Move>()
          for (const [{ offset, txIndex, item }, owner] of Object.values(rows).flat()) {
            moves.set(`${offset} ${txIndex} ${item}`, { height: range * 10 + offset, txIndex, item, owner })
          }
          return { derive: range, moves: [...moves.values()] }
        }),
    },
    { weight: 1, arbitrary: fc.integer({ min: -1, max: 40 }).map((rollBackTo) => ({ rollBackTo })) },
  )

  for (const worker of [alone, counted]) {
    it(`is the same after any ranges in any order, again and again, with rollbacks${worker === counted ? ', and so are sums over it' : ''}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          await pool.query('truncate app.moves, app.owners, app.counts, app.worker_leases')
          for (const one of steps) {
            if ('derive' in one) await derive(worker, one.derive, one.moves)
            else await withTransaction(pool, (client) => rollBackDerived(client, one.rollBackTo, [worker]))
          }
          const expected = `select distinct on (item) item, block_height, tx_index, owner from app.moves
          where item <> 'hidden' order by item, block_height desc, tx_index desc`
          expect(await all('select * from app.owners order by item')).to.deep.equal(await all(expected))
          if (worker === alone) return
          expect(await all('select * from app.counts order by owner')).to.deep.equal(
            await all(
              `select owner, count(*) as items from (${expected}) as o where owner is not null group by owner order by owner`,
            ),
          )
        }),
        { numRuns: 60 },
      )
    })
  }
})
