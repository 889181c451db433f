import { createServer } from 'node:http'
import { expect } from 'chai'
import Koa from 'koa'
import { createRootPage } from './serve-page.ts'
import { listenLocally } from '../../../test/support/listen-locally.ts'

describe('page at the root, over HTTP', () => {
  let stop: () => Promise<void>
  let origin: string

  before(async () => {
    const files = new Map([
      [
        '',
        {
          body: Buffer.from('<!doctype html><title>Page</title>'),
          type: 'text/html; charset=utf-8',
          isImmutable: false,
        },
      ],
      ['assets/index-1a2b.js', { body: Buffer.from('x()'), type: 'text/javascript; charset=utf-8', isImmutable: true }],
    ])
    const pages = { file: (path: string) => Promise.resolve(files.get(path)) }
    const app = new Koa().use(createRootPage(pages, ['reference'])).use((context) => {
      context.body = 'the API'
    })
    app.silent = true
    const handle = app.callback()
    const server = createServer((request, response) => void handle(request, response))
    ;({ url: origin, stop } = await listenLocally(server))
  })

  after(() => stop())

  it('loads and requests only its own origin, and cannot be framed', async () => {
    const { headers } = await fetch(`${origin}/`)
    expect(headers.get('content-security-policy')).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(Object.fromEntries(headers)).to.include({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })

  it('has cacheable files, and returns 404 for others', async () => {
    const file = await fetch(`${origin}/assets/index-1a2b.js`)
    expect(await file.text()).to.equal('x()')
    expect(file.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
    expect((await fetch(`${origin}/assets/other.js`)).status).to.equal(404)
  })

  it('is served at its other paths', async () => {
    for (const path of ['/reference', '/reference/getBlock'])
      expect(await (await fetch(`${origin}${path}`)).text(), path).to.include('<title>Page</title>')
  })

  it('leaves other paths to the API', async () => {
    for (const path of ['/docs', '/assets', '/api/v1/ask', '/assetsx', '/index.html'])
      expect(await (await fetch(`${origin}${path}`)).text(), path).to.equal('the API')
    expect(await (await fetch(`${origin}/`, { method: 'OPTIONS' })).text()).to.equal('the API')
  })

  it('rejects other methods', async () => {
    expect((await fetch(`${origin}/`, { method: 'POST' })).status).to.equal(405)
  })
})
