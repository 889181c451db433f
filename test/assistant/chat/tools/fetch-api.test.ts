import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { ToolExecuteFunction } from 'ai'
import { expect } from 'chai'
import { fetchApiTools, maxConcurrent, publicInternet } from '../../../../src/assistant/chat/tools/fetch-api.ts'
import type { FetchApiOptions, FetchedApi } from '../../../../src/assistant/chat/tools/fetch-api.ts'
import { readJsonCdcValue } from '../../../../src/flow/json-cdc/json-cdc-payload.ts'
import { ApiError } from '../../../../src/platform/errors.ts'
import { json, startListedHost } from '../support/listed-host.ts'
import type { AnswerListed, ListedHost } from '../support/listed-host.ts'

const api = 'https://api.listed.test'

describe('fetch_api', () => {
  let host: ListedHost
  afterEach(() => host[Symbol.asyncDispose]())

  const listed = ['api.listed.test', 'other.listed.test']

  async function start(answer: AnswerListed, addressesOf?: (name: string) => readonly string[]): Promise<void> {
    host = await startListedHost(answer, addressesOf)
  }

  function call(
    input: unknown,
    options: Partial<FetchApiOptions> = {},
    signal = new AbortController().signal,
  ): Promise<FetchedApi> {
    const tool = fetchApiTools({ hosts: listed, readCadence: readJsonCdcValue, network: host.network, ...options })[
      'fetch_api'
    ]
    const execute = tool?.execute as ToolExecuteFunction<unknown, FetchedApi, Record<string, never>>
    return Promise.resolve(
      execute(input, { toolCallId: '1', messages: [], abortSignal: signal, context: {} }),
    ) as Promise<FetchedApi>
  }

  /** Fails without an error. */
  async function errorOf(promise: Promise<unknown>): Promise<ApiError> {
    const outcome = await promise.then(
      (value) => value,
      (error: unknown) => error,
    )
    expect(outcome, JSON.stringify(outcome)).to.be.instanceOf(ApiError)
    return outcome as ApiError
  }

  const echo: AnswerListed = ({ target, headers, body }, response) => json(response, { target, headers, body })

  it('returns the response of a listed host', async () => {
    await start((_call, response) => json(response, { price: 0.41, holders: '12' }))
    expect(await call({ url: `${api}/price?ids=flow#part` })).to.deep.equal({
      status: 200,
      url: `${api}/price?ids=flow`,
      content_type: 'application/json;charset=utf-8',
      body: { price: 0.41, holders: '12' },
      truncated: false,
    })
    expect(host.calls.map(({ target }) => target)).to.deep.equal([`GET ${api}/price?ids=flow`])
    expect(host.names).to.deep.equal(['api.listed.test'])
  })

  it('returns error responses', async () => {
    await start((_call, response) => json(response, { message: 'no such id' }, 404))
    expect(await call({ url: api }))
      .to.include({ status: 404, truncated: false })
      .and.to.have.property('body')
      .that.deep.equals({ message: 'no such id' })
  })

  it('sends its own headers and no others', async () => {
    await start(echo)
    const { body } = await call({ url: `${api}/x` })
    expect((body as { headers: Record<string, string> }).headers).to.deep.equal({
      host: 'api.listed.test',
      accept: 'application/json, text/plain;q=0.8, */*;q=0.1',
      'accept-encoding': 'gzip, br',
      'user-agent': 'flowfarm-chat/1',
      connection: 'close',
    })
  })

  it('posts reserialised JSON', async () => {
    await start(echo)
    const { body } = await call({
      url: `${api}/rpc`,
      method: 'POST',
      body: ' {"method": "eth_sendRawTransaction", "id": 1, "method": "eth_call"}\n',
    })
    expect(body).to.have.property('body', '{"method":"eth_call","id":1}')
    expect((body as { headers: object }).headers).to.include({
      'content-type': 'application/json',
      'content-length': '28',
    })
    expect(
      await errorOf(
        call({ url: `${api}/rpc`, method: 'POST', body: '{"method":"eth_call","method":"eth_sendRawTransaction"}' }),
      ),
    ).to.include({ code: 'write-refused' })
    for (const wrong of [
      'a=b',
      '',
      '{"id":12345678901234567890}',
      `"${'x'.repeat(65_536)}"`,
      `"${'é'.repeat(33_000)}"`,
    ]) {
      expect(await errorOf(call({ url: `${api}/rpc`, method: 'POST', body: wrong })), wrong.slice(0, 30)).to.include({
        status: 400,
        code: 'invalid-field',
        field: 'body',
      })
    }
    expect(await errorOf(call({ url: `${api}/rpc`, body: '{}' }))).to.include({ code: 'invalid-field' })
    expect(host.calls).to.have.length(1)
    expect(await call({ url: `${api}/rpc`, body: '' })).to.include({ status: 200 })
  })

  it('reports invalid arguments', async () => {
    await start(echo)
    for (const [input, words] of [
      [{}, 'Field "url" must be a string.'],
      [{ url: api, method: 'PUT' }, 'Field "method" must be GET or POST.'],
      [{ url: api, body: {} }, 'Field "body" must be a string that contains JSON.'],
      [{ url: api, headers: { authorization: 'x' } }, 'Field "headers" is unknown; known: url, method, body.'],
      ['no', 'The body must be an object with a url.'],
    ] as const)
      expect((await errorOf(call(input))).message).to.equal(words)
    expect(host.connections).to.equal(0)
  })

  it('rejects other hosts for every spelling of the URL', async () => {
    await start(echo)
    for (const url of [
      'https://collector.test/',
      'http://api.listed.test/',
      'https://api.listed.test@collector.test/',
      'https://api.listed.test.collector.test/',
      'https://collector.test\\@api.listed.test/',
      'https://127.0.0.1/',
      `https://api.listed.test:${host.network.port}/`,
    ]) {
      expect(await errorOf(call({ url })), url).to.include({ code: 'url-refused' })
    }
    expect([host.names, host.connections]).to.deep.equal([[], 0])
  })

  it('follows GET redirects within the list and checks each target', async () => {
    await start(({ path }, response) => {
      if (path === '/end') return json(response, 'arrived')
      response.writeHead(path === '/a' ? 302 : 308, {
        location: path === '/a' ? '/b' : 'https://other.listed.test/end',
      })
      // It never ends.
      response.write('moved')
    })
    expect(await call({ url: `${api}/a` })).to.include({
      status: 200,
      url: 'https://other.listed.test/end',
      body: 'arrived',
    })
    expect(host.calls.map(({ target }) => target)).to.deep.equal([
      `GET ${api}/a`,
      `GET ${api}/b`,
      'GET https://other.listed.test/end',
    ])
    expect(host.names).to.deep.equal(['api.listed.test', 'api.listed.test', 'other.listed.test'])
    await host.untilAllClosed()
  })

  it('rejects redirects to unlisted hosts, IP addresses, other ports or plain HTTP, and redirects with a body', async () => {
    let location = ''
    await start((_call, response) => void response.writeHead(307, { location }).end())
    for (location of [
      'https://collector.test/?q=1',
      '//collector.test/',
      'http://api.listed.test/',
      'https://127.0.0.1/',
      'https://169.254.169.254/latest/meta-data/',
      `https://api.listed.test:${host.network.port}/`,
      'https://api.listed.test@collector.test/',
      'file:///etc/passwd',
      '/api?module=contract&action=verify',
    ]) {
      expect(await errorOf(call({ url: api })), location)
        .to.have.property('code')
        .that.matches(/^(?:url|write)-refused$/)
    }
    expect(new Set(host.names)).to.deep.equal(new Set(['api.listed.test']))
    expect(host.connections).to.equal(9)
  })

  it('stops after three redirects', async () => {
    await start((_call, response) => void response.writeHead(301, { location: '/again' }).end())
    expect(await errorOf(call({ url: api }))).to.include({ status: 502, code: 'fetch-failed' })
    expect(host.calls).to.have.length(4)
  })

  it('does not follow redirects of a POST, which would repeat the write', async () => {
    await start((_call, response) => void response.writeHead(307, { location: `${api}/other` }).end())
    expect(await call({ url: `${api}/one`, method: 'POST', body: '{}' })).to.deep.equal({
      status: 307,
      url: `${api}/one`,
      content_type: '',
      body: null,
      truncated: false,
      note: 'The response is a redirect, which POST requests do not follow.',
    })
    expect(host.calls).to.have.length(1)
  })

  it('returns a redirect status without a location as the response', async () => {
    await start((_call, response) => void response.writeHead(304).end())
    expect(await call({ url: api })).to.include({ status: 304, body: null })
  })

  it('rejects names that resolve to non-public addresses', async () => {
    let addresses: readonly string[] = []
    await start(echo, () => addresses)
    for (addresses of [
      ['10.0.0.1'],
      ['169.254.169.254'],
      ['::1'],
      ['::ffff:10.0.0.1'],
      ['127.0.0.1', '192.168.1.1'],
      ['0.0.0.0'],
      ['127.0.0.2'],
      [],
    ]) {
      expect(await errorOf(call({ url: api })), addresses.join()).to.include({ code: 'url-refused' })
    }
    expect(host.connections).to.equal(0)
    expect(
      await errorOf(
        call({ url: api }, { network: { ...publicInternet(), lookUp: () => Promise.resolve(['127.0.0.1']) } }),
      ),
    ).to.include({ code: 'url-refused' })
  })

  it('connects to the address that it checked, for each redirect too', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    await start(
      (_call, response) => void response.writeHead(302, { location: '/again' }).end(),
      () => answers.shift() ?? [],
    )
    expect(await errorOf(call({ url: api }))).to.include({ code: 'url-refused' })
    expect([host.connections, answers.length]).to.deep.equal([1, 0])
  })

  it('reports a name that does not resolve', async () => {
    await start(echo)
    const lookUp = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }))
    const error = await errorOf(call({ url: api }, { network: { ...host.network, lookUp } }))
    expect(error).to.include({
      status: 502,
      code: 'fetch-failed',
      message: 'Request to api.listed.test failed: ENOTFOUND.',
    })
  })

  it('requires a trusted certificate for the host name', async () => {
    await start(echo)
    const unnamed = await errorOf(call({ url: 'https://unnamed.listed.test/' }, { hosts: ['unnamed.listed.test'] }))
    expect(unnamed.message).to.include('ERR_TLS_CERT_ALTNAME_INVALID')
    const untrusted = await errorOf(call({ url: api }, { network: { ...host.network, ca: undefined } }))
    expect(untrusted)
      .to.include({ code: 'fetch-failed' })
      .and.to.have.property('message')
      .that.matches(/UNABLE_TO_|SELF_SIGNED|UNABLE/)
    expect(host.calls).to.deep.equal([])
  })

  it('decompresses responses', async () => {
    const text = JSON.stringify({ a: 'b'.repeat(1000) })
    await start(({ path }, response) => {
      const [coding, bytes] =
        path === '/br' ? (['br', brotliCompressSync(text)] as const) : (['gzip', gzipSync(text)] as const)
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding }).end(bytes)
    })
    for (const path of ['/br', '/gzip'])
      expect((await call({ url: `${api}${path}` })).body).to.deep.equal(JSON.parse(text))
  })

  it('reads at most 2 MB, compressed and decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(96 * 1024 * 1024, 'a'), { level: 1 })
    const small = brotliCompressSync(Buffer.alloc(64 * 1024 * 1024, 'b'), { params: { 0: 22 } })
    let written = 0
    await start(({ path }, response) => {
      if (path === '/endless') {
        response.writeHead(200, { 'content-type': 'text/plain' })
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 'c'))) written += 65_536
        }
        response.on('drain', more)
        more()
      } else
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': path.slice(1) })
          .end(path === '/gzip' ? bomb : small)
    })
    const before = process.memoryUsage().arrayBuffers
    for (const [path, letter] of [
      ['/gzip', 'a'],
      ['/br', 'b'],
      ['/endless', 'c'],
    ] as const) {
      const { body, truncated, note } = await call({ url: `${api}${path}` })
      expect(body, path).to.equal(letter.repeat(60_000))
      expect(truncated).to.equal(true)
      expect(note).to.include('2097152 bytes')
    }
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(64 * 1024 * 1024)
    await host.untilAllClosed()
    expect(written).to.be.below(16 * 1024 * 1024)
  })

  it('rejects empty, corrupt, truncated and unsupported responses', async () => {
    const empty = gzipSync('')
    const whole = gzipSync('x'.repeat(10_000))
    await start(({ path }, response) => {
      if (path === '/nothing')
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(Buffer.concat(Array.from({ length: 120_000 }, () => empty)))
      else if (path === '/broken') response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip')
      else if (path === '/cut') response.writeHead(200, { 'content-encoding': 'gzip' }).end(whole.subarray(0, -12))
      else if (path === '/gone')
        response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy())
      else if (path === '/none') response.socket?.destroy()
      else if (path === '/upgrade')
        response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n')
      else if (path === '/heads') response.writeHead(200, { 'x-long': 'h'.repeat(20_000) }).end()
      else response.writeHead(200, { 'content-encoding': path === '/twice' ? 'gzip, gzip' : 'zstd' }).end(whole)
    })
    for (const path of ['/nothing', '/broken', '/cut', '/gone', '/none', '/upgrade', '/heads', '/twice', '/zstd']) {
      expect(await errorOf(call({ url: `${api}${path}` })), path).to.include({ status: 502, code: 'fetch-failed' })
    }
    await host.untilAllClosed()
  })

  it('applies one timeout to the connection, redirects and a slow body', async () => {
    await start(({ path }, response) => {
      if (path === '/silent') return
      response.writeHead(200, { 'content-type': 'text/plain' })
      const drip = setInterval(() => response.write('.'), 5)
      response.once('close', () => clearInterval(drip))
    })
    for (const path of ['/silent', '/dripping']) {
      expect(await errorOf(call({ url: `${api}${path}` }, { timeoutMs: 500 })), path).to.include({
        status: 504,
        code: 'fetch-timeout',
      })
    }
    const lookUp = (): Promise<never> => new Promise(() => undefined)
    expect(await errorOf(call({ url: api }, { timeoutMs: 50, network: { ...host.network, lookUp } }))).to.include({
      code: 'fetch-timeout',
    })
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    expect(await errorOf(call({ url: api }, { timeoutMs: 50, network: { ...host.network, port } }))).to.include({
      code: 'fetch-timeout',
    })
    silent.close()
    await host.untilAllClosed()
  })

  it('aborts with the reason on disconnect and closes the connection', async () => {
    const client = new AbortController()
    const reason = new Error('left')
    await start(() => client.abort(reason))
    expect(await call({ url: api }, {}, client.signal).catch((error: unknown) => error)).to.equal(reason)
    await host.untilAllClosed()
    expect(await call({ url: api }, {}, client.signal).catch((error: unknown) => error)).to.equal(reason)
    expect(host.connections).to.equal(1)
  })

  it('limits concurrent requests and queues the others', async () => {
    const waiting: (() => void)[] = []
    let come = 0
    const full = Promise.withResolvers<void>()
    await start((_call, response) => {
      waiting.push(() => json(response, 'done'))
      come++
      if (come === maxConcurrent) full.resolve()
      if (come > maxConcurrent) for (const answer of waiting.splice(0)) answer()
    })
    const tool = fetchApiTools({ hosts: listed, readCadence: readJsonCdcValue, network: host.network })['fetch_api']
    const execute = tool?.execute as ToolExecuteFunction<unknown, FetchedApi, Record<string, never>>
    const client = new AbortController()
    const calls = Array.from(
      { length: maxConcurrent + 2 },
      (_, i) =>
        Promise.resolve(
          execute(
            { url: `${api}/${i}` },
            {
              toolCallId: '1',
              messages: [],
              context: {},
              ...(i === maxConcurrent + 1 ? { abortSignal: client.signal } : {}),
            },
          ),
        ) as Promise<FetchedApi>,
    )
    const last = calls[maxConcurrent + 1]?.catch((error: unknown) => error)
    await full.promise
    expect(host.open).to.equal(maxConcurrent)
    client.abort(new Error('left'))
    expect(await last).to.have.property('message', 'left')
    waiting.shift()?.()
    expect(await Promise.all(calls.slice(0, maxConcurrent + 1))).to.have.length(maxConcurrent + 1)
    expect(host.calls.map(({ path }) => path)).to.not.include(`/${maxConcurrent + 1}`)
  })

  it('releases its slots when callers disconnect during name lookups', async () => {
    await start(echo)
    let requested = 0
    const allAsked = Promise.withResolvers<void>()
    let lookUp = (): Promise<readonly string[]> => {
      if (++requested === maxConcurrent) allAsked.resolve()
      return new Promise(() => undefined)
    }
    const tool = fetchApiTools({
      hosts: listed,
      readCadence: readJsonCdcValue,
      network: { ...host.network, lookUp: () => lookUp() },
    })['fetch_api']
    const execute = tool?.execute as ToolExecuteFunction<unknown, FetchedApi, Record<string, never>>
    const client = new AbortController()
    const get = async (signal?: AbortSignal): Promise<unknown> =>
      execute(
        { url: api },
        { toolCallId: '1', messages: [], context: {}, ...(signal === undefined ? {} : { abortSignal: signal }) },
      )
    const stuck = Array.from({ length: maxConcurrent }, () => get(client.signal).catch((error: unknown) => error))
    await allAsked.promise
    client.abort(new Error('left'))
    await Promise.all(stuck)
    lookUp = () => Promise.resolve(['127.0.0.1'])
    expect(await get()).to.have.property('status', 200)
  })

  it('is unavailable without listed hosts', async () => {
    await start(echo)
    for (const hosts of [[], ['none']])
      expect(fetchApiTools({ hosts, readCadence: readJsonCdcValue })).to.deep.equal({})
  })

  it('decodes access node responses: scripts, arguments, events, contracts and script results', async () => {
    const base64 = (value: unknown): string =>
      Buffer.from(typeof value === 'string' ? value : `${JSON.stringify(value)}\n`).toString('base64')
    const deposited = {
      type: 'Event',
      value: {
        id: 'A.1654653399040a61.FlowToken.TokensDeposited',
        fields: [
          { name: 'amount', value: { type: 'UFix64', value: '10.00000000' } },
          { name: 'to', value: { type: 'Optional', value: { type: 'Address', value: '0xf8d6e0586b0a20c7' } } },
        ],
      },
    }
    const answers: Record<string, unknown> = {
      '/v1/transactions/0a?expand=result': {
        id: '0a',
        script: base64('transaction(amount: UFix64) {}'),
        arguments: [base64({ type: 'UFix64', value: '10.0' }), 'no base64!'],
        gas_limit: '9999',
        result: {
          status: 'Sealed',
          events: [{ type: deposited.value.id, event_index: '0', payload: base64(deposited) }],
        },
      },
      '/v1/transaction_results/0a': {
        status_code: 0,
        events: Array.from({ length: 100 }, () => ({ payload: base64(deposited) })).concat({
          payload: base64('not Cadence'),
        }),
      },
      '/v1/accounts/0x1?expand=contracts': {
        address: '1',
        balance: '100000000',
        contracts: { Token: base64('access(all) contract Token {}'), Odd: 'AP8=' },
      },
      '/v1/scripts': base64({ type: 'Int', value: '42' }),
      '/v1/blocks?height=1': [{ header: { height: '1' }, payload: { collection_guarantees: [] } }],
      '/other': { script: base64('text') },
    }
    await start(({ path }, response) => json(response, answers[path]))
    const get = async (path: string): Promise<unknown> => (await call({ url: `${api}${path}` })).body
    const payload = { amount: '10.00000000', to: '0xf8d6e0586b0a20c7' }
    expect(await get('/v1/transactions/0a?expand=result')).to.deep.equal({
      id: '0a',
      script: 'transaction(amount: UFix64) {}',
      arguments: ['10.00000000', 'no base64!'],
      gas_limit: '9999',
      result: { status: 'Sealed', events: [{ type: deposited.value.id, event_index: '0', payload }] },
    })
    expect(await get('/v1/transaction_results/0a'))
      .to.have.property('events')
      .that.deep.equals([...Array.from({ length: 100 }, () => ({ payload })), { payload: base64('not Cadence') }])
    expect(await get('/v1/accounts/0x1?expand=contracts'))
      .to.have.property('contracts')
      .that.deep.equals({ Token: 'access(all) contract Token {}', Odd: 'AP8=' })
    expect(
      (await call({ url: `${api}/v1/scripts`, method: 'POST', body: '{"script":"YQ==","arguments":[]}' })).body,
    ).to.equal('42')
    expect(await get('/v1/blocks?height=1')).to.deep.equal(answers['/v1/blocks?height=1'])
    expect(await get('/other')).to.deep.equal(answers['/other'])
  })
})
