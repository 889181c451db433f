import { expect } from 'chai'
import { chainBlock, payer, receiver, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('subscriptions of the live feed', () => {
  let database: TestDatabase
  let api: RunningApi
  let height = 100

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 1, height)
    api = await runApi(database.url, { live: { liveLimits: { maxReplay: 50, maxReorgDepth: 10, maxWords: 1500 } } })
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  const connect = (): Promise<FeedClient> => FeedClient.connect(`${api.host}/ws`)

  /** Stores the next block and returns its height. */
  async function grow(): Promise<number> {
    await storeBlocks(database.pool, ++height, height)
    return height
  }

  it('deliver exactly what a filter matches', async () => {
    const [moves, evm, blocks, both] = await Promise.all([connect(), connect(), connect(), connect()])
    await moves.subscribe({ filter: { addresses: [receiver.toUpperCase().replace('0X', '0x')] } })
    await evm.subscribe({ filter: { tags: ['evm'] } })
    await blocks.subscribe({ filter: { types: ['new_block'] } })
    await both.subscribe({
      filter: { addresses: [payer], contracts: ['A.e467b9dd11fa00df.EVM'], types: ['new_block', 'new_transaction'] },
    })
    const first = height + 1
    for (let i = 0; i < 4; i++) await grow()
    const heights = [0, 1, 2, 3].map((i) => first + i)
    const even = heights.filter((at) => at % 2 === 0)
    const wanted: [FeedClient, string[]][] = [
      [moves, heights.map((at) => chainBlock(at).transactions[0]?.id ?? '')],
      [evm, even.map((at) => chainBlock(at).transactions[1]?.id ?? '')],
      [blocks, heights.map((at) => chainBlock(at).id)],
      [
        both,
        heights.flatMap((at) => [
          chainBlock(at).id,
          ...(at % 2 === 0 ? [chainBlock(at).transactions[1]?.id ?? ''] : []),
        ]),
      ],
    ]
    for (const [client, ids] of wanted) {
      await client.count(1 + ids.length)
      expect(client.updates.map(({ payload }) => payload['id'])).to.deep.equal(ids)
      await client.close()
    }
  })

  it('deliver messages of overlapping subscriptions once, and nothing after the last one ended', async () => {
    const client = await connect()
    await client.subscribe({ id: 1, filter: { addresses: [receiver] } })
    await client.subscribe({ id: 2, filter: { addresses: [receiver, payer], tags: ['FT_TRANSFER'] } })
    const at = await grow()
    await client.count(3)
    expect(client.updates.map(({ payload }) => payload['id'])).to.deep.equal([chainBlock(at).transactions[0]?.id])
    for (const id of [1, 2]) client.say({ type: 'unsubscribe', id })
    await client.find(({ type, payload }) => type === 'unsubscribed' && payload['id'] === 2)
    // Once one client has it, the others have it or get it before their responses.
    const later = await connect()
    await grow()
    await later.count(1)
    await later.close()
    client.say({ type: 'ping', id: 'last' })
    expect((await client.find(({ type }) => type === 'pong')).payload).to.deep.equal({ id: 'last' })
    expect(client.updates).to.have.length(1)
    await client.close()
  })

  it('mark messages and batch them on request', async () => {
    const [marked, batched] = await Promise.all([connect(), connect()])
    await marked.subscribe({})
    expect((await batched.subscribe({ batch: true })).payload).to.deep.equal({
      id: 'test',
      next_height: height + 1,
      batch: true,
    })
    const at = await grow()
    const { id, transactions } = chainBlock(at)
    for (const client of [marked, batched]) {
      await client.count(2 + transactions.length)
      expect(client.updates.map(({ seq }) => seq)).to.deep.equal(
        Array.from({ length: 1 + transactions.length }, (_, i) => `${at}.${i}.${id.slice(0, 16)}`),
      )
    }
    expect(batched.frames).to.deep.equal([1, 1 + transactions.length])
    expect(marked.frames.every((messages) => messages === 1)).to.equal(true)
    expect(batched.updates).to.deep.equal(marked.updates)
    await Promise.all([marked.close(), batched.close()])
  })

  it('are rejected with field and reason if invalid', async () => {
    const client = await connect()
    const addresses = (count: number): string[] =>
      Array.from({ length: count }, (_, i) => `0x${(i + 1).toString(16).padStart(16, '0')}`)
    const cases: [unknown, string, string | null][] = [
      ['{', 'bad_message', null],
      [[], 'bad_message', null],
      [{ type: 'shout' }, 'bad_message', 'type'],
      [{ type: 'subscribe' }, 'bad_message', 'id'],
      [{ type: 'subscribe', id: 1, filter: { addresses: ['0xnobody'] } }, 'bad_message', 'filter.addresses.0'],
      [{ type: 'subscribe', id: 1, filter: { addresses: [] } }, 'bad_message', 'filter.addresses'],
      [{ type: 'subscribe', id: 1, filter: { addresses: addresses(1001) } }, 'bad_message', 'filter.addresses'],
      [{ type: 'subscribe', id: 1, filter: { types: ['new_nothing'] } }, 'bad_message', 'filter.types.0'],
      [{ type: 'subscribe', id: 1, filter: { adresses: ['0x1'] } }, 'bad_message', 'filter.adresses'],
      [{ type: 'subscribe', id: 1, filter: { contracts: ['FlowToken'] } }, 'bad_message', 'filter.contracts.0'],
      [{ type: 'subscribe', id: 1, from: -1 }, 'bad_message', 'from'],
      [{ type: 'subscribe', id: 1, after: 'yesterday' }, 'bad_message', 'after'],
      [{ type: 'subscribe', id: 1, after: '100', from: 100 }, 'bad_message', 'after'],
      [{ type: 'subscribe', id: 1, from: height - 50 }, 'too_old', 'from'],
      [{ type: 'subscribe', id: 1, from: height + 12 }, 'too_new', 'from'],
      [{ type: 'unsubscribe', id: 'other' }, 'unknown_subscription', 'id'],
    ]
    for (const [i, [message, code, field]] of cases.entries()) {
      if (typeof message === 'string') client.socket.send(message)
      else client.say(message)
      await client.count(i + 1)
      const { type, payload } = client.messages[i] ?? {}
      expect([type, payload?.['code'], payload?.['field']], JSON.stringify(message).slice(0, 200)).to.deep.equal([
        'error',
        code,
        field,
      ])
      expect(payload?.['message']).to.match(/\w{3,}/)
    }
    client.socket.send(Buffer.from('{}'), { binary: true })
    await client.count(cases.length + 1)
    expect(client.messages.at(-1)?.payload['code']).to.equal('bad_message')
    // The client still follows as if it had sent nothing.
    const at = await grow()
    expect((await client.find(({ type }) => type === 'new_block')).payload['height']).to.equal(at)
    await client.close()
  })

  it('are limited per connection and in total', async () => {
    const [first, second] = await Promise.all([connect(), connect()])
    const words = (begin: number, count: number): string[] =>
      Array.from({ length: count }, (_, i) => `0x${(begin + i).toString(16).padStart(16, '0')}`)
    for (let i = 0; i < 16; i++)
      expect((await first.subscribe({ id: i, filter: { types: ['new_block'] } })).type).to.equal('subscribed')
    expect((await first.subscribe({ id: 16 })).payload['code']).to.equal('too_many_subscriptions')
    expect((await first.subscribe({ id: 0, filter: { addresses: words(1, 990) } })).type).to.equal('subscribed')
    expect((await first.subscribe({ id: 1, filter: { addresses: words(1, 11) } })).payload['code']).to.equal(
      'too_many_words',
    )
    expect((await second.subscribe({ id: 0, filter: { addresses: words(1, 600) } })).payload['message']).to.include(
      'filter limit of the server reached',
    )
    await first.close()
    // Capacity is released when the connection closes.
    while ((await second.subscribe({ id: 0, filter: { addresses: words(1, 600) } })).type !== 'subscribed')
      await api.get('/health')
    await second.close()
  })
})
