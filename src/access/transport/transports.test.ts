import { getEventListeners, once } from 'node:events'
import { globalAgent } from 'node:https'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { expect } from 'chai'
import { grpcCodes, GrpcError } from './grpc-status.ts'
import type { GrpcCode } from './grpc-status.ts'
import { GrpcJsTransport } from './grpc-js-transport.ts'
import { GrpcWebTransport } from './grpc-web-transport.ts'
import { Http2Transport } from './http2-transport.ts'
import { NativeTransport } from './connect.ts'
import { parseEndpoint } from './endpoint.ts'
import { certificate, GrpcTestServer, GrpcWebTestServer, pattern } from '../../../test/support/grpc-servers.ts'
import type { Transport } from './transport.ts'

import fc from 'fast-check'

interface Kind {
  readonly name: string
  readonly scheme: string
  readonly start: (options: { readonly port?: number }) => Promise<GrpcTestServer | GrpcWebTestServer>
  readonly connect: (endpoint: string) => Transport
}

const ca = certificate.cert
const plain = (options: { readonly port?: number }): Promise<GrpcTestServer> => GrpcTestServer.start(options)
const tls = (options: { readonly port?: number }): Promise<GrpcTestServer> =>
  GrpcTestServer.start({ ...options, tls: true })

const kinds: readonly Kind[] = [
  { name: 'Http2Transport', scheme: 'grpc', start: plain, connect: (e) => new Http2Transport(parseEndpoint(e)) },
  {
    name: 'Http2Transport, TLS',
    scheme: 'grpcs',
    start: tls,
    connect: (e) => new Http2Transport(parseEndpoint(e), { ca }),
  },
  { name: 'GrpcJsTransport', scheme: 'grpc', start: plain, connect: (e) => new GrpcJsTransport(parseEndpoint(e)) },
  {
    name: 'GrpcJsTransport, TLS',
    scheme: 'grpcs',
    start: tls,
    connect: (e) => new GrpcJsTransport(parseEndpoint(e), { ca }),
  },
  { name: 'NativeTransport', scheme: 'grpc', start: plain, connect: (e) => new NativeTransport(parseEndpoint(e)) },
  {
    name: 'GrpcWebTransport',
    scheme: 'http',
    start: (options) => GrpcWebTestServer.start(options),
    connect: (e) => new GrpcWebTransport(parseEndpoint(e)),
  },
  {
    name: 'GrpcWebTransport, TLS',
    scheme: 'https',
    start: (options) => GrpcWebTestServer.start({ ...options, tls: true }),
    connect: (e) => new GrpcWebTransport(parseEndpoint(e)),
  },
]

/** The server selects a certificate by name. */
function hostOf(kind: Kind): string {
  return kind.scheme.endsWith('s') ? 'localhost' : '127.0.0.1'
}

/** Long enough for all expected messages. */
const patient = { timeoutMs: 20_000 }

async function errorOf(call: Promise<unknown>): Promise<GrpcError> {
  try {
    await call
  } catch (error) {
    expect(error).to.be.instanceOf(GrpcError)
    return error as GrpcError
  }
  throw new Error('the call succeeded')
}

function text(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
}

for (const kind of kinds) {
  describe(`${kind.name} (all transports)`, () => {
    let server: GrpcTestServer | GrpcWebTestServer
    let transport: Transport
    const agentCa = globalAgent.options.ca

    before(() => {
      globalAgent.options.ca = ca
    })

    after(() => {
      globalAgent.options.ca = agentCa
    })

    beforeEach(async () => {
      server = await kind.start({})
      transport = kind.connect(`${kind.scheme}://${hostOf(kind)}:${server.port}`)
    })

    afterEach(async () => {
      await transport.close()
      server.kill()
    })

    it('transfers bytes unchanged in both directions', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
          const answer = await transport.unary('Echo', bytes, patient)
          expect(answer.equals(bytes)).to.equal(true)
          expect(Buffer.isBuffer(answer)).to.equal(true)
        }),
        { numRuns: 50 },
      )
    })

    it('calls the requested service', async () => {
      await transport.unary('Echo', text('a'), patient)
      await transport.unary('Echo', text('b'), { ...patient, service: 'access.AccessAPI' })
      expect([...server.calls.services]).to.deep.equal(['flow.access.AccessAPI', 'access.AccessAPI'])
    })

    it('returns every status as a GrpcError with the message of the node', async () => {
      for (const [code, name] of grpcCodes.entries()) {
        if (code === 0) continue
        const reason = `could not find block: 100% “höhe” ✓ ${code}\nspork root`
        const error = await errorOf(transport.unary('Fail', text({ code, reason }), patient))
        expect(error.grpcCode).to.equal(name === 'CANCELLED' ? 'UNAVAILABLE' : name)
        expect(error.message).to.contain(reason)
        expect(error.method).to.equal('Fail')
        expect(error.endpoint).to.contain(String(server.port))
      }
    })

    it('carries a 20 MB response', async () => {
      const length = 20_000_000
      const answer = await transport.unary('Sized', text(String(length)), patient)
      expect(answer.equals(pattern(length))).to.equal(true)
    })

    it('carries hundreds of concurrent responses with one signal and without warnings', async () => {
      const warnings: Error[] = []
      const warn = (warning: Error): void => void warnings.push(warning)
      process.on('warning', warn)
      const { signal } = new AbortController()
      const lengths = Array.from({ length: 400 }, (_, i) => (i * 997) % 40_000)
      const answers = await Promise.all(
        lengths.map((length) => transport.unary('Sized', text(String(length)), { ...patient, signal })),
      )
      for (const [i, answer] of answers.entries()) expect(answer.equals(pattern(lengths[i] ?? 0))).to.equal(true)
      process.off('warning', warn)
      expect(warnings).to.deep.equal([])
      expect(getEventListeners(signal, 'abort')).to.deep.equal([])
    })

    it('cancels at the deadline and notifies the node', async () => {
      const started: unknown[] = []
      server.calls.events.on('begin', (method) => started.push(method))
      const cancelled = new Promise<void>((resolve) => {
        server.calls.events.on('cancel', (method) => method === 'Never' && resolve())
      })
      // On a busy machine a deadline may pass before the request is sent.
      for (let timeoutMs = 50; !started.includes('Never'); timeoutMs *= 2) {
        const error = await errorOf(transport.unary('Never', text(''), { timeoutMs }))
        expect(error.grpcCode).to.equal('DEADLINE_EXCEEDED')
        // The request arrives before the response to a later call.
        await transport.unary('Echo', text(''), patient)
      }
      await cancelled
    })

    it('cancels on abort and notifies the node', async () => {
      const controller = new AbortController()
      const [started, cancelled] = [once(server.calls.events, 'begin'), once(server.calls.events, 'cancel')]
      const error = errorOf(transport.unary('Never', text(''), { ...patient, signal: controller.signal }))
      await started
      const reason = new Error('enough')
      controller.abort(reason)
      expect((await error).grpcCode).to.equal('CANCELLED')
      expect((await error).cause).to.equal(reason)
      expect(await cancelled).to.deep.equal(['Never'])
    })

    it('does not start a call that was already aborted', async () => {
      const error = await errorOf(transport.unary('Echo', text(''), { ...patient, signal: AbortSignal.abort() }))
      expect(error.grpcCode).to.equal('CANCELLED')
      expect(server.calls.services.size).to.equal(0)
    })

    it('returns UNAVAILABLE with the reason if the port is closed', async () => {
      const probe = createServer().listen(0, '127.0.0.1')
      await once(probe, 'listening')
      const { port } = probe.address() as AddressInfo
      probe.close()
      await once(probe, 'close')
      const other = kind.connect(`${kind.scheme}://${hostOf(kind)}:${port}`)
      const error = await errorOf(other.unary('Echo', text(''), patient))
      expect(error.grpcCode).to.equal('UNAVAILABLE')
      expect(error.message).to.contain('ECONNREFUSED')
      await other.close()
    })

    it('fails calls in flight when the node dies, and reconnects', async () => {
      const started = once(server.calls.events, 'begin')
      const error = errorOf(transport.unary('Never', text(''), patient))
      await started
      server.kill()
      expect((await error).grpcCode).to.equal('UNAVAILABLE')
      server = await kind.start({ port: server.port })
      expect((await eventually(transport)).toString()).to.equal('again')
    })

    it('returns UNAVAILABLE after close', async () => {
      await transport.unary('Echo', text(''), patient)
      await transport.close()
      const error = await errorOf(transport.unary('Echo', text(''), patient))
      expect(error.grpcCode).to.equal('UNAVAILABLE')
    })

    if (kind.scheme.startsWith('grpc') && kind.name !== 'Http2Transport' && kind.name !== 'Http2Transport, TLS') {
      streamConformance(() => ({ server: server as GrpcTestServer, transport }))
    }
  })
}

/** A transport may reject calls briefly after a fault, then must recover. */
async function eventually(transport: Transport): Promise<Buffer> {
  for (;;) {
    try {
      return await transport.unary('Echo', text('again'), patient)
    } catch (error) {
      const code: GrpcCode = (error as GrpcError).grpcCode
      if (code !== 'UNAVAILABLE') throw error
    }
  }
}

describe('NativeTransport', () => {
  it('uses one connection per stream and closes it with the stream', async () => {
    const server = await plain({})
    const sockets: Socket[] = []
    const proxy = createServer((socket) => {
      sockets.push(socket)
      pipeline(socket, connect(server.port, '127.0.0.1'), socket, () => undefined)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const transport = new NativeTransport(parseEndpoint(`127.0.0.1:${(proxy.address() as AddressInfo).port}`))
    try {
      for (const count of [1, 2]) {
        let isFirst = true
        for await (const message of transport.serverStream('Count', text({ until: -1, code: 0 }), {})) {
          if (isFirst) expect(sockets).to.have.lengthOf(count)
          isFirst = false
          if (message.toString() === '100') break
        }
        const socket = sockets.at(-1)
        if (socket?.closed === false) await once(socket, 'close')
      }
    } finally {
      await transport.close()
      proxy.close()
      server.kill()
    }
  })
})

function streamConformance(current: () => { server: GrpcTestServer; transport: Transport }): void {
  const open = (until: number, code: number, signal?: AbortSignal): AsyncIterable<Buffer> => {
    const { transport } = current()
    if (transport.serverStream === undefined) throw new Error('no streams')
    return transport.serverStream('Count', text({ until, code }), signal === undefined ? {} : { signal })
  }

  it('delivers messages until the stream ends', async () => {
    const got: string[] = []
    for await (const message of open(1000, 0)) got.push(message.toString())
    expect(got).to.deep.equal(Array.from({ length: 1000 }, (_, i) => String(i)))
  })

  it('returns the final status as a GrpcError after the messages', async () => {
    let count = 0
    const read = async (): Promise<void> => {
      for await (const message of open(3, 8)) count += message.length
    }
    const error = await errorOf(read())
    expect(count).to.equal(3)
    expect(error.grpcCode).to.equal('RESOURCE_EXHAUSTED')
    expect(error.message).to.contain('the count is over')
  })

  it('ends an endless stream when its reader stops', async () => {
    const cancelled = once(current().server.calls.events, 'cancel')
    for await (const message of open(-1, 0)) if (message.toString() === '100') break
    expect(await cancelled).to.deep.equal(['Count'])
  })

  it('ends an endless stream on abort', async () => {
    const controller = new AbortController()
    const cancelled = once(current().server.calls.events, 'cancel')
    const read = async (): Promise<void> => {
      for await (const message of open(-1, 0, controller.signal)) if (message.toString() === '100') controller.abort()
    }
    expect((await errorOf(read())).grpcCode).to.equal('CANCELLED')
    expect(await cancelled).to.deep.equal(['Count'])
  })

  it('ends an endless stream when the transport closes', async () => {
    const read = async (): Promise<void> => {
      for await (const message of open(-1, 0)) if (message.toString() === '100') await current().transport.close()
    }
    expect((await errorOf(read())).grpcCode).to.equal('UNAVAILABLE')
  })

  it('returns UNAVAILABLE if the node dies during a stream', async () => {
    const read = async (): Promise<void> => {
      for await (const message of open(-1, 0)) if (message.toString() === '100') current().server.kill()
    }
    expect((await errorOf(read())).grpcCode).to.equal('UNAVAILABLE')
  })
}
