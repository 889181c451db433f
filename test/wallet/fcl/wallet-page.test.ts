import { expect } from 'chai'
import Koa from 'koa'
import { closeServer, listen } from '../../../src/platform/http/connections.ts'
import { createWalletPage } from '../../../src/wallet/page.ts'

const wallet = 'https://wallet.example'

describe('wallet paths for applications', () => {
  let stop: () => Promise<void>
  let url = ''

  before(async () => {
    const app = new Koa()
    app.use(
      createWalletPage(
        { file: () => Promise.resolve({ body: Buffer.from('<p>page</p>'), type: 'text/html', isImmutable: false }) },
        () => `${wallet}/`,
      ),
    )
    const handle = app.callback()
    const { server, port } = await listen((request, response) => void handle(request, response), {
      host: '127.0.0.1',
      port: 0,
    })
    url = `http://127.0.0.1:${port}`
    stop = () => closeServer(server, 0)
  })
  after(() => stop())

  it('are windows that can message their opener, and that cannot be framed', async () => {
    for (const path of ['/fcl/authn', '/fcl/authz', '/fcl/user-signature']) {
      const { status, headers } = await fetch(`${url}${path}?l6n=https://app.example`)
      expect(status).to.equal(200)
      expect(headers.get('cross-origin-opener-policy'), path).to.equal('unsafe-none')
      expect(headers.get('x-frame-options')).to.equal('DENY')
      expect(headers.get('content-security-policy'))
        .to.include("frame-ancestors 'none'")
        .and.include("script-src 'self'")
    }
    for (const path of ['/', '/send', '/passkeys'])
      expect((await fetch(`${url}${path}`)).headers.get('cross-origin-opener-policy'), path).to.equal('same-origin')
    for (const path of ['/fcl', '/fcl/', '/fcl/other', '/fcl/authz/', '/FCL/authz'])
      expect((await fetch(`${url}${path}`)).status, path).to.equal(404)
    expect((await fetch(`${url}/fcl/authz`, { method: 'POST' })).status).to.equal(404)
  })

  it('are discoverable by libraries on any page', async () => {
    const requested = await fetch(`${url}/fcl/services`, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    })
    expect([
      requested.status,
      requested.headers.get('access-control-allow-origin'),
      requested.headers.get('access-control-allow-headers'),
    ]).to.deep.equal([204, '*', 'content-type'])
    for (const init of [
      {},
      { method: 'POST', body: '{"type":["authn"]}', headers: { 'content-type': 'application/json' } },
    ]) {
      const answer = await fetch(`${url}/fcl/services`, init)
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
      expect(await answer.json()).to.deep.include.members([
        {
          f_type: 'Service',
          f_vsn: '1.0.0',
          type: 'authn',
          uid: 'flowfarm#authn',
          method: 'POP/RPC',
          endpoint: `${wallet}/fcl/authn`,
          provider: {
            f_type: 'ServiceProvider',
            f_vsn: '1.0.0',
            address: null,
            name: 'flowfarm wallet',
            description: 'A wallet that signs with passkeys.',
            website: wallet,
          },
        },
      ])
    }
  })
})
