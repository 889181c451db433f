import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { z } from 'zod'
import { routes } from '../../src/explorer/routes.ts'
import type { Route } from '../../src/explorer/route.ts'
import { readApiSamples, sampleCall } from '../support/api-samples.ts'
import type { ApiSamples } from '../support/api-samples.ts'
import { adminOperations } from '../../src/explorer/service.ts'
import { farmOperations } from '../../src/farm/operations.ts'
import { readOwnWorkers } from '../../src/own-tables/registry.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { hostileTexts } from '../support/hostile-texts.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { Stopwatch } from '../support/stopwatch.ts'

/** Maximum response time for invalid input in milliseconds, with other tests running. */
const maxMs = 5000

describe('hostile input', () => {
  let api: RunningApi
  let samples: ApiSamples

  before(async () => {
    const explored = await exploredChain()
    api = explored.api
    samples = await readApiSamples(explored.database.pool)
  })

  const reads = routes.filter(({ method, access }) => method === 'GET' && access === 'none')
  for (const [i, route] of reads.entries()) {
    const names = [...Object.keys(route.params.shape), ...Object.keys(route.query.shape)]
    if (names.length === 0) continue
    it(`in ${names.join(', ')} of ${route.path} is answered quickly and never with 500`, async () => {
      const calls = names.flatMap((name) =>
        textsFor(route, name, i).map((value) => hostileCall(route, name, value, samples)),
      )
      for (const call of calls) {
        const begin = new Stopwatch()
        const response = await api.get(call)
        const body = await response.text()
        const output = `${call}: ${response.status} ${body.slice(0, 300)}`
        expect(response.status, output).to.be.oneOf([200, 400, 404, 503])
        if (response.status === 503) expect(body, output).to.include('chain-silent')
        if (response.status !== 200)
          expect(body, output).to.not.match(/syntax error|relation "|invalid input|operator does not|at .+\.ts:\d/)
        await begin.expectBelow(maxMs, output)
      }
    })
  }

  it('in parameter names and paths is harmless', async () => {
    for (const name of ['__proto__', 'constructor', 'limit[]', 'limit[$ne]', '\0', 'toString']) {
      expect((await api.get(`/flow/block?${encodeURIComponent(name)}=1`)).status, name).to.be.oneOf([200, 400])
    }
    for (const path of [
      '/__proto__',
      '/constructor',
      '/flow/%2e%2e/admin',
      '/flow/block/..%2f..%2fadmin',
      '/%ff%fe',
      '/flow/block/%E0%A4%A',
      `/${'x/'.repeat(2000)}`,
    ]) {
      expect((await api.get(path)).status, path.slice(0, 60)).to.be.oneOf([400, 404])
    }
    expect((await api.get('/flow/block?limit=1&limit=2')).status).to.equal(400)
  })

  async function open(): Promise<Socket> {
    const socket = connect(api.server.port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }

  async function answerTo(target: string, host = 'Host: x', method = 'GET'): Promise<{ status: number; body: string }> {
    const socket = await open()
    socket.write(`${method} ${target} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`)
    const answer = await text(socket)
    return {
      status: Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]),
      body: answer.slice(answer.indexOf('\r\n\r\n') + 4),
    }
  }

  it('as an invalid target ends only its own connection', async () => {
    for (const target of [
      'http://[::1/health',
      'http://',
      'http://a b',
      'ftp://x/health',
      '*',
      'health',
      '?',
      'javascript:1',
      'http://x:99999/',
    ]) {
      const { status, body } = await answerTo(target)
      expect(status, target).to.equal(400)
      // Node itself rejects invalid request targets without a log entry.
      if (body !== '') expect(JSON.parse(body), target).to.include({ code: 'bad-target' })
    }
    for (const target of [
      '//a@[::1/x#y',
      '/flow/block#//a@[::1',
      '/#',
      '//[::1',
      '/chain/v1//a@[::1#',
      '/a@[::1?#',
      '/\\\\[::1',
    ]) {
      expect((await answerTo(target)).status, target).to.be.oneOf([200, 400, 404])
    }
    expect((await answerTo('http://elsewhere.example/flow/block?limit=1')).status).to.equal(200)
    expect((await answerTo('*', 'Host: x', 'OPTIONS')).status).to.equal(204)
  })

  it('as a host header has no effect, and two are rejected', async () => {
    for (const host of ['[', 'a b', '', '[::1', '%', 'x:99999', '<>', '@']) {
      const { status, body } = await answerTo('/flow/block?limit=1', `Host: ${host}`)
      expect(status, host).to.equal(200)
      expect(body, host).to.include('"limit":1')
    }
    const { status, body } = await answerTo('/flow/block', 'Host: x\r\nHost: y')
    expect([status, (JSON.parse(body) as { code: string }).code]).to.deep.equal([400, 'bad-host'])
  })

  it('as a protocol upgrade is ignored', async () => {
    for (const protocol of ['h2c', 'foo', 'TLS/1.0']) {
      const { status } = await answerTo('/flow/block?limit=1', `Host: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}`)
      expect(status, protocol).to.equal(200)
    }
  })

  it('in request headers is rejected', async () => {
    const many = await open()
    many.write(`GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(await text(many)).to.match(/^HTTP\/1\.1 431 /)
    const broken = await open()
    broken.write('NO HTTP\r\n\r\n')
    expect(await text(broken)).to.match(/^HTTP\/1\.1 400 /)
    const smuggled = await open()
    smuggled.write(
      'POST /auth/verify-key HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n',
    )
    expect(await text(smuggled))
      .to.match(/^HTTP\/1\.1 400 /)
      .and.not.include('flowfarm_')
  })
})

describe('slow clients', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 160)
    api = await runApi(database.url, {
      server: {
        timeouts: { headMs: 500, requestMs: 700, stalledMs: 1500 },
        admin: {
          credentials: { token: 't', jwtSecret: undefined, allowedRoles: [] },
          operations: adminOperations(database.pool, () => 'mainnet', farmOperations(database.pool, readOwnWorkers)),
        },
      },
    })
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  async function output(request: string): Promise<string> {
    const socket = connect(api.server.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(request)
    return text(socket)
  }

  it('are disconnected in the headers', async () => {
    expect(await output('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ')).to.match(/^HTTP\/1\.1 408 /)
  })

  it('are disconnected in the body', async () => {
    const head =
      'POST /admin/account-labels HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\n'
    expect(await output(`${head}Content-Length: 100\r\n\r\n{`)).to.match(/^(HTTP\/1\.1 4\d\d |$)/)
  })

  it('are disconnected if they send nothing', async () => {
    expect(await output('')).to.match(/^(HTTP\/1\.1 408 |$)/)
  })

  it('are disconnected if they do not read the response', async () => {
    const accepted = once(api.server.server, 'connection')
    const socket = connect(api.server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.pause()
    const [theirs] = (await accepted) as [Socket]
    socket.write('GET /flow/transaction?limit=100 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100))
    await once(theirs, 'close')
    socket.destroy()
  })

  it('do not delay others', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = connect(api.server.port, '127.0.0.1')
        socket.on('error', () => undefined)
        await once(socket, 'connect')
        socket.write('GET /flow/transaction HTTP/1.1\r\nHost: x\r\n')
        return socket
      }),
    )
    expect((await api.get('/flow/block')).status).to.equal(200)
    for (const socket of sockets) socket.destroy()
  })
})

/** The route kit rejects invalid texts in the same way for all routes, so each route gets a tenth of those. */
function textsFor(route: Route, name: string, index: number): readonly string[] {
  const { shape } = (name in route.params.shape ? route.params : route.query) as z.ZodObject<Record<string, z.ZodType>>
  return hostileTexts.filter((value, i) => i % 10 === index % 10 || shape[name]?.safeParse(value).success === true)
}

/** The call of a successful request with one value replaced. */
function hostileCall(route: Route, name: string, value: string, samples: ApiSamples): string {
  const [path = '', query = ''] = sampleCall(route.path, samples).split('?')
  const encoded = encodeURIComponent(value.toWellFormed()).replaceAll('.', '%2E')
  if (!(name in route.params.shape)) {
    const others = query.split('&').filter((part) => part !== '' && !part.startsWith(`${name}=`))
    return `${path}?${[...others, `${name}=${encoded}`].join('&')}`
  }
  const place = route.path.split('/').indexOf(`{${name}}`)
  const segments = path.split('/').map((segment, i) => (i === place ? encoded || '%20' : segment))
  return `${segments.join('/')}${query === '' ? '' : `?${query}`}`
}
