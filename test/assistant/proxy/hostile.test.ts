import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { startBackend } from './support/backend.ts'
import type { Backend } from './support/backend.ts'
import { runProxy } from './support/running-proxy.ts'
import type { RunningProxy, RunProxyOptions } from './support/running-proxy.ts'

/** A service that records the received bytes and responds to each request head. */
interface WireTap {
  readonly url: URL
  /** For all connections. */
  readonly received: () => string
  readonly server: Server
}

async function startWireTap(answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'): Promise<WireTap> {
  let received = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.setEncoding('latin1').on('data', (bytes: string) => {
      received += bytes
      if (bytes.includes('\r\n\r\n')) socket.write(answer, 'latin1')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    received: () => received,
    server,
  }
}

/** Status and problem code of a raw response. */
function problemOf(answer: string): string {
  return `${/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]} ${/"code":"([\w-]+)"/.exec(answer)?.[1]}`
}

const close = 'Connection: close\r\n\r\n'

describe('proxy and hostile requests', () => {
  let chat: Backend
  let mcp: Backend
  const proxies: RunningProxy[] = []
  const servers: Server[] = []

  beforeEach(async () => {
    ;[chat, mcp] = await Promise.all([startBackend('chat'), startBackend('mcp')])
  })

  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close()
    for (const server of servers.splice(0)) server.close()
    await Promise.all([chat.stop(), mcp.stop()])
  })

  async function start(options: RunProxyOptions = {}): Promise<RunningProxy> {
    const proxy = await runProxy({ urls: { chat: chat.url, mcp: mcp.url }, ...options })
    proxies.push(proxy)
    return proxy
  }

  async function tapped(answer?: string): Promise<{ proxy: RunningProxy; tap: WireTap }> {
    const tap = await startWireTap(answer)
    servers.push(tap.server)
    return { tap, proxy: await start({ urls: { chat: tap.url } }) }
  }

  const refused: Readonly<Record<string, readonly [request: string, told: string]>> = {
    'two lengths': [
      'POST /api/chat HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
      '400 bad-request',
    ],
    'a length and chunks': [
      'POST /api/chat HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400 bad-request',
    ],
    'chunks and a length': [
      'POST /api/chat HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n',
      '400 bad-request',
    ],
    'an invalid length': ['POST /api/chat HTTP/1.1\r\nHost: h\r\nContent-Length: +3\r\n\r\nabc', '400 bad-request'],
    'an encoding that is not chunked': [
      'POST /api/chat HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
      '501 transfer-encoding',
    ],
    'an encoding beside chunked': [
      `POST /api/chat HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n${close}0\r\n\r\n`,
      '501 transfer-encoding',
    ],
    'chunked twice': [
      `POST /api/chat HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n${close}0\r\n\r\n`,
      '400 bad-request',
    ],
    'a space before a colon': [
      'POST /api/chat HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
      '400 bad-request',
    ],
    'a header over two lines': [
      'GET / HTTP/1.1\r\nHost: h\r\nX-A: 1\r\n Transfer-Encoding: chunked\r\n\r\n',
      '400 bad-request',
    ],
    'a line that ends in CR alone': ['GET / HTTP/1.1\r\nHost: h\rX: 1\r\n\r\n', '400 bad-request'],
    'a NUL in a header': ['GET / HTTP/1.1\r\nHost: h\r\nX-A: a\0b\r\n\r\n', '400 bad-request'],
    'no Host': ['GET / HTTP/1.1\r\n\r\n', '400 undefined'],
    'two Hosts': [`GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n${close}`, '400 bad-request'],
    'another server': [
      `GET http://169.254.169.254/latest/meta-data HTTP/1.1\r\nHost: 169.254.169.254\r\n${close}`,
      '400 bad-target',
    ],
    'no path': [`OPTIONS * HTTP/1.1\r\nHost: h\r\n${close}`, '400 bad-target'],
    'a tunnel': ['CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n', '405 method-not-allowed'],
    'its own headers': [`TRACE / HTTP/1.1\r\nHost: h\r\n${close}`, '405 method-not-allowed'],
    'two slashes': [`GET //mcp HTTP/1.1\r\nHost: h\r\n${close}`, '400 ambiguous-path'],
    'a way up': [`GET /api/chat/%2e%2e/v1/ask HTTP/1.1\r\nHost: h\r\n${close}`, '400 ambiguous-path'],
    'no HTTP': ['hello\r\n\r\n', '400 bad-request'],
    'invalid chunks': [
      `POST /api/chat HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      '400 bad-request',
    ],
    'headers that are too long': [
      `GET / HTTP/1.1\r\nHost: h\r\nX-A: ${'a'.repeat(16_000)}\r\n\r\n`,
      '431 headers-too-large',
    ],
  }
  for (const [name, [request, answer]] of Object.entries(refused)) {
    it(`rejects ${name} once and forwards nothing`, async () => {
      const proxy = await start()
      const raw = await proxy.raw(request)
      expect(problemOf(raw), raw).to.equal(answer)
      expect(raw.match(/HTTP\/1\.1 \d/g)).to.have.length(1)
      // If only the body is invalid, the service received the head and an aborted body.
      expect(chat.requests.filter(({ complete }) => complete)).to.deep.equal([])
      expect(mcp.requests).to.deep.equal([])
    })
  }

  it('forwards the body of a request that usually has none', async () => {
    const hidden = 'GET /mcp HTTP/1.1\r\nHost: hidden\r\n\r\n'
    for (const framing of [`Content-Length: ${hidden.length}\r\n`, 'Transfer-Encoding: chunked\r\n']) {
      const { proxy, tap } = await tapped()
      const body = framing.startsWith('C') ? hidden : `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
      await proxy.raw(`GET /page HTTP/1.1\r\nHost: h\r\n${framing}${close}${body}`)
      expect(tap.received())
        .to.match(framing.startsWith('C') ? /content-length: 35\r\n/ : /transfer-encoding: chunked\r\n/)
        .and.include(hidden)
      expect(tap.received().match(/transfer-encoding|content-length/g)).to.have.length(1)
      expect(tap.received()).to.match(
        framing.startsWith('C')
          ? /\r\n\r\nGET \/mcp HTTP\/1\.1\r\nHost: hidden\r\n\r\n$/
          : /\r\n\r\n23\r\nGET \/mcp[^]*\r\n0\r\n\r\n$/,
      )
      expect(mcp.requests).to.deep.equal([])
    }
  })

  it('routes pipelined requests on one connection separately', async () => {
    const proxy = await start()
    const raw = await proxy.raw(
      `GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /mcp HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nxGET /b HTTP/1.1\r\nHost: h\r\n${close}`,
    )
    expect(raw.match(/(?:chat|mcp) \w+ \/\w+/g)).to.deep.equal(['chat GET /a', 'mcp POST /mcp', 'chat GET /b'])
  })

  it('does not insert an invalid request into a response that has started', async () => {
    const started = Promise.withResolvers<void>()
    chat.server.removeAllListeners('request')
    chat.server.on('request', (_request, response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('begun')
      started.resolve()
    })
    const proxy = await start()
    const socket = connect(proxy.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await started.promise
    let raw = ''
    while (!raw.includes('begun')) raw += String((await once(socket, 'data'))[0])
    socket.write('no request\r\n\r\n')
    raw += await text(socket).catch(() => '')
    expect(raw).to.match(/begun$/)
  })

  it('does not upgrade to other protocols and answers normally', async () => {
    const { proxy, tap } = await tapped()
    for (const protocol of ['websocket', 'h2c']) {
      const raw = await proxy.raw(
        `GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n`,
      )
      expect(raw).to.match(/^HTTP\/1\.1 200 OK/)
    }
    expect(tap.received()).to.not.match(/upgrade|http2/i)
  })

  it('forwards all headers when there are many', async () => {
    const { proxy, tap } = await tapped()
    await proxy.raw(`GET / HTTP/1.1\r\nHost: h\r\n${'a:\r\n'.repeat(2500)}X-Last: here\r\n${close}`)
    expect(tap.received()).to.include('x-last: here')
  })

  it('reports a service with invalid HTTP responses as unavailable', async () => {
    const answers = [
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      'hello\r\n\r\n',
      `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    ]
    for (const answer of answers) {
      const { proxy } = await tapped(answer)
      expect(problemOf(await proxy.raw(`GET / HTTP/1.1\r\nHost: h\r\n${close}`)), answer).to.equal('502 upstream-down')
    }
  })

  it('detects a service that points back to the proxy', async () => {
    const taken = await startWireTap()
    const { url } = taken
    taken.server.close()
    await once(taken.server, 'close')
    const proxy = await start({ urls: { chat: url }, port: Number(url.port) })
    expect(problemOf(await proxy.raw(`GET / HTTP/1.1\r\nHost: h\r\n${close}`))).to.equal('508 proxy-loop')
  })

  it('times out a slow request head with an error', async () => {
    const proxy = await start({
      timeouts: { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 },
    })
    expect(problemOf(await proxy.raw('GET / HTTP/1.1\r\nHost'))).to.equal('408 request-timeout')
  })

  it('answers HTTP/1.0 clients in HTTP/1.0', async () => {
    const proxy = await start()
    const raw = await proxy.raw('GET /old HTTP/1.0\r\n\r\n')
    expect(raw)
      .to.match(/^HTTP\/1\.1 200 OK\r\n/)
      .and.match(/\r\n\r\nchat GET \/old$/)
  })
})
