import { expect } from 'chai'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { pruneDeliveries, rollBackWebhooks } from '../../src/webhooks/delivery-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { alice, bob, commitTransfers, flow, makeOwner, runHooks, subscribe } from './support/hook-world.ts'
import type { RunningHooks } from './support/hook-world.ts'
import { startReceiver } from './support/receiver.ts'
import type { Receiver } from './support/receiver.ts'

describe('webhooks', () => {
  let database: TestDatabase
  let receiver: Receiver
  let hooks: RunningHooks
  const secrets = new Map<string, string>()
  let refuse: (path: string) => boolean
  beforeEach(async () => {
    database = await createTestDatabase()
    refuse = () => false
    secrets.clear()
    receiver = await startReceiver({
      secrets,
      answer: ({ path }, response) => void response.writeHead(refuse(path) ? 500 : 200).end('thanks'),
    })
    await commitTransfers(database, 0, [[]])
    hooks = await runHooks(database.url)
  })
  afterEach(async () => {
    await hooks.stop()
    await receiver.stop()
    await database.drop()
  })

  it('delivers the events of a commit, signed and in chain order', async () => {
    const { secret, id } = await subscribe(database, await makeOwner(database), `${receiver.url}/hook`)
    secrets.set('/hook', secret)
    await commitTransfers(database, 1, [
      [{ amount: '1.00000001' }, { amount: '2' }],
      [{ amount: '3', from: bob, to: alice }],
    ])
    await receiver.until((received) => received.length === 3)
    expect(receiver.problems).to.deep.equal([])
    expect(
      receiver.received.map((one) => [one.body.type, one.body.block_height, one.body.data['amount']]),
    ).to.deep.equal([
      ['ft.transfer', 1, '1.00000001'],
      ['ft.transfer', 1, '2'],
      ['ft.transfer', 2, '3'],
    ])
    expect(receiver.received.map((one) => one.id)).to.deep.equal([1, 2, 3].map((sequence) => `msg_${id}_${sequence}`))
    expect(receiver.received[2]?.body.data).to.include({
      from: bob,
      to: alice,
      token: flow,
      transfer_type: 'transfer',
      event_index: 0,
    })
    expect(receiver.received[0]?.headers).to.include({ 'x-flowindex-event': 'ft.transfer' })
  })

  it('waits for a lagging worker without skipping heights', async () => {
    await subscribe(database, await makeOwner(database), receiver.url)
    const addWorkerHeight = (height: number): Promise<unknown> =>
      database.pool.query(
        `with done as (update app.indexing_checkpoints set covered = covered + int8multirange(int8range(${height}, ${height} + 1)) where service_name = 'token_worker')
       select pg_notify('flowfarm_farm', '')`,
      )
    await commitTransfers(database, 1, [[], [{ amount: '2' }], []], { services: ['main_ingester'] })
    await subscribe(database, await makeOwner(database), `${receiver.url}/blocks`, {
      eventTypes: ['block.sealed'],
      fromHeight: 3,
    })
    await addWorkerHeight(2)
    // By then the dispatcher has examined everything.
    await receiver.until((received) => received.some(({ path }) => path === '/blocks'))
    await database.pool.query(
      `insert into app.ft_transfers (block_height, tx_index, event_index, leg, token, amount, transfer_type) values (1, 0, 0, 0, '${flow}', 1, 'mint')`,
    )
    await addWorkerHeight(1)
    await receiver.until((received) => received.length === 3)
    expect(
      receiver.received.filter(({ path }) => path !== '/blocks').map((one) => one.body.data['amount']),
    ).to.deep.equal(['1', '2'])
  })

  it('passes an unavailable height and delivers its neighbours once', async () => {
    await subscribe(database, await makeOwner(database), receiver.url)
    await commitTransfers(database, 1, [[{ amount: '1' }]])
    await commitTransfers(database, 4, [[{ amount: '4' }]])
    // Nothing above a missing height is delivered.
    await subscribe(database, await makeOwner(database), `${receiver.url}/after`, { fromHeight: 4 })
    await receiver.until((received) => received.some(({ path }) => path === '/after') && received.length === 2)
    await database.pool.query(
      "insert into raw.unavailable (block_height, part, reason, endpoint) select h, 'block', 'x', '' from generate_series(2, 3) h",
    )
    await commitTransfers(database, 5, [[{ amount: '5' }]])
    await receiver.until((received) => received.length === 5)
    // Stored later, it is below the cursors and has no effect.
    await database.pool.query('delete from raw.unavailable where block_height = 2')
    await commitTransfers(database, 2, [[{ amount: '2' }]])
    await commitTransfers(database, 6, [[{ amount: '6' }]])
    await receiver.until((received) => received.length === 7)
    const amounts = (path: string): unknown[] =>
      receiver.received.filter((one) => one.path === path).map((one) => one.body.data['amount'])
    expect(amounts('/')).to.deep.equal(['1', '4', '5', '6'])
    expect(amounts('/after')).to.deep.equal(['4', '5', '6'])
  })

  it('retries in order without delaying others', async () => {
    const owner = await makeOwner(database)
    const failing = await subscribe(database, owner, `${receiver.url}/failing`)
    await subscribe(database, owner, `${receiver.url}/good`)
    let refusals = 0
    refuse = (path) => path === '/failing' && ++refusals < 3
    await commitTransfers(database, 1, [[{ amount: '1' }, { amount: '2' }]])
    await receiver.until((received) => received.filter(({ path }) => path === '/failing').length === 4)
    const amounts = (path: string): unknown[] =>
      receiver.received.filter((one) => one.path === path).map((one) => one.body.data['amount'])
    expect(amounts('/failing')).to.deep.equal(['1', '1', '1', '2'])
    expect(amounts('/good')).to.deep.equal(['1', '2'])
    expect(
      new Set(
        receiver.received
          .filter((one) => one.path === '/failing')
          .slice(0, 3)
          .map(({ id }) => id),
      ).size,
    ).to.equal(1)
    await hooks.stop()
    const { rows } = await database.pool.query<object>(
      'select sequence::int, attempt, response_status, error from app.webhook_failures where subscription_id = $1 order by 2',
      [failing.id],
    )
    expect(rows).to.deep.equal(
      [1, 2].map((attempt) => ({ sequence: 1, attempt, response_status: 500, error: 'status 500' })),
    )
  })

  it('gives up a delivery after the maximum of attempts and continues', async () => {
    const { id } = await subscribe(database, await makeOwner(database), receiver.url)
    let tries = 0
    refuse = () => ++tries <= 4
    await commitTransfers(database, 1, [[{ amount: '1' }, { amount: '2' }]])
    await receiver.until((received) => received.at(-1)?.id === `msg_${id}_2`)
    expect(receiver.received).to.have.length(5)
    await hooks.stop()
    const { rows } = await database.pool.query<object>(
      'select status, attempt_count from app.webhook_deliveries order by sequence',
    )
    expect(rows).to.deep.equal([
      { status: 'dead', attempt_count: 4 },
      { status: 'delivered', attempt_count: 1 },
    ])
  })

  it('prunes finished deliveries but never pending ones', async () => {
    await subscribe(database, await makeOwner(database), receiver.url)
    await commitTransfers(database, 1, [[{}, {}]])
    await receiver.until((received) => received.length === 2)
    await hooks.stop()
    expect(await pruneDeliveries(database.pool, 7)).to.equal(0)
    await database.pool.query(
      "update app.webhook_deliveries set created_at = created_at - interval '8 days', finished_at = finished_at - interval '8 days'",
    )
    await database.pool.query(
      "update app.webhook_deliveries set status = 'pending', finished_at = null where sequence = 2",
    )
    expect(await pruneDeliveries(database.pool, 7)).to.equal(1)
    const { rows } = await database.pool.query<{ sequence: string }>('select sequence from app.webhook_deliveries')
    expect(rows).to.deep.equal([{ sequence: '2' }])
  })

  it('notifies a rewound subscription of a rollback', async () => {
    const { id } = await subscribe(database, await makeOwner(database), receiver.url, { fromHeight: 1 })
    await commitTransfers(database, 1, [[{ amount: '1' }], [{ amount: '2' }]])
    await receiver.until((received) => received.length === 2)
    await hooks.stop()
    await database.pool.query('update app.webhook_subscriptions set next_height = 1')
    await withTransaction(database.pool, (client) => rollBackWebhooks(client, 1))
    const { rows } = await database.pool.query<{ next_height: string; body: string }>(
      "select next_height, body from app.webhook_deliveries d join app.webhook_subscriptions s on s.id = d.subscription_id where s.id = $1 and event_type = 'chain.rollback'",
      [id],
    )
    expect(rows.map((row) => [row.next_height, (JSON.parse(row.body) as { data: object }).data])).to.deep.equal([
      ['1', { from_height: 2, to_height: 2 }],
    ])
  })

  it('delivers a rollback and then the replacement blocks', async () => {
    await subscribe(database, await makeOwner(database), receiver.url)
    await commitTransfers(database, 1, [[{ amount: '1' }], [{ amount: '2' }]])
    await receiver.until((received) => received.length === 2)
    await withTransaction(database.pool, async (client) => {
      await rollBackWebhooks(client, 1)
      await client.query('delete from app.ft_transfers where block_height > 1')
      await client.query('delete from raw.transactions where block_height > 1')
      await client.query('delete from raw.blocks where height > 1')
      await client.query("update app.indexing_checkpoints set covered = covered - '{[2,)}'")
      await client.query("select pg_notify('flowfarm_rollback', '2')")
    })
    await commitTransfers(database, 2, [[{ amount: '20' }]], { fork: 2 })
    await receiver.until((received) => received.length === 4)
    expect(
      receiver.received.map(({ body }) => [
        body.type,
        body.block_height,
        body.data['amount'] ?? body.data['from_height'],
      ]),
    ).to.deep.equal([
      ['ft.transfer', 1, '1'],
      ['ft.transfer', 2, '2'],
      ['chain.rollback', 2, 2],
      ['ft.transfer', 2, '20'],
    ])
    expect(receiver.received[3]?.body.event_id).not.to.equal(receiver.received[1]?.body.event_id)
  })
})
