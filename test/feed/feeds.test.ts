import { expect } from 'chai'
import { chainBlock, payer, rollBack, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('the live feed', () => {
  let database: TestDatabase
  let api: RunningApi
  let height = 100

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 1, height)
    api = await runApi(database.url, { live: { statusIntervalMs: 50 } })
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  /** Expected messages of a block, in order. */
  function expectedIds(at: number, fork?: string): string[] {
    const block = chainBlock(at, fork === undefined ? {} : { fork })
    return [`new_block ${at} ${block.id}`, ...block.transactions.map(({ id }) => `new_transaction ${at} ${id}`)]
  }

  const words = (client: FeedClient): string[] =>
    client.messages.map(({ type, payload }) =>
      type === 'rollback'
        ? `rollback ${String(payload['from_height'])}`
        : `${type} ${String(payload['height'] ?? payload['block_height'])} ${String(payload['id'])}`,
    )

  it('publishes each new block and its transactions in order to all clients', async () => {
    const clients = [await FeedClient.connect(`${api.host}/ws`), await FeedClient.connect(`${api.host}/chain/v1/ws`)]
    const expected: string[] = []
    for (let i = 0; i < 3; i++) {
      await storeBlocks(database.pool, ++height, height)
      expected.push(...expectedIds(height))
    }
    await storeBlocks(database.pool, height + 1, height + 4)
    for (let i = 1; i <= 4; i++) expected.push(...expectedIds(height + i))
    height += 4
    for (const client of clients) {
      await client.count(expected.length)
      expect(words(client)).to.deep.equal(expected)
      await client.close()
    }
  })

  it('uses the message format of the specification', async () => {
    const client = await FeedClient.connect(`${api.host}/ws`)
    height += 6 - (height % 6)
    await storeBlocks(database.pool, height, height)
    const block = chainBlock(height)
    await client.count(1 + block.transactions.length)
    expect(client.messages[0]).to.deep.equal({
      type: 'new_block',
      payload: {
        height,
        id: block.id,
        parent_id: block.parentId,
        timestamp: block.timestamp,
        tx_count: block.transactions.length,
        event_count: block.transactions.flatMap(({ events }) => events).length,
      },
    })
    const transactions = client.messages.slice(1).map(({ payload }) => payload)
    expect(transactions[0]).to.have.all.keys(
      'id',
      'block_height',
      'status',
      'payer_address',
      'proposer_address',
      'timestamp',
      'execution_status',
      'is_evm',
      'script_hash',
      'template_category',
      'template_label',
      'tags',
      'error_message',
    )
    expect(transactions[0]).to.deep.include({
      payer_address: payer.slice(2),
      status: 'SEALED',
      execution_status: 'SUCCESS',
      is_evm: false,
      tags: ['FT_TRANSFER'],
    })
    expect(transactions[1]).to.deep.include({ is_evm: true, tags: ['EVM'] })
    expect(transactions[2]).to.deep.include({ execution_status: 'FAILURE', tags: [] })
    await client.close()
  })

  it('does not publish history', async () => {
    const client = await FeedClient.connect(`${api.host}/ws`)
    await storeBlocks(database.pool, 5000, 5001, { ingester: 'history_ingester' })
    await storeBlocks(database.pool, ++height, height)
    await client.count(1)
    expect(words(client)[0]).to.equal(expectedIds(height)[0])
    await client.close()
  })

  it('drops the oldest blocks of a long range and keeps the order', async () => {
    const client = await FeedClient.connect(`${api.host}/ws`)
    await storeBlocks(database.pool, height + 1, height + 300)
    height += 300
    const expected = Array.from({ length: 100 }, (_, i) => expectedIds(height - 99 + i)).flat()
    await client.count(expected.length)
    expect(words(client)).to.deep.equal(expected)
    await client.close()
  })

  it('publishes a rollback and then the replacement blocks', async () => {
    const client = await FeedClient.connect(`${api.host}/ws`)
    await storeBlocks(database.pool, height + 1, height + 3)
    await client.count([1, 2, 3].flatMap((i) => expectedIds(height + i)).length)
    await rollBack(database.pool, height + 2)
    await storeBlocks(database.pool, height + 2, height + 3, { fork: 'other' })
    const expected = [
      ...[1, 2, 3].flatMap((i) => expectedIds(height + i)),
      `rollback ${height + 2}`,
      ...[2, 3].flatMap((i) => expectedIds(height + i, 'other')),
    ]
    height += 3
    await client.count(expected.length)
    expect(words(client)).to.deep.equal(expected)
    await client.close()
  })

  it('loses nothing when its database connection breaks', async () => {
    const other = await createTestDatabase()
    const proxy = await startHalfOpenProxy(other.url)
    const behind = await runApi(other.url, { live: { url: proxy.url } })
    const client = await FeedClient.connect(`${behind.host}/ws`)
    await storeBlocks(other.pool, 10, 12)
    const before = [10, 11, 12].flatMap((at) => expectedIds(at))
    await client.count(before.length)
    proxy.cut()
    await rollBack(other.pool, 12)
    await storeBlocks(other.pool, 12, 14, { fork: 'other' })
    const expected = [...before, 'rollback 12', ...[12, 13, 14].flatMap((at) => expectedIds(at, 'other'))]
    await client.count(expected.length)
    expect(words(client)).to.deep.equal(expected)
    await client.close()
    await behind.stop()
    await proxy.close()
    await other.drop()
  })

  it('sends the status immediately and then periodically', async () => {
    const client = await FeedClient.connect(`${api.host}/ws/status`)
    await client.count(3)
    const { generated_at: _now, ...status } = await api.json<Record<string, unknown>>('/status')
    for (const message of client.messages) expect(message).to.deep.include(status)
    const moments = client.messages.map((message) => (message as unknown as { generated_at: string }).generated_at)
    expect(moments).to.deep.equal([...new Set(moments)].toSorted())
    await client.close()
  })
})
