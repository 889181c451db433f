import { expect } from 'chai'
import fc from 'fast-check'
import type { FeedClient, FeedMessage } from '../support/feed-client.ts'
import { LiveFeedServer } from '../support/live-feed-server.ts'
import { generatedAccounts, GeneratedChain } from '../support/generated-chain.ts'

const filters = {
  all: {},
  blocks: { types: ['new_block'] },
  even: { addresses: [generatedAccounts[0]] },
  both: { types: ['new_block', 'new_transaction'], addresses: [generatedAccounts[1]] },
} as const
type FilterName = keyof typeof filters

/** Whether a selection matches the block of a height and its transaction. */
const wants: Readonly<Record<FilterName, (height: number) => readonly [block: boolean, transaction: boolean]>> = {
  all: () => [true, true],
  blocks: () => [true, false],
  even: (height) => [false, height % 2 === 0],
  both: (height) => [true, height % 2 === 1],
}

/** Expected messages of the heights from `from` up to `to` for a selection. */
function expectedOf(chain: GeneratedChain, filterName: FilterName, from: number, to: number): string[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).flatMap((height) => {
    const [block, transaction] = wants[filterName](height)
    return [...(block ? [chain.blockIds[height] ?? ''] : []), ...(transaction ? [chain.transactionId(height)] : [])]
  })
}

/** A client with its selections, in order. */
interface FilteredClient {
  readonly client: FeedClient
  readonly requested: { readonly filterName: FilterName; readonly isResuming: boolean }[]
}

/** Compares the messages between two confirmations with the selection in between. */
function check({ client, requested }: FilteredClient, chain: GeneratedChain): void {
  const answers = client.messages.flatMap(({ type }, i) => (type === 'subscribed' ? [i] : []))
  expect(answers).to.have.length(requested.length)
  answers.forEach((answer, i) => {
    const { filterName } = requested[i] ?? { filterName: 'all' }
    const next = requested[i + 1]
    const from = nextHeight(client.messages[answer])
    const to = next === undefined ? chain.height : nextHeight(client.messages[answers[i + 1] ?? 0])
    const came = client.messages
      .slice(answer + 1, answers[i + 1])
      .filter(({ type }) => type !== 'position')
      .map(({ payload }) => payload['id'])
    // Resuming interrupts a replay.
    const expected = expectedOf(chain, filterName, from, next?.isResuming === true ? chain.height : to)
    expect(came).to.deep.equal(next?.isResuming === true ? expected.slice(0, came.length) : expected)
  })
}

function nextHeight(answer: FeedMessage | undefined): number {
  return Number(answer?.payload['next_height'])
}

describe('delivery in time slices', () => {
  it('is complete and ordered for each client while clients join, leave, resume and change filters', async () => {
    const filterName = fc.constantFrom<FilterName>('all', 'blocks', 'even', 'both')
    const client = fc.integer({ min: 0, max: 30 })
    const action = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('extend' as const), count: fc.integer({ min: 1, max: 3 }) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('breathe' as const), count: fc.integer({ min: 1, max: 20 }) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('change' as const), client, wish: filterName, batch: fc.boolean() }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('goBack' as const),
          client,
          wish: filterName,
          from: fc.integer({ min: 0, max: 10 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('join' as const), wish: filterName }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), client }) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 50 }),
        fc.constantFrom(1, 2000, 1_000_000),
        async (actions, maxBytesAtOnce) => {
          const chain = new GeneratedChain()
          chain.extend(10)
          const server = await LiveFeedServer.open(chain, { sliceMs: 0, maxBytesAtOnce })
          let clients: FilteredClient[] = []
          const ask = (
            { client, requested }: FilteredClient,
            filterName: FilterName,
            more: object,
            isResuming = false,
          ): void => {
            requested.push({ filterName, isResuming })
            client.say({ type: 'subscribe', id: 1, filter: filters[filterName], ...more })
          }
          const join = async (filterName: FilterName): Promise<void> => {
            const joined = { client: await server.connect(), requested: [] }
            ask(joined, filterName, {})
            clients.push(joined)
          }
          for (const filterName of ['all', 'blocks', 'even', 'both', 'all', 'all', 'even', 'both'] as const)
            await join(filterName)
          for (const next of actions) {
            const chosen = 'client' in next ? clients[next.client % clients.length] : undefined
            if (next.kind === 'extend') {
              chain.extend(next.count)
              chain.announce(server.feed)
              chain.announce(server.feed)
            } else if (next.kind === 'breathe') for (let i = 0; i < next.count; i++) await new Promise(setImmediate)
            else if (next.kind === 'join') await join(next.wish)
            else if (chosen === undefined) continue
            else if (next.kind === 'change') ask(chosen, next.wish, { batch: next.batch })
            else if (next.kind === 'goBack') ask(chosen, next.wish, { from: next.from }, true)
            else {
              clients = clients.filter((one) => one !== chosen)
              chosen.client.socket.terminate()
            }
          }
          for (const { client } of clients) {
            client.say({ type: 'ping', id: 'end' })
            await client.find(({ type }) => type === 'pong')
          }
          await server.feed.idle()
          chain.extend(2)
          while (chain.announce(server.feed));
          const top = chain.height
          for (const asking of clients) {
            const last = expectedOf(chain, asking.requested.at(-1)?.filterName ?? 'all', top - 2, top).at(-1)
            await asking.client.find(({ payload }) => payload['id'] === last)
            asking.client.messages.splice(
              0,
              Number.POSITIVE_INFINITY,
              ...asking.client.messages.filter(({ type }) => type !== 'pong'),
            )
            check(asking, chain)
          }
          await server.close()
        },
      ),
      { numRuns: 40 },
    )
  })
})
