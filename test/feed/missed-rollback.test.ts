import { expect } from 'chai'
import type { FeedClient } from '../support/feed-client.ts'
import { LiveFeedServer } from '../support/live-feed-server.ts'
import { GeneratedChain } from '../support/generated-chain.ts'
import { ClientChain } from '../support/client-chain.ts'

const limits = { rollbackWaitMs: 1, maxReorgDepth: 100 }

/** Applies the messages of a client once it has the newest block. */
async function hear(seen: ClientChain, client: FeedClient, chain: GeneratedChain): Promise<void> {
  const last = chain.transactionId(chain.height - 1)
  await client.find(({ payload }) => payload['id'] === last)
  for (const message of client.updates) if (message.seq !== undefined) seen.accept(message)
}

/** A client that was served by another process. */
async function resumeElsewhere(chain: GeneratedChain): Promise<ClientChain> {
  const seen = new ClientChain()
  const server = await LiveFeedServer.open(chain, limits)
  const client = await server.connect()
  await client.subscribe({ from: 0 })
  await hear(seen, client, chain)
  await server.close()
  return seen
}

/** Replaces blocks while notifications are lost. */
async function forkWithoutNotice(chain: GeneratedChain, server: LiveFeedServer, depth: number): Promise<void> {
  chain.rollBack(depth)
  chain.extend(depth + 3)
  await server.feed.catchUp()
}

describe('a missed rollback', () => {
  it('is sent to a client of another process with its exact depth', async () => {
    const chain = new GeneratedChain()
    chain.extend(60)
    const seen = await resumeElsewhere(chain)
    const server = await LiveFeedServer.open(chain, limits)
    const client = await server.connect()
    // Mark of the last transaction: this process has sent none of the blocks before it.
    await client.subscribe({ after: seen.mark })
    await client.find(({ type }) => type === 'position')
    await forkWithoutNotice(chain, server, 20)
    await hear(seen, client, chain)
    expect([...seen.blocks.values()]).to.deep.equal(chain.blockIds)
    expect(seen.rollbacks).to.deep.equal([40])
    await server.close()
  })

  it('is sent to a client that resumes by height only', async () => {
    const chain = new GeneratedChain()
    chain.extend(60)
    const seen = await resumeElsewhere(chain)
    const server = await LiveFeedServer.open(chain, limits)
    const client = await server.connect()
    await client.subscribe({ after: '60' })
    await client.find(({ type }) => type === 'position' || type === 'subscribed')
    await forkWithoutNotice(chain, server, 20)
    await hear(seen, client, chain)
    expect([...seen.blocks.values()]).to.deep.equal(chain.blockIds)
    await server.close()
  })

  for (const [knows, from] of [
    [true, 40],
    [false, 30],
  ] as const) {
    it(`is sent after blocks passed without clients${knows ? '' : ', too deep rather than too shallow if their ids could not be read'}`, async () => {
      const chain = new GeneratedChain()
      chain.extend(30)
      const server = await LiveFeedServer.open(chain, limits)
      chain.extend(30)
      while (chain.announce(server.feed));
      await server.feed.idle()
      const seen = await resumeElsewhere(chain)
      if (!knows) chain.failNextIds()
      const client = await server.connect()
      await client.subscribe({ after: seen.mark })
      await client.find(({ type }) => type === 'position')
      await forkWithoutNotice(chain, server, 20)
      await hear(seen, client, chain)
      expect([...seen.blocks.values()]).to.deep.equal(chain.blockIds)
      expect(seen.rollbacks).to.deep.equal([from])
      await server.close()
    })
  }
})
