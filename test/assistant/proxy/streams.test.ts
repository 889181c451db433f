import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as sendRequest } from 'node:http'
import type { ClientRequest, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { expect } from 'chai'
import { startBackend } from './support/backend.ts'
import type { Backend } from './support/backend.ts'
import { runProxy } from './support/running-proxy.ts'
import type { RunningProxy, RunProxyOptions } from './support/running-proxy.ts'

interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly request_id: string
}

describe('proxy streaming', () => {
  const backends: Backend[] = []
  const proxies: RunningProxy[] = []
  const agents: Agent[] = []

  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.destroy()
    for (const proxy of proxies.splice(0)) await proxy.close()
    for (const backend of backends.splice(0)) await backend.stop()
  })

  async function start(name: string, answer?: RequestListener): Promise<Backend> {
    const backend = await startBackend(name, answer)
    backends.push(backend)
    return backend
  }

  async function proxyBefore(
    answer: RequestListener | undefined,
    options: RunProxyOptions = {},
  ): Promise<{ proxy: RunningProxy; chat: Backend }> {
    const chat = await start('chat', answer)
    const proxy = await runProxy({ urls: { chat: chat.url }, ...options })
    proxies.push(proxy)
    return { proxy, chat }
  }

  /** A request whose body the test writes. */
  function open(
    proxy: RunningProxy,
    path: string,
    method = 'POST',
    headers: Record<string, string> = {},
  ): ClientRequest {
    const agent = new Agent()
    agents.push(agent)
    return sendRequest(`${proxy.url}${path}`, { method, headers, agent })
  }

  it('routes a request to the service of its path', async () => {
    const [chat, ask, mcp] = [await start('chat'), await start('ask'), await start('mcp')]
    const proxy = await runProxy({ urls: { chat: chat.url, ask: ask.url, mcp: mcp.url } })
    proxies.push(proxy)
    const answers: Record<string, string> = {}
    for (const path of [
      '/',
      '/assets/a.js',
      '/api/chat/settings',
      '/api/v1/history?limit=2',
      '/health',
      '/docs',
      '/openapi.json',
      '/mcp',
    ]) {
      answers[path] = await (await fetch(`${proxy.url}${path}`)).text()
    }
    expect(answers).to.deep.equal({
      '/': 'chat GET /',
      '/assets/a.js': 'chat GET /assets/a.js',
      '/api/chat/settings': 'chat GET /api/chat/settings',
      '/api/v1/history?limit=2': 'ask GET /api/v1/history?limit=2',
      '/health': 'ask GET /health',
      '/docs': 'ask GET /docs',
      '/openapi.json': 'ask GET /openapi.json',
      '/mcp': 'mcp GET /mcp',
    })
    expect(await (await fetch(`${proxy.url}/api/chat`, { method: 'POST', body: 'x' })).text()).to.equal(
      'chat POST /api/chat',
    )
    const [request] = mcp.requests
    expect(request?.headers).to.include({
      host: `127.0.0.1:${proxy.port}`,
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-forwarded-proto': 'http',
    })
    expect(await proxy.metrics.registry.metrics()).to.include(
      'flowfarm_http_request_seconds_count{route="proxy: mcp",method="GET",status="200"} 1',
    )
  })

  it('forwards a response as it arrives: the head before the first byte and each chunk before the next', async () => {
    const requested = Promise.withResolvers<ServerResponse>()
    const { proxy } = await proxyBefore((_request, response) => {
      response
        .writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Vercel-AI-UI-Message-Stream': 'v1' })
        .flushHeaders()
      requested.resolve(response)
    })
    const answer = await fetch(`${proxy.url}/api/chat`, { method: 'POST', body: '{}' })
    expect(answer.headers.get('x-vercel-ai-ui-message-stream')).to.equal('v1')
    const service = await requested.promise
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (const piece of ['data: 1\n\n', 'data: 2\n\n', 'data: [DONE]\n\n']) {
      service.write(piece)
      expect((await reader?.read())?.value).to.equal(piece)
    }
    service.end()
    expect((await reader?.read())?.done).to.equal(true)
  })

  it('forwards a request body as it arrives', async () => {
    const requested = Promise.withResolvers<IncomingMessage>()
    const { proxy } = await proxyBefore((request, response) => {
      requested.resolve(request)
      request.on('end', () => response.end('all there'))
    })
    const sent = open(proxy, '/api/chat')
    sent.write('first')
    const atService = await requested.promise
    expect(String((await once(atService, 'data'))[0])).to.equal('first')
    sent.end('second')
    expect(String((await once(atService, 'data'))[0])).to.equal('second')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect(await text(answer)).to.equal('all there')
  })

  it('forwards large bodies in both directions without loss', async () => {
    const { proxy } = await proxyBefore((request, response) => void request.pipe(response))
    const bytes = randomBytes(8 * 1024 * 1024)
    for (const headers of [{}, { 'Content-Length': String(bytes.length) }]) {
      const sent = open(proxy, '/api/chat', 'POST', headers)
      sent.end(bytes)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      const digest = (of: Buffer): string => createHash('sha256').update(of).digest('hex')
      expect(digest(await buffer(answer))).to.equal(digest(bytes))
    }
  })

  for (const [when, begin] of [
    ['before there is an answer', () => undefined],
    ['in the middle of it', (response: ServerResponse) => void response.writeHead(200).write('begun')],
  ] as const) {
    it(`cancels the request at the service when the client disconnects ${when}`, async () => {
      const requested = Promise.withResolvers<ServerResponse>()
      const { proxy } = await proxyBefore((_request, response) => {
        begin(response)
        requested.resolve(response)
      })
      const sent = open(proxy, '/api/chat')
      sent.on('error', () => undefined)
      sent.end('{}')
      const atService = await requested.promise
      const gone = once(atService, 'close')
      if (when === 'in the middle of it') await once(((await once(sent, 'response')) as [IncomingMessage])[0], 'data')
      sent.destroy()
      await gone
      expect(atService.writableFinished).to.equal(false)
      const counted = 'flowfarm_http_request_seconds_count{route="proxy: chat",method="POST",status="499"} 1'
      while (!(await proxy.metrics.registry.metrics()).includes(counted)) await new Promise(setImmediate)
      expect(proxy.log.join('')).to.not.include('"level":"warn"')
    })
  }

  it('cancels the request at the service when the client disconnects during the upload', async () => {
    const requested = Promise.withResolvers<ServerResponse>()
    const { proxy } = await proxyBefore((request, response) => {
      request.resume()
      requested.resolve(response)
    })
    const sent = open(proxy, '/api/chat')
    sent.on('error', () => undefined)
    sent.write('part')
    const atService = await requested.promise
    const gone = once(atService, 'close')
    sent.destroy()
    await gone
    expect(atService.req.complete).to.equal(false)
  })

  it('ends the response abnormally when the service breaks it off', async () => {
    const { proxy } = await proxyBefore((_request, response) => {
      response.writeHead(200)
      response.write('half', () => response.destroy())
    })
    const sent = open(proxy, '/', 'GET')
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const [error] = (await once(answer.resume(), 'error')) as [NodeJS.ErrnoException]
    expect([error.code, answer.complete]).to.deep.equal(['ECONNRESET', false])
    const reported = '"msg":"A service aborted its response"'
    while (!proxy.log.join('').includes(reported)) await new Promise(setImmediate)
  })

  it('reports an unavailable service by name until it recovers', async () => {
    const chat = await startBackend('chat')
    const proxy = await runProxy({ urls: { chat: chat.url } })
    proxies.push(proxy)
    await chat.stop()
    for (const path of ['/', '/api/chat']) {
      const answer = await fetch(`${proxy.url}${path}`, { headers: { 'X-Request-Id': 'mine' } })
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('retry-after')]).to.deep.equal([
        502,
        'application/problem+json',
        '2',
      ])
      expect(await answer.json()).to.deep.include({
        code: 'upstream-down',
        detail: 'The chat is unavailable. Try again in 2 s.',
        request_id: 'mine',
        status: 502,
        title: 'Bad gateway',
      })
    }
    expect(proxy.log.filter((line) => line.includes('the chat is unreachable'))).to.have.length(1)
    backends.push(await startBackend('chat', undefined, Number(chat.url.port)))
    expect(await (await fetch(proxy.url)).text()).to.equal('chat GET /')
    expect(proxy.log.join('')).to.include('the chat is reachable again')
    expect(((await (await fetch(`${proxy.url}/mcp`)).json()) as Problem).detail).to.match(
      /^The MCP server is unavailable/,
    )
  })

  it('times out when the service is silent for too long', async () => {
    const closed = Promise.withResolvers<void>()
    const { proxy } = await proxyBefore((_request, response) => void response.once('close', () => closed.resolve()), {
      timeoutMs: 100,
    })
    const answer = await fetch(`${proxy.url}/api/chat`, { method: 'POST', body: '{}' })
    expect([answer.status, ((await answer.json()) as Problem).code]).to.deep.equal([504, 'upstream-slow'])
    await closed.promise
  })

  it('reuses connections', async () => {
    const { proxy, chat } = await proxyBefore(undefined)
    for (let i = 0; i < 5; i++) await (await fetch(proxy.url)).text()
    expect(chat.connections).to.equal(1)
  })

  it('retries a safe request when a reused connection was just closed', async () => {
    const used = new WeakSet<object>()
    const { proxy, chat } = await proxyBefore((request, response) => {
      const isSecond = used.has(request.socket)
      used.add(request.socket)
      if (isSecond) request.socket.destroy()
      else response.end('fresh')
    })
    for (let i = 0; i < 2; i++) expect(await (await fetch(proxy.url)).text()).to.equal('fresh')
    expect([chat.connections, chat.requests.length]).to.deep.equal([2, 3])
    // Each closes the connection, so a new one is needed.
    let requested = chat.requests.length
    for (const [method, body] of [
      ['POST', '{}'],
      ['DELETE', ''],
      ['GET', 'a body'],
    ] as const) {
      const sent = open(proxy, '/api/chat', method, body === '' ? {} : { 'Content-Length': String(body.length) })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      expect([answer.statusCode, chat.requests.length], method).to.deep.equal([502, requested + 1])
      await text(answer)
      await (await fetch(proxy.url)).text()
      requested = chat.requests.length
    }
  })

  it('forwards an early response and stops reading the request body', async () => {
    const { proxy } = await proxyBefore((_request, response) =>
      response.writeHead(413, { Connection: 'close' }).end('too long'),
    )
    const sent = open(proxy, '/api/chat', 'POST', { 'Content-Length': '100000000', Connection: 'keep-alive' })
    sent.on('error', () => undefined)
    sent.write('a')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect([answer.statusCode, answer.headers.connection, await text(answer)]).to.deep.equal([413, 'close', 'too long'])
  })

  it('forwards responses without a body', async () => {
    const { proxy } = await proxyBefore((request, response) => {
      if (request.url === '/none') response.writeHead(204).end()
      else if (request.url === '/same') response.writeHead(304, { ETag: '"1"' }).end()
      else response.writeHead(200, { 'Content-Length': '5' }).end(request.method === 'HEAD' ? undefined : '12345')
    })
    expect((await fetch(`${proxy.url}/none`)).status).to.equal(204)
    const same = await fetch(`${proxy.url}/same`)
    expect([same.status, same.headers.get('etag')]).to.deep.equal([304, '"1"'])
    const head = await fetch(proxy.url, { method: 'HEAD' })
    expect([head.headers.get('content-length'), await head.text()]).to.deep.equal(['5', ''])
    expect(await (await fetch(proxy.url)).text()).to.equal('12345')
  })

  it('drains running requests on shutdown and cuts them off after a timeout', async () => {
    const requested = Promise.withResolvers<ServerResponse>()
    const { proxy } = await proxyBefore((request, response) => {
      response.writeHead(200).write('begun')
      if (request.url === '/long') requested.resolve(response)
      if (request.url === '/short') setImmediate(() => response.end(' and ended'))
    })
    const [short, long] = await Promise.all([fetch(`${proxy.url}/short`), fetch(`${proxy.url}/long`)])
    const gone = once(await requested.promise, 'close')
    const closing = proxy.close()
    expect(await short.text()).to.equal('begun and ended')
    const cut = long.text().then(
      () => 'whole',
      () => 'cut',
    )
    await closing
    expect(await cut).to.equal('cut')
    await gone
    proxies.splice(0)
  })
})
