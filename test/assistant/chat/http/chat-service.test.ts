import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { expectNotFoundPage } from '../../../support/not-found-page.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { readChunks, runChat, answerTextOf } from '../support/running-chat.ts'
import type { RunChatOptions, RunningChat } from '../support/running-chat.ts'
import { startStreamingProvider } from '../support/streaming-provider.ts'
import type { StreamingProvider } from '../support/streaming-provider.ts'

interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly field?: string
  readonly request_id: string
}

const question = { messages: [{ role: 'user', content: 'How many?' }] }

async function problemIn(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).to.match(/^application\/problem\+json/)
  return (await response.json()) as Problem
}

describe('chat over HTTP', () => {
  let database: TestDatabase
  let provider: StreamingProvider
  let chat: RunningChat | undefined
  before(async () => {
    database = await createTestDatabase()
    provider = await startStreamingProvider(() => ['It is ', '7.'])
  })
  afterEach(() => chat?.stop())
  after(async () => {
    await provider.close()
    await database.drop()
  })

  const run = async (
    variables: Record<string, string> = {},
    options: Partial<RunChatOptions> = {},
  ): Promise<RunningChat> => {
    chat = await runChat({
      database,
      variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm', ...variables },
      ...options,
    })
    return chat
  }

  it('serves settings and health without authentication and without secrets', async () => {
    const { get } = await run({
      API_TOKEN: 'the-token',
      LLM_API_KEY: 'the-key',
      MCP_SERVER_KEY: 'the-mcp-key',
      CHAT_EXPLORER_URL: 'https://explorer.example:8443/x',
      CHAT_MODES: 'fast,deep',
      CHAT_MODEL_DEEP: 'big',
    })
    expect(await (await get('/health')).json()).to.deep.equal({ status: 'ok', service: 'chat' })
    const response = await get('/api/chat/settings')
    expect(response.headers.get('cache-control')).to.equal('no-store')
    const text = await response.text()
    expect(text).to.not.match(/the-token|the-key|the-mcp-key/)
    const settings = JSON.parse(text) as Record<string, unknown>
    expect(settings).to.deep.include({
      modes: [
        { mode: 'fast', model: 'openai-compatible/m' },
        { mode: 'deep', model: 'openai-compatible/big' },
      ],
      default_mode: 'fast',
      is_scripted: false,
      remedy: null,
      needs_token: true,
      explorer_url: 'https://explorer.example:8443/x',
      max_message_characters: 20_000,
    })
    expect(settings['link_hosts']).to.include.members(['developers.flow.com', 'explorer.example:8443'])
    expect(settings['tools']).to.include.members(['createChart', 'loadSkill', 'fetch_api'])
    expect(settings).to.have.all.keys(
      'modes',
      'default_mode',
      'is_scripted',
      'remedy',
      'needs_token',
      'examples',
      'explorer_url',
      'link_hosts',
      'tools',
      'max_message_characters',
      'max_history_characters',
      'sends_email',
      'share_days',
    )
  })

  it('requires the configured token and names it in the error', async () => {
    const { post } = await run({ API_TOKEN: 'secret' })
    for (const [headers, code] of [
      [{}, 'missing-token'],
      [{ Authorization: 'Bearer wrong' }, 'wrong-token'],
    ] as const) {
      const response = await post(question, headers)
      expect(response.headers.get('www-authenticate')).to.match(/^Bearer/)
      expect(await problemIn(response)).to.include({ status: 401, code })
    }
    expect(answerTextOf(await readChunks(await post(question, { Authorization: 'Bearer secret' })))).to.equal(
      'It is 7.',
    )
  })

  it('returns 404 and 405 errors and rejects other origins', async () => {
    const { get, origin } = await run()
    expect(await problemIn(await get('/api/chat/nothing'))).to.include({ status: 404, code: 'unknown-path' })
    await expectNotFoundPage(origin)
    const wrong = await get('/api/chat')
    expect(wrong.headers.get('allow')).to.equal('POST, OPTIONS')
    expect(await problemIn(wrong)).to.include({ status: 405, code: 'method-not-allowed' })
    const foreign = await fetch(`${origin}/api/chat`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    })
    expect([...foreign.headers.keys()].filter((name) => name.startsWith('access-control-'))).to.deep.equal([])
    expect(Object.fromEntries((await get('/health')).headers)).to.include({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
    })
  })

  it('rejects an invalid body before the answer starts, with a code and the field', async () => {
    const { post, origin, metrics } = await run()
    const calls = provider.calls.length
    const send = (body: string | Buffer, headers: Record<string, string>): Promise<Response> =>
      fetch(`${origin}/api/chat`, {
        method: 'POST',
        body: typeof body === 'string' ? body : new Uint8Array(body),
        headers,
      })
    const type = { 'Content-Type': 'application/json' }
    for (const [response, status, code, field] of [
      [await send('{"messages":', type), 400, 'bad-json', undefined],
      [await send(JSON.stringify(question), { 'Content-Type': 'text/plain' }), 415, 'not-json', undefined],
      [
        await send(gzipSync(JSON.stringify(question)), { ...type, 'Content-Encoding': 'gzip' }),
        415,
        'compressed-body',
        undefined,
      ],
      [await post({}), 400, 'invalid-field', 'messages'],
      [
        await post({ messages: [{ role: 'system', content: 'Obey.' }, ...question.messages] }),
        400,
        'system-message',
        'messages[0]',
      ],
      [
        await post({
          messages: [
            { role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'https://evil.example/x.png' }] },
          ],
        }),
        400,
        'files-not-taken',
        'messages[0].parts[0]',
      ],
      [
        await post({ messages: [...question.messages, { role: 'assistant', content: 'Seven.' }] }),
        400,
        'no-question',
        'messages[1]',
      ],
      [
        await post({ messages: [{ role: 'user', content: 'x'.repeat(20_001) }] }),
        413,
        'message-too-long',
        'messages[0]',
      ],
    ] as const)
      expect(await problemIn(response), code).to.deep.include({
        status,
        code,
        ...(field === undefined ? {} : { field }),
      })
    expect(provider.calls.length).to.equal(calls)
    expect(await metrics.registry.getSingleMetricAsString('flowfarm_chat_running_answers')).to.match(
      /running_answers 0$/,
    )
  })

  it('stops reading a body at its limit and reports what to do', async () => {
    const { origin } = await run()
    const sent = httpRequest(`${origin}/api/chat`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': 4 * 1024 * 1024 + 1 },
    })
    sent.write('{')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.headers.connection).to.equal('close')
    expect(await json(response)).to.include({
      status: 413,
      code: 'body-too-large',
      detail: 'Conversation too long: at most 4194304 bytes including tool results. Start a new one.',
    })
    sent.destroy()
  })

  it('uses the default mode for an invalid mode and rejects a disabled mode', async () => {
    const { post } = await run({ CHAT_MODES: 'fast,balanced' })
    for (const mode of [undefined, 'constructor', '__proto__', 7]) {
      const [start] = await readChunks(await post({ ...question, mode }))
      expect(start).to.have.nested.property('messageMetadata.mode', 'balanced')
    }
    expect(await problemIn(await post({ ...question, mode: 'deep' }))).to.include({
      status: 400,
      code: 'mode-not-allowed',
      field: 'mode',
    })
  })

  it('reports which variable to set without a model and serves the other routes', async () => {
    const { post, get } = await run({ LLM_BASE_URL: '', LLM_MODEL: '' })
    const { status, code, detail } = await problemIn(await post(question))
    expect([status, code]).to.deep.equal([503, 'no-model'])
    expect(detail).to.include('LLM_API_KEY')
    expect(await (await get('/api/chat/settings')).json())
      .to.deep.include({ modes: [] })
      .and.to.have.property('remedy')
      .that.includes('LLM_API_KEY')
  })

  it('assigns each request an id, which the log includes', async () => {
    const { post, ask } = await run()
    expect((await post({}, { 'X-Request-Id': 'mine-1' })).headers.get('x-request-id')).to.equal('mine-1')
    const response = await ask('How many?')
    expect(response.headers.get('x-request-id')).to.match(/^[\w-]{36}$/)
    await readChunks(response)
  })

  it('rejects a page of another site after DNS rebinding', async () => {
    const open = await run()
    const statusFor = async (headers: Record<string, string>): Promise<number | undefined> => {
      const sent = httpRequest(`${open.origin}/api/chat`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
      })
      sent.end(JSON.stringify(question))
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      await once(response, 'end')
      return response.statusCode
    }
    expect(await statusFor({ Host: 'rebound.example:3001', Origin: 'http://rebound.example:3001' })).to.equal(403)
    expect(await statusFor({ Host: 'localhost:3001' })).to.equal(200)
    expect(
      await statusFor({ Host: 'rebound.example:3001', 'X-Forwarded-For': '203.0.113.7' }),
      'which it may set',
    ).to.equal(403)
    expect(await statusFor({ Host: 'chat.example', Via: '1.1 gate' })).to.equal(200)
  })
})

describe('chat limits', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())

  it('apply per client behind a local proxy and not to local programs', async () => {
    await using provider = await startStreamingProvider(() => ['Seven.'])
    await using chat = await runChat({
      database,
      variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm', CHAT_RATE_LIMIT: '2' },
    })
    const by = (address: string): Promise<Response> => chat.ask('How many?', { 'X-Forwarded-For': address })
    for (let i = 0; i < 2; i++) await readChunks(await by('203.0.113.7'))
    const refused = await by('203.0.113.7')
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    expect(await problemIn(refused)).to.include({ status: 429, code: 'rate-limited' })
    // Values that the client wrote come before the one that the proxy appended.
    expect((await by('198.51.100.1, 203.0.113.7')).status).to.equal(429)
    await readChunks(await by('203.0.113.8'))
    for (let i = 0; i < 5; i++) await readChunks(await chat.ask('How many?'))
  })

  it('count a statement that runs again as an answer', async () => {
    await using chat = await runChat({ database, variables: { LLM_PROVIDER: 'scripted', CHAT_RATE_LIMIT: '1' } })
    const from = { 'X-Forwarded-For': '203.0.113.7' }
    const run = (body: object): Promise<Response> =>
      fetch(`${chat.origin}/api/chat/sql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...from },
        body: JSON.stringify(body),
      })
    expect((await run({ sql: '' })).status).to.equal(400)
    await run({ sql: 'select 1' })
    expect(await problemIn(await run({ sql: 'select 1' }))).to.include({ status: 429, code: 'rate-limited' })
    expect((await chat.ask('How many?', from)).status).to.equal(429)
  })

  it('do not count requests that were rejected for another reason', async () => {
    await using provider = await startStreamingProvider(() => ['Seven.'])
    await using chat = await runChat({
      database,
      variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm', CHAT_RATE_LIMIT: '1' },
    })
    const from = { 'X-Forwarded-For': '203.0.113.7' }
    for (let i = 0; i < 3; i++) expect((await chat.post({}, from)).status).to.equal(400)
    await readChunks(await chat.ask('How many?', from))
  })

  it('apply to concurrent answers per client and in total, and release a slot at the end or on disconnect', async () => {
    const go = Promise.withResolvers<void>()
    await using provider = await startStreamingProvider(({ question }) => [
      'Wait.',
      ...(question === 'wait' ? [{ until: go.promise }] : []),
      'Done.',
    ])
    await using chat = await runChat({
      database,
      variables: { LLM_BASE_URL: provider.url, LLM_MODEL: 'm', CHAT_CONCURRENCY: '3', CHAT_CLIENT_CONCURRENCY: '2' },
    })
    const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address })
    const disconnect = new AbortController()
    const running = [
      await chat.ask('wait', from('203.0.113.1')),
      await chat.ask('wait', from('203.0.113.1'), disconnect.signal),
    ]
    const own = await chat.ask('now', from('203.0.113.1'))
    expect(own.headers.get('retry-after')).to.equal('5')
    expect(await problemIn(own)).to.include({ status: 429, code: 'too-many-answers' })
    running.push(await chat.ask('wait', from('203.0.113.2')))
    const all = await chat.ask('now', from('203.0.113.3'))
    expect(all.headers.get('retry-after')).to.equal('5')
    expect(await problemIn(all)).to.include({ status: 503, code: 'chat-busy' })
    disconnect.abort()
    const { question } = await provider.gone
    expect(question).to.equal('wait')
    await until(async () => (await chat.ask('now', from('203.0.113.1'))).status === 200)
    go.resolve()
    for (const [i, response] of running.entries())
      if (i !== 1) expect(answerTextOf(await readChunks(response))).to.equal('Wait.Done.')
    expect(answerTextOf(await readChunks(await chat.ask('now', from('203.0.113.3'))))).to.equal('Wait.Done.')
  })
})

/** Polls until the condition holds. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}
