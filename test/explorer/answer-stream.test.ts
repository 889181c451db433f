import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { z } from 'zod'
import { AnswerStream } from '../../src/platform/http/route.ts'
import { defineRoute } from '../../src/explorer/route.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const line = `${'x'.repeat(1023)}\n`

describe('streamed responses', () => {
  let database: TestDatabase
  let api: RunningApi
  let made = 0
  let streams: Readable[] = []

  function streamOf(lines: AsyncIterable<string> | Iterable<string>): AnswerStream {
    const stream = Readable.from(lines, { objectMode: false })
    streams.push(stream)
    return new AnswerStream('text/csv; charset=utf-8', stream)
  }

  function* endless(): Generator<string> {
    for (made = 0; ; made++) yield line
  }

  function* broken(): Generator<string> {
    yield line
    throw new Error('the source broke')
  }

  const declare = (path: string, lines: () => Iterable<string>): ReturnType<typeof defineRoute> =>
    defineRoute({
      path,
      operationId: path.slice(1),
      tag: 'Test',
      summary: 'A stream.',
      response: z.strictObject({ type: z.string() }),
      otherTypes: { 'text/csv': 'Lines.' },
      example: { type: 'text/csv' },
      handler: ({ mediaType }) => ({ body: mediaType === 'text/csv' ? streamOf(lines()) : { type: mediaType } }),
    })

  before(async () => {
    database = await createTestDatabase()
    api = await runApi(database.url, {
      server: {
        routes: [
          declare('/short', () => [line, line]),
          declare('/endless', endless),
          declare('/broken', broken),
          defineRoute({
            path: '/large',
            operationId: 'large',
            tag: 'Test',
            summary: 'More than the buffers of a connection hold.',
            response: z.string(),
            contentType: 'text/plain',
            example: '',
            handler: () => ({ body: 'x'.repeat(20_000_000) }),
          }),
        ],
        clientOf: ({ headers }) => ({ address: String(headers['x-test-address'] ?? '127.0.0.1'), isLocal: false }),
      },
    })
  })

  beforeEach(() => {
    streams = []
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  async function open(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const call = request(`http://${api.host}${path}`, { headers: { accept: 'text/csv', ...headers } })
    call.end()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    return response
  }

  it('follow content negotiation', async () => {
    const types = ['text/csv', 'text/csv;q=0.5, application/json', 'application/json', '*/*', 'image/png']
    const answers = await Promise.all(
      types.map(async (accept) => {
        const response = await api.get('/short', { headers: { accept } })
        expect(response.headers.get('vary')).to.match(/accept(,|$)/i)
        return response.headers.get('content-type')?.split(';')[0] === 'text/csv' ? response.text() : response.json()
      }),
    )
    const json = { type: 'application/json' }
    expect(answers).to.deep.equal([line + line, json, json, json, json])
  })

  for (const encoding of ['identity', 'gzip']) {
    it(`apply backpressure and end on disconnect (${encoding})`, async () => {
      const response = await open('/endless', { 'accept-encoding': encoding })
      await once(response, 'readable')
      const [stream] = streams
      if (stream === undefined) throw new Error('no stream')
      const closed = once(stream, 'close')
      response.destroy()
      await closed
      // Data beyond the consumed part stays in the buffers of both sides; x compresses well.
      expect(made).to.be.lessThan(200_000)
    })

    it(`abort when their source fails (${encoding})`, async () => {
      // Before or after the response headers, as compressed data is buffered first.
      const failure = await open('/broken', { 'accept-encoding': encoding }).then(
        async (response) => {
          response.resume()
          const [error] = (await once(response, 'error')) as [NodeJS.ErrnoException]
          return error
        },
        (error: unknown) => error,
      )
      expect(failure).to.have.property('code', 'ECONNRESET')
    })
  }

  it('do not count as large responses, of which clients may leave 4 each and 16 in total unread', async () => {
    const ask = (client: number): Promise<IncomingMessage> =>
      open('/large', { 'accept-encoding': 'identity', 'x-test-address': `203.0.113.${client}` })
    const held = await Promise.all([1, 2, 3, 4].flatMap((client) => [1, 2, 3, 4].map(() => ask(client))))
    expect(held.map(({ statusCode }) => statusCode)).to.deep.equal(Array<number>(16).fill(200))
    expect((await ask(1)).statusCode).to.equal(429)
    expect((await ask(5)).statusCode).to.equal(503)
    const [first] = held
    await once(first?.resume() ?? expect.fail('no answer'), 'end')
    const next = await ask(5)
    expect(next.statusCode).to.equal(200)
    for (const response of [...held, next]) response.destroy()
  })
})
