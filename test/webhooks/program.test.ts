import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { untilDerived } from '../support/farm.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { namedAccounts } from '../support/recording-annotations.ts'
import { startRecordedNode } from '../support/replay.ts'
import { startReceiver } from './support/receiver.ts'
import type { Received, Receiver } from './support/receiver.ts'

type Item = Record<string, unknown> & { readonly id: number; readonly secret: string }

describe('webhooks of the whole program', () => {
  let database: TestDatabase
  let receiver: Receiver
  let program: FlowfarmProcess
  const secrets = new Map<string, string>()
  before(async () => {
    database = await createTestDatabase()
    receiver = await startReceiver({ secrets })
  })
  after(async () => {
    await program.end('SIGTERM')
    await receiver.stop()
    await database.drop()
  })

  /** Deliveries that remain after applying every rollback. */
  function remaining(path: string): readonly Received[] {
    return receiver.received
      .filter((one) => one.path === path)
      .reduce<Received[]>(
        (left, one) =>
          one.body.type === 'chain.rollback'
            ? left.filter(({ body }) => body.block_height < Number(one.body.data['from_height']))
            : [...left, one],
        [],
      )
  }

  it('deliver every transfer of a watched address, and roll back a fork', async () => {
    await using node = await startRecordedNode('fork', { version: 'a' })
    program = new FlowfarmProcess(['ingest', 'farm', 'api', 'webhooks'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_TOKEN: 'of the operator',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    })
    const url = `http://127.0.0.1:${String((await program.logged(/API listening/))['port'])}`
    const post = async (path: string, headers: Record<string, string>, body: unknown): Promise<Item> => {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      expect(response.status, text).to.equal(200)
      return (JSON.parse(text) as { data: [Item] }).data[0]
    }
    const { key } = await post(
      '/admin/developer-keys',
      { Authorization: 'Bearer of the operator' },
      { name: 'test', tier: 'unlimited' },
    )
    const subscribed = async (path: string, requested: object): Promise<void> => {
      const owner = { 'X-API-Key': String(key) }
      const endpoint = await post('/webhooks/endpoints', owner, { url: receiver.url + path })
      secrets.set(path, endpoint.secret)
      await post('/webhooks/subscriptions', owner, { endpoint_id: endpoint.id, from_height: 0, ...requested })
    }
    const named = await namedAccounts('fork')
    const watched = Object.entries(named).flatMap(([name, address]) => (name.startsWith('user') ? [address] : []))
    await subscribed('/blocks', { event_types: ['block.sealed'] })
    await subscribed('/moves', { event_types: ['ft.transfer', 'nft.transfer'], conditions: { addresses: watched } })

    const last = { a: 20, b: 27, c: 40 }
    const deliveredUpTo = (height: number): Promise<void> =>
      receiver.until(() => remaining('/blocks').some(({ body }) => body.block_height === height))
    await deliveredUpTo(last.a)
    node.switchTo('b')
    await deliveredUpTo(last.b)
    node.switchTo('c')
    await deliveredUpTo(last.c)
    await untilDerived(database, ['token_worker'], [{ from: 0, to: last.c + 1 }])

    const { rows: blocks } = await database.pool.query<{ id: string }>(
      "select encode(id, 'hex') as id from raw.blocks order by height",
    )
    expect(remaining('/blocks').map(({ body }) => body.data['id'])).to.deep.equal(blocks.map(({ id }) => id))
    const { rows: moves } = await database.pool.query<{ move: string }>(
      `select block_height || ' ' || tx_index || ' ' || event_index || ' ' || leg as move, block_height, tx_index, event_index, leg from app.ft_transfers
       where transfer_type <> 'fee' and (from_address = any ($1) or to_address = any ($1))
       union all
       select block_height || ' ' || tx_index || ' ' || event_index || ' ' || leg, block_height, tx_index, event_index, leg from app.nft_transfers
       where from_address = any ($1) or to_address = any ($1) order by 2, 3, 4, 5`,
      [watched],
    )
    expect(moves).to.have.length.above(10)
    const places = (): string[] => remaining('/moves').map(({ body }) => body.event_id.split(':').slice(1, 5).join(' '))
    // Higher than the ends of the earlier chains.
    await receiver.until(() => places().at(-1) === moves.at(-1)?.move)
    expect(places()).to.deep.equal(moves.map(({ move }) => move))
    expect(
      receiver.received.filter(({ path, body }) => path === '/blocks' && body.type === 'chain.rollback'),
    ).to.have.length(2)
    expect(receiver.problems).to.deep.equal([])
  })
})
