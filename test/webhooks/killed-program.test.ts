import { expect } from 'chai'
import type { EventType } from '../../src/webhooks/events.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { startRecordedNode } from '../support/replay.ts'
import { makeOwner, subscribe } from './support/hook-world.ts'
import { startReceiver } from './support/receiver.ts'
import type { Received, Receiver } from './support/receiver.ts'

const lastHeight = 280
const types: EventType[] = [
  'block.sealed',
  'transaction.sealed',
  'address.activity',
  'ft.transfer',
  'nft.transfer',
  'evm.transaction',
]

/** Expected events of each type, counted by separate SQL. */
const rowsText = `select (select count(*) from raw.blocks) + (select count(*) from raw.transactions where payer_address is not null) +
  (select count(*) from app.address_transactions) + (select count(*) from app.ft_transfers where transfer_type <> 'fee') +
  (select count(*) from app.nft_transfers) + (select count(*) from app.evm_tx_hashes) as count`

describe('webhooks with killed processes', () => {
  let database: TestDatabase
  let receiver: Receiver
  const running = new Map<string, FlowfarmProcess>()
  before(async () => {
    database = await createTestDatabase()
    receiver = await startReceiver()
  })
  after(async () => {
    for (const process of running.values()) await process.end('SIGKILL')
    await receiver.stop()
    await database.drop()
  })

  it('lose nothing and keep the order', async function () {
    this.timeout(600_000)
    const owner = await makeOwner(database)
    const ids = []
    for (let i = 0; i < 8; i++)
      ids.push((await subscribe(database, owner, `${receiver.url}/${i}`, { eventTypes: types, fromHeight: 0 })).id)
    await using node = await startRecordedNode('base', { intervalMs: 40 })
    const start = (service: string): void =>
      void running.set(
        service,
        new FlowfarmProcess([service], {
          DB_URL: database.url,
          CHAIN_ACCESS_NODE: node.endpoint,
          START_BLOCK: '0',
          ENABLE_HISTORY_INGESTER: 'false',
          HOST: '127.0.0.1',
          PORT: '0',
          WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
          LATEST_BATCH_SIZE: '5',
        }),
      )
    for (const service of ['ingest', 'farm', 'webhooks', 'api']) start(service)
    const deliveredUpTo = (height: number): Promise<void> =>
      receiver.until((received) => (received.at(-1)?.body.block_height ?? -1) >= height)
    for (const [height, service] of [
      [20, 'ingest'],
      [60, 'farm'],
      [100, 'webhooks'],
      [140, 'api'],
      [160, 'webhooks'],
    ] as const) {
      await deliveredUpTo(height)
      await running.get(service)?.end('SIGKILL')
      start(service)
    }
    // The block event is the first of its height and is recorded with it.
    await receiver.until(
      (received) =>
        new Set(
          received
            .filter(({ body }) => body.type === 'block.sealed' && body.block_height === lastHeight)
            .map(({ path }) => path),
        ).size === ids.length,
    )
    const { rows } = await database.pool.query<{ id: number; made: number }>(
      'select id::float8 as id, last_sequence::float8 as made from app.webhook_subscriptions order by id',
    )
    const expected = rows.flatMap(({ id, made }) => Array.from({ length: made }, (_, i) => `msg_${id}_${i + 1}`))
    const distinct = new Set<string>()
    let seen = 0
    await receiver.until((received) => {
      for (; seen < received.length; seen++) distinct.add(received[seen]?.id ?? '')
      return distinct.size >= expected.length
    })

    expect(expected).to.have.length.above(10_000)
    expect([...distinct].sort()).to.deep.equal([...expected].sort())
    const {
      rows: [there],
    } = await database.pool.query<{ count: string }>(rowsText)
    expect(rows.map(({ made }) => made)).to.deep.equal(ids.map(() => Number(there?.count)))
    for (const [id, same] of Map.groupBy(receiver.received, (one) => one.id)) {
      expect(new Set(same.map(({ body }) => JSON.stringify(body))).size, id).to.equal(1)
    }
    for (const own of Map.groupBy(receiver.received, ({ path }) => path).values()) {
      const sequences = firstOfEach(own).map(({ id }) => Number(id.split('_')[2]))
      expect(sequences).to.deep.equal([...sequences].sort((a, b) => a - b))
      const heights = firstOfEach(own).map(({ body }) => body.block_height)
      expect(heights).to.deep.equal([...heights].sort((a, b) => a - b))
    }
  })
})

function firstOfEach(received: readonly Received[]): Received[] {
  return [...Map.groupBy(received, ({ id }) => id).values()].flatMap((same) => same.slice(0, 1))
}
