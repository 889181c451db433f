import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import { GrpcError, frameOf } from './grpc-status.ts'
import { GrpcWebTransport } from './grpc-web-transport.ts'
import { parseEndpoint } from './endpoint.ts'
import { GrpcWebTestServer, trailerFrame } from '../../../test/support/grpc-servers.ts'

const patient = { timeoutMs: 20_000 }
const type = { 'content-type': 'application/grpc-web+proto' }
const okTrailer = trailerFrame('grpc-status: 0\r\n')

describe('GrpcWebTransport', () => {
  let server: GrpcWebTestServer | undefined

  afterEach(() => server?.kill())

  async function call(listener: RequestListener, path = ''): Promise<Buffer> {
    server = await GrpcWebTestServer.start({ listener })
    const transport = new GrpcWebTransport(parseEndpoint(`http://127.0.0.1:${server.port}${path}`))
    try {
      return await transport.unary('Ping', Buffer.from('request'), patient)
    } finally {
      server.kill()
    }
  }

  async function fault(listener: RequestListener): Promise<GrpcError> {
    try {
      await call(listener)
    } catch (error) {
      expect(error).to.be.instanceOf(GrpcError)
      return error as GrpcError
    }
    throw new Error('the call succeeded')
  }

  it('prefixes the service name with the endpoint path and sends the deadline', async () => {
    let seen: unknown[] = []
    await call((request, response) => {
      seen = [request.method, request.url, request.headers['grpc-timeout']]
      response.writeHead(200, type).end(Buffer.concat([frameOf(Buffer.from('x')), okTrailer]))
    }, '/flow/')
    expect(seen).to.deep.equal(['POST', '/flow/flow.access.AccessAPI/Ping', '20000m'])
  })

  it('reads an error from the headers', async () => {
    const error = await fault((_request, response) => {
      response.writeHead(200, { ...type, 'grpc-status': '5', 'grpc-message': 'no%20such%20block' }).end()
    })
    expect(error.grpcCode).to.equal('NOT_FOUND')
    expect(error.message).to.contain('no such block')
  })

  it('distinguishes proxy errors from node errors', async () => {
    const status =
      (code: number, contentType: string): RequestListener =>
      (_request, response) => {
        response.writeHead(code, { 'content-type': contentType }).end('<html>')
      }
    expect((await fault(status(404, 'text/html'))).grpcCode).to.equal('UNIMPLEMENTED')
    expect((await fault(status(503, 'text/html'))).grpcCode).to.equal('UNAVAILABLE')
    expect((await fault(status(429, 'text/html'))).grpcCode).to.equal('UNAVAILABLE')
    expect((await fault(status(200, 'text/html'))).grpcCode).to.equal('UNKNOWN')
  })

  it('returns UNAVAILABLE immediately for a truncated body', async () => {
    const error = await fault((_request, response) => {
      response.writeHead(200, { ...type, 'content-length': '1000' })
      response.write(frameOf(Buffer.alloc(50)), () => response.destroy())
    })
    expect(error.grpcCode).to.equal('UNAVAILABLE')
    expect(error.message).to.contain('connection lost')
  })

  it('rejects a body without a status, without a message or with a compressed message', async () => {
    const body =
      (bytes: Buffer): RequestListener =>
      (_request, response) => {
        response.writeHead(200, type).end(bytes)
      }
    const compressed = frameOf(Buffer.from('x'))
    compressed[0] = 1
    expect((await fault(body(frameOf(Buffer.from('x'))))).grpcCode).to.equal('UNKNOWN')
    expect((await fault(body(Buffer.alloc(0)))).grpcCode).to.equal('UNKNOWN')
    expect((await fault(body(okTrailer))).grpcCode).to.equal('INTERNAL')
    expect((await fault(body(Buffer.concat([compressed, okTrailer])))).grpcCode).to.equal('INTERNAL')
    const wrongLength = Buffer.concat([Buffer.from([0, 0, 0, 9, 9]), okTrailer])
    expect((await fault(body(wrongLength))).grpcCode).to.equal('UNKNOWN')
  })
})
