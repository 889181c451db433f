import { globalAgent } from 'node:https'
import { expect } from 'chai'
import { GrpcError } from './grpc-status.ts'
import { GrpcWebTransport } from './grpc-web-transport.ts'
import { NativeTransport } from './connect.ts'
import { parseEndpoint } from './endpoint.ts'
import { certificate, GrpcTestServer, GrpcWebTestServer, pattern } from '../../../test/support/grpc-servers.ts'
import { ConnectProxy } from '../../../test/support/connect-proxy.ts'
import type { ConnectProxyOptions } from '../../../test/support/connect-proxy.ts'
import type { Transport } from './transport.ts'

const ca = certificate.cert
const patient = { timeoutMs: 20_000 }
const variables = ['grpc_proxy', 'https_proxy', 'http_proxy', 'no_grpc_proxy', 'no_proxy'] as const

/** @param host from the endpoint; without TLS, a name that only the proxy resolves */
const kinds = [
  { name: 'gRPC', scheme: 'grpc', host: 'node.invalid', isWeb: false },
  { name: 'gRPC over TLS', scheme: 'grpcs', host: 'localhost', isWeb: false },
  { name: 'gRPC-web', scheme: 'http', host: 'node.invalid', isWeb: true },
  { name: 'gRPC-web over TLS', scheme: 'https', host: 'localhost', isWeb: true },
] as const

for (const { name, scheme, host, isWeb } of kinds) {
  const tls = scheme.endsWith('s')

  describe(`${name} through an HTTP proxy`, () => {
    const before_ = new Map(variables.map((variable) => [variable, process.env[variable]]))
    const agentCa = globalAgent.options.ca
    const ended: (() => unknown)[] = []
    let node: GrpcTestServer | GrpcWebTestServer
    let proxy: ConnectProxy

    beforeEach(async () => {
      globalAgent.options.ca = ca
      for (const variable of variables) delete process.env[variable]
      node = await (isWeb ? GrpcWebTestServer : GrpcTestServer).start({ tls })
    })

    afterEach(async () => {
      for (const end of ended.splice(0).toReversed()) await end()
      node.kill()
      globalAgent.options.ca = agentCa
      for (const [variable, value] of before_) {
        if (value === undefined) delete process.env[variable]
        else process.env[variable] = value
      }
    })

    async function startProxy(options: ConnectProxyOptions = {}, login = ''): Promise<void> {
      const started = await ConnectProxy.start(options)
      ended.push(() => started.kill())
      proxy = started
      process.env['https_proxy'] = `http://${login}127.0.0.1:${proxy.port}`
    }

    function connect(to: string = host): Transport {
      const endpoint = parseEndpoint(`${scheme}://${to}:${node.port}`)
      const transport = isWeb ? new GrpcWebTransport(endpoint) : new NativeTransport(endpoint, tls ? { ca } : {})
      ended.push(() => transport.close())
      return transport
    }

    async function errorOf(transport: Transport): Promise<GrpcError> {
      try {
        await transport.unary('Echo', Buffer.from('x'), patient)
      } catch (error) {
        expect(error).to.be.instanceOf(GrpcError)
        return error as GrpcError
      }
      throw new Error('the call succeeded')
    }

    it('carries unary calls, including large and concurrent ones', async () => {
      await startProxy()
      const transport = connect()
      const size = 5_000_000
      const answers = await Promise.all([
        transport.unary('Sized', Buffer.from(JSON.stringify(size)), patient),
        transport.unary('Echo', pattern(200_000), patient),
        ...Array.from({ length: 20 }, (_, n) => transport.unary('Echo', Buffer.from(`call ${n}`), patient)),
      ])
      expect(answers[0]?.length).to.equal(size)
      expect(answers[1]?.equals(pattern(200_000))).to.equal(true)
      expect(answers.slice(2).map(String)).to.deep.equal(Array.from({ length: 20 }, (_, n) => `call ${n}`))
      expect(new Set(proxy.targets)).to.deep.equal(new Set([`${host}:${node.port}`]))
    })

    it('sends percent-decoded proxy credentials', async () => {
      await startProxy({ credentials: 'us er:p@ss' }, 'us%20er:p%40ss@')
      expect(String(await connect().unary('Echo', Buffer.from('x'), patient))).to.equal('x')
    })

    it('reports a proxy rejection without the password', async () => {
      await startProxy({ credentials: 'user:right' }, 'user:wrong@')
      const error = await errorOf(connect())
      expect(error.grpcCode).to.equal('UNAVAILABLE')
      expect(error.message).to.match(
        /Cannot connect to \S+ through the proxy 127\.0\.0\.1:\d+: it responded "HTTP\/1\.1 407 /,
      )
      expect(error.message).to.contain('Set user name and password in https_proxy')
      expect(error.message).not.to.contain('wrong')
    })

    it('reports an invalid proxy, a closed port and an endless header', async () => {
      await startProxy({ answer: 'SSH-2.0-OpenSSH\r\n\r\n' })
      expect((await errorOf(connect())).message).to.contain('its response is not HTTP')
      await startProxy({ answer: 'HTTP/1.1 502 Bad Gateway\r\n\r\n' })
      expect((await errorOf(connect())).message).to.contain('it responded "HTTP/1.1 502 Bad Gateway"')
      await startProxy({ answer: `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(17 * 1024)}` })
      expect((await errorOf(connect())).message).to.contain('a header of over 16384 bytes')
      await startProxy()
      proxy.kill()
      expect((await errorOf(connect())).message).to.contain('ECONNREFUSED')
    })

    it('bypasses the proxy for nodes in no_proxy', async () => {
      await startProxy()
      process.env['no_proxy'] = 'example.org,localhost,127.0.0.0/8'
      const transport = connect(tls ? 'localhost' : '127.0.0.1')
      expect(String(await transport.unary('Echo', Buffer.from('x'), patient))).to.equal('x')
      expect(proxy.targets).to.deep.equal([])
    })

    it('reconnects after the proxy closes the connection', async () => {
      await startProxy()
      const transport = connect()
      await transport.unary('Echo', Buffer.from('x'), patient)
      proxy.kill()
      const error = await errorOf(transport)
      expect(error.grpcCode).to.equal('UNAVAILABLE')
      expect(error.message).to.match(/connection (failed|lost)/)
    })

    if (!isWeb) {
      it('carries streams', async () => {
        await startProxy()
        const numbers: string[] = []
        for await (const message of connect().serverStream?.('Count', Buffer.from('{"until":3,"code":0}'), {}) ?? []) {
          numbers.push(String(message))
        }
        expect(numbers).to.deep.equal(['0', '1', '2'])
        expect(proxy.targets).to.deep.equal([`${host}:${node.port}`])
      })
    }
  })
}
