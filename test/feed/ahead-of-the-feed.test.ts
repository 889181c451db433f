import { expect } from 'chai'
import type { Gauge } from 'prom-client'
import { LiveRoom } from '../support/live-room.ts'
import { MadeChain } from '../support/made-chain.ts'

const valueOf = async (gauge: Gauge): Promise<number> => (await gauge.get()).values[0]?.value ?? 0

describe('a client that is ahead of the feed', () => {
  let chain: MadeChain
  let room: LiveRoom

  /** The database has 20 blocks; the feed of this process knows ten. */
  beforeEach(async () => {
    chain = new MadeChain()
    chain.extend(10)
    room = await LiveRoom.open(chain)
    chain.announce(room.feed)
    chain.extend(10)
  })

  afterEach(async () => {
    await room.close()
  })

  const at = (height: number): { after: string } => ({
    after: `${height}.1.${chain.blockIds[height]?.slice(0, 16) ?? ''}`,
  })
  const blocksTold = (told: readonly { type: string; payload: Readonly<Record<string, unknown>> }[]): unknown[] =>
    told.filter(({ type }) => type === 'new_block').map(({ payload }) => payload['height'])

  it('receives later blocks once the feed has caught up', async () => {
    const client = await room.connect()
    await client.subscribe(at(15))
    chain.announce(room.feed)
    await client.find(({ payload }) => payload['id'] === chain.transactionId(19))
    expect(blocksTold(client.told)).to.deep.equal([16, 17, 18, 19])
    await client.close()
  })

  it('can resume elsewhere without waiting', async () => {
    const client = await room.connect()
    await client.subscribe(at(15))
    await client.subscribe({ from: 8 })
    await client.find(({ payload }) => payload['id'] === chain.transactionId(9))
    expect(blocksTold(client.told)).to.deep.equal([8, 9])
    await client.close()
  })

  it('receives a rollback as deep as possible if the chain is shorter', async () => {
    const client = await room.connect()
    await client.subscribe({ from: 25 })
    await client.find(({ payload }) => payload['id'] === chain.transactionId(9))
    expect(client.told[0]).to.deep.include({ type: 'rollback', payload: { from_height: 0 } })
    expect(blocksTold(client.told)).to.deep.equal(Array.from({ length: 10 }, (_, i) => i))
    await client.close()
  })

  it('is dropped from the waiting list on disconnect', async () => {
    const client = await room.connect()
    await client.subscribe(at(15))
    expect(await valueOf(room.metrics.feedCatchingUp)).to.equal(1)
    await client.close()
    while ((await valueOf(room.metrics.feedCatchingUp)) > 0) await new Promise(setImmediate)
  })
})

describe('metrics of the live feed', () => {
  it('include announced blocks that are not published yet', async () => {
    const chain = new MadeChain()
    chain.extend(1)
    const room = await LiveRoom.open(chain)
    const client = await room.connect()
    chain.announce(room.feed)
    chain.extend(7)
    chain.announce(room.feed)
    expect(await valueOf(room.metrics.feedWaitingBlocks)).to.equal(7)
    await client.find(({ payload }) => payload['id'] === chain.transactionId(7))
    expect(await valueOf(room.metrics.feedWaitingBlocks)).to.equal(0)
    await client.close()
    await room.close()
  })
})
