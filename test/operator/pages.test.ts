import { expect } from 'chai'
import type { PageFile, PageProgress } from '../../src/platform/pages/serve-page.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runOperator } from '../support/running-operator.ts'
import type { RunningOperator } from '../support/running-operator.ts'

const page =
  '<!doctype html><html lang="en"><title>operator</title><style>b { color: red }</style><script type="module" src="/operator/assets/a-1.js"></script></html>'

describe('operator page', () => {
  let database: TestDatabase
  let operator: RunningOperator
  let progress: PageProgress | undefined
  let file: (path: string) => Promise<PageFile | undefined>

  before(async () => {
    database = await createTestDatabase()
    operator = await runOperator(
      database.url,
      { ADMIN_TOKEN: 'secret' },
      {
        pages: {
          file: (path) => file(path),
          get progress() {
            return progress
          },
        },
      },
    )
  })

  after(async () => {
    await operator.stop()
    await database.drop()
  })

  beforeEach(() => {
    const files: Record<string, PageFile> = {
      '': { body: Buffer.from(page), type: 'text/html; charset=utf-8', isImmutable: false },
      'assets/a-1.js': {
        body: Buffer.from(`run(${'"x", '.repeat(500)})`),
        type: 'text/javascript; charset=utf-8',
        isImmutable: true,
      },
    }
    file = (path) => Promise.resolve(files[path])
  })

  it('is served without sign-in, and restricted to its own origin', async () => {
    for (const path of ['/operator', '/operator/']) {
      const { status, headers, body } = await operator.raw('GET', path, { 'X-Forwarded-For': '192.0.2.1' })
      expect(status).to.equal(200)
      expect(body).to.equal(page)
      expect(headers).to.include({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
      const policy = headers['content-security-policy']
      expect(policy)
        .to.include("default-src 'none'; script-src 'self'; style-src 'self' 'sha256-")
        .and.to.include("frame-ancestors 'none'")
      expect(policy).to.not.match(/unsafe|\*|https?:/)
      expect(headers).to.not.have.property('access-control-allow-origin')
    }
  })

  it('serves its files compressed and cacheable', async () => {
    const { status, headers } = await operator.raw('GET', '/operator/assets/a-1.js', { 'Accept-Encoding': 'gzip' })
    expect(status).to.equal(200)
    expect(headers).to.include({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      'x-content-type-options': 'nosniff',
    })
    expect((await operator.raw('GET', '/operator/assets/b.js')).status).to.equal(404)
    expect((await operator.raw('GET', '/operatorx')).status, 'is not below it').to.equal(404)
    for (const path of ['/operatorx', '/operator/no/such/page']) {
      const { status, headers, body } = await operator.raw('GET', path, { Accept: 'text/html,*/*;q=0.8' })
      expect([status, headers['content-type']], path).to.deep.equal([404, 'text/html; charset=utf-8'])
      expect(body).to.include('Page not found')
      expect((await operator.raw('GET', path)).headers['content-type'], path).to.match(/json/)
    }
  })

  it('shows its build progress, and reloads when built', async () => {
    const { promise, resolve } = Promise.withResolvers<PageFile | undefined>()
    file = () => promise
    progress = { built: 2, total: 6, seconds: 41, failure: undefined }
    const { status, body } = await operator.raw('GET', '/operator')
    expect(status).to.equal(200)
    expect(body)
      .to.include('<h1>Building pages…</h1>')
      .and.include('http-equiv="refresh"')
      .and.include('2 of 6 pages are built (41 s)')
    progress = undefined
    resolve({ body: Buffer.from(page), type: 'text/html; charset=utf-8', isImmutable: false })
    expect((await operator.raw('GET', '/operator')).body).to.equal(page)
  })

  it('responds 503 after a failed build, reloads, and logs the reason', async () => {
    file = () => Promise.resolve(undefined)
    progress = { built: 0, total: 6, seconds: 3, failure: '/srv/flowfarm/dashboards is broken' }
    for (const path of ['/operator', '/operator/assets/a-1.js']) {
      const { status, headers, body } = await operator.raw('GET', path)
      expect([status, headers['retry-after']], path).to.deep.equal([503, '2'])
      expect(body).to.include('http-equiv="refresh"').and.include('retried automatically').and.not.include('/srv')
    }
    progress = undefined
    expect((await operator.raw('GET', '/operator/assets/a-1.js')).status).to.equal(404)
  })
})
