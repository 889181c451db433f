import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { runAuth } from './support/running-auth.ts'
import type { Answered, RunningAuth } from './support/running-auth.ts'

const token = 'service-token-of-forty-characters-or-more-0123'

describe('administration of wallet users', () => {
  let database: TestDatabase
  let auth: RunningAuth
  const deleted: string[] = []
  before(async () => {
    database = await createTestDatabase()
    auth = await runAuth(database, {
      serviceToken: token,
      deleteUserData: async (_, userId) => void deleted.push(userId),
    })
  })
  after(async () => {
    await auth.stop()
    await database.drop()
  })

  const call = (method: string, path: string, body?: unknown, given = token): Promise<Answered> =>
    auth.call(method, `/admin/users${path}`, {
      headers: { authorization: `Bearer ${given}` },
      ...(body === undefined ? {} : { body }),
    })
  const signIn = async (email: string): Promise<{ readonly id: string; readonly accessToken: string }> => {
    await auth.call('POST', '/otp', { body: { email } })
    const { code } = await auth.mailTo(email)
    const { body } = await auth.call('POST', '/verify', { body: { type: 'email', email, token: code } })
    return { id: (body['user'] as { id: string }).id, accessToken: String(body['access_token']) }
  }
  const statusOf = async (accessToken: string): Promise<number> =>
    (await auth.call('GET', '/user', { headers: { authorization: `Bearer ${accessToken}` } })).status
  const audited = async (userId: string): Promise<readonly unknown[]> => {
    const { rows } = await database.pool.query<Record<string, unknown>>(
      `select event, detail, host(ip) as ip from wallet_auth.audit_log
       where user_id = $1 and event like 'user\\_%' order by id`,
      [userId],
    )
    return rows
  }

  it('lists users in pages and by address', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map(async (name) => (await signIn(`${name}@example.com`)).id))
    const found: string[] = []
    let after = ''
    do {
      const { body } = await call('GET', `?per_page=2${after}`)
      found.push(...(body['users'] as { id: string }[]).map(({ id }) => id))
      after = typeof body['next'] === 'string' ? `&after=${body['next']}` : ''
    } while (after !== '')
    expect(found).to.deep.equal(ids.toSorted())
    const { body } = await call('GET', '?email=B@example.com')
    expect((body['users'] as { email: string }[]).map(({ email }) => email)).to.deep.equal(['b@example.com'])
    for (const query of ['?per_page=0', '?per_page=201', '?after=x'])
      expect((await call('GET', query)).status, query).to.equal(400)
  })

  it('counts pages to a limit', async () => {
    expect((await call('GET', '?page=50&per_page=200')).body).to.deep.equal({ users: [], next: null })
    for (const wrong of ['page=51', 'page=0', 'per_page=201', 'per_page=x'])
      expect((await call('GET', `?${wrong}`)).body, wrong).to.include({ error_code: 'validation_failed' })
  })

  it('bans a user, whose sessions end, and ends the ban', async () => {
    const { id, accessToken } = await signIn('banned@example.com')
    const { body } = await call('PUT', `/${id}`, { ban_duration: '24h' })
    expect(body['banned_until']).to.be.a('string')
    expect(await statusOf(accessToken)).to.be.oneOf([401, 403])
    await call('PUT', `/${id}`, { ban_duration: 'none' })
    expect((await call('GET', `/${id}`)).body['banned_until']).to.equal(undefined)
    for (const duration of ['', '1', '-1h', '1h; drop', 24])
      expect((await call('PUT', `/${id}`, { ban_duration: duration })).status, String(duration)).to.equal(400)
    expect(await audited(id)).to.deep.equal([
      { event: 'user_created', detail: { provider: 'email' }, ip: '127.0.0.1' },
      { event: 'user_banned', detail: { hours: 24 }, ip: '127.0.0.1' },
      { event: 'user_unbanned', detail: {}, ip: '127.0.0.1' },
    ])
  })

  it('deletes a user with all data, and tells the owner', async () => {
    const { id, accessToken } = await signIn('deleted@example.com')
    expect((await call('DELETE', `/${id}`)).status).to.equal(200)
    expect(deleted).to.deep.equal([id])
    expect(await statusOf(accessToken)).to.be.oneOf([401, 403])
    expect([(await call('GET', `/${id}`)).status, (await call('DELETE', `/${id}`)).status]).to.deep.equal([404, 404])
    await auth.mailsSent()
    expect(auth.mails.at(-1)?.text).to.include('was deleted from the operator')
    expect(await audited(id)).to.deep.equal([
      { event: 'user_created', detail: { provider: 'email' }, ip: null },
      { event: 'user_removed', detail: { by: 'operator' }, ip: '127.0.0.1' },
    ])
  })

  it('is refused without the token, also to users', async () => {
    const { id, accessToken } = await signIn('user@example.com')
    for (const given of ['', 'wrong', accessToken]) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['GET', `/${id}`, undefined],
        ['PUT', `/${id}`, { ban_duration: '1h' }],
        ['DELETE', `/${id}`, undefined],
      ] as const)
        expect((await call(method, path, body, given)).status, `${method} ${path}`).to.be.oneOf([401, 403])
    }
    expect(await statusOf(accessToken)).to.equal(200)
  })
})
