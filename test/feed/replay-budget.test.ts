import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { createFeedReader } from '../../src/explorer/feed/reader.ts'
import type { TransactionSelection, FeedBlock } from '../../src/explorer/feed/reader.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import type { FeedReader } from '../../src/explorer/feed/block-feed.ts'
import {
  replayBlocksPerSecond,
  replayNetworkFactor,
  replayProcessBlocksPerSecond,
  replayProcessFactor,
} from '../../src/explorer/feed/replay-budget.ts'
import { receiver, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { FeedClient } from '../support/feed-client.ts'
import { LiveFeedServer } from '../support/live-feed-server.ts'

const top = 400
const nobody = '0x00000000deadbeef'

describe('the replay budget of the live feed', () => {
  let database: TestDatabase
  let reads: DatabasePool
  let decoded = 0
  let server: LiveFeedServer
  let networkOf: (() => string) | undefined
  /** Clock of the budgets in milliseconds; undefined: process clock. */
  let now: number | undefined

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 1, top)
    reads = await createReadPool({ url: database.url })
  })

  after(async () => {
    await reads.end()
    await database.drop()
  })

  beforeEach(async () => {
    decoded = 0
    const reader = createFeedReader(reads, () => 'mainnet')
    const counting: FeedReader = {
      ...reader,
      read: async (from, to) => {
        decoded += to - from
        return await reader.read(from, to)
      },
    }
    // Nothing stays in memory, as in a replay of more blocks than fit.
    const clock = (): number => now ?? performance.now()
    server = await LiveFeedServer.open(
      counting,
      { maxReplay: top, maxRecentBytes: 0, clock },
      () => networkOf?.() ?? '127.0.0.1',
    )
  })

  afterEach(async () => {
    networkOf = undefined
    now = undefined
    await server.close()
  })

  const replay = (
    client: FeedClient,
    filterName: object,
  ): Promise<{ payload: Readonly<Record<string, unknown>>; type: string }> =>
    client.subscribe({ from: 1, ...filterName })
  const untilCaughtUp = (client: FeedClient, start: number): Promise<unknown> =>
    client.find(({ type }) => type === 'position', start)

  for (const [name, filter] of [
    ['an address without transactions', { addresses: [nobody] }],
    ['another address each time', undefined],
    ['templates', { templates: ['none'] }],
    ['blocks', { types: ['new_block'] }],
  ] as const) {
    it(`limits repeated replays of the same blocks by ${name}, on new and existing connections`, async () => {
      const answers: string[] = []
      const startedAt = performance.now()
      while (answers.length < 100 && answers.at(-1) !== 'error') {
        const client = await server.connect()
        for (let again = 0; again < 2 && answers.at(-1) !== 'error'; again++) {
          const before = client.messages.length
          const { type, payload } = await replay(client, {
            filter: filter ?? { addresses: [`0x${String(answers.length).padStart(16, '0')}`] },
          })
          answers.push(type)
          if (type === 'subscribed') await untilCaughtUp(client, before)
          else {
            expect(payload).to.include({ code: 'replay_limit', field: 'from' })
            expect(payload['retry_after']).to.be.a('number').above(0)
            expect(payload['message'])
              .to.contain(`${String(payload['retry_after'])} s`)
              .and.to.contain('/flow/block')
          }
        }
        await client.close()
      }
      expect(answers[0]).to.equal('subscribed')
      expect(answers.at(-1)).to.equal('error')
      const refilled = Math.ceil((performance.now() - startedAt) / 1000) * replayBlocksPerSecond
      expect(decoded).to.be.at.most(replayNetworkFactor * top + refilled)
    })
  }

  it('limits the replays of many networks by delaying them', async () => {
    let networks = 0
    networkOf = () => `network ${networks++}`
    now = 0
    // Aligned to a read, so it costs `top` blocks.
    const from = 20
    const whole = (client: FeedClient): ReturnType<typeof replay> =>
      replay(client, { from, filter: { types: ['new_block'] } })
    const blocks = top - from + 1
    for (let i = 0; i < replayProcessFactor; i++) {
      const client = await server.connect()
      expect((await whole(client)).type).to.equal('subscribed')
      await untilCaughtUp(client, 0)
      await client.close()
    }
    const late = await server.connect()
    expect((await whole(late)).type).to.equal('subscribed')
    // Longer than an undelayed replay takes for a read.
    for (let i = 0; i < 5; i++) await createFeedReader(reads, () => 'mainnet').read(1, top)
    expect(decoded).to.equal(replayProcessFactor * blocks)
    now = Math.ceil(top / replayProcessBlocksPerSecond) * 1000
    await untilCaughtUp(late, 0)
    expect(decoded).to.equal((replayProcessFactor + 1) * blocks)
    await late.close()
  })

  it('lets a rejected client follow new blocks', async () => {
    for (let i = 0; i < replayNetworkFactor; i++) {
      const client = await server.connect()
      await replay(client, { filter: { types: ['new_block'] } })
      await untilCaughtUp(client, 0)
      await client.close()
    }
    const client = await server.connect()
    expect((await replay(client, {})).payload).to.include({ code: 'replay_limit' })
    expect((await client.subscribe({})).type).to.equal('subscribed')
    await client.close()
  })
})

describe('blocks that need no decoding', () => {
  it('do not match an address or tag according to the index', async () => {
    const { database } = await exploredChain()
    const pool = await createReadPool({ url: database.url })
    try {
      const reader = createFeedReader(pool, () => 'emulator')
      const blocks = await reader.read(0, 281)
      const has = ({ transactions }: FeedBlock, { kind, words }: TransactionSelection): boolean =>
        transactions.some(({ accounts, summary }) =>
          (kind === 'addresses' ? accounts : summary.tags).some((word) => words.includes(word)),
        )
      const all = blocks.flatMap(({ transactions }) => transactions)
      const selections: TransactionSelection[] = [
        ...[...new Set(all.flatMap(({ accounts }) => accounts)), nobody, receiver].map((word) => ({
          kind: 'addresses' as const,
          words: [word],
        })),
        ...new Set(all.flatMap(({ summary }) => summary.tags)),
      ].map((selection) => (typeof selection === 'string' ? { kind: 'tags' as const, words: [selection] } : selection))
      for (const selection of selections.filter((_selection, i) => i % 7 === 0)) {
        for (let from = 0; from < 281;) {
          const next = await reader.nextFor([selection], from, 281)
          const needed =
            blocks.find(({ block, ...rest }) => block.height >= from && has({ block, ...rest }, selection))?.block
              .height ?? 281
          expect(next, `${JSON.stringify(selection)} from ${from}`)
            .to.be.at.most(needed)
            .and.at.least(from)
          from = needed + 1
        }
      }
      expect(await reader.nextFor([{ kind: 'addresses', words: [nobody] }], 0, 281)).to.equal(281)
    } finally {
      await pool.end()
    }
  })
})
