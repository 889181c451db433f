import { expect } from 'chai'
import { pino } from 'pino'
import { createEmbeds } from '../../src/explorer/embeds/embeds.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { recordStatements } from '../support/query-plans.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const transaction = '/transaction/3ef0ef21d3f3dc615c36f930d83ae0c9367d1816f061849c76f1af06e8d355a7'
const token = '/token/A.0ae53cb6e3f42a79.FlowToken'
const browser = { headers: { accept: 'text/html' } }

describe('links and embeds of the explorer', () => {
  let api: RunningApi

  before(async () => {
    const { database } = await exploredChain()
    api = await runApi(database.url, {
      page: {},
      server: { network: () => 'emulator' },
    })
    // The page may still be built.
    let html = ''
    while (!html.includes('id="root"')) html = await (await api.get('/', browser)).text()
  })

  after(() => api?.stop())

  const head = async (path: string): Promise<Record<string, string | undefined>> => {
    const html = await (await api.get(path, browser)).text()
    const tags = Array.from(
      html.matchAll(/<meta (?:property|name)="([\w:]+)" content="([^"]*)">/g),
      ([, name, text]) => [name, text],
    )
    return {
      title: /<title>(.*)<\/title>/.exec(html)?.[1],
      ...(Object.fromEntries(tags) as Record<string, string>),
    }
  }

  it('have titles, descriptions and pictures for link previews', async () => {
    const found = await head(transaction)
    expect(found['title']).to.equal('Transaction 3ef0ef21…e8d355a7 – flowfarm')
    expect(found['og:description']).to.match(/^Moved 4,000\.005 FLOW. Succeeded in block \d+ at \d{4}-/)
    expect(found['description']).to.equal(found['og:description'])
    expect(found['og:url']).to.equal(`http://${api.host}${transaction}`)
    expect(found['twitter:card']).to.equal('summary_large_image')
    expect((await head('/block/141'))['og:title']).to.equal('Block 141')
    expect((await head('/account/0xe03daebed8ca0615'))['og:description']).to.match(
      /FLOW, \d+ transactions?, \d+ contract/,
    )
    expect((await head(token))['og:title']).to.equal('FlowToken (FLOW)')
    expect((await head('/nft/A.179b6b1cb6755e31.PaperBoats'))['og:description']).to.match(
      /^NFT collection of 0x179b6b1cb6755e31: \d+ items?, \d+ holders?\.$/,
    )
    const [evmToken] = (await api.json<{ data: { address: string }[] }>('/flow/evm/token')).data
    expect((await head(`/evm/token/${evmToken?.address}`))['og:description']).to.match(
      /^ERC-\d+ token on Flow EVM: \d+ holders?, \d+ transfers?\.$/,
    )
    const [executed] = (await api.json<{ data: { hash: string }[] }>('/flow/evm/transaction')).data
    const evm = await head(`/evm/transaction/${executed?.hash}`)
    expect(evm['og:title']).to.match(/^EVM transaction [0-9a-f]{8}…[0-9a-f]{8}$/)
    expect(evm['og:image']).to.equal(`http://${api.host}/preview/transaction.png`)
    expect((await head('/blocks'))['og:image']).to.equal(`http://${api.host}/preview/explorer.png`)
    for (const path of [
      found['og:image']?.replace(/^https?:\/\/[^/]+/, '') ?? '',
      '/favicon.ico',
      '/apple-touch-icon.png',
    ]) {
      const response = await api.get(path)
      expect([response.status, response.headers.get('content-type')?.startsWith('image/')], path).to.deep.equal([
        200,
        true,
      ])
    }
  })

  it('have them for programs that accept anything, but not for those that accept only JSON', async () => {
    for (const [path, title] of [
      [transaction, 'Transaction 3ef0ef21'],
      ['/account/0xe03daebed8ca0615', 'Account 0xe03d'],
      [token, 'FlowToken'],
      ['/contract/A.179b6b1cb6755e31.PaperBoats', 'Explorer'],
    ] as const) {
      const response = await api.get(path, { headers: { accept: '*/*' } })
      expect([response.status, response.headers.get('content-type')], path).to.deep.equal([
        200,
        'text/html; charset=utf-8',
      ])
      expect(await response.text()).to.include(`property="og:title" content="${title}`)
      const refused = await api.get(path, { headers: { accept: 'application/json' } })
      expect([refused.status, refused.headers.get('content-type')]).to.deep.equal([404, 'application/problem+json'])
    }
    const other = await api.get('/nosuch', { headers: { accept: '*/*' } })
    expect(other.headers.get('content-type')).to.equal('application/problem+json')
  })

  it('return 404 for items that do not exist', async () => {
    for (const path of [
      '/block/99999999',
      `/transaction/${'0'.repeat(64)}`,
      '/transaction/x',
      '/account/xyz',
      '/token/A.01.No',
      '/nft/A.01.No',
      `/evm/token/0x${'1'.repeat(40)}`,
      `/evm/transaction/0x${'0'.repeat(64)}`,
      '/evm/transaction/x',
    ])
      expect((await api.get(path, browser)).status, path).to.equal(404)
    // It may exist on the chain.
    expect((await api.get('/account/0x00000000000000ff', browser)).status).to.equal(200)
  })

  it('have the protocol that a proxy reports', async () => {
    const response = await api.get('/robots.txt', { headers: { 'x-forwarded-proto': 'https' } })
    const text = await response.text()
    expect(text).to.include(`Sitemap: https://${api.host}/sitemap.xml`)
  })

  it('list pages for crawlers', async () => {
    const xml = await (await api.get('/sitemap.xml')).text()
    const paths = [...xml.matchAll(/<loc>http:\/\/[^/]+(.*?)<\/loc>/g)].map(([, path]) => path)
    expect(paths).to.include.members(['/', '/blocks', '/pairs', token])
  })

  it('show badges on other sites', async () => {
    const badge = await api.get(`/badge${transaction}.svg`)
    expect(badge.headers.get('cross-origin-resource-policy')).to.equal('cross-origin')
    expect(badge.headers.get('content-type')).to.match(/^image\/svg\+xml/)
    expect(await badge.text()).to.include('<title>transaction: succeeded</title>')
    expect(await (await api.get(`/badge${token}`)).text()).to.match(/<title>FLOW: \d+ holders?<\/title>/)
    expect(await (await api.get('/badge/token/A.01.No.svg')).text()).to.include('not found')
  })

  it('read an item once for eight calls at a time, and at most eight items', async () => {
    const { database } = await exploredChain()
    const reads = await createReadPool({ url: database.url })
    try {
      const { recording, statements } = recordStatements(reads)
      const { answer } = createEmbeds({ database: recording, network: () => 'emulator' }, pino({ level: 'silent' }))
      const badge = async (path: string): Promise<object> => {
        const context = {
          path,
          search: '',
          status: 0,
          type: '',
          body: '',
          get: () => '',
          set: () => {},
          remove: () => {},
        }
        await answer(context)
        return { status: context.status, body: context.body }
      }
      await badge(`/badge${token}.svg`)
      const once = statements.splice(0).length
      expect(once).to.be.greaterThan(0)
      const path = '/badge/token/A.0ae53cb6e3f42a79.OtherToken.svg'
      const answers = await Promise.all(Array.from({ length: 8 }, () => badge(path)))
      expect(statements).to.have.length(once)
      expect(new Set(answers.map((each) => JSON.stringify(each))).size).to.equal(1)
      const blocks = await Promise.all(Array.from({ length: 9 }, (_, i) => badge(`/badge/block/${i}.svg`)))
      const statuses = blocks.map((each) => ('status' in each ? each.status : 0))
      expect(statuses.filter((status) => status === 503)).to.have.length(1)
      expect(statuses.filter((status) => status === 200)).to.have.length(8)
    } finally {
      await reads.end()
    }
  })

  it('show cards in frames on other sites, without scripts', async () => {
    const card = await api.get(`/embed${transaction}`)
    expect(card.headers.get('x-frame-options')).to.equal(null)
    expect(card.headers.get('content-security-policy')).to.match(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors \*$/,
    )
    expect(await card.text())
      .to.include('4,000.005 FLOW')
      .and.include(`href="http://${api.host}${transaction}"`)
    expect((await api.get('/embed/transaction/x')).status).to.equal(404)
    const page = await api.get(transaction, browser)
    expect(page.headers.get('x-frame-options')).to.equal('DENY')
  })
})
