import { expect } from 'chai'
import { rollBack, chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { runApi } from '../support/running-api.ts'
import { ClientChain } from '../support/client-chain.ts'

describe('the endurance of the live feed', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 1, 5)
  })

  afterEach(async () => {
    await database.drop()
  })

  const untilWhole = (client: FeedClient, height: number, fork = 'main'): Promise<unknown> => {
    const { id, transactions } = chainBlock(height, { fork })
    return client.find(({ seq }) => seq === `${height}.${transactions.length}.${id.slice(0, 16)}`)
  }

  it('survives a kill: a resuming client gets every block once and all rollbacks', async () => {
    const start = async (): Promise<{ program: FlowfarmProcess; host: string }> => {
      const program = new FlowfarmProcess(['api'], { DB_URL: database.url, PORT: '0' })
      const { port } = await program.logged(/API listening/)
      return { program, host: `127.0.0.1:${String(port)}` }
    }
    const chain = new ClientChain()
    const first = await start()
    const client = await FeedClient.connect(`${first.host}/ws`)
    await client.subscribe({ from: 1 })
    const storing = (async () => {
      for (let at = 6; at <= 20; at++) await storeBlocks(database.pool, at, at)
    })()
    await client.find(({ type, payload }) => type === 'new_block' && payload['height'] === 10)
    const closed = client.closed()
    await first.program.end('SIGKILL')
    await closed
    for (const message of client.updates) chain.accept(message)
    await storing
    await rollBack(database.pool, 19)
    await storeBlocks(database.pool, 19, 22, { fork: 'other' })
    const second = await start()
    const again = await FeedClient.connect(`${second.host}/ws`)
    await again.subscribe({ after: chain.mark })
    await untilWhole(again, 22, 'other')
    for (const message of again.updates) chain.accept(message)
    const heights = Array.from({ length: 22 }, (_, i) => i + 1)
    const blockAt = (at: number): ReturnType<typeof chainBlock> => chainBlock(at, { fork: at < 19 ? 'main' : 'other' })
    expect([...chain.blocks]).to.deep.equal(heights.map((at) => [at, blockAt(at).id]))
    expect([...chain.transactions]).to.deep.equal(
      heights.map((at) => [at, blockAt(at).transactions.map(({ id }) => id)]),
    )
    await again.close()
    await second.program.end('SIGKILL')
  })

  it('delivers everything to a slow subscriber without delaying others', async () => {
    const api = await runApi(database.url, {
      live: { liveLimits: { maxSubscriberBytes: 16 * 1024, maxBytesAtOnce: 4096 } },
    })
    const [stalled, reader] = await Promise.all([
      FeedClient.connect(`${api.host}/ws`),
      FeedClient.connect(`${api.host}/ws`),
    ])
    await Promise.all([stalled.subscribe({ from: 1 }), reader.subscribe({ from: 1, batch: true })])
    stalled.socket.pause()
    let height = 5
    const fallenBehind = async (): Promise<number> => (await api.metrics.feedFallenBehind.get()).values[0]?.value ?? 0
    // The socket buffers of the system must be full first.
    while ((await fallenBehind()) === 0) {
      await storeBlocks(database.pool, height + 1, height + 100)
      height += 100
      await untilWhole(reader, height)
    }
    stalled.socket.resume()
    await untilWhole(stalled, height)
    expect(stalled.updates.map(({ seq }) => seq)).to.deep.equal(reader.updates.map(({ seq }) => seq))
    await Promise.all([stalled.close(), reader.close()])
    await api.stop()
  })

  it('carries 1,000 idle clients, floods and garbage', async () => {
    const api = await runApi(database.url)
    const clients: FeedClient[] = []
    for (let i = 0; i < 10; i++) {
      clients.push(...(await Promise.all(Array.from({ length: 100 }, () => FeedClient.connect(`${api.host}/ws`)))))
    }
    await Promise.all(
      clients.slice(0, 500).map((client, i) => client.subscribe({ filter: { addresses: [`0x${i + 1}`] } })),
    )
    const flood = await FeedClient.connect(`${api.host}/ws`)
    const flooded = flood.closed()
    for (let i = 0; i < 200; i++) flood.say({ type: 'subscribe', id: i, filter: { tags: ['EVM'] } })
    expect((await flooded).code).to.equal(1008)
    const garbage = await FeedClient.connect(`${api.host}/ws`)
    const spoilt = garbage.closed()
    // A frame with a reserved opcode.
    ;(garbage.socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(
      Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
    )
    expect((await spoilt).code).to.equal(1002)
    await storeBlocks(database.pool, 6, 6)
    await Promise.all(clients.slice(500).map((client) => client.count(1 + chainBlock(6).transactions.length)))
    expect(clients.slice(0, 500).every((client) => client.updates.length === 0)).to.equal(true)
    await Promise.all(clients.map((client) => client.close()))
    await api.stop()
  })
})
