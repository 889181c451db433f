import { expect } from 'chai'
import { FatalError } from '../../platform/errors.ts'
import { connect, NativeTransport } from './connect.ts'
import { GrpcWebTransport } from './grpc-web-transport.ts'
import { GrpcTestServer } from '../../../test/support/grpc-servers.ts'

describe('connect', () => {
  it('selects the transport by scheme without connecting', async () => {
    for (const endpoint of ['127.0.0.1:1', 'grpc://127.0.0.1:1', 'grpcs://127.0.0.1:1']) {
      const transport = connect(endpoint)
      expect(transport).to.be.instanceOf(NativeTransport)
      expect(transport.endpoint).to.equal(endpoint)
      await transport.close()
    }
    const web = connect('https://127.0.0.1:1')
    expect(web).to.be.instanceOf(GrpcWebTransport)
    expect('serverStream' in web).to.equal(false)
  })

  it('provides unary calls and streams for host:port', async () => {
    const server = await GrpcTestServer.start()
    const transport = connect(`127.0.0.1:${server.port}`)
    expect((await transport.unary('Echo', Buffer.from('flow'), { timeoutMs: 20_000 })).toString()).to.equal('flow')
    const got: string[] = []
    for await (const message of transport.serverStream?.('Count', Buffer.from('{"until":2,"code":0}'), {}) ?? []) {
      got.push(message.toString())
    }
    expect(got).to.deep.equal(['0', '1'])
    await transport.close()
    server.kill()
  })

  it('rejects unsupported endpoints', () => {
    expect(() => connect('ftp://node')).to.throw(FatalError, '"ftp://node"')
  })
})
