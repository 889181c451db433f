import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect } from 'chai'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { RunningAsk } from '../support/running-ask.ts'

/**
 * Headers of a browser for a page whose site's name points to this machine: to the browser it is
 * same-origin.
 */
async function send(
  ask: RunningAsk,
  path: string,
  headers: Record<string, string>,
): Promise<[number | undefined, string | undefined]> {
  const body = path === '/api/v1/run_sql' ? JSON.stringify({ sql: 'SELECT 1' }) : undefined
  const sent = httpRequest(`${ask.origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { code } = (await json(response)) as { readonly code?: string }
  return [response.statusCode, code]
}

const theirs = { Host: 'rebound.example:8084', Origin: 'http://rebound.example:8084' }

describe('a page of another site after DNS rebinding', () => {
  let db: TestDatabase
  let ask: RunningAsk | undefined
  before(async () => {
    db = await createTestDatabase()
  })
  afterEach(() => ask?.stop())
  after(() => db.drop())

  it('can neither run statements nor read the history, and the error says how to connect', async () => {
    ask = await runAsk(db)
    for (const path of ['/api/v1/run_sql', '/api/v1/history', '/api/v1/memory']) {
      expect(await send(ask, path, theirs), path).to.deep.equal([403, 'host-not-allowed'])
    }
    expect((await send(ask, '/health', theirs))[0]).to.equal(200)
  })

  it('is distinguished from users and programs by its host name, and from a proxy by headers that a page cannot set', async () => {
    ask = await runAsk(db)
    for (const Host of [
      'localhost',
      'LOCALHOST:8084',
      '127.0.0.1:8084',
      '192.168.1.5:8084',
      '[::1]:8084',
      '[::ffff:127.0.0.1]:8084',
      'ask.localhost',
      'workbench:8084',
    ]) {
      expect(await send(ask, '/api/v1/run_sql', { Host }), Host).to.deep.equal([200, undefined])
    }
    expect((await send(ask, '/api/v1/run_sql', { ...theirs, Via: '1.1 gate' }))[0]).to.equal(200)
  })

  it('is rejected with script-settable proxy headers unless TRUSTED_PROXIES includes the address', async () => {
    const output = {
      'X-Forwarded-For': '203.0.113.7',
      'X-Real-IP': '203.0.113.7',
      Forwarded: 'for=203.0.113.7',
      'X-Forwarded-Host': 'localhost',
    }
    ask = await runAsk(db)
    expect(await send(ask, '/api/v1/run_sql', { ...theirs, ...output })).to.deep.equal([403, 'host-not-allowed'])
    await ask.stop()
    ask = await runAsk(db, { TRUSTED_PROXIES: '127.0.0.1' })
    expect((await send(ask, '/api/v1/run_sql', { ...theirs, ...output }))[0]).to.equal(200)
  })

  it('has no token, while a client with the token may use any host name', async () => {
    ask = await runAsk(db, { API_TOKEN: 'secret' })
    expect((await send(ask, '/api/v1/run_sql', theirs))[0]).to.equal(401)
    expect((await send(ask, '/api/v1/run_sql', { ...theirs, Authorization: 'Bearer secret' }))[0]).to.equal(200)
  })
})
