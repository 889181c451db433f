import { expect } from 'chai'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { rollBackWebhooks } from '../../src/webhooks/delivery-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { addOwnWorker, addSales, momentDeclaration } from '../support/served-worker.ts'
import { commitTransfers, makeOwner, runHooks, subscribe } from './support/hook-world.ts'
import type { RunningHooks } from './support/hook-world.ts'
import { startReceiver } from './support/receiver.ts'
import type { Receiver } from './support/receiver.ts'

const type = 'own.top_shot.moment_purchased'

describe('webhooks of own tables', () => {
  let database: TestDatabase
  let hooks: RunningHooks
  let receiver: Receiver
  let owner: Awaited<ReturnType<typeof makeOwner>>
  const secrets = new Map<string, string>()

  beforeEach(async () => {
    database = await createTestDatabase()
    await addOwnWorker(database.pool)
    await commitTransfers(database, 0, [[]], { services: ['main_ingester', 'own_top_shot'] })
    owner = await makeOwner(database)
    receiver = await startReceiver({ secrets })
    hooks = await runHooks(database.url)
  })
  afterEach(async () => {
    await hooks.stop()
    await receiver.stop()
    await database.drop()
  })

  async function subscribed(conditions = {}, fromHeight?: number): Promise<number> {
    const made = await subscribe(database, owner, receiver.url, { eventTypes: [type], conditions, fromHeight })
    secrets.set(String(made.id), made.secret)
    return made.id
  }

  /** Rows and coverage, as the worker commits them. */
  async function derive(from: number, to: number): Promise<void> {
    await addSales(database.pool, from, to)
    await database.pool.query(
      `update app.indexing_checkpoints set covered = covered + int8multirange(int8range($1, $2, '[]'))
       where service_name = 'own_top_shot'`,
      [from, to],
    )
    await database.pool.query("select pg_notify('own_rows', $1)", [`own_top_shot ${from} ${to}`])
  }

  async function store(from: number, to: number, fork = 1): Promise<void> {
    const blocks = Array.from({ length: to - from + 1 }, () => [])
    await commitTransfers(database, from, blocks, { services: ['main_ingester'], fork })
  }

  const sales = (): [number, unknown][] =>
    receiver.received
      .filter(({ body }) => body.type === type)
      .map(({ body }) => [body.block_height, body.data['price']])

  it('deliver every row once, in order, after it is derived', async () => {
    await subscribed()
    await store(1, 4)
    await derive(1, 2)
    await receiver.until((received) => received.length === 2)
    await derive(3, 4)
    await receiver.until((received) => received.length === 4)
    expect(sales()).to.deep.equal([
      [1, '1.25000000'],
      [2, '2.50000000'],
      [3, '3.75000000'],
      [4, '5.00000000'],
    ])
    const [first] = receiver.received
    expect(first?.body.event_id).to.match(/^own\.top_shot\.moment_purchased:1:1:2:0:[0-9a-f]{16}$/)
    expect(first?.body.data).to.deep.include({
      event_index: 2,
      row_index: 0,
      moment_id: '1',
      seller: '0x0000000000000001',
      edition: '1',
      is_first: false,
      listed_on: '2025-01-02',
      details: { h: 1 },
    })
    expect(first?.body.data['transaction_id']).to.match(/^[0-9a-f]{64}$/)
    expect(receiver.problems).to.deep.equal([])
  })

  it('deliver rows with these values only', async () => {
    await subscribed({ columns: { level: 1, price: '6.25', is_first: false } })
    await store(1, 12)
    await derive(1, 12)
    await receiver.until((received) => received.length === 1)
    expect(sales()).to.deep.equal([[5, '6.25000000']])
  })

  it('deliver a rollback, then the rows of the new blocks', async () => {
    await subscribed()
    await store(1, 3)
    await derive(1, 3)
    await receiver.until((received) => received.length === 3)
    await withTransaction(database.pool, async (client) => {
      await client.query('delete from raw.transactions where block_height > 1')
      await client.query('delete from raw.blocks where height > 1')
      await client.query('delete from own_top_shot.moment_purchased where block_height > 1')
      await client.query("update app.indexing_checkpoints set covered = covered * '{[0,2)}'::int8multirange")
      await rollBackWebhooks(client, 1)
    })
    await store(2, 3, 2)
    await derive(3, 3)
    await derive(2, 2)
    await receiver.until((received) => received.length === 6)
    expect(receiver.received.map(({ body }) => [body.type, body.block_height])).to.deep.equal([
      [type, 1],
      [type, 2],
      [type, 3],
      ['chain.rollback', 2],
      [type, 2],
      [type, 3],
    ])
    expect(new Set(receiver.received.map(({ body }) => body.event_id)).size).to.equal(6)
  })

  it('do not wait for heights below the start height', async () => {
    await database.pool.query("update app.own_workers set start_height = 3 where name = 'own_top_shot'")
    await database.pool.query("update app.indexing_checkpoints set covered = '{}' where service_name = 'own_top_shot'")
    await subscribed({}, 0)
    await store(1, 3)
    await derive(3, 3)
    await receiver.until((received) => received.length === 1)
    expect(sales()).to.deep.equal([[3, '3.75000000']])
  })

  it('refuse unknown tables, folds and columns', async () => {
    const problemOf = async (eventType: string, conditions = {}): Promise<string> =>
      subscribe(database, owner, receiver.url, { eventTypes: [eventType as typeof type], conditions }).then(
        () => 'none',
        (error: unknown) => (error as Error).message,
      )
    expect(await problemOf('own.top_shot.none')).to.include('unknown table: own.top_shot.none')
    expect(await problemOf('own.top_shot.seller_totals')).to.include('unknown table')
    expect(await problemOf(type, { columns: { prise: 1 } })).to.include(
      'does not have: prise. Possible: moment_id, price',
    )
    expect(await problemOf('ft.transfer', { columns: { price: 1 } })).to.include('requires own tables only')
  })

  it('continue with the tables of a new version', async () => {
    await subscribed()
    await store(1, 4)
    await derive(1, 2)
    await receiver.until((received) => received.length === 2)
    await addOwnWorker(database.pool, { name: 'own_top_shot__next', declaration: momentDeclaration })
    await addSales(database.pool, 0, 3, 'own_top_shot__next')
    await database.pool.query(`
      begin;
      drop schema own_top_shot cascade;
      delete from app.own_workers where name = 'own_top_shot';
      delete from app.indexing_checkpoints where service_name = 'own_top_shot';
      update app.own_workers set name = 'own_top_shot' where name = 'own_top_shot__next';
      update app.indexing_checkpoints set service_name = 'own_top_shot', covered = '{[0,4)}'
        where service_name = 'own_top_shot__next';
      alter schema own_top_shot__next rename to own_top_shot;
      commit;
      select pg_notify('own_rows', 'own_top_shot 0 3')`)
    await receiver.until((received) => received.length === 3)
    expect(sales().map(([height]) => height)).to.deep.equal([1, 2, 3])
  })
})
