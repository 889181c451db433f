import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import type { Client } from '../../src/platform/limits/clients.ts'
import { chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi, RunOptions } from '../support/running-api.ts'

/** Lets a test set the client address. */
const clientOf = (request: IncomingMessage): Client => {
  const address = String(request.headers['x-test-address'] ?? '127.0.0.1')
  return { address, isLocal: address.startsWith('127.') || address === '::1' }
}

const from = (address: string): { headers: Record<string, string> } => ({ headers: { 'x-test-address': address } })

describe('WebSocket upgrades', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
  })

  after(async () => {
    await database.drop()
  })

  async function start(options: RunOptions = {}): Promise<void> {
    const server = { clientOf, maxWebSocketsPerAddress: 3, ...options.server }
    api = await runApi(database.url, { ...options, server })
  }

  afterEach(async () => {
    await api.stop()
  })

  /** The status with which an upgrade is rejected. */
  async function refusedWith(path: string, address = '127.0.0.1'): Promise<number | undefined> {
    const socket = new WebSocket(`ws://${api.host}${path}`, from(address))
    const opened = once(socket, 'open').then(
      () => undefined,
      () => undefined,
    )
    const refused = once(socket, 'unexpected-response').then(([, response]) => (response as IncomingMessage).statusCode)
    const status = await Promise.race([opened, refused])
    socket.on('error', () => undefined)
    socket.terminate()
    return status
  }

  it('are rejected on unknown paths', async () => {
    await start()
    for (const path of ['/', '/flow/block', '/ws/', '/ws/other', '/constructor', '/wss']) {
      expect(await refusedWith(path), path).to.equal(404)
    }
    const reply = await rawUpgrade('GET http://[ HTTP/1.1')
    expect(reply).to.match(/^HTTP\/1\.1 404 /)
    const [, body = ''] = reply.split('\r\n\r\n')
    expect(JSON.parse(body)).to.deep.include({
      code: 'unknown-path',
      detail: 'No WebSocket at this path. WebSockets are at /ws and /ws/status.',
    })
  })

  it('are accepted under every prefix and with a query', async () => {
    await start()
    for (const path of ['/ws', '/ws/status', '/chain/v1/ws', '/api/v1/chain/v1/ws/status', '/ws?token=1']) {
      expect(await refusedWith(path), path).to.equal(undefined)
    }
  })

  it('are required on feed paths', async () => {
    await start()
    for (const path of ['/ws', '/api/v1/chain/v1/ws/status']) {
      const response = await api.get(path)
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([426, 'application/problem+json'])
      expect(await response.json()).to.deep.include({ code: 'websocket-only', title: 'Upgrade required' })
    }
  })

  it('are limited per address, except for loopback', async () => {
    await start()
    const attempts = await Promise.all(Array.from({ length: 6 }, () => outcome('203.0.113.7')))
    expect(attempts.filter(({ status }) => status === 429)).to.have.length(3)
    const open = attempts.flatMap(({ client }) => client ?? [])
    expect(open).to.have.length(3)
    expect(await refusedWith('/ws', '203.0.113.8')).to.equal(undefined)
    const local = await connectAll(
      Array.from({ length: 8 }, () => '/ws'),
      '127.0.0.9',
    )
    await Promise.all(local.map((client) => client.close()))
    // Capacity is released when the connection closes.
    await open[0]?.close()
    while ((await refusedWith('/ws', '203.0.113.7')) === 429) await api.get('/health')
  })

  async function outcome(address: string): Promise<{ status?: number; client?: FeedClient }> {
    try {
      return { client: await FeedClient.connect(`${api.host}/ws`, from(address)) }
    } catch (error) {
      const status = /Unexpected server response: (\d+)/.exec(String(error))?.[1]
      return { status: Number(status) }
    }
  }

  it('close clients of a network that sends too much over several connections', async () => {
    await start({ live: { networkOf: (request) => clientOf(request).address } })
    const filter = { addresses: Array.from({ length: 900 }, (_, index) => `0x${String(index).padStart(16, '0')}`) }
    const flood = async (address: string, messages: number): Promise<string> => {
      const client = await FeedClient.connect(`${api.host}/ws`, from(address))
      const closed = client.closed()
      const text = JSON.stringify({ type: 'subscribe', id: 1, filter })
      for (let count = 0; count < messages; count++) client.socket.send(text)
      client.socket.send('{"type":"unsubscribe","id":1}')
      const answered = client.find(({ type }) => type === 'unsubscribed').then(() => 'open')
      const outcome = await Promise.race([answered, closed.then(({ reason }) => reason)])
      client.socket.terminate()
      return outcome
    }
    // 95 of 20 KB each.
    expect([await flood('203.0.113.7', 95), await flood('203.0.113.7', 95)]).to.deep.equal(['open', 'open'])
    expect(await flood('203.0.113.7', 95)).to.match(/^too many messages from your network: try again in \d+ s$/)
    expect(await flood('203.0.113.8', 1)).to.equal('open')
  })

  it('close clients that send large frames or too many messages', async () => {
    await start()
    const giant = await FeedClient.connect(`${api.host}/ws`)
    const giantClosed = giant.closed()
    giant.socket.send(Buffer.alloc(64 * 1024 + 1))
    expect((await giantClosed).code).to.equal(1009)
    const talker = await FeedClient.connect(`${api.host}/ws`)
    const talkerClosed = talker.closed()
    for (let i = 0; i <= 100; i++) talker.socket.send('hello')
    expect(await talkerClosed).to.deep.equal({ code: 1008, reason: 'too many messages: limit 100 per 15 s' })
    for (const path of ['/ws', '/ws/status']) {
      const pinger = await FeedClient.connect(`${api.host}${path}`)
      const pingerClosed = pinger.closed()
      for (let i = 0; i <= 100; i++) pinger.socket.ping()
      // The library itself closes connections whose pings arrive faster than they can be answered.
      expect((await pingerClosed).code).to.be.oneOf([1008, 1006])
    }
    expect((await api.metrics.feedNoisy.get()).values[0]?.value).to.be.at.least(1)
  })

  it('drop a client that does not read responses', async () => {
    const inboundBytes = { rate: 1e9, burst: 1e9 }
    await start({ live: { limits: { maxBufferedBytes: 16 * 1024, maxInboundMessages: 1e6, inboundBytes } } })
    const deaf = await FeedClient.connect(`${api.host}/ws`)
    deaf.socket.pause()
    const timer = setInterval(() => {
      for (let i = 0; i < 1000; i++) deaf.say({ type: 'subscribe', id: 'x'.repeat(64), from: -1 })
    }, 10)
    while ((await dropped()) === 0);
    clearInterval(timer)
    deaf.socket.terminate()
  })

  it('drop a client that does not read without affecting others', async () => {
    // Before there are clients, as they might still receive it.
    await storeBlocks(database.pool, 1, 1)
    await start({ live: { limits: { maxBufferedBytes: 256 * 1024 } } })
    const stalled = await FeedClient.connect(`${api.host}/ws`)
    stalled.socket.pause()
    const reader = await FeedClient.connect(`${api.host}/ws`)
    let height = 1
    let expected = 0
    while ((await dropped()) === 0) {
      const blocks = await storeBlocks(database.pool, height + 1, height + 80)
      height += 80
      expected += blocks.reduce((sum, { transactions }) => sum + 1 + transactions.length, 0)
      await reader.count(expected)
    }
    expect(reader.messages).to.have.length(expected)
    expect(reader.messages.at(-1)?.payload['id']).to.equal(chainBlock(height).transactions.at(-1)?.id)
    const closed = stalled.closed()
    stalled.socket.resume()
    expect((await closed).code).to.be.oneOf([1013, 1006])
    await reader.close()
  })

  async function dropped(): Promise<number> {
    await setImmediate()
    const text = await api.metrics.registry.metrics()
    return Number(/^flowfarm_feed_dropped_clients_total (\d+)/m.exec(text)?.[1])
  }

  it('end dead connections', async () => {
    await start({ live: { limits: { pingMs: 30 } } })
    const alive = await FeedClient.connect(`${api.host}/ws`)
    const mute = await FeedClient.connect(`${api.host}/ws`, { autoPong: false })
    expect((await mute.closed()).code).to.equal(1006)
    await once(alive.socket, 'ping')
    expect(alive.socket.readyState).to.equal(WebSocket.OPEN)
    await alive.close()
  })

  it('close all clients with 1001 at shutdown without waiting', async () => {
    await start()
    const clients = await connectAll(['/ws', '/ws', '/ws/status'])
    const closed = clients.map((client) => client.closed())
    const deaf = await FeedClient.connect(`${api.host}/ws`)
    deaf.socket.pause()
    await api.server.close()
    const goingAway = { code: 1001, reason: 'server is shutting down' }
    expect(await Promise.all(closed)).to.deep.equal(clients.map(() => goingAway))
    deaf.socket.terminate()
  })

  it('are counted', async () => {
    await start()
    const clients = await connectAll(['/ws', '/ws', '/ws/status'])
    const text = await api.metrics.registry.metrics()
    expect(text).to.include('flowfarm_feed_clients{feed="live"} 2')
    expect(text).to.include('flowfarm_feed_clients{feed="status"} 1')
    await Promise.all(clients.map((client) => client.close()))
  })

  function connectAll(paths: readonly string[], address = '127.0.0.1'): Promise<FeedClient[]> {
    return Promise.all(paths.map((path) => FeedClient.connect(`${api.host}${path}`, from(address))))
  }

  /** Response to a request line that no client library would send. */
  async function rawUpgrade(requestLine: string): Promise<string> {
    const socket = connect(api.server.port, '127.0.0.1')
    socket.write(
      `${requestLine}\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    )
    let reply = ''
    for await (const chunk of socket) reply += String(chunk)
    return reply
  }
})
