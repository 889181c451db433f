import { expect } from 'chai'
import fc from 'fast-check'
import type { FeedClient } from '../support/feed-client.ts'
import { LiveFeedServer } from '../support/live-feed-server.ts'
import { GeneratedChain } from '../support/generated-chain.ts'
import { ClientChain } from '../support/client-chain.ts'

/** Too long for any test: results must arrive without this timeout. */
const never = 600_000

/** @param isSubscriber ignore messages from before the subscription */
const seenBy = (client: FeedClient, isSubscriber = true): ClientChain => {
  const seen = new ClientChain()
  for (const message of client.updates) if (!isSubscriber || message.seq !== undefined) seen.accept(message)
  return seen
}

/**
 * Extends the chain by a final block and resolves when all clients have it.
 *
 * @param clients subscribers; messages from before the subscription have no mark
 */
async function settle(
  chain: GeneratedChain,
  server: LiveFeedServer,
  clients: readonly FeedClient[],
  plain: readonly FeedClient[] = [],
): Promise<void> {
  while (chain.announce(server.feed));
  await server.feed.idle()
  chain.extend(1)
  chain.announce(server.feed)
  const last = chain.transactionId(chain.height - 1)
  await Promise.all([
    ...clients.map((client) => client.find(({ seq, payload }) => seq !== undefined && payload['id'] === last)),
    ...plain.map((client) => client.find(({ payload }) => payload['id'] === last)),
  ])
}

describe('a late rollback', () => {
  it('is published before the replacement blocks to followers', async () => {
    const chain = new GeneratedChain()
    chain.extend(10)
    const server = await LiveFeedServer.open(chain, { rollbackWaitMs: never })
    const client = await server.connect()
    await client.subscribe({ from: 0 })
    await client.find(({ payload }) => payload['id'] === chain.transactionId(9))
    chain.extend(1)
    chain.rollBack(4)
    chain.extend(6)
    // Only the first notification is received: the block at this height has already been replaced.
    while (chain.announce(server.feed)) for (let i = 0; i < 5; i++) await new Promise(setImmediate)
    await settle(chain, server, [client])
    const seen = seenBy(client)
    expect(seen.rollbacks).to.deep.equal([7])
    expect([...seen.blocks.values()]).to.deep.equal(chain.blockIds)
    await server.close()
  })

  it('is published before the replacement blocks to clients that catch up', async () => {
    const chain = new GeneratedChain()
    chain.extend(40)
    const server = await LiveFeedServer.open(chain, { rollbackWaitMs: never })
    const [first, second] = await Promise.all([server.connect(), server.connect()])
    await first.subscribe({ from: 30 })
    await first.find(({ payload }) => payload['id'] === chain.transactionId(39))
    chain.rollBack(25)
    chain.extend(30)
    await second.subscribe({ from: 0 })
    await settle(chain, server, [first, second])
    for (const [client, from] of [
      [first, 30],
      [second, 0],
    ] as const) {
      const seen = seenBy(client)
      expect([...seen.blocks].filter(([height]) => height >= from)).to.deep.equal(
        [...chain.blockIds.entries()].slice(from),
      )
    }
    await server.close()
  })

  it('is found by comparison if it is never announced', async () => {
    const chain = new GeneratedChain()
    chain.extend(10)
    const server = await LiveFeedServer.open(chain, { rollbackWaitMs: 1 })
    const client = await server.connect()
    await client.subscribe({ from: 0 })
    await client.find(({ payload }) => payload['id'] === chain.transactionId(9))
    chain.rollBack(4)
    chain.extend(5)
    server.feed.announce(10, 11)
    await client.find(({ payload }) => payload['id'] === chain.transactionId(10))
    const seen = seenBy(client)
    expect(seen.rollbacks).to.deep.equal([6])
    expect([...seen.blocks.values()]).to.deep.equal(chain.blockIds)
    await server.close()
  })

  it('leaves each client with the current chain for any order or loss of notifications', async () => {
    const action = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('extend' as const), count: fc.integer({ min: 1, max: 4 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('rollBack' as const), count: fc.integer({ min: 1, max: 8 }) }),
      },
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant('announce' as const), count: fc.integer({ min: 1, max: 2 }) }),
      },
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant('breathe' as const), count: fc.integer({ min: 1, max: 6 }) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), count: fc.constant(1) }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('join' as const), count: fc.integer({ min: 0, max: 20 }) }),
      },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 60 }),
        fc.constantFrom(1, 1_000_000),
        async (actions, maxBytesAtOnce) => {
          const chain = new GeneratedChain()
          chain.extend(10)
          const server = await LiveFeedServer.open(chain, { rollbackWaitMs: never, sliceMs: 0, maxBytesAtOnce })
          const plain = await server.connect()
          const clients = [await server.connect()]
          await clients[0]?.subscribe({ from: 0 })
          for (const { kind, count } of actions) {
            if (kind === 'extend') chain.extend(count)
            if (kind === 'rollBack') chain.rollBack(count)
            if (kind === 'announce') for (let i = 0; i < count; i++) chain.announce(server.feed)
            if (kind === 'breathe') for (let i = 0; i < count; i++) await new Promise(setImmediate)
            if (kind === 'lose') {
              chain.loseAnnouncements()
              await server.feed.catchUp()
            }
            if (kind === 'join') {
              const client = await server.connect()
              // Must be confirmed before the next fork: a client that resumes by height gets no
              // rollback of earlier forks below it.
              await client.subscribe({ from: Math.min(count, chain.height), batch: true })
              clients.push(client)
            }
          }
          await settle(chain, server, clients, [plain])
          seenBy(plain, false)
          for (const client of clients) {
            const seen = seenBy(client)
            const [lowest = 0] = seen.blocks.keys()
            expect([...seen.blocks]).to.deep.equal([...chain.blockIds.entries()].slice(lowest))
            expect([...seen.transactions]).to.deep.equal(
              [...chain.blockIds.keys()].slice(lowest).map((at) => [at, [chain.transactionId(at)]]),
            )
          }
          await server.close()
        },
      ),
      { numRuns: 60, endOnFailure: false },
    )
  })
})
