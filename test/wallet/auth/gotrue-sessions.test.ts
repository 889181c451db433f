import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { ApiError } from '../../../src/platform/errors.ts'
import { createGotrueSessions } from '../../../src/wallet/auth/gotrue-sessions.ts'
import { createTestDatabase } from '../../support/database.ts'
import { runAuth, signIn } from './support/running-auth.ts'

const id = '11111111-2222-4333-8444-555555555555'
const tokenWith = (claims: object): string =>
  `x.${Buffer.from(JSON.stringify({ sub: id, session_id: 's', ...claims })).toString('base64url')}.x`

describe('external auth server', () => {
  let server: Server
  let url = ''
  let answer: (request: IncomingMessage) => [number, unknown] = () => [500, {}]
  const calls: string[] = []
  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          calls.push(
            `${request.method} ${request.url} ${request.headers.authorization} ${Buffer.concat(chunks).toString()}`.trim(),
          )
          const [status, body] = answer(request)
          if (body === undefined) response.writeHead(status).end('<html>')
          else
            response
              .writeHead(status, {
                'Content-Type': 'application/json',
                ...(status === 302 ? { Location: 'http://127.0.0.1:1/' } : {}),
              })
              .end(JSON.stringify(body))
        })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth/`
  })
  beforeEach(() => {
    calls.length = 0
  })
  after(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })

  const sessions = (serviceToken?: string): ReturnType<typeof createGotrueSessions> =>
    createGotrueSessions({ url, serviceToken })
  const refusal = async (doing: Promise<unknown>): Promise<unknown[]> => {
    const error: unknown = await doing.catch((thrown: unknown) => thrown)
    return error instanceof ApiError ? [error.status, error.code] : [error]
  }

  it('is queried for the user on each request', async () => {
    answer = () => [
      200,
      {
        id,
        email: 'A@Example.com',
        email_confirmed_at: '2026-01-01',
        app_metadata: { role: 'x' },
        user_metadata: null,
      },
    ]
    const token = tokenWith({
      amr: [
        { method: 'otp', timestamp: 1000 },
        { method: 'totp', timestamp: 2000 },
      ],
    })
    expect(await sessions().authenticate(token)).to.deep.equal({
      user: { id, email: 'a@example.com', isEmailConfirmed: true, appMetadata: { role: 'x' }, userMetadata: {} },
      sessionId: 's',
      authenticatedAt: new Date(2_000_000),
    })
    expect(calls).to.deep.equal([`GET /auth/user Bearer ${token}`])
    // Without a sign-in time, the session never counts as recent.
    expect((await sessions().authenticate(tokenWith({ iat: 4_000_000_000 }))).authenticatedAt.getTime()).to.equal(0)
  })

  it('rejects requests that the server rejects, and tokens of another user', async () => {
    for (const status of [401, 403, 404]) {
      answer = () => [status, {}]
      expect(await refusal(sessions().authenticate(tokenWith({})))).to.deep.equal([401, 'UNAUTHORIZED'])
    }
    answer = () => [200, { id }]
    expect(await refusal(sessions().authenticate(tokenWith({ sub: 'other' })))).to.deep.equal([401, 'UNAUTHORIZED'])
    expect(await refusal(sessions().authenticate('opaque'))).to.deep.equal([401, 'UNAUTHORIZED'])
    answer = () => [200, { id: 'no uuid' }]
    expect(await refusal(sessions().authenticate(tokenWith({})))).to.deep.equal([401, 'UNAUTHORIZED'])
  })

  it('rejects requests while the server is unavailable, and follows no redirects', async () => {
    for (const status of [500, 302, 429]) {
      answer = () => [status, {}]
      expect(await refusal(sessions().authenticate(tokenWith({})))).to.deep.equal([503, 'INTERNAL'])
    }
    answer = () => [200, undefined]
    expect(await refusal(sessions().authenticate(tokenWith({})))).to.deep.equal([503, 'INTERNAL'])
    expect(
      await refusal(createGotrueSessions({ url: 'http://127.0.0.1:1', serviceToken: undefined }).authenticate('x')),
    ).to.deep.equal([503, 'INTERNAL'])
  })

  it('issues the one-time token for a passkey sign-in', async () => {
    answer = ({ url: path }) => [
      200,
      path === `/auth/admin/users/${id}` ? { id, email: 'a@example.com' } : { id, hashed_token: 'hash' },
    ]
    expect(await sessions('service').createSessionToken(id)).to.deep.equal({
      tokenHash: 'hash',
      email: 'a@example.com',
    })
    expect(calls).to.deep.equal([
      `GET /auth/admin/users/${id} Bearer service`,
      'POST /auth/admin/generate_link Bearer service {"type":"magiclink","email":"a@example.com"}',
    ])
    expect((await sessions('service').findUser(id))?.email).to.equal('a@example.com')
    answer = () => [200, { id }]
    expect(await refusal(sessions('service').createSessionToken(id))).to.deep.equal([409, 'INVALID_INPUT'])
    answer = () => [401, {}]
    expect(await refusal(sessions('wrong').createSessionToken(id))).to.deep.equal([503, 'INTERNAL'])
    expect(await refusal(sessions().createSessionToken(id))).to.deep.equal([503, 'INTERNAL'])
  })

  it('reports a user as deleted only after a 404 for a valid service token', async () => {
    answer = () => [404, {}]
    expect(await sessions('service').findUser(id)).to.equal(undefined)
    expect(await sessions('service').createSessionToken(id)).to.equal(undefined)
    // On any other response, the passkey must not count as removed.
    for (const [status, body] of [
      [401, {}],
      [403, {}],
      [200, {}],
      [200, { id: 'no uuid' }],
      [200, { id: id.replace('1', '2'), email: 'b@example.com' }],
    ] as const) {
      answer = () => [status, body]
      expect(await refusal(sessions('service').findUser(id)), JSON.stringify([status, body])).to.deep.equal([
        503,
        'INTERNAL',
      ])
    }
  })

  it('creates no session for another user with the same address', async () => {
    const other = id.replace('1', '2')
    answer = ({ url: path }) => [
      200,
      path === `/auth/admin/users/${id}` ? { id, email: 'a@example.com' } : { id: other, hashed_token: 'hash' },
    ]
    expect(await refusal(sessions('service').createSessionToken(id))).to.deep.equal([409, 'INVALID_INPUT'])
  })

  it("can be flowfarm's own auth endpoint", async () => {
    const db = await createTestDatabase()
    const auth = await runAuth(db)
    const { accessToken } = await signIn(auth, 'ours@example.com')
    const [own, theirs] = [
      await auth.sessions.authenticate(accessToken),
      await createGotrueSessions({ url: auth.url, serviceToken: undefined }).authenticate(accessToken),
    ]
    expect(theirs.user).to.deep.equal(own.user)
    expect(theirs.sessionId).to.equal(own.sessionId)
    expect(Math.abs(theirs.authenticatedAt.getTime() - own.authenticatedAt.getTime())).to.be.lessThan(1000)
    await auth.stop()
    await db.drop()
  })
})
