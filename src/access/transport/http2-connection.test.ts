import { once } from 'node:events'
import { constants } from 'node:http2'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { expect } from 'chai'
import { GrpcError, frameOf } from './grpc-status.ts'
import { Http2Transport } from './http2-transport.ts'
import { parseEndpoint } from './endpoint.ts'
import { certificate, pattern } from '../../../test/support/grpc-servers.ts'
import {
  Http2TestServer,
  respond,
  headerBlock,
  rawFrame,
  RawHttp2Server,
  settingsPayload,
  uint32,
  errorCode,
  frameType,
  setting,
} from '../../../test/support/http2-servers.ts'
import type { RawAnswer, RawFrame, RawPeer } from '../../../test/support/http2-servers.ts'

import fc from 'fast-check'

const request = Buffer.from('request')
const patient = { timeoutMs: 20_000 }
const ok = { 'grpc-status': '0' }
const grpcHeaders = { ':status': '200', 'content-type': 'application/grpc' }

describe('Http2Connection', () => {
  const open: { close(): Promise<void> }[] = []
  const servers: { kill(): void }[] = []

  afterEach(async () => {
    for (const server of servers.splice(0)) server.kill()
    await Promise.all(open.splice(0).map((transport) => transport.close()))
  })

  function connect(port: number): Http2Transport {
    const transport = new Http2Transport(parseEndpoint(`127.0.0.1:${port}`))
    open.push(transport)
    return transport
  }

  async function serve(answer: RawAnswer, settings?: Buffer): Promise<RawHttp2Server> {
    const server = await RawHttp2Server.start(answer, settings)
    servers.push(server)
    return server
  }

  function answer(peer: RawPeer, stream: number, text = 'x'): void {
    peer.headers(stream, grpcHeaders)
    peer.data(stream, frameOf(Buffer.from(text)))
    peer.headers(stream, ok, true)
  }

  /** Resolves with the frames received by the server, after the connection ends. */
  async function framesUntilEnd(act: RawAnswer, settings?: Buffer): Promise<{ frames: RawFrame[]; error: GrpcError }> {
    const server = await serve(act, settings)
    const error = await errorOf(connect(server.port).unary('Ping', request, patient))
    const [peer] = server.peers
    if (peer === undefined) throw new Error('nobody connected')
    await peer.frameThat(({ type }) => type === frameType.goaway)
    return { frames: peer.received, error }
  }

  it('closes the connection with the matching error code after a protocol violation', async () => {
    const breaks: [code: number, act: RawAnswer][] = [
      [errorCode.protocolError, (peer) => peer.frame(frameType.data, 0, 0, request)],
      [errorCode.protocolError, (peer) => peer.frame(frameType.data, 0, 2, request)],
      [errorCode.protocolError, (peer) => peer.frame(frameType.data, 0, 99, request)],
      [errorCode.protocolError, (peer) => peer.headers(99, grpcHeaders)],
      [errorCode.protocolError, (peer) => peer.headers(0, grpcHeaders)],
      [errorCode.protocolError, (peer) => peer.reset(99, 0)],
      [errorCode.protocolError, (peer) => peer.frame(frameType.windowUpdate, 0, 99, uint32(1))],
      [errorCode.protocolError, (peer) => peer.frame(frameType.windowUpdate, 0, 0, uint32(0))],
      [errorCode.flowControlError, (peer) => peer.frame(frameType.windowUpdate, 0, 0, uint32(2 ** 31 - 1))],
      [errorCode.protocolError, (peer, stream) => peer.frame(frameType.pushPromise, 4, stream, uint32(2))],
      [errorCode.protocolError, (peer, stream) => peer.frame(frameType.continuation, 4, stream, headerBlock(ok))],
      [
        errorCode.protocolError,
        (peer, stream) => {
          peer.frame(frameType.headers, 0, stream, headerBlock(grpcHeaders))
          peer.frame(frameType.ping, 0, 0, Buffer.alloc(8))
        },
      ],
      [
        errorCode.protocolError,
        (peer, stream) => {
          peer.frame(frameType.headers, 0, stream, headerBlock(grpcHeaders))
          peer.frame(frameType.continuation, 4, stream + 2, headerBlock(grpcHeaders))
        },
      ],
      [errorCode.protocolError, (peer, stream) => peer.frame(frameType.headers, 12, stream, Buffer.from([9, 0]))],
      [errorCode.frameSizeError, (peer, stream) => peer.frame(frameType.headers, 36, stream, Buffer.alloc(4))],
      [errorCode.frameSizeError, (peer) => peer.frame(frameType.ping, 0, 0, Buffer.alloc(7))],
      [errorCode.frameSizeError, (peer) => peer.frame(frameType.settings, 1, 0, Buffer.alloc(6))],
      [errorCode.frameSizeError, (peer) => peer.frame(frameType.goaway, 0, 0, Buffer.alloc(7))],
      [errorCode.frameSizeError, (peer, stream) => peer.frame(frameType.resetStream, 0, stream, Buffer.alloc(5))],
      [errorCode.frameSizeError, (peer, stream) => peer.frame(frameType.priority, 0, stream, Buffer.alloc(4))],
      [errorCode.frameSizeError, (peer, stream) => peer.frame(frameType.windowUpdate, 0, stream, Buffer.alloc(3))],
      [errorCode.frameSizeError, (peer) => peer.frame(99, 0, 0, Buffer.alloc(16_385))],
      [errorCode.protocolError, (peer) => peer.frame(frameType.settings, 0, 1, Buffer.alloc(0))],
      [errorCode.protocolError, setTo(setting.enablePush, 1)],
      [errorCode.protocolError, setTo(setting.maxFrameSize, 16_383)],
      [errorCode.flowControlError, setTo(setting.initialWindowSize, 2 ** 31)],
      [errorCode.compressionError, (peer, stream) => peer.frame(frameType.headers, 4, stream, Buffer.from([0x80]))],
      // A CONTINUATION flood.
      [
        errorCode.internalError,
        (peer, stream) => {
          peer.frame(frameType.headers, 0, stream, Buffer.alloc(16_384))
          for (let i = 0; i < 64; i++) peer.frame(frameType.continuation, 0, stream, Buffer.alloc(16_384))
        },
      ],
    ]
    for (const [code, act] of breaks) {
      const { frames, error } = await framesUntilEnd(act)
      expect(error.grpcCode, act.toString()).to.equal('UNAVAILABLE')
      expect(frames.at(-1)?.payload.readUInt32BE(4), act.toString()).to.equal(code)
    }
  })

  it('requires SETTINGS as the first frame', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => socket.destroy()).resume()
      socket.write(rawFrame(frameType.ping, 0, 0, Buffer.alloc(8)))
      socket.write(rawFrame(frameType.settings, 0, 0, Buffer.alloc(0)))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const error = await errorOf(connect(port).unary('Ping', request, patient))
    expect(error.grpcCode).to.equal('UNAVAILABLE')
    server.close()
  })

  it('fails a call whose stream violates the protocol, and continues with the next', async () => {
    const onStream: RawAnswer[] = [
      (peer, stream) => peer.headers(stream, ok),
      (peer, stream) => {
        peer.headers(stream, grpcHeaders)
        peer.headers(stream, ok)
      },
    ]
    const onConnection: RawAnswer[] = [
      (peer, stream) => peer.frame(frameType.windowUpdate, 0, stream, uint32(2 ** 31 - 1)),
      (peer, stream) => peer.data(stream, frameOf(request)),
      (peer, stream) => peer.frame(frameType.windowUpdate, 0, stream, uint32(0)),
    ]
    for (const act of [...onStream, ...onConnection]) {
      let isFirst = true
      const server = await serve((peer, stream) => {
        if (isFirst) act(peer, stream)
        else answer(peer, stream, 'well')
        isFirst = false
      })
      const transport = connect(server.port)
      const { grpcCode } = await errorOf(transport.unary('Ping', request, patient))
      expect(grpcCode, act.toString()).to.equal(onStream.includes(act) ? 'INTERNAL' : 'UNAVAILABLE')
      expect((await transport.unary('Ping', request, patient)).toString()).to.equal('well')
      expect(server.peers.length, act.toString()).to.equal(onStream.includes(act) ? 1 : 2)
    }
  })

  it('returns RESOURCE_EXHAUSTED for headers over 1 MiB and continues', async () => {
    const long = Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4000, 0x62)])
    const server = await serve((peer, stream) => {
      if (stream > 1) return answer(peer, stream)
      // One 4,000-byte header from the dynamic table, 300 times.
      peer.frame(frameType.headers, 4, stream, Buffer.concat([long, Buffer.alloc(300, 0xbe)]))
    })
    const transport = connect(server.port)
    expect((await errorOf(transport.unary('Ping', request, patient))).grpcCode).to.equal('RESOURCE_EXHAUSTED')
    expect((await transport.unary('Ping', request, patient)).toString()).to.equal('x')
    expect(server.peers.length).to.equal(1)
  })

  it('respects flow-control windows and resumes when they widen or settings change', async () => {
    const body = Buffer.alloc(100_000, 'flow')
    const server = await serve(() => undefined, settingsPayload({ [setting.initialWindowSize]: 10 }))
    const call = connect(server.port).unary('Ping', body, patient)
    const peer = await opened(server)
    const pieces = (): Buffer[] => peer.received.filter(({ type }) => type === 0).map(({ payload }) => payload)
    const got = (): Buffer => Buffer.concat(pieces())
    let marks = 0
    const until = async (length: number): Promise<void> => {
      await peer.frameThat(() => got().length >= length)
      // Excess data would arrive before the ping response.
      const mark = Buffer.from(String(marks++).padStart(8))
      peer.frame(frameType.ping, 0, 0, mark)
      await peer.frameThat(({ type, payload }) => type === frameType.ping && payload.equals(mark))
      expect(got().length).to.equal(length)
    }
    await until(10)
    peer.frame(frameType.windowUpdate, 0, 1, uint32(5))
    await until(15)
    peer.frame(frameType.settings, 0, 0, settingsPayload({ [setting.initialWindowSize]: 0 }))
    peer.frame(frameType.windowUpdate, 0, 1, uint32(5))
    await until(15)
    peer.frame(frameType.settings, 0, 0, settingsPayload({ [setting.initialWindowSize]: 200_000 }))
    // Now the connection window is the narrower one.
    await until(65_535)
    peer.frame(frameType.windowUpdate, 0, 0, uint32(65_535))
    await until(100_005)
    expect(got().equals(frameOf(body))).to.equal(true)
    expect(Math.max(...pieces().map(({ length }) => length))).to.be.at.most(16_384)
    answer(peer, 1)
    await call
  })

  it('sends long requests to a node with small windows and no header table', async () => {
    const body = pattern(300_000)
    const server = await Http2TestServer.start(
      (stream) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => respond(stream, frameOf(Buffer.concat(chunks)), ok))
      },
      { settings: { initialWindowSize: 1000, maxConcurrentStreams: 2, headerTableSize: 0 } },
    )
    servers.push(server)
    const transport = connect(server.port)
    const answers = await Promise.all(Array.from({ length: 5 }, () => transport.unary('Ping', body, patient)))
    for (const answer of answers) expect(answer.equals(frameOf(body))).to.equal(true)
  })

  it('resets the stream if the node responds before reading the request', async () => {
    const server = await serve(
      (peer, stream) => peer.headers(stream, { ...grpcHeaders, 'grpc-status': '8' }, true),
      settingsPayload({ [setting.initialWindowSize]: 1 }),
    )
    const error = await errorOf(connect(server.port).unary('Ping', request, patient))
    expect(error.grpcCode).to.equal('RESOURCE_EXHAUSTED')
    await server.peers[0]?.frameThat(({ type, stream }) => type === frameType.resetStream && stream === 1)
  })

  it('replenishes the receive windows and never sends a zero increment', async () => {
    const length = 90_000_000
    const server = await serve((peer, stream) => {
      peer.headers(stream, grpcHeaders)
      const body = frameOf(Buffer.alloc(length, 'x'))
      for (let at = 0; at < body.length; at += 16_384) peer.data(stream, body.subarray(at, at + 16_384))
      peer.headers(stream, ok, true)
    })
    expect((await connect(server.port).unary('Ping', request, { timeoutMs: 60_000 })).length).to.equal(length)
    const given = { connection: 65_535, stream: 16 * 1024 * 1024 }
    for (const { type, stream, payload } of server.peers[0]?.received ?? []) {
      if (type !== frameType.windowUpdate) continue
      expect(payload.readUInt32BE(0)).to.be.greaterThan(0)
      given[stream === 0 ? 'connection' : 'stream'] += payload.readUInt32BE(0)
    }
    expect(given.connection).to.be.within(length, length + 64 * 1024 * 1024)
    expect(given.stream).to.be.within(length, length + 16 * 1024 * 1024)
  })

  it('replenishes the window for discarded data', async () => {
    const server = await serve((peer, stream) => {
      peer.headers(stream, grpcHeaders)
      if (stream > 1) return
      // Compressed data is rejected at the first byte; the node keeps sending until it receives the
      // reset.
      for (let i = 0; i < 2200; i++) peer.data(stream, Buffer.alloc(16_384, 1))
    })
    const error = await errorOf(connect(server.port).unary('Ping', request, patient))
    expect(error.message).to.contain('compressed')
    const [peer] = server.peers
    const isMore = ({ type, stream, payload }: RawFrame): boolean =>
      type === frameType.windowUpdate && stream === 0 && payload.readUInt32BE(0) < 40_000_000
    expect((await peer?.frameThat(isMore))?.payload.readUInt32BE(0)).to.be.at.least(32 * 1024 * 1024)
  })

  it('responds to pings and ignores unknown and late frames', async () => {
    const server = await serve((peer, stream) => {
      peer.frame(99, 255, stream, Buffer.alloc(100))
      peer.frame(frameType.priority, 0, stream, Buffer.alloc(5))
      peer.frame(frameType.settings, 0, 0, settingsPayload({ 99: 1, [setting.maxFrameSize]: 20_000 }))
      peer.frame(frameType.ping, 0, 0, Buffer.from('question'))
      peer.headers(stream, { ':status': '103', link: 'x' })
      if (stream > 1) {
        peer.data(1, request)
        peer.headers(1, ok, true)
        peer.reset(1, 0)
        peer.frame(frameType.windowUpdate, 0, 1, uint32(1))
      }
      answer(peer, stream)
    })
    const transport = connect(server.port)
    await transport.unary('Ping', request, patient)
    await transport.unary('Ping', request, patient)
    const peer = server.peers[0]
    const pong = await peer?.frameThat(({ type }) => type === frameType.ping)
    expect([pong?.flags, pong?.payload.toString()]).to.deep.equal([1, 'question'])
    expect(peer?.received.some(({ type }) => type === frameType.resetStream)).to.equal(false)
  })

  it('accepts headers with padding and priority', async () => {
    const server = await serve((peer, stream) => {
      const block = headerBlock(grpcHeaders)
      const payload = Buffer.concat([Buffer.from([4]), Buffer.alloc(5, 9), block, Buffer.alloc(4)])
      peer.frame(frameType.headers, 4 | 8 | 32, stream, payload)
      peer.data(stream, frameOf(Buffer.from('padded')))
      peer.headers(stream, ok, true)
    })
    expect((await connect(server.port).unary('Ping', request, patient)).toString()).to.equal('padded')
  })

  it('does not abort a call that ends with an error', async () => {
    const server = await serve((peer, stream) => peer.headers(stream, { ...grpcHeaders, 'grpc-status': '5' }, true))
    const transport = connect(server.port)
    for (let i = 0; i < 3; i++) await errorOf(transport.unary('Ping', request, patient))
    expect(server.peers[0]?.received.filter(({ type }) => type === frameType.resetStream)).to.deep.equal([])
  })

  it('follows changes of the concurrent stream limit', async () => {
    const streams: number[] = []
    const server = await serve(
      (_, stream) => streams.push(stream),
      settingsPayload({ [setting.maxConcurrentStreams]: 1 }),
    )
    const transport = connect(server.port)
    const calls = Array.from({ length: 4 }, () => transport.unary('Ping', request, patient))
    const peer = await opened(server)
    expect(streams).to.deep.equal([1])
    peer.frame(frameType.settings, 0, 0, settingsPayload({ [setting.maxConcurrentStreams]: 3 }))
    await peer.frameThat(({ stream }) => stream === 5)
    peer.frame(frameType.settings, 0, 0, settingsPayload({ [setting.maxConcurrentStreams]: 2 }))
    answer(peer, 1)
    await calls[0]
    expect(streams).to.deep.equal([1, 3, 5])
    answer(peer, 3)
    await peer.frameThat(({ stream }) => stream === 7)
    answer(peer, 5)
    answer(peer, 7)
    await Promise.all(calls)
  })

  it('fails calls excluded by GOAWAY and completes the others', async () => {
    const server = await serve(() => undefined)
    const transport = connect(server.port)
    const taken = transport.unary('Ping', request, patient)
    const leftOut = errorOf(transport.unary('Ping', request, patient))
    const peer = await opened(server)
    await peer.frameThat(({ stream }) => stream === 3)
    peer.goaway(2 ** 31 - 1, constants.NGHTTP2_NO_ERROR)
    peer.goaway(1, constants.NGHTTP2_NO_ERROR)
    expect((await leftOut).grpcCode).to.equal('UNAVAILABLE')
    answer(peer, 1, 'taken')
    expect((await taken).toString()).to.equal('taken')
    await once(peer.socket, 'close')
  })

  it('returns UNAVAILABLE over TLS if ALPN does not select HTTP/2', async () => {
    for (const protocols of [{ ALPNProtocols: ['http/1.1'] }, {}]) {
      const each = createServer({ ...certificate, ...protocols })
      each
        .on('tlsClientError', () => undefined)
        .on('secureConnection', (socket) => {
          socket.on('error', () => socket.destroy())
        })
      each.listen(0, '127.0.0.1')
      await once(each, 'listening')
      const { port } = each.address() as AddressInfo
      const transport = new Http2Transport(parseEndpoint(`grpcs://localhost:${port}`), { ca: certificate.cert })
      const error = await errorOf(transport.unary('Ping', request, patient))
      expect(error.grpcCode).to.equal('UNAVAILABLE')
      each.close()
    }
  })

  it('closes a connection to a node that requests replies but does not read them', async () => {
    const server = await serve((peer) => {
      peer.socket.pause()
      const pings = Buffer.concat(Array.from({ length: 1000 }, () => rawFrame(frameType.ping, 0, 0, Buffer.alloc(8))))
      const more = (): void => {
        if (!peer.socket.destroyed) peer.socket.write(pings, () => setImmediate(more))
      }
      more()
    })
    const error = await errorOf(connect(server.port).unary('Ping', request, patient))
    expect(error.grpcCode).to.equal('UNAVAILABLE')
  })

  it('terminates for any input from a node', async () => {
    const frame = fc.record({
      type: fc.nat(10),
      flags: fc.nat(255),
      stream: fc.constantFrom(0, 1, 1, 1, 2, 3),
      payload: fc.oneof(
        fc.uint8Array({ maxLength: 50 }),
        fc.constantFrom(headerBlock(grpcHeaders), headerBlock(ok), frameOf(Buffer.from('answer')), uint32(8)),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 12 }), fc.uint8Array({ maxLength: 40 }), async (frames, noise) => {
        const server = await RawHttp2Server.start((peer) => {
          for (const { type, flags, stream, payload } of frames) peer.frame(type, flags, stream, Buffer.from(payload))
          peer.socket.end(noise)
        })
        const transport = new Http2Transport(parseEndpoint(`127.0.0.1:${server.port}`))
        try {
          await transport.unary('Ping', request, patient)
        } catch (error) {
          expect(error).to.be.instanceOf(GrpcError)
          expect((error as GrpcError).grpcCode).not.to.equal('DEADLINE_EXCEEDED')
        }
        await transport.close()
        server.kill()
      }),
      { numRuns: 300 },
    )
  })
})

function setTo(id: number, value: number): RawAnswer {
  return (peer) => peer.frame(frameType.settings, 0, 0, settingsPayload({ [id]: value }))
}

/** The connection that carried the first call. */
async function opened(server: RawHttp2Server): Promise<RawPeer> {
  while (server.peers[0] === undefined) await new Promise(setImmediate)
  await server.peers[0].frameThat(({ type }) => type === frameType.headers)
  return server.peers[0]
}

async function errorOf(call: Promise<unknown>): Promise<GrpcError> {
  try {
    await call
  } catch (error) {
    expect(error).to.be.instanceOf(GrpcError)
    return error as GrpcError
  }
  throw new Error('the call succeeded')
}
