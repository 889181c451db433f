import { expect } from 'chai'
import { chainBlock, rollBack, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { ClientChain } from '../support/client-chain.ts'

describe('resuming the live feed', () => {
  let database: TestDatabase
  let api: RunningApi

  beforeEach(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 1, 40)
    api = await runApi(database.url)
  })

  afterEach(async () => {
    await api.stop()
    await database.drop()
  })

  const connect = (): Promise<FeedClient> => FeedClient.connect(`${api.host}/ws`)

  const seenBy = (client: FeedClient, chain = new ClientChain()): ClientChain => {
    for (const message of client.updates) chain.accept(message)
    return chain
  }

  const untilBlock = (client: FeedClient, height: number, id: string): Promise<unknown> =>
    client.find(({ type, payload }) => type === 'new_block' && payload['height'] === height && payload['id'] === id)

  /** Resolves when the last message of a block has arrived. */
  const untilWhole = (client: FeedClient, height: number, fork = 'main'): Promise<unknown> => {
    const block = chainBlock(height, { fork })
    return client.find(({ seq }) => seq === `${height}.${block.transactions.length}.${block.id.slice(0, 16)}`)
  }

  function expectWhole(
    chain: ClientChain,
    from: number,
    to: number,
    forkAt = (_height: number): string => 'main',
  ): void {
    const heights = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    expect([...chain.blocks]).to.deep.equal(heights.map((at) => [at, chainBlock(at, { fork: forkAt(at) }).id]))
    expect([...chain.transactions]).to.deep.equal(
      heights.map((at) => [at, chainBlock(at, { fork: forkAt(at) }).transactions.map(({ id }) => id)]),
    )
  }

  it('continues from history to new blocks without gaps or duplicates', async () => {
    const client = await connect()
    const subscribed = client.subscribe({ from: 5 })
    // The chain grows during the replay.
    for (let at = 41; at <= 60; at++) await storeBlocks(database.pool, at, at)
    expect((await subscribed).payload['next_height']).to.equal(5)
    await untilWhole(client, 60)
    expectWhole(seenBy(client), 5, 60)
    expect(client.messages.some(({ type }) => type === 'position')).to.equal(true)
    await client.close()
  })

  it('drops nothing when many blocks arrive at once', async () => {
    const client = await connect()
    await client.subscribe({ batch: true })
    await storeBlocks(database.pool, 41, 400)
    await untilWhole(client, 400)
    expectWhole(seenBy(client), 41, 400)
    await client.close()
  })

  it('resumes within a block', async () => {
    const client = await connect()
    const { id, transactions } = chainBlock(36)
    await client.subscribe({ after: `36.2.${id.slice(0, 16)}` })
    await untilWhole(client, 36)
    expect(client.updates.slice(0, transactions.length - 2).map(({ payload }) => payload['id'])).to.deep.equal(
      transactions.slice(2).map((transaction) => transaction.id),
    )
    await client.close()
  })

  it('sends rollbacks that happened without clients, even from an API that missed them', async () => {
    const client = await connect()
    await client.subscribe({ from: 30 })
    await storeBlocks(database.pool, 41, 43)
    await untilWhole(client, 43)
    const chain = seenBy(client)
    await client.close()
    await api.stop()
    await rollBack(database.pool, 42)
    await storeBlocks(database.pool, 42, 44, { fork: 'other' })
    api = await runApi(database.url, { live: { liveLimits: { maxReorgDepth: 5 } } })
    const again = await connect()
    await again.subscribe({ after: chain.mark })
    await untilWhole(again, 44, 'other')
    seenBy(again, chain)
    expect(chain.rollbacks).to.deep.equal([39])
    expectWhole(chain, 30, 44, (at) => (at < 42 ? 'main' : 'other'))
    await again.close()
  })

  it('sends the exact rollback from an API that saw it', async () => {
    const client = await connect()
    await client.subscribe({ from: 30 })
    await storeBlocks(database.pool, 41, 43)
    await untilWhole(client, 43)
    const chain = seenBy(client)
    const staying = await connect()
    await staying.subscribe({ from: 43 })
    await client.close()
    await rollBack(database.pool, 42)
    await storeBlocks(database.pool, 42, 42, { fork: 'other' })
    await untilWhole(staying, 42, 'other')
    expect(staying.updates.map(({ type }) => type)).to.include('rollback')
    const again = await connect()
    await again.subscribe({ after: chain.mark })
    await untilWhole(again, 42, 'other')
    seenBy(again, chain)
    expect(chain.rollbacks).to.deep.equal([42])
    expectWhole(chain, 30, 42, (at) => (at < 42 ? 'main' : 'other'))
    await Promise.all([again.close(), staying.close()])
  })

  it('rolls back a client that catches up', async () => {
    const client = await connect()
    await storeBlocks(database.pool, 41, 60)
    const subscribed = client.subscribe({ from: 1 })
    await rollBack(database.pool, 20)
    await storeBlocks(database.pool, 20, 70, { fork: 'other' })
    await subscribed
    await untilWhole(client, 70, 'other')
    expectWhole(seenBy(client), 1, 70, (at) => (at < 20 ? 'main' : 'other'))
    await client.close()
  })

  it('sends gaps', async () => {
    await database.pool.query('delete from raw.blocks where height between 10 and 12')
    const client = await connect()
    await client.subscribe({ from: 8, filter: { types: ['new_block'] } })
    await untilBlock(client, 40, chainBlock(40).id)
    expect(
      client.updates
        .slice(0, 4)
        .map(({ type, payload }) => [type, payload['height'] ?? payload['from_height'], payload['to_height']]),
    ).to.deep.equal([
      ['new_block', 8, undefined],
      ['new_block', 9, undefined],
      ['gap', 10, 12],
      ['new_block', 13, undefined],
    ])
    await client.close()
  })

  it('is the same in several API processes', async () => {
    const other = await runApi(database.url)
    const clients = [await connect(), await FeedClient.connect(`${other.host}/ws`)]
    for (const client of clients) await client.subscribe({})
    await storeBlocks(database.pool, 41, 45)
    await rollBack(database.pool, 44)
    await storeBlocks(database.pool, 44, 47, { fork: 'other' })
    for (const client of clients) await untilWhole(client, 47, 'other')
    const [one, two] = clients.map((client) => seenBy(client))
    expect([...(two?.blocks ?? [])]).to.deep.equal([...(one?.blocks ?? [])])
    expect(two?.mark).to.equal(one?.mark)
    // The client moves from one to the other.
    const moved = await FeedClient.connect(`${other.host}/ws`)
    await moved.subscribe({ after: one?.mark })
    await storeBlocks(database.pool, 48, 48, { fork: 'other', forkedAt: 44 })
    await untilWhole(moved, 48, 'other')
    expect(moved.updates.map(({ type }) => type)).to.deep.equal([
      'new_block',
      ...chainBlock(48).transactions.map(() => 'new_transaction'),
    ])
    await Promise.all([...clients, moved].map((client) => client.close()))
    await other.stop()
  })
})
