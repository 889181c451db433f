import { connect } from 'node:http2'
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2'
import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import { expect } from 'chai'
import { BytesClient } from '../../test/support/grpc-bytes.ts'
import { unframed, RawGrpcServer } from './grpc-server.ts'

describe('a raw gRPC server', () => {
  let server: RawGrpcServer
  let client: BytesClient
  let session: ClientHttp2Session

  before(async () => {
    server = await RawGrpcServer.listen('127.0.0.1', 0, {
      'flow.access.AccessAPI': {
        Ping: (call) => call.answer(Buffer.concat([call.request, call.request])),
        GetAccount: (call) => call.fail({ code: status.NOT_FOUND, details: 'no account: ü 100 %' }),
        SubscribeBlocksFromLatest: (call) => {
          call.write(Buffer.from('first'))
          call.fail({ code: status.ABORTED, details: 'enough' })
          call.write(Buffer.from('sent without a call'))
          call.fail({ code: status.INTERNAL, details: 'sent without a call' })
        },
      },
    })
    client = new BytesClient(`127.0.0.1:${server.port}`)
    session = connect(`http://127.0.0.1:${server.port}`)
  })
  after(async () => {
    client.close()
    session.destroy()
    await server.close()
  })

  /** Sends raw bytes. */
  async function send(
    method: string,
    body: Buffer,
  ): Promise<{ headers: IncomingHttpHeaders; trailers: IncomingHttpHeaders; body: Buffer }> {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/flow.access.AccessAPI/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    const chunks: Buffer[] = []
    let trailers: IncomingHttpHeaders = {}
    stream
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('trailers', (headers: IncomingHttpHeaders) => {
        trailers = headers
      })
    stream.end(body)
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    if (!stream.readableEnded) await once(stream, 'end')
    return { headers, trailers, body: Buffer.concat(chunks) }
  }

  it('returns one message, even a large one of many frames', async () => {
    expect(await client.call('Ping', Buffer.from('abc'))).to.deep.equal(Buffer.from('abcabc'))
    const large = Buffer.alloc(3_000_000, 7)
    expect((await client.call('Ping', large)).equals(Buffer.concat([large, large]))).to.equal(true)
  })

  it('reports the error message of a failed call, in any characters', async () => {
    const failure = await client.failureOf('GetAccount')
    expect([failure.code, failure.details]).to.deep.equal([status.NOT_FOUND, 'no account: ü 100 %'])
  })

  it('rejects unknown calls', async () => {
    expect(await client.failureOf('GetNothing')).to.include({
      code: status.UNIMPLEMENTED,
      details: 'The server does not implement the method /flow.access.AccessAPI/GetNothing',
    })
  })

  it('ends a stream with its status after the messages, and only once', async () => {
    const { headers, trailers, body } = await send('SubscribeBlocksFromLatest', Buffer.alloc(5))
    expect([headers[':status'], headers['grpc-status']]).to.deep.equal([200, undefined])
    expect(unframed(body)).to.deep.equal(Buffer.from('first'))
    expect(trailers).to.include({ 'grpc-status': String(status.ABORTED), 'grpc-message': 'enough' })
  })

  it('rejects invalid gRPC messages', async () => {
    for (const [hex, code] of [
      ['', status.INTERNAL],
      ['00000000', status.INTERNAL],
      ['0000000002aa', status.INTERNAL],
      ['0100000001aa', status.UNIMPLEMENTED],
    ] as const) {
      expect((await send('Ping', Buffer.from(hex, 'hex'))).headers['grpc-status'], hex).to.equal(String(code))
    }
  })
})
