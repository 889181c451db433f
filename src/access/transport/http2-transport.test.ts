import { once } from 'node:events'
import { constants } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import { connect as connectTcp, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { expect } from 'chai'
import { GrpcError, frameOf } from './grpc-status.ts'
import type { Http2ConnectionOptions } from './http2-connection.ts'
import { Http2Transport } from './http2-transport.ts'
import { parseEndpoint } from './endpoint.ts'
import { Http2TestServer, respond, headerBlock, RawHttp2Server } from '../../../test/support/http2-servers.ts'
import type { StreamAnswer, RawAnswer } from '../../../test/support/http2-servers.ts'
import { pattern } from '../../../test/support/grpc-servers.ts'

const request = Buffer.from('request')
const patient = { timeoutMs: 20_000 }
const ok = { 'grpc-status': '0' }
const grpcHeaders = { ':status': '200', 'content-type': 'application/grpc' }

describe('Http2Transport', () => {
  const open: { close(): Promise<void> }[] = []
  const servers: { kill(): void }[] = []

  afterEach(async () => {
    await Promise.all(open.splice(0).map((transport) => transport.close()))
    for (const server of servers.splice(0)) server.kill()
  })

  function connect(port: number, options?: Http2ConnectionOptions): Http2Transport {
    const transport = new Http2Transport(parseEndpoint(`127.0.0.1:${port}`), options)
    open.push(transport)
    return transport
  }

  async function serve(
    answer: StreamAnswer,
    settings: { maxConcurrentStreams?: number } = {},
  ): Promise<Http2TestServer> {
    const server = await Http2TestServer.start(answer, { settings })
    servers.push(server)
    return server
  }

  async function call(answer: StreamAnswer, timeoutMs = 20_000): Promise<Buffer> {
    const server = await serve(answer)
    return connect(server.port).unary('Ping', request, { timeoutMs })
  }

  async function rawFault(answer: RawAnswer): Promise<GrpcError> {
    const server = await RawHttp2Server.start(answer)
    servers.push(server)
    return errorOf(connect(server.port).unary('Ping', request, patient))
  }

  async function fault(answer: StreamAnswer, timeoutMs?: number): Promise<GrpcError> {
    return errorOf(call(answer, timeoutMs))
  }

  describe('with malformed responses', () => {
    const frame = frameOf(Buffer.from('answer'))

    it('reads an error without a body and with a Unicode message', async () => {
      const error = await fault((stream) => {
        stream.respond(
          { 'content-type': 'application/grpc', 'grpc-status': '5', 'grpc-message': 'h%C3%B6he 100%25 %E2%9C%93' },
          { endStream: true },
        )
      })
      expect(error.grpcCode).to.equal('NOT_FOUND')
      expect(error.message).to.contain('höhe 100% ✓')
    })

    it('reads an error after a partial body, with a 40 KB message', async () => {
      const reason = 'x'.repeat(40_000)
      const trailers = { 'grpc-status': '13', 'grpc-message': reason }
      const error = await fault((stream) => respond(stream, frame.subarray(0, 7), trailers))
      expect(error.grpcCode).to.equal('INTERNAL')
      expect(error.message).to.contain(reason)
    })

    it('returns INTERNAL for a body of the wrong length or without a message', async () => {
      const bodies = [frame.subarray(0, 8), frame.subarray(0, 3), Buffer.alloc(0), Buffer.concat([frame, frame])]
      for (const body of bodies) {
        expect((await fault((stream) => respond(stream, body, ok))).grpcCode).to.equal('INTERNAL')
      }
    })

    it('returns INTERNAL for a compressed response', async () => {
      const compressed = Buffer.from(frame)
      compressed[0] = 1
      const error = await fault((stream) => respond(stream, compressed, ok))
      expect(error.grpcCode).to.equal('INTERNAL')
      expect(error.message).to.contain('compressed')
    })

    it('rejects a response without a status', async () => {
      const cut = await fault((stream) => {
        stream.respond({ 'content-type': 'application/grpc' })
        stream.end(frame)
      })
      expect(cut.grpcCode).to.equal('INTERNAL')
      expect((await fault((stream) => respond(stream, frame, { other: 'x' }))).grpcCode).to.equal('UNKNOWN')
      expect((await fault((stream) => respond(stream, frame, { 'grpc-status': '99' }))).grpcCode).to.equal('UNKNOWN')
    })

    it('distinguishes proxy responses from node responses', async () => {
      const status = (code: number, type: string) => (stream: ServerHttp2Stream) => {
        stream.respond({ ':status': code, 'content-type': type })
        stream.end('<html>')
      }
      expect((await fault(status(503, 'text/html'))).grpcCode).to.equal('UNAVAILABLE')
      expect((await fault(status(404, 'text/html'))).grpcCode).to.equal('UNIMPLEMENTED')
      expect((await fault(status(200, 'text/html'))).grpcCode).to.equal('UNKNOWN')
    })

    it('maps the reset code of a stream to a status', async () => {
      const expected = [
        [constants.NGHTTP2_INTERNAL_ERROR, 'INTERNAL'],
        [constants.NGHTTP2_REFUSED_STREAM, 'UNAVAILABLE'],
        [constants.NGHTTP2_CANCEL, 'UNAVAILABLE'],
        [constants.NGHTTP2_ENHANCE_YOUR_CALM, 'RESOURCE_EXHAUSTED'],
        [constants.NGHTTP2_INADEQUATE_SECURITY, 'PERMISSION_DENIED'],
        [constants.NGHTTP2_NO_ERROR, 'INTERNAL'],
      ] as const
      for (const [code, name] of expected) {
        const error = await rawFault((peer, stream) => {
          peer.headers(stream, grpcHeaders)
          peer.data(stream, frame.subarray(0, 8))
          peer.reset(stream, code)
        })
        expect(error.grpcCode).to.equal(name)
        expect(error.message).to.contain('3 of 6 bytes')
      }
    })

    it('returns UNAVAILABLE if the connection violates HTTP/2', async () => {
      const breaks: RawAnswer[] = [
        (peer) => peer.frame(0, 0, 0, frame),
        (peer, stream) => peer.frame(1, 4, stream, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff])),
        (peer) => peer.frame(4, 0, 0, Buffer.alloc(5)),
        (peer) => peer.socket.write(Buffer.alloc(100, 0xff)),
        (peer, stream) => {
          peer.headers(stream, grpcHeaders)
          peer.data(stream, frame.subarray(0, 8))
          peer.socket.end()
        },
      ]
      for (const answer of breaks) expect((await rawFault(answer)).grpcCode).to.equal('UNAVAILABLE')
    })

    it('fails at the deadline during an endless body', async () => {
      const error = await fault((stream) => {
        stream.respond({ 'content-type': 'application/grpc' })
        stream.write(frame.subarray(0, 8))
      }, 100)
      expect(error.grpcCode).to.equal('DEADLINE_EXCEEDED')
      expect(error.message).to.contain('3 of 6 bytes')
    })
  })

  it('reassembles a response received byte by byte', async () => {
    const answer = await call((stream) => {
      stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers(ok))
      const bytes = [...frameOf(Buffer.from('slowly'))]
      const next = (): void => {
        const byte = bytes.shift()
        if (byte === undefined) stream.end()
        else stream.write(Buffer.from([byte]), () => setImmediate(next))
      }
      next()
    })
    expect(answer.toString()).to.equal('slowly')
  })

  it('handles many large responses at once', async () => {
    const body = pattern(4_000_000)
    const server = await serve((stream) => respond(stream, frameOf(body), ok))
    const transport = connect(server.port)
    const answers = await Promise.all(Array.from({ length: 16 }, () => transport.unary('Ping', request, patient)))
    for (const answer of answers) expect(answer.equals(body)).to.equal(true)
  })

  it('handles a 50 MB response', async () => {
    const body = Buffer.alloc(50_000_000, 'flow')
    expect((await call((stream) => respond(stream, frameOf(body), ok))).equals(body)).to.equal(true)
  })

  it('sends the headers required by gRPC', async () => {
    const server = await serve((stream) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => respond(stream, frameOf(Buffer.concat(chunks)), ok))
    })
    const streamHeaders = Promise.withResolvers<unknown>()
    const transport = connect(server.port)
    const echo = transport.unary('GetBlockByHeight', request, { timeoutMs: 123_456 })
    server.events.once('stream', (_stream, headers) => streamHeaders.resolve(headers))
    expect(await echo).to.deep.equal(frameOf(request))
    expect(await streamHeaders.promise).to.include({
      ':method': 'POST',
      ':path': '/flow.access.AccessAPI/GetBlockByHeight',
      ':scheme': 'http',
      ':authority': `127.0.0.1:${server.port}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': '123456m',
    })
  })

  it('respects the concurrent stream limit from the first call', async () => {
    let [running, max] = [0, 0]
    const server = await serve(
      (stream) => {
        max = Math.max(max, ++running)
        setImmediate(() => {
          running--
          respond(stream, frameOf(Buffer.from('x')), ok)
        })
      },
      { maxConcurrentStreams: 3 },
    )
    const transport = connect(server.port)
    await Promise.all(Array.from({ length: 60 }, () => transport.unary('Ping', request, patient)))
    expect(max).to.be.within(1, 3)
    expect(server.sessions.length).to.equal(1)
  })

  it('fails a call that waits for a free stream at its deadline', async () => {
    const first: ServerHttp2Stream[] = []
    const server = await serve((stream) => first.push(stream), { maxConcurrentStreams: 1 })
    const transport = connect(server.port)
    const holder = transport.unary('Ping', request, patient)
    const waiting = await errorOf(transport.unary('Ping', request, { timeoutMs: 50 }))
    expect(waiting.grpcCode).to.equal('DEADLINE_EXCEEDED')
    expect(first.length).to.equal(1)
    for (const stream of first) respond(stream, frameOf(Buffer.from('x')), ok)
    expect((await holder).toString()).to.equal('x')
  })

  it('completes calls in flight after GOAWAY and reconnects', async () => {
    const streams: ServerHttp2Stream[] = []
    let arrived = Promise.withResolvers<void>()
    const server = await serve((stream) => {
      streams.push(stream)
      arrived.resolve()
    })
    const transport = connect(server.port)
    const before = transport.unary('Ping', request, patient)
    await arrived.promise
    arrived = Promise.withResolvers()
    const [session] = server.sessions
    session?.goaway(constants.NGHTTP2_NO_ERROR, streams[0]?.id ?? 0)
    await once(session ?? server.events, 'goaway')
    const after = transport.unary('Ping', request, patient)
    await arrived.promise
    for (const stream of streams) respond(stream, frameOf(Buffer.from('x')), ok)
    await Promise.all([before, after])
    expect(server.sessions.length).to.equal(2)
  })

  it('returns UNAVAILABLE for calls excluded by GOAWAY', async () => {
    expect((await rawFault((peer) => peer.goaway(0, constants.NGHTTP2_NO_ERROR))).grpcCode).to.equal('UNAVAILABLE')
  })

  it('reassembles fragmented headers and padded data', async () => {
    const server = await RawHttp2Server.start((peer, stream) => {
      const block = headerBlock(grpcHeaders)
      peer.frame(1, 0, stream, block.subarray(0, 4))
      peer.frame(9, 0, stream, block.subarray(4, 9))
      peer.frame(9, 4, stream, block.subarray(9))
      const body = frameOf(Buffer.from('padded'))
      peer.frame(0, 8, stream, Buffer.concat([Buffer.from([3]), body.subarray(0, 6), Buffer.alloc(3)]))
      peer.frame(0, 0, stream, Buffer.alloc(0))
      peer.frame(0, 8, stream, Buffer.concat([Buffer.from([0]), body.subarray(6)]))
      peer.headers(stream, ok, true)
    })
    servers.push(server)
    expect((await connect(server.port).unary('Ping', request, patient)).toString()).to.equal('padded')
  })

  it('returns UNAVAILABLE if the node closes the connection with or without an error', async () => {
    const angry = await fault((stream) => stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM))
    expect(angry.grpcCode).to.equal('UNAVAILABLE')
    expect((await fault((stream) => stream.session?.destroy())).grpcCode).to.equal('UNAVAILABLE')
  })

  it('reconnects when stream ids are exhausted', async () => {
    const server = await serve((stream) => respond(stream, frameOf(Buffer.from('x')), ok))
    const transport = connect(server.port, { maxCalls: 3 })
    await Promise.all(Array.from({ length: 7 }, () => transport.unary('Ping', request, patient)))
    expect(server.sessions.length).to.equal(3)
  })

  it('detects a half-open connection', async () => {
    const arrived = Promise.withResolvers<void>()
    const server = await serve(() => arrived.resolve())
    const way: Socket[] = []
    const between = await listen((socket) => {
      way.push(socket, connectTcp(server.port, '127.0.0.1'))
      way[0]?.pipe(way[1] ?? socket).pipe(socket)
    })
    servers.push(between)
    const transport = connect(between.port, { quietMs: 40, pingTimeoutMs: 40 })
    const call = errorOf(transport.unary('Ping', request, patient))
    await arrived.promise
    // Simulates a cut cable: no data passes and neither side is notified.
    for (const socket of way) socket.unpipe()
    const error = await call
    expect(error.grpcCode).to.equal('UNAVAILABLE')
    expect(error.message).to.contain('no response to a ping')
    way[1]?.destroy()
  })

  it('does not treat a slow node as dead', async () => {
    let pings = 0
    const server = await serve((stream) => {
      stream.session?.on('ping', () => {
        if (++pings === 3) respond(stream, frameOf(Buffer.from('slow')), ok)
      })
    })
    const transport = connect(server.port, { quietMs: 20, pingTimeoutMs: 5000 })
    expect((await transport.unary('Ping', request, patient)).toString()).to.equal('slow')
  })

  it('sends at most three pings to a silent node, then uses a new connection', async () => {
    const streams: ServerHttp2Stream[] = []
    let pings = 0
    const server = await serve((stream) => {
      streams.push(stream)
      stream.session?.on('ping', () => pings++)
    })
    const transport = connect(server.port, { quietMs: 20, pingTimeoutMs: 5000 })
    const slow = transport.unary('Ping', request, patient)
    while (streams.length === 0) await once(server.events, 'stream')
    server.events.removeAllListeners('stream').on('stream', (stream: ServerHttp2Stream) => {
      if (server.sessions.length > 1) respond(stream, frameOf(Buffer.from('new')), ok)
    })
    const quick = async (): Promise<string> => {
      try {
        return (await transport.unary('Ping', request, { timeoutMs: 20 })).toString()
      } catch (error) {
        expect((error as GrpcError).grpcCode).to.equal('DEADLINE_EXCEEDED')
        return quick()
      }
    }
    expect(await quick()).to.equal('new')
    expect(pings).to.equal(3)
    for (const stream of streams) respond(stream, frameOf(Buffer.from('old')), ok)
    expect((await slow).toString()).to.equal('old')
  })

  it('sends a ping after a call reaches its deadline without a response', async () => {
    const pinged = Promise.withResolvers<void>()
    const server = await serve((stream) => stream.session?.on('ping', () => pinged.resolve()))
    const transport = connect(server.port, { quietMs: 3_600_000 })
    await errorOf(transport.unary('Ping', request, { timeoutMs: 20 }))
    await pinged.promise
  })

  it('returns UNAVAILABLE for a server that does not speak HTTP/2', async () => {
    for (const greet of [
      (socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      (socket: Socket) => socket.destroy(),
      () => undefined,
    ]) {
      const server = await listen(greet)
      servers.push(server)
      const error = await errorOf(connect(server.port, { connectTimeoutMs: 200 }).unary('Ping', request, patient))
      expect(error.grpcCode).to.equal('UNAVAILABLE')
    }
  })

  it('completes calls in flight on close', async () => {
    const arrived = Promise.withResolvers<ServerHttp2Stream>()
    const server = await serve((stream) => arrived.resolve(stream))
    const transport = connect(server.port)
    const answer = transport.unary('Ping', request, patient)
    const stream = await arrived.promise
    const closed = transport.close()
    respond(stream, frameOf(Buffer.from('last')), ok)
    expect((await answer).toString()).to.equal('last')
    await closed
  })

  it('leaks no listeners or timers after thousands of calls', async () => {
    const server = await serve((stream) => respond(stream, frameOf(Buffer.from('x')), ok))
    const transport = connect(server.port)
    const { signal } = new AbortController()
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    await transport.unary('Ping', request, { ...patient, signal })
    const before = timers()
    const warnings: Error[] = []
    const warn = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warn)
    for (let i = 0; i < 50; i++) {
      await Promise.all(Array.from({ length: 60 }, () => transport.unary('Ping', request, { ...patient, signal })))
    }
    process.off('warning', warn)
    expect(warnings).to.deep.equal([])
    // Timers of earlier tests may have ended meanwhile.
    expect(timers()).to.be.at.most(before)
  })
})

async function errorOf(call: Promise<unknown>): Promise<GrpcError> {
  try {
    await call
  } catch (error) {
    expect(error).to.be.instanceOf(GrpcError)
    return error as GrpcError
  }
  throw new Error('the call succeeded')
}

async function listen(greet: (socket: Socket) => unknown): Promise<{ port: number; kill(): void }> {
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    greet(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    kill: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
