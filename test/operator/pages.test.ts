import { expect } from 'chai'
import type { PageFile } from '../../src/operator/pages.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runOperator } from '../support/running-operator.ts'
import type { RunningOperator } from '../support/running-operator.ts'

const page = '<!doctype html><html lang="en"><title>operator</title><style>b { color: red }</style><script type="module" src="/operator/assets/a-1.js"></script></html>'

describe('the page of the operator', () => {
  let database: TestDatabase
  let operator: RunningOperator
  let file: (path: string) => Promise<PageFile | undefined>

  before(async () => {
    database = await createTestDatabase()
    operator = await runOperator(database.url, { ADMIN_TOKEN: 'secret' }, { pages: { file: (path) => file(path) } })
  })

  after(async () => {
    await operator.stop()
    await database.drop()
  })

  beforeEach(() => {
    const files: Record<string, PageFile> = {
      '': { body: Buffer.from(page), type: 'text/html; charset=utf-8', isImmutable: false },
      'assets/a-1.js': { body: Buffer.from(`run(${'"x", '.repeat(500)})`), type: 'text/javascript; charset=utf-8', isImmutable: true },
    }
    file = (path) => Promise.resolve(files[path])
  })

  it('is served to everybody, so that one can log in, and may use nothing but its own origin', async () => {
    for (const path of ['/operator', '/operator/']) {
      const { status, headers, body } = await operator.raw('GET', path, { 'X-Forwarded-For': '192.0.2.1' })
      expect(status).to.equal(200)
      expect(body).to.equal(page)
      expect(headers).to.include({
        'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin',
      })
      const policy = headers['content-security-policy']
      expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self' 'sha256-").and.to.include("frame-ancestors 'none'")
      expect(policy).to.not.match(/unsafe|\*|https?:/)
      expect(headers).to.not.have.property('access-control-allow-origin')
    }
  })

  it('has files that browsers may keep, compressed', async () => {
    const { status, headers } = await operator.raw('GET', '/operator/assets/a-1.js', { 'Accept-Encoding': 'gzip' })
    expect(status).to.equal(200)
    expect(headers).to.include({
      'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=31536000, immutable', 'content-encoding': 'gzip', 'x-content-type-options': 'nosniff',
    })
    expect((await operator.raw('GET', '/operator/assets/b.js')).status).to.equal(404)
    expect((await operator.raw('GET', '/operatorx')).status, 'is not below it').to.equal(404)
  })

  it('says that it is being built, and comes by itself when it is', async () => {
    const { promise, resolve } = Promise.withResolvers<PageFile | undefined>()
    file = () => promise
    const { status, body } = await operator.raw('GET', '/operator')
    expect(status).to.equal(200)
    expect(body).to.include('being built').and.to.include('http-equiv="refresh"')
    resolve({ body: Buffer.from(page), type: 'text/html; charset=utf-8', isImmutable: false })
    expect((await operator.raw('GET', '/operator')).body).to.equal(page)
  })
})
