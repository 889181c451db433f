import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { ChatChunk } from './chat-types.ts'
import { sendAnswer } from './send-answer.ts'
import type { SendOptions } from './send-answer.ts'

/** An answer whose chunks the test controls. */
class CallLog {
  readonly #stream = new TransformStream<ChatChunk, ChatChunk>(
    undefined,
    { highWaterMark: 1000 },
    { highWaterMark: 1000 },
  )
  readonly #writer = this.#stream.writable.getWriter()
  readonly readable = this.#stream.readable

  say(delta: string): Promise<void> {
    return this.#writer.write({ type: 'text-delta', id: '1', delta })
  }

  end(): Promise<void> {
    return this.#writer.close()
  }

  breakDown(error: Error): Promise<void> {
    return this.#writer.abort(error)
  }
}

describe('sending an answer', () => {
  let server: Server
  let open: () => Promise<ReadableStream<ChatChunk>>
  let options: SendOptions
  let sent: PromiseWithResolvers<void>
  let response: PromiseWithResolvers<ServerResponse>

  beforeEach(async () => {
    options = { explain: (error) => `explained: ${String(error)}` }
    sent = Promise.withResolvers()
    response = Promise.withResolvers()
    server = createServer((_, answer) => {
      response.resolve(answer)
      sent.resolve(sendAnswer(answer, open, options))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })

  const ask = async (): Promise<IncomingMessage> => {
    const requested = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).end()
    const [message] = (await once(requested, 'response')) as [IncomingMessage]
    return message.setEncoding('utf8')
  }
  const event = (delta: string): string => `data: {"type":"text-delta","id":"1","delta":"${delta}"}\n\n`

  it('sends the headers before the first chunk and each chunk as it arrives', async () => {
    const reported = new CallLog()
    const opened = Promise.withResolvers<ReadableStream<ChatChunk>>()
    open = () => opened.promise
    const message = await ask()
    expect(message.headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-vercel-ai-ui-message-stream': 'v1',
    })
    opened.resolve(reported.readable)
    const words = message.iterator() as AsyncIterator<string>
    for (const word of ['one', 'two', 'three']) {
      const read = words.next()
      await reported.say(word)
      expect((await read).value).to.equal(event(word))
    }
    await reported.end()
    expect((await words.next()).value).to.equal('data: [DONE]\n\n')
    expect((await words.next()).done).to.equal(true)
    await sent.promise
  })

  it('sends keep-alive comments during silence', async () => {
    const reported = new CallLog()
    open = () => Promise.resolve(reported.readable)
    options = { ...options, keepAliveMs: 5 }
    const message = await ask()
    const [remark] = (await once(message, 'data')) as [string]
    expect(remark).to.match(/^: keep-alive\n\n/)
    await reported.end()
    await sent.promise
  })

  it('reports a failure in the stream and ends it normally', async () => {
    const reported = new CallLog()
    open = () => Promise.resolve(reported.readable)
    const message = await ask()
    await reported.say('one')
    const [first] = (await once(message, 'data')) as [string]
    expect(first).to.equal(event('one'))
    await reported.breakDown(new Error('bang'))
    expect((await message.toArray()).join('')).to.equal(
      'data: {"type":"error","errorText":"explained: Error: bang"}\n\ndata: [DONE]\n\n',
    )
    await sent.promise
  })

  it('reports a failure to start', async () => {
    open = () => Promise.reject(new Error('nothing there'))
    const message = await ask()
    expect((await message.toArray()).join('')).to.equal(
      'data: {"type":"error","errorText":"explained: Error: nothing there"}\n\ndata: [DONE]\n\n',
    )
    await sent.promise
  })

  it('reads the answer to its end after a disconnect and then releases its resources', async () => {
    const reported = new CallLog()
    open = () => Promise.resolve(reported.readable)
    const message = await ask()
    const left = once(await response.promise, 'close')
    message.destroy()
    await left
    await reported.say('to nobody')
    let isSent = false
    void sent.promise.then(() => {
      isSent = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isSent).to.equal(false)
    await reported.end()
    await sent.promise
  })

  it('disconnects a client that stops reading', async () => {
    const reported = new CallLog()
    open = () => Promise.resolve(reported.readable)
    options = { ...options, stallMs: 50 }
    const message = await ask()
    message.pause()
    const left = once(await response.promise, 'close')
    const word = 'x'.repeat(1_000_000)
    for (let i = 0; i < 20; i++) await reported.say(word)
    await left
    expect((await response.promise).writableFinished).to.equal(false)
    await reported.end()
    await sent.promise
  })
})
