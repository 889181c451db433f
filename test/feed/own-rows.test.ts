import { expect } from 'chai'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import type { FeedMessage } from '../support/feed-client.ts'
import { addOwnWorker, addSales } from '../support/served-worker.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const table = 'top_shot.moment_purchased'

describe('rows of own tables in the live feed', () => {
  let database: TestDatabase
  let api: RunningApi
  const clients: FeedClient[] = []

  beforeEach(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 0, 9)
    await addOwnWorker(database.pool)
    await derive(0, 9)
    api = await runApi(database.url, { live: { liveLimits: { maxReorgDepth: 3, maxReplay: 8 } } })
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close().catch(() => undefined)
    await api.stop()
    await database.drop()
  })

  async function connect(): Promise<FeedClient> {
    const client = await FeedClient.connect(`${api.host}/ws`)
    clients.push(client)
    return client
  }

  /** As the worker commits them. */
  async function derive(from: number, to: number): Promise<void> {
    await addSales(database.pool, from, to)
    await database.pool.query(
      `update app.indexing_checkpoints set covered = covered + int8multirange(int8range($1, $2, '[]'))
       where service_name = 'own_top_shot'`,
      [from, to],
    )
    await database.pool.query("select pg_notify('own_rows', $1)", [`own_top_shot ${from} ${to}`])
  }

  async function rollBack(from: number): Promise<void> {
    await database.pool.query(`
      begin;
      delete from raw.event_chunks where block_height >= ${from};
      delete from raw.transactions where block_height >= ${from};
      delete from raw.blocks where height >= ${from};
      delete from own_top_shot.moment_purchased where block_height >= ${from};
      update app.indexing_checkpoints set covered = covered * '{[0,${from})}'::int8multirange;
      select pg_notify('flowfarm_rollback', '${from}');
      commit`)
  }

  const heightsOf = (messages: readonly FeedMessage[]): unknown[] =>
    messages.flatMap(({ type, payload }): unknown[] => {
      if (type === 'own_row') return [(payload['row'] as { block_height: number }).block_height]
      return type === 'rollback' ? [`rollback ${String(payload['from_height'])}`] : []
    })

  const rowAt =
    (height: number) =>
    ({ type, payload }: FeedMessage): boolean =>
      type === 'own_row' && (payload['row'] as { block_height: number }).block_height === height

  it('are sent once, in order, when they are derived without a gap', async () => {
    const client = await connect()
    expect((await client.subscribe({ table })).payload).to.deep.equal({ id: 'test', next_height: 10, batch: false })
    await storeBlocks(database.pool, 10, 14)
    await derive(12, 14)
    await derive(10, 11)
    await client.find(rowAt(14))
    expect(heightsOf(client.messages)).to.deep.equal([10, 11, 12, 13, 14])
    const [, first] = client.messages
    expect(first?.seq).to.match(/^10\.0\.[0-9a-f]{16}$/)
    expect(first?.payload).to.deep.include({ id: 'test', table })
    expect(first?.payload['row']).to.deep.include({ moment_id: '10', price: '12.50000000' })
    expect(client.messages.some(({ type }) => type === 'new_block')).to.equal(false)
  })

  it('can be filtered by indexed columns, and unsubscribed', async () => {
    const client = await connect()
    await client.subscribe({ table, filter: { level: 1, moment_id: '013.0' } })
    await storeBlocks(database.pool, 10, 14)
    await derive(10, 14)
    await client.find(rowAt(13))
    client.say({ type: 'unsubscribe', id: 'test' })
    await client.find(({ type }) => type === 'unsubscribed')
    await storeBlocks(database.pool, 15, 15)
    await derive(15, 15)
    await client.subscribe({ table, from: 15 })
    await client.find(rowAt(15))
    expect(heightsOf(client.messages)).to.deep.equal([13, 15])
  })

  it('are replayed from a height and after a message, in batches on request', async () => {
    const client = await connect()
    await client.subscribe({ table, from: 5, batch: true })
    await client.find(rowAt(9))
    expect(heightsOf(client.messages)).to.deep.equal([5, 6, 7, 8, 9])
    expect(client.frames.at(-1)).to.be.greaterThan(1)
    const seq = client.messages.find(rowAt(7))?.seq
    const second = await connect()
    await second.subscribe({ table, after: seq })
    await second.find(rowAt(9))
    expect(heightsOf(second.messages)).to.deep.equal([8, 9])
  })

  it('are taken back by a rollback, also for a client that was away', async () => {
    const client = await connect()
    await client.subscribe({ table, from: 7 })
    const last = await client.find(rowAt(9))
    await rollBack(9)
    await client.find(({ type }) => type === 'rollback')
    await storeBlocks(database.pool, 9, 10, { fork: 'other' })
    await derive(9, 10)
    await client.find(rowAt(10))
    const [before, after] = heightsOf(client.messages)
      .join(' ')
      .split(/ rollback \d+ /)
    expect(before).to.equal('7 8 9')
    expect(after?.endsWith('9 10')).to.equal(true)
    const second = await connect()
    await second.subscribe({ table, after: last.seq })
    await second.find(rowAt(10))
    expect(heightsOf(second.messages)).to.deep.equal(['rollback 6', 6, 7, 8, 9, 10])
  })

  it('are refused with the field and the possible values', async () => {
    const client = await connect()
    const problem = async (message: Readonly<Record<string, unknown>>): Promise<unknown[]> => {
      const { payload } = await client.subscribe(message)
      return [payload['code'], payload['field'], payload['message']]
    }
    expect(await problem({ table: 'top_shot.none' })).to.deep.equal([
      'unknown_table',
      'table',
      'Worker top_shot has no table none. Known: moment_purchased, seller_totals, latest_price, edition_sellers, ' +
        'top_sellers.',
    ])
    expect(await problem({ table: 'top_shot.seller_totals' })).to.deep.equal([
      'unknown_table',
      'table',
      'is a fold: subscribe to top_shot.moment_purchased',
    ])
    expect((await problem({ table, filter: { price: 1 } }))[2]).to.include('column price has no index')
    expect((await problem({ table, filter: { level: 'x' } }))[2]).to.include('must be a whole number')
    expect((await problem({ table, filter: [] }))[0]).to.equal('bad_message')
    expect((await problem({ table: `${table}"; drop schema own_top_shot` }))[1]).to.equal('table')
    expect((await problem({ table, from: 1 }))[0]).to.equal('too_old')
    expect((await problem({ table, from: 100 }))[0]).to.equal('too_new')
    expect((await problem({ table, filter: JSON.parse('{"__proto__": 1, "constructor": 1}') as object }))[0]).to.equal(
      'bad_message',
    )
    for (let i = 0; i < 16; i++) await client.subscribe({ table, id: i })
    expect((await problem({ table, id: 'more' }))[0]).to.equal('too_many_subscriptions')
  })

  it('are truncated at a height with more than 5,000 rows, with the path of the rest', async () => {
    const client = await connect()
    await client.subscribe({ table })
    await storeBlocks(database.pool, 10, 11)
    await database.pool.query(`
      insert into own_top_shot.moment_purchased (block_height, tx_index, event_index, row_index, block_timestamp,
        transaction_id, moment_id)
      select 10, 0, 0, i, timestamptz '2025-01-01Z', sha256('10'), i from generate_series(1, 5001) as i`)
    await derive(11, 11)
    await database.pool.query(
      `update app.indexing_checkpoints set covered = '{[0,12)}' where service_name = 'own_top_shot'`,
    )
    await database.pool.query("select pg_notify('own_rows', 'own_top_shot 10 11')")
    await client.find(rowAt(11))
    expect(client.messages.filter(rowAt(10))).to.have.lengthOf(5000)
    const { payload } = await client.find(({ type }) => type === 'truncated')
    const path = '/own/top_shot/moment_purchased?from_height=10&to_height=10&order=asc'
    expect(payload).to.deep.equal({
      id: 'test',
      table,
      block_height: 10,
      rows: 5000,
      path,
      message: `truncated after 5000 rows of height 10: read the rest by REST at ${path}`,
    })
    expect((await fetch(`http://${api.host}${path}`)).status).to.equal(200)
  })

  it('are truncated at a height with more than 4 MB', async () => {
    const client = await connect()
    await client.subscribe({ table })
    await storeBlocks(database.pool, 10, 11)
    await database.pool.query(`
      insert into own_top_shot.moment_purchased (block_height, tx_index, event_index, row_index, block_timestamp,
        transaction_id, moment_id, details)
      select 10, 0, 0, i, timestamptz '2025-01-01Z', sha256('10'), i, to_jsonb(repeat('x', 10000))
      from generate_series(1, 501) as i`)
    await derive(11, 11)
    await database.pool.query(
      `update app.indexing_checkpoints set covered = '{[0,12)}' where service_name = 'own_top_shot'`,
    )
    await database.pool.query("select pg_notify('own_rows', 'own_top_shot 10 11')")
    await client.find(rowAt(11))
    const sent = client.messages.filter(rowAt(10)).length
    // 4 MiB, with the row that exceeds it.
    expect(sent).to.be.within(400, 420)
    expect((await client.find(({ type }) => type === 'truncated')).payload).to.include({ block_height: 10, rows: sent })
  })

  it('end with an error when the table is dropped, and leave other subscriptions alone', async () => {
    await addOwnWorker(database.pool, { name: 'own_short' })
    const client = await connect()
    await client.subscribe({ table: 'short.moment_purchased', id: 'short' })
    await client.subscribe({ table })
    await database.pool.query("drop schema own_short cascade; delete from app.own_workers where name = 'own_short'")
    await storeBlocks(database.pool, 10, 10)
    await derive(10, 10)
    await client.find(rowAt(10))
    await database.pool.query("select pg_notify('own_rows', 'own_short 1 2')")
    const { payload } = await client.find(({ type }) => type === 'error')
    expect(payload).to.deep.include({ id: 'short', code: 'unknown_table' })
  })
})
