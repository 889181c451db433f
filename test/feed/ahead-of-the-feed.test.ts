import { expect } from 'chai'
import type { Gauge } from 'prom-client'
import { LiveRoom } from '../support/live-room.ts'
import { MadeChain } from '../support/made-chain.ts'

const valueOf = async (gauge: Gauge): Promise<number> => (await gauge.get()).values[0]?.value ?? 0

describe('a client that is ahead of the feed', () => {
  let chain: MadeChain
  let room: LiveRoom

  /** The database has 20 blocks, of which the feed of this process has heard ten. */
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

  it('is told what comes after that, once the feed has got there', async () => {
    const client = await room.connect()
    await client.subscribe(at(15))
    chain.announce(room.feed)
    await client.find(({ payload }) => payload['id'] === chain.transactionId(19))
    expect(blocksTold(client.told)).to.deep.equal([16, 17, 18, 19])
    await client.close()
  })

  it('need not wait where it wants to go on elsewhere', async () => {
    const client = await room.connect()
    await client.subscribe(at(15))
    await client.subscribe({ from: 8 })
    await client.find(({ payload }) => payload['id'] === chain.transactionId(9))
    expect(blocksTold(client.told)).to.deep.equal([8, 9])
    await client.close()
  })

  it('is told that what it has is gone, as far down as that may be, where the chain does not reach that far', async () => {
    const client = await room.connect()
    await client.subscribe({ from: 25 })
    await client.find(({ payload }) => payload['id'] === chain.transactionId(9))
    expect(client.told[0]).to.deep.include({ type: 'rollback', payload: { from_height: 0 } })
    expect(blocksTold(client.told)).to.deep.equal(Array.from({ length: 10 }, (_, i) => i))
    await client.close()
  })

  it('is not waited for when it is gone', async () => {
    const client = await room.connect()
    await client.subscribe(at(15))
    expect(await valueOf(room.metrics.feedCatchingUp)).to.equal(1)
    await client.close()
    while ((await valueOf(room.metrics.feedCatchingUp)) > 0) await new Promise(setImmediate)
  })
})

describe('what the live feed tells its operator', () => {
  it('has the blocks that were announced and not told yet', async () => {
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
