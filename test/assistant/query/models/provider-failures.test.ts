import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { pino } from 'pino'
import { ProviderModel } from '../../../../src/assistant/query/provider-model.ts'
import { ApiError, asError } from '../../../../src/platform/errors.ts'

const key = 'only-for-the-provider'

/** Other servers that may listen at LLM_BASE_URL. */
describe('failing model provider', () => {
  const servers: Server[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  })

  const listen = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    servers.push(server)
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const failure = async (url: string, provider: 'anthropic' | 'openai-compatible' = 'anthropic'): Promise<ApiError> => {
    const model = new ProviderModel({
      settings: { provider, name: 'some-model', apiKey: key, baseUrl: `${url}/v1` },
      retryBaseMs: 1,
    })
    const request = {
      instructions: 'You write SQL.',
      messages: [{ role: 'user', content: 'How high?' }],
      question: 'How high?',
    } as const
    const thrown = await model.reply({ ...request, signal: new AbortController().signal }).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(thrown).to.be.instanceOf(ApiError).that.includes({ status: 502, code: 'model-failed' })
    return thrown as ApiError
  }

  const answering = (status: number, message: string, headers: Record<string, string> = {}): Promise<string> =>
    listen((_request, response) => {
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(JSON.stringify({ type: 'error', error: { type: 'some_error', message } }))
    })

  it('reports which setting to check for a wrong key, model name or address', async () => {
    expect((await failure(await answering(401, 'invalid x-api-key'))).message).to.equal(
      'The model anthropic/some-model failed: HTTP 401, invalid x-api-key. Check LLM_API_KEY.',
    )
    expect((await failure(await answering(404, 'model: some-model'))).message).to.match(
      /Check LLM_MODEL and LLM_BASE_URL\.$/,
    )
    const gone = await answering(200, '')
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
    expect((await failure(gone)).message).to.match(/Check LLM_BASE_URL and the network\.$/)
  })

  it('exposes the API key neither to callers nor to the log, in any form that a provider echoes', async () => {
    for (const text of [
      key,
      encodeURIComponent(key),
      Buffer.from(`user:${key}`).toString('base64'),
      `${'x'.repeat(290)} ${key}`,
      `${key.slice(0, 5)}****${key.slice(-4)}`,
    ]) {
      const { message, cause } = await failure(
        await answering(401, `Incorrect API key provided: ${text}`, { 'X-Key': key }),
      )
      const logged: unknown[] = []
      pino(
        { serializers: { err: pino.stdSerializers.errWithCause } },
        { write: (line) => void logged.push(line) },
      ).error({ err: asError(cause) }, 'failed')
      for (const shown of [message, String(logged[0])]) expect(shown).not.to.match(/only-for|-provider|b25seS1mb3/)
    }
  })

  it('reports when to retry', async () => {
    const error = await failure(await answering(429, 'too many tokens', { 'Retry-After': '120' }))
    expect(error.message).to.equal(
      'The model anthropic/some-model failed: HTTP 429, too many tokens. Try again in 120 s.',
    )
    expect(error.details).to.deep.equal({ retryAfterSeconds: 120 })
  })

  it('follows no redirects, which would send the key elsewhere', async () => {
    const shown: unknown[] = []
    const elsewhere = await listen((request, response) => {
      shown.push(request.headers['x-api-key'])
      response.end('{}')
    })
    for (const status of [302, 307]) {
      const url = await listen((_request, response) =>
        response.writeHead(status, { Location: `${elsewhere}/v1/messages` }).end(),
      )
      expect((await failure(url)).message)
        .to.include('it is a redirect')
        .and.include('Check LLM_BASE_URL')
    }
    expect(shown).to.deep.equal([])
  })

  for (const [name, content] of [
    ['a page', '<html>'],
    ['nothing', ''],
    ['other JSON', '{"choices": 1}'],
  ] as const) {
    it(`rejects a response with ${name}`, async () => {
      const url = await listen((_request, response) =>
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(content),
      )
      for (const provider of ['anthropic', 'openai-compatible'] as const) {
        expect((await failure(url, provider)).message)
          .to.include('its reply cannot be read')
          .and.include('Check LLM_BASE_URL.')
      }
    })
  }

  it('stops reading an endless reply', async () => {
    let sent = 0
    const url = await listen((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      const chunk = Buffer.alloc(64 * 1024, ' ')
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length
      }
      response.on('drain', write)
      write()
    })
    expect((await failure(url)).message).to.include('more than 4194304 bytes')
    // Three attempts, plus data in connection buffers.
    expect(sent).to.be.below(64 * 1024 * 1024)
  })
})
