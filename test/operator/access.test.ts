import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { SignJWT, UnsecuredJWT } from 'jose'
import type { JWTPayload } from 'jose'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runOperator } from '../support/running-operator.ts'
import type { RunningOperator } from '../support/running-operator.ts'

const token = 'the token of an administrator'
const secret = 'a secret of at least thirty-two bytes, for tests'

interface Signing {
  readonly key?: string
  readonly algorithm?: string
  /** Null: no expiry. */
  readonly expires?: string | null
}

function jwt(claims: JWTPayload, { key = secret, algorithm = 'HS256', expires = '1h' }: Signing = {}): Promise<string> {
  const unsigned = new SignJWT(claims).setProtectedHeader({ alg: algorithm })
  return (expires === null ? unsigned : unsigned.setExpirationTime(expires)).sign(new TextEncoder().encode(key))
}

const bearer = (credential: string): Record<string, string> => ({ Authorization: `Bearer ${credential}` })

describe('operator access', () => {
  let database: TestDatabase
  let operator: RunningOperator

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const running = (variables: Record<string, string>): void => {
    before(async () => {
      operator = await runOperator(database.url, variables)
    })

    after(() => operator.stop())
  }

  describe('without a token and a secret', () => {
    running({})

    it('allows requests from this machine', async () => {
      expect((await operator.get('/session')).body).to.deep.equal({ access: 'open', isAllowed: true })
      expect((await operator.get('/overview')).status).to.equal(200)
      for (const host of ['localhost:8080', 'LOCALHOST', '127.0.0.1', '127.1.2.3:80', '[::1]:8080']) {
        expect((await operator.get('/overview', { Host: host })).status, host).to.equal(200)
      }
      expect(await operator.send('POST', '/session', { token: 'anything' })).to.deep.include({ status: 204 })
    })

    it('rejects other requests and explains the remedy', async () => {
      const elsewhere: Record<string, string>[] = [
        { 'X-Forwarded-For': '127.0.0.1' },
        { Forwarded: 'for=127.0.0.1' },
        { 'X-Real-IP': '127.0.0.1' },
        { Via: '1.1 proxy' },
        { Host: 'evil.example' },
        { Host: 'localhost.evil.example' },
        { Host: '127.0.0.1.evil.example:8080' },
        { Host: '10.0.0.5:8080' },
      ]
      for (const headers of elsewhere) {
        for (const path of ['/session', '/overview', '/stream', '/leases']) {
          const { status, body } = await operator.get(path, headers)
          expect(status, `${path} ${JSON.stringify(headers)}`).to.equal(403)
          expect(body).to.include({ code: 'only-local' }).and.to.have.property('detail').that.includes('ADMIN_TOKEN')
        }
        const requeue = await operator.send(
          'POST',
          '/leases/requeue',
          { leases: [{ worker: 'token_worker', from: 1 }] },
          headers,
        )
        expect(requeue.status).to.equal(403)
        expect((await operator.raw('GET', '/operator/queues', { ...headers, Accept: 'text/html' })).status).to.equal(
          403,
        )
      }
    })
  })

  describe('without a token and a secret, behind a proxy that sends no forwarding headers', () => {
    running({})

    it('rejects HTTP/1.0, which such proxies use and browsers do not', async () => {
      const socket = connect(operator.api.server.port, '127.0.0.1')
      socket.end('GET /operator/api/overview HTTP/1.0\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\r\n')
      const [answer] = (await once(socket.setEncoding('utf8'), 'data')) as [string]
      expect(answer).to.match(/^HTTP\/1\.1 403 /)
      socket.destroy()
    })
  })

  describe('with a token and a secret', () => {
    running({ ADMIN_TOKEN: token, ADMIN_JWT_SECRET: secret, AUTH_JWT_SECRET: 'another secret, which is not asked' })

    it('rejects requests without credentials, on every route', async () => {
      expect((await operator.get('/session')).body).to.deep.equal({ access: 'token', isAllowed: false })
      for (const path of ['/overview', '/stream', '/coverage', '/leases', '/errors', '/heights']) {
        expect(await operator.get(path), path).to.deep.include({ status: 401 })
      }
      for (const path of [
        '/leases/requeue',
        '/leases/split',
        '/leases/skip',
        '/rederive',
        '/drills',
        '/heights/skip',
        '/heights/retry',
      ]) {
        expect(await operator.send('POST', path, {}), path).to.deep.include({ status: 401 })
      }
      expect((await operator.raw('GET', '/operator/queues/api/queues')).status).to.equal(401)
      const board = await operator.raw('GET', '/operator/queues', { Accept: 'text/html' })
      expect(board).to.include({ status: 302 }).and.to.have.nested.property('headers.location', '/operator')
    })

    it('accepts the token, also through a proxy', async () => {
      expect((await operator.get('/overview', bearer(token))).status).to.equal(200)
      expect(
        (await operator.get('/overview', { ...bearer(token), 'X-Forwarded-For': '192.0.2.1', Host: 'flow.example' }))
          .status,
      ).to.equal(200)
      expect((await operator.get('/session', bearer(token))).body).to.deep.equal({ access: 'token', isAllowed: true })
      expect((await operator.get('/overview', bearer('another token'))).body).to.include({ code: 'bad-credentials' })
      expect(
        (await operator.get(`/overview?token=${encodeURIComponent(token)}`)).status,
        'no secret in addresses',
      ).to.equal(401)
    })

    it('reads roles from app_metadata, not from user_metadata', async () => {
      const granted: JWTPayload[] = [
        { role: 'admin' },
        { roles: ['viewer', 'ops_admin'] },
        { role: 'viewer, Platform_Admin' },
        { app_metadata: { role: 'admin' } },
        { app_metadata: { roles: ['admin'] } },
      ]
      for (const claims of granted)
        expect((await operator.get('/overview', bearer(await jwt(claims)))).status, JSON.stringify(claims)).to.equal(
          200,
        )
    })

    for (const claims of [
      { user_metadata: { role: 'admin', roles: ['admin'] } },
      { role: 'administrator' },
      { app_metadata: 'admin' },
      { role: { admin: true } },
      {},
    ]) {
      it(`rejects the claims ${JSON.stringify(claims)}`, async () => {
        const other = await runOperator(database.url, { AUTH_JWT_SECRET: secret })
        try {
          const { status, body } = await other.get('/overview', bearer(await jwt(claims)))
          expect({ status, code: body.code }).to.deep.equal({ status: 403, code: 'role-not-allowed' })
        } finally {
          await other.stop()
        }
      })
    }

    it('rejects JWTs that are expired, unsigned, without expiry, or signed with another key or algorithm', async () => {
      const refused = {
        'expired-credentials': [await jwt({ role: 'admin' }, { expires: '-1s' })],
        'bad-credentials': [
          await jwt({ role: 'admin' }, { expires: null }),
          await jwt({ role: 'admin' }, { key: 'another secret, which is not asked' }),
          await jwt({ role: 'admin' }, { algorithm: 'HS512' }),
          new UnsecuredJWT({ role: 'admin' }).setExpirationTime('1h').encode(),
        ],
      }
      for (const [code, credentials] of Object.entries(refused)) {
        for (const credential of credentials)
          expect((await operator.get('/overview', bearer(credential))).body).to.include({ status: 401, code })
      }
    })
  })

  describe('sessions', () => {
    running({ ADMIN_TOKEN: token, ADMIN_JWT_SECRET: secret })

    const logIn = async (credential: string, headers = {}): Promise<string> => {
      const {
        status,
        headers: { 'set-cookie': cookies = [] },
      } = await operator.send('POST', '/session', { token: credential }, headers)
      expect(status).to.equal(204)
      return cookies[0] ?? ''
    }

    const cookieOf = (setCookie: string): Record<string, string> => ({ Cookie: setCookie.split(';')[0] ?? '' })

    it('start with the token or a JWT, in an HttpOnly cookie', async () => {
      const setCookie = await logIn(token)
      expect(setCookie)
        .to.match(/^flowfarm_operator=[\w.-]+; Path=\/operator; HttpOnly; SameSite=Strict; Max-Age=43200$/)
        .and.to.not.include(token)
      expect((await operator.get('/session', cookieOf(setCookie))).body).to.deep.equal({
        access: 'token',
        isAllowed: true,
      })
      expect((await operator.get('/overview', cookieOf(setCookie))).status).to.equal(200)
      expect(await logIn(token, { 'X-Forwarded-Proto': 'https' })).to.match(/; Secure$/)
      const ofJwt = await logIn(await jwt({ role: 'admin' }, { expires: '10m' }))
      expect(Number(/Max-Age=(\d+)/.exec(ofJwt)?.[1]), 'ends with the JWT').to.be.within(590, 600)
      expect((await operator.get('/overview', cookieOf(ofJwt))).status).to.equal(200)
    })

    it('end at sign-out', async () => {
      const { status, headers } = await operator.send('DELETE', '/session', undefined, cookieOf(await logIn(token)))
      expect(status).to.equal(204)
      expect(headers['set-cookie']?.[0]).to.match(/^flowfarm_operator=; .*Max-Age=0/)
    })

    it('cannot be forged or modified, and end when their secret changes', async () => {
      const session = (await logIn(token)).split(';')[0]?.replace('flowfarm_operator=', '') ?? ''
      const [kind, end, random, signature] = session.split('.')
      const forged = [
        '',
        'x',
        `${kind}.${end}.${random}.`,
        `${kind}.${Number(end) + 1}.${random}.${signature}`,
        `jwt.${end}.${random}.${signature}`,
        `${kind}.${end}.x.${signature}`,
        `${session}.x`,
        `other.${end}.${random}.${signature}`,
      ]
      for (const text of forged)
        expect((await operator.get('/overview', { Cookie: `flowfarm_operator=${text}` })).status, text).to.equal(401)
      const other = await runOperator(database.url, { ADMIN_TOKEN: 'a new token', ADMIN_JWT_SECRET: secret })
      try {
        expect((await other.get('/overview', { Cookie: `flowfarm_operator=${session}` })).status).to.equal(401)
        const ofJwt = cookieOf(await logIn(await jwt({ role: 'admin' })))
        expect((await other.get('/overview', ofJwt)).status, 'of the secret that is the same').to.equal(200)
        const stricter = await runOperator(database.url, { ADMIN_JWT_SECRET: secret, ADMIN_ALLOWED_ROLES: 'ops_admin' })
        const { status } = await stricter.get('/overview', ofJwt)
        await stricter.stop()
        expect(status, 'of a role that is not allowed any more').to.equal(401)
      } finally {
        await other.stop()
      }
    })

    it('are rejected for pages of other origins', async () => {
      const cookie = cookieOf(await logIn(token))
      const body = { leases: [{ worker: 'token_worker', from: 1 }] }
      const own = `http://${operator.api.host}`
      const status = async (headers: Record<string, string>): Promise<number> =>
        (await operator.send('POST', '/leases/requeue', body, { ...cookie, ...headers })).status
      expect(await status({})).to.equal(200)
      expect(await status({ Origin: own, 'Sec-Fetch-Site': 'same-origin' })).to.equal(200)
      const others: Record<string, string>[] = [
        { Origin: 'http://evil.example' },
        { Origin: 'null' },
        { Origin: own.replace(/\d+$/, '1') },
        { 'Sec-Fetch-Site': 'cross-site' },
        { Origin: own, 'Sec-Fetch-Site': 'same-site' },
      ]
      for (const headers of others) expect(await status(headers), JSON.stringify(headers)).to.equal(403)
      expect((await operator.send('POST', '/session', { token }, { Origin: 'http://evil.example' })).status).to.equal(
        403,
      )
      expect(
        (
          await operator.raw('PUT', '/operator/queues/api/queues/token_worker/pause', {
            ...cookie,
            Origin: 'http://evil.example',
          })
        ).status,
      ).to.equal(403)
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await operator.raw(
          'POST',
          '/operator/api/leases/requeue',
          { ...cookie, 'Content-Type': type },
          JSON.stringify(body),
        )
        expect(answer.status, type).to.equal(415)
      }
    })

    it('expose no responses to other origins', async () => {
      const { headers } = await operator.get('/session', { Origin: 'http://evil.example' })
      expect(headers).to.not.have.property('access-control-allow-origin')
      const preflight = await operator.raw('OPTIONS', '/operator/api/leases/requeue', {
        Origin: 'http://evil.example',
        'Access-Control-Request-Method': 'POST',
      })
      expect(preflight.status).to.equal(204)
      expect(preflight.headers).to.not.have.property('access-control-allow-origin')
    })
  })

  describe('repeated wrong credentials', () => {
    running({ ADMIN_TOKEN: token })

    it('are throttled while sessions continue', async () => {
      const { headers } = await operator.send('POST', '/session', { token })
      const cookie = { Cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
      for (let i = 0; i < 5; i++) {
        expect((await operator.send('POST', '/session', { token: `guess ${i}` })).body).to.include({ status: 401 })
        expect((await operator.get('/overview', bearer(`guess ${i}`))).status).to.equal(401)
      }
      const held = await operator.send('POST', '/session', { token })
      expect(held.body).to.include({ status: 429, code: 'too-many-attempts' })
      expect((await operator.get('/overview', bearer(token))).status).to.equal(429)
      expect((await operator.get('/overview', cookie)).status).to.equal(200)
    })
  })
})
