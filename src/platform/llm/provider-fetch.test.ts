import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as pass } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { RedirectError, providerFetch } from './provider-fetch.ts'

describe('provider requests', () => {
  const requested: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
  let server: Server
  let url: string

  before((done) => {
    server = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        const { url: path = '', headers } = request
        let body = ''
        for await (const bytes of request as AsyncIterable<Buffer>) if (path !== '/hold') body += bytes.toString()
        requested.push({ path, headers, body })
        if (path === '/elsewhere') response.writeHead(307, { Location: '/other' }).end()
        else if (path === '/hold') response.writeHead(200).write('first')
        else response.writeHead(200).end('whole')
      }
      answer().catch((error: unknown) => response.destroy(error as Error))
    }).listen(0, '127.0.0.1', () => {
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      done()
    })
  })

  beforeEach(() => {
    requested.length = 0
  })

  after((done) => {
    server.close(done)
    server.closeAllConnections()
  })

  const call = (path: string, body: string): Promise<Response> =>
    providerFetch(1000)(`${url}${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })

  it('have a Content-Length, which small servers require', async () => {
    const body = JSON.stringify({ question: '多少 🙂' })
    expect(await (await call('/', body)).text()).to.equal('whole')
    expect(requested[0]?.body).to.equal(body)
    expect(requested[0]?.headers).to.include({
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/json',
    })
    expect(requested[0]?.headers).to.not.have.property('transfer-encoding')
  })

  it('do not follow redirects', async () => {
    const error: unknown = await call('/elsewhere', '{}').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RedirectError)
    expect(requested.map(({ path }) => path)).to.deep.equal(['/elsewhere'])
  })

  it('release the request body while the response streams', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const held = async (): Promise<number> => {
      collect()
      // Streams release their buffers in a later event loop iteration.
      await pass()
      collect()
      return process.memoryUsage().external
    }
    await call('/hold', '{}').then((response) => response.body?.cancel())
    const before = await held()
    const megabyte = 1024 * 1024
    const responses: Response[] = []
    for (let n = 0; n < 20; n++) responses.push(await call('/hold', 'x'.repeat(megabyte)))
    expect((await held()) - before).to.be.lessThan(8 * megabyte)
    await Promise.all(responses.flatMap(({ body }) => (body === null ? [] : [body.cancel()])))
  })
})
