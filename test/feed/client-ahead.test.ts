import { expect } from 'chai'
import type { Gauge } from 'prom-client'
import { LiveFeedServer } from '../support/live-feed-server.ts'
import { GeneratedChain } from '../support/generated-chain.ts'

const valueOf = async (gauge: Gauge): Promise<number> => (await gauge.get()).values[0]?.value ?? 0

describe('a client that is ahead of the feed', () => {
  let chain: GeneratedChain
  let server: LiveFeedServer

  /** The database has 20 blocks; the feed of this process knows ten. */
  beforeEach(async () => {
    chain = new GeneratedChain()
    chain.extend(10)
    server = await LiveFeedServer.open(chain)
    chain.announce(server.feed)
    chain.extend(10)
  })

  afterEach(async () => {
    await server.close()
  })

  const at = (height: number): { after: string } => ({
    after: `${height}.1.${chain.blockIds[height]?.slice(0, 16) ?? ''}`,
  })
  const heightsOf = (messages: readonly { type: string; payload: Readonly<Record<string, unknown>> }[]): unknown[] =>
    messages.filter(({ type }) => type === 'new_block').map(({ payload }) => payload['height'])

  it('receives later blocks once the feed has caught up', async () => {
    const client = await server.connect()
    await client.subscribe(at(15))
    chain.announce(server.feed)
    await client.find(({ payload }) => payload['id'] === chain.transactionId(19))
    expect(heightsOf(client.updates)).to.deep.equal([16, 17, 18, 19])
    await client.close()
  })

  it('can resume elsewhere without waiting', async () => {
    const client = await server.connect()
    await client.subscribe(at(15))
    await client.subscribe({ from: 8 })
    await client.find(({ payload }) => payload['id'] === chain.transactionId(9))
    expect(heightsOf(client.updates)).to.deep.equal([8, 9])
    await client.close()
  })

  it('receives a rollback as deep as possible if the chain is shorter', async () => {
    const client = await server.connect()
    await client.subscribe({ from: 25 })
    await client.find(({ payload }) => payload['id'] === chain.transactionId(9))
    expect(client.updates[0]).to.deep.include({ type: 'rollback', payload: { from_height: 0 } })
    expect(heightsOf(client.updates)).to.deep.equal(Array.from({ length: 10 }, (_, i) => i))
    await client.close()
  })

  it('is dropped from the waiting list on disconnect', async () => {
    const client = await server.connect()
    await client.subscribe(at(15))
    expect(await valueOf(server.metrics.feedCatchingUp)).to.equal(1)
    await client.close()
    while ((await valueOf(server.metrics.feedCatchingUp)) > 0) await new Promise(setImmediate)
  })
})

describe('metrics of the live feed', () => {
  it('include announced blocks that are not published yet', async () => {
    const chain = new GeneratedChain()
    chain.extend(1)
    const server = await LiveFeedServer.open(chain)
    const client = await server.connect()
    chain.announce(server.feed)
    chain.extend(7)
    chain.announce(server.feed)
    expect(await valueOf(server.metrics.feedWaitingBlocks)).to.equal(7)
    await client.find(({ payload }) => payload['id'] === chain.transactionId(7))
    expect(await valueOf(server.metrics.feedWaitingBlocks)).to.equal(0)
    await client.close()
    await server.close()
  })
})
