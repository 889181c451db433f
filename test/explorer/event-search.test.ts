import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { listRecentEventTypes } from '../../src/explorer/transactions/event-types.ts'
import { listEvents, searchEvents } from '../../src/explorer/transactions/events.ts'
import type { EventKey } from '../../src/explorer/paging/event-pages.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { blockOf, eventOf, storeBlocks } from '../../src/ingest/blocks.test-support.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

const type = (letter: string): string => `A.0000000000000001.C.${letter}`
const text = (value: string): { type: string; value: string } => ({ type: 'String', value })

/**
 * One letter per event of a transaction: more than fit into one database row, with gaps of more
 * than a row between events of a type.
 */
const transactions = ['A', 'B'.repeat(64), `A${'B'.repeat(200)}A`, 'AB'.repeat(70), 'C', '', 'BE', 'BE', 'BE']

describe('event search', () => {
  let database: TestDatabase
  let reads: DatabasePool

  before(async () => {
    database = await createTestDatabase()
    reads = await createReadPool({ url: database.url })
    const heights = [100, 101, 199, 200, 350]
    for (const height of heights) {
      await storeBlocks(database.pool, [
        blockOf(height, {
          transactions: transactions.map((letters) => ({
            result: { events: letters.split('').map((letter, i) => eventOf(type(letter), { n: text(String(i)) })) },
          })),
        }),
      ])
    }
    await database.pool.query(`
      create table app.block_event_types_p0 partition of app.block_event_types for values from (0) to (1000000);
      insert into app.block_event_types
      select block_height, array_agg(type order by type), array_agg(n) from (
        select block_height, type, count(*)::int as n from raw.events group by 1, 2
      ) as t group by 1;
      insert into app.event_type_pieces
      select t, block_height / 100, count(*) from app.block_event_types, unnest(types) as t group by 1, 2`)
  })

  after(async () => {
    await reads.end()
    await database.drop()
  })

  for (const letters of ['A', 'B', 'C', 'AC', 'ABC', 'D', 'E']) {
    it(`finds every event of ${letters.split('').join(', ')} once, newest first, for any page size`, async () => {
      const types = letters.split('').map(type)
      const { rows: expected } = await database.pool.query<object>(
        `
        select block_height::int, tx_index, event_index, type, payload from raw.events where type = any ($1)
        order by block_height desc, tx_index desc, event_index desc`,
        [types],
      )
      for (const count of [1, 7, 64, 1000]) {
        if (count === 1 && expected.length > 100) continue
        const found: object[] = []
        let before: EventKey | undefined
        for (;;) {
          const page = await searchEvents(reads, types, before, count)
          expect(page.length).to.equal(Math.min(count, expected.length - found.length))
          found.push(...page)
          const last = page.at(-1)
          if (last === undefined) break
          before = { height: last.block_height, txIndex: last.tx_index, eventIndex: last.event_index }
        }
        expect(found, `pages of ${count}`).to.deep.equal(expected)
      }
    })
  }

  it('lists the events of all types once, newest first, for any page size', async () => {
    const { rows: expected } = await database.pool.query<{ block_height: number }>(`
      select block_height::int, tx_index, event_index, type, payload from raw.events
      order by block_height desc, tx_index desc, event_index desc`)
    for (const [min, max] of [
      [0, 1000],
      [101, 200],
    ] as const) {
      const within = expected.filter(({ block_height: height }) => height >= min && height <= max)
      for (const count of [7, 64, 640, 1000]) {
        const found: object[] = []
        let before: EventKey | undefined
        for (;;) {
          const page = await listEvents(reads, before, count, { min, max })
          expect(page.length).to.equal(Math.min(count, within.length - found.length))
          found.push(...page)
          const last = page.at(-1)
          if (last === undefined) break
          before = { height: last.block_height, txIndex: last.tx_index, eventIndex: last.event_index }
        }
        expect(found, `pages of ${count} from ${min}`).to.deep.equal(within)
      }
    }
  })

  it('counts the types of the newest 1,000 blocks, most frequent first', async () => {
    const types = async (max: number, count: number): Promise<unknown[]> =>
      (await listRecentEventTypes(reads, { min: 0, max }, count)).map((row) => [
        row.type.slice(-1),
        row.count,
        row.last_seen_height,
      ])
    expect(await types(350, 9)).to.deep.equal([
      ['B', 5 * 337, 350],
      ['A', 5 * 73, 350],
      ['E', 5 * 3, 350],
      ['C', 5, 350],
    ])
    expect(await types(350, 1)).to.deep.equal([['B', 5 * 337, 350]])
    // From height 200.
    expect(await types(1199, 1)).to.deep.equal([['B', 2 * 337, 350]])
    expect(await types(1350, 1)).to.deep.equal([])
    expect(await listRecentEventTypes(reads, undefined, 1)).to.deep.equal([])
  })
})
