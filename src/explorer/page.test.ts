import { randomBytes } from 'node:crypto'
import { createServer, get } from 'node:http'
import { expect } from 'chai'
import { pino } from 'pino'
import { createExplorerPage } from './page.ts'
import { listenLocally } from '../../test/support/listen-locally.ts'

const html = '<!doctype html><html><head><style>b { color: red }</style></head><body></body></html>'

describe('the explorer page over HTTP', () => {
  let stop: () => Promise<void>
  let origin: string
  /** The level of the first line that is logged. */
  const received = Promise.withResolvers<number>()

  before(async () => {
    const file = { body: Buffer.from(html), type: 'text/html; charset=utf-8', isImmutable: false }
    const large = { body: randomBytes(30_000_000), type: 'text/javascript', isImmutable: true }
    const pages = {
      file: (path: string) => Promise.resolve(path === '' ? file : path === 'assets/large.js' ? large : undefined),
    }
    const log = pino(
      { level: 'debug' },
      { write: (line: string) => received.resolve((JSON.parse(line) as { level: number }).level) },
    )
    const server = createServer(
      createExplorerPage(pages, log, {
        ipfsGateways: ['https://gateway.example/ipfs/"><script>'],
      }),
    )
    ;({ url: origin, stop } = await listenLocally(server))
  })

  after(() => stop())

  it('allows only its own scripts and data, images by HTTPS, and no framing', async () => {
    for (const path of ['/', '/account/0x1654653399040a61', '/nowhere']) {
      const { headers } = await fetch(`${origin}${path}`)
      expect(headers.get('content-security-policy'), path).to.match(
        /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[\w+/=]+'; img-src 'self' data: https:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'$/,
      )
      expect(Object.fromEntries(headers), path).to.include({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
    }
  })

  it('contains the configured gateways, escaped', async () => {
    expect(await (await fetch(origin)).text()).to.include(
      '<meta name="ipfs-gateways" content="https://gateway.example/ipfs/%22%3E%3Cscript%3E">',
    )
  })

  it('logs disconnects as debug messages', async () => {
    await new Promise<void>((resolve, reject) => {
      get(`${origin}/assets/large.js`, (response) => {
        response.destroy()
        resolve()
      }).on('error', reject)
    })
    expect(await received.promise).to.equal(pino.levels.values['debug'])
  })
})
