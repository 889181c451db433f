import { expect } from 'chai'
import type pg from 'pg'
import { StoredBlocks } from '../../src/farm/range-reader/stored-blocks.ts'
import { blockOf, eventOf, storeBlocks } from '../../src/ingest/blocks.test-support.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

const text = (value: string): { type: string; value: string } => ({ type: 'String', value })

interface EventRow {
  readonly event_index: number
  readonly type: string
  readonly payload: unknown
}

async function eventRows(pool: pg.Pool, height: number): Promise<EventRow[]> {
  const { rows } = await pool.query<EventRow>(
    'select event_index, type, payload from raw.events where block_height = $1 and tx_index = 0 order by event_index',
    [height],
  )
  return rows
}

describe('event chunks', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  it('are visible as single events and can be read back for any number of events', async () => {
    for (const [at, count] of [0, 1, 63, 64, 65, 128, 200].entries()) {
      const height = 100 + at
      const events = Array.from({ length: count }, (_, i) => eventOf(`A.01.C.E${i % 3}`, { n: text(String(i)) }))
      await storeBlocks(database.pool, [blockOf(height, { transactions: [{ result: { events } }] })])
      const wanted = events.map(({ type }, i) => ({ event_index: i, type, payload: { n: String(i) } }))
      expect(await eventRows(database.pool, height), `${count} events`).to.deep.equal(wanted)
      const { rows } = await database.pool.query<{ first: number }>(
        'select first_event_index as first from raw.event_chunks where block_height = $1 order by 1',
        [height],
      )
      expect(rows.map(({ first }) => first)).to.deep.equal(
        Array.from({ length: Math.ceil(count / 64) }, (_, i) => i * 64),
      )
      const {
        blocks: [read],
      } = await new StoredBlocks(database.pool).read({ from: height, to: height + 1 })
      const back = read?.block.transactions[0]?.events.map(({ index, type, fields }) => ({
        event_index: index,
        type,
        payload: fields,
      }))
      expect(back).to.deep.equal(wanted)
    }
  })

  it('preserve the field order of the chain, also after a contract update changes it', async () => {
    const forms = [{ b: text('1'), a: text('2') }, { a: text('3'), b: text('4'), c: text('5') }, {}]
    const events = forms.map((content) => eventOf('A.01.C.Changed', content))
    await storeBlocks(database.pool, [blockOf(200, { transactions: [{ result: { events } }] })])
    const {
      blocks: [read],
    } = await new StoredBlocks(database.pool).read({ from: 200, to: 201 })
    expect(read?.block.transactions[0]?.events.map(({ fields }) => JSON.stringify(fields))).to.deep.equal([
      '{"b":"1","a":"2"}',
      '{"a":"3","b":"4","c":"5"}',
      '{}',
    ])
    const { rows } = await database.pool.query<{ fields: string[] }>(
      `select fields from raw.event_shapes where type = 'A.01.C.Changed' order by id`,
    )
    expect(rows.map(({ fields }) => fields)).to.have.deep.members([['b', 'a'], ['a', 'b', 'c'], []])
  })

  it('distinguish an event without fields from an undecodable one', async () => {
    const events = [eventOf('A.01.C.Empty', {}), eventOf('A.01.C.Empty', Buffer.from('d88182', 'hex'))]
    await storeBlocks(database.pool, [blockOf(300, { transactions: [{ result: { events } }] })])
    expect((await eventRows(database.pool, 300)).map(({ payload }) => payload)).to.deep.equal([{}, null])
    const {
      blocks: [read],
    } = await new StoredBlocks(database.pool).read({ from: 300, to: 301 })
    expect(read?.block.transactions[0]?.events.map(({ fields }) => fields)).to.deep.equal([{}, undefined])
  })

  it('use one number per shape, regardless of which batch stores it first', async () => {
    const kinds = Array.from({ length: 40 }, (_, i) => eventOf(`A.01.Raced.E${i}`, { n: text('1') }))
    const blocks = Array.from({ length: 8 }, (_, i) =>
      blockOf(400 + 10 * i, {
        transactions: [{ result: { events: i % 2 === 0 ? kinds : kinds.toReversed() } }],
      }),
    )
    await Promise.all(
      blocks.map((block, i) =>
        storeBlocks(database.pool, [block], { name: i % 2 === 0 ? 'main_ingester' : 'history_ingester' }).catch(
          (error: unknown) => {
            // Of two concurrent batches of one ingester only one may commit, but both store their
            // shapes.
            expect(error).to.include({ code: 'checkpoint-moved' })
          },
        ),
      ),
    )
    const {
      rows: [counts],
    } = await database.pool.query<object>(`
      select count(*)::int as shapes, count(distinct type)::int as types from raw.event_shapes where type like 'A.01.Raced.%'
    `)
    expect(counts).to.deep.equal({ shapes: 40, types: 40 })
  })
})
