import { expect } from 'chai'
import { SignJWT, UnsecuredJWT } from 'jose'
import type { JWTPayload } from 'jose'
import { pino } from 'pino'
import type { Client } from '../../src/platform/limits/clients.ts'
import { routes } from '../../src/explorer/routes.ts'
import type { ApiServerOptions } from '../../src/explorer/server.ts'
import { DeveloperKeys } from '../../src/platform/auth/developer-keys.ts'
import { roleDirectory } from '../../src/platform/auth/credentials.ts'
import type { CredentialOptions } from '../../src/platform/auth/credentials.ts'
import { adminOperations } from '../../src/explorer/service.ts'
import { farmOperations } from '../../src/farm/operations.ts'
import { readOwnWorkers } from '../../src/own-tables/registry.ts'
import { storeBlocks, transferScript } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const token = 'the token of an administrator'
const secret = 'a secret of at least thirty-two bytes, for tests'
const credentials: CredentialOptions = { token, jwtSecret: secret, allowedRoles: ['admin', 'ops_admin'] }
const adminRoutes = routes.filter(({ access }) => access === 'admin')

interface Signing {
  readonly key?: string
  readonly algorithm?: string
  readonly expires?: string | null
}

function jwt(claims: JWTPayload, { key = secret, algorithm = 'HS256', expires = '1h' }: Signing = {}): Promise<string> {
  const unsigned = new SignJWT(claims).setProtectedHeader({ alg: algorithm })
  return (expires === null ? unsigned : unsigned.setExpirationTime(expires)).sign(new TextEncoder().encode(key))
}

describe('the admin routes', () => {
  let database: TestDatabase
  let api: RunningApi
  let lines: string[]

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 110)
  })

  after(async () => {
    await database.drop()
  })

  async function start(
    options: CredentialOptions = credentials,
    server: Partial<ApiServerOptions> = {},
  ): Promise<void> {
    lines = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const operations = adminOperations(database.pool, () => 'mainnet', farmOperations(database.pool, readOwnWorkers))
    api = await runApi(database.url, {
      server: { admin: { credentials: options, operations }, keys: new DeveloperKeys(database.pool), log, ...server },
    })
  }

  afterEach(async () => {
    await api.stop()
  })

  interface Answered {
    readonly status: number
    readonly body: Record<string, unknown>
    readonly headers: Headers
  }

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> {
    const response = await api.get(path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return {
      status: response.status,
      body: (await response.json()) as Record<string, unknown>,
      headers: response.headers,
    }
  }

  const labels = (credential: string): Promise<Answered> =>
    send('GET', '/admin/account-labels', undefined, { Authorization: `Bearer ${credential}` })

  describe('authentication', () => {
    it('rejects everybody if no credentials are configured, including local clients', async () => {
      await start({ token: undefined, jwtSecret: undefined, allowedRoles: ['admin'] })
      for (const { method, path } of adminRoutes) {
        const answer = await send(method, path.replaceAll(/\{\w+\}/g, '1'), method === 'POST' ? {} : undefined)
        expect(answer.status, path).to.equal(403)
        expect(answer.body).to.include({ code: 'admin-disabled' })
      }
    })

    it('rejects requests without credentials on every route before reading the body', async () => {
      await start()
      expect(adminRoutes.length).to.be.above(10)
      for (const { method, path } of adminRoutes) {
        const answer = await send(
          method,
          path.replaceAll(/\{\w+\}/g, '1'),
          method === 'POST' ? '{no json' : undefined,
          { Authorization: '' },
        )
        expect(answer.status, path).to.equal(401)
        expect(answer.body).to.include({ code: 'credentials-missing' })
        expect(answer.headers.get('www-authenticate')).to.equal('Bearer')
        expect(answer.headers.get('cache-control')).to.equal('no-store')
      }
    })

    it('accepts the token or an administrator JWT', async () => {
      await start()
      expect((await labels(token)).status).to.equal(200)
      for (const claims of [
        { role: 'admin' },
        { roles: ['x', 'OPS_ADMIN'] },
        { app_metadata: { role: 'admin' } },
        { app_metadata: { roles: ['admin'] } },
      ]) {
        expect((await labels(await jwt(claims))).status, JSON.stringify(claims)).to.equal(200)
      }
    })

    const admin = { sub: 'u', role: 'admin' }
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const attacks: Readonly<Record<string, () => Promise<string> | string>> = {
      'a JWT without signature': () => new UnsecuredJWT(admin).setExpirationTime('1h').encode(),
      'a JWT that says it needs none': async () => {
        const [, payload = '', signature = ''] = (await jwt(admin)).split('.')
        return `${part({ alg: 'none' })}.${payload}.${signature}`
      },
      'a JWT of another algorithm': () => jwt(admin, { algorithm: 'HS512' }),
      'a JWT with another secret': () => jwt(admin, { key: `${secret}.` }),
      'a JWT signed with the admin token': () => jwt(admin, { key: token.padEnd(40) }),
      'a JWT whose claims were changed': async () => {
        const [header = '', , signature = ''] = (await jwt({ role: 'user' })).split('.')
        return `${header}.${part({ ...admin, exp: 4102444800 })}.${signature}`
      },
      'a JWT that has expired': () => jwt(admin, { expires: '-1s' }),
      'a JWT that never ends': () => jwt(admin, { expires: null }),
      'a JWT that is not yet good': async () =>
        new SignJWT({ ...admin, nbf: 4102444800 })
          .setProtectedHeader({ alg: 'HS256' })
          .setExpirationTime('200y')
          .sign(new TextEncoder().encode(secret)),
      'a JWT that brings its own key': async () => {
        const key = part({ alg: 'HS256', jwk: { kty: 'oct', k: Buffer.from('mine').toString('base64url') } })
        return `${key}.${part({ ...admin, exp: 4102444800 })}.${part('x')}`
      },
      'a part of the token': () => token.slice(0, -1),
      'the token with something behind': () => `${token}x`,
      'nothing that could be a JWT': () => '..',
    }
    it('rejects forged, expired and foreign credentials', async () => {
      await start()
      for (const [what, make] of Object.entries(attacks)) {
        await api.stop()
        await start()
        const answer = await labels(await make())
        expect(answer.status, what).to.equal(401)
        expect(answer.body['code'], what).to.be.oneOf(['bad-credentials', 'expired-credentials'])
      }
    })

    it('ignores roles in user-writable claims and disallowed roles', async () => {
      await start()
      for (const claims of [
        { user_metadata: { role: 'admin' } },
        { user_metadata: { roles: ['admin'] } },
        { role: 'user' },
        {},
      ]) {
        const answer = await labels(await jwt(claims))
        expect(answer.status, JSON.stringify(claims)).to.equal(403)
        expect(answer.body).to.include({ code: 'role-not-allowed' })
      }
    })

    it('blocks repeated failures for a while', async () => {
      await start()
      for (let i = 0; i < 10; i++) expect((await labels(`guess ${i}`)).status).to.equal(401)
      expect((await labels('guess 11')).body).to.include({ code: 'too-many-attempts' })
    })

    it('counts failures per IPv6 network', async () => {
      let requested = 0
      const clientOf = (): Client => ({ address: `2001:db8:1:2::${(++requested).toString(16)}`, isLocal: false })
      await start(credentials, { clientOf })
      for (let i = 0; i < 10; i++) expect((await labels(`guess ${i}`)).status).to.equal(401)
      expect((await labels('guess 11')).body).to.include({ code: 'too-many-attempts' })
    })

    it('reads roles from the database if configured, ignoring the JWT', async () => {
      await database.pool.query(`
        create table user_roles (user_id uuid, role text);
        insert into user_roles values ('6f1b6a7e-5a77-4b0c-9f30-0d5a2ce0a001', 'admin'), ('6f1b6a7e-5a77-4b0c-9f30-0d5a2ce0a002', 'reader')`)
      await start({ ...credentials, rolesOf: roleDirectory(database.pool) })
      expect((await labels(await jwt({ sub: '6f1b6a7e-5a77-4b0c-9f30-0d5a2ce0a001' }))).status).to.equal(200)
      expect((await labels(await jwt({ sub: '6f1b6a7e-5a77-4b0c-9f30-0d5a2ce0a002', role: 'admin' }))).status).to.equal(
        403,
      )
      expect((await labels(await jwt({ sub: 'nobody', role: 'admin' }))).status).to.equal(403)
      await database.pool.query('drop table user_roles')
      const silent = await labels(await jwt({ sub: '6f1b6a7e-5a77-4b0c-9f30-0d5a2ce0a001', role: 'admin' }))
      expect(silent.status).to.equal(503)
      expect(silent.body).to.include({ code: 'auth-database-unavailable' })
      expect((await labels(token)).status).to.equal(200)
    })
  })

  it('set and remove account labels', async () => {
    await start()
    const label = { address: '1654653399040a61', tag: 'treasury', label: ' Treasury ', category: 'service' }
    const put = await send('POST', '/admin/account-labels', label)
    const expected = { ...label, address: '0x1654653399040a61', label: 'Treasury', is_built_in: false }
    expect(put.body).to.deep.equal({ data: [expected] })
    expect((await send('GET', '/admin/account-labels?address=0x1654653399040a61')).body['data']).to.deep.equal([
      expected,
    ])
    expect((await send('DELETE', '/admin/account-labels/0x1654653399040a61/treasury')).body).to.deep.equal({
      removed: true,
    })
    const again = await send('DELETE', '/admin/account-labels/0x1654653399040a61/treasury')
    expect(again.body).to.include({ status: 404, code: 'unknown-label' })
  })

  it('set script templates by hash or text', async () => {
    await start()
    const {
      rows: [stored],
    } = await database.pool.query<{ hash: string }>(
      "select encode(script_hash, 'hex') as hash from raw.scripts limit 1",
    )
    const names = { category: 'TEST', label: 'A test' }
    const byText = await send('POST', '/admin/script-templates', { script: transferScript, ...names })
    const [template] = byText.body['data'] as { normal_hash: string }[]
    expect(template).to.include(names)
    const byHash = await send('POST', '/admin/script-templates', {
      script_hash: stored?.hash,
      ...names,
      label: 'Another',
    })
    expect(byHash.body).to.deep.equal({ data: [{ ...template, label: 'Another' }] })
    expect((await send('GET', '/admin/script-templates')).body['data'])
      .to.be.an('array')
      .with.length(1)
    expect((await send('DELETE', `/admin/script-templates/${template?.normal_hash}`)).body).to.deep.equal({
      removed: true,
    })
    expect((await send('POST', '/admin/script-templates', { script_hash: '0'.repeat(64), ...names })).body).to.include({
      status: 404,
    })
    for (const wrong of [names, { ...names, script: 'x', script_hash: '0'.repeat(64) }]) {
      expect((await send('POST', '/admin/script-templates', wrong)).body).to.include({
        status: 400,
        field: 'script_hash',
      })
    }
  })

  it('list and resolve errors', async () => {
    await start()
    await database.pool.query(`
      insert into raw.indexing_errors (worker_name, block_height, code, message)
      select 'token_worker', h, 'bad', 'cannot be read' from generate_series(100, 104) h`)
    const first = await send('GET', '/admin/errors?limit=3')
    expect(first.body).to.deep.include({ has_more: true, _meta: { limit: 3, count: 3, has_more: true } })
    const rest = await send('GET', `/admin/errors?limit=3&cursor=${String(first.body['cursor'])}`)
    const all = [...(first.body['data'] as { id: number }[]), ...(rest.body['data'] as { id: number }[])]
    expect(new Set(all.map(({ id }) => id)).size).to.equal(5)
    expect(all[0]).to.include({
      worker: 'token_worker',
      transaction_index: null,
      event_index: null,
      message: 'cannot be read',
    })
    expect((await send('POST', '/admin/errors/resolve', { ids: [all[0]?.id] })).body).to.deep.equal({ resolved: 1 })
    expect((await send('POST', '/admin/errors/resolve', { worker: 'evm_worker' })).body).to.deep.equal({ resolved: 0 })
    expect((await send('POST', '/admin/errors/resolve', { worker: 'token_worker' })).body).to.deep.equal({
      resolved: 4,
    })
    expect((await send('GET', '/admin/errors')).body['data']).to.deep.equal([])
    expect((await send('POST', '/admin/errors/resolve', {})).body).to.include({ status: 400, field: 'ids' })
  })

  it('reprocess heights by workers and their dependents', async () => {
    await start()
    const requested = { workers: ['token_worker'], from_height: 100, to_height: 105 }
    const { body } = await send('POST', '/admin/reprocess', requested)
    const [request] = body['data'] as { id: number; workers: string[] }[]
    expect(request?.workers).to.include.members(['token_worker', 'ft_holdings_worker'])
    const listed = (await send('GET', '/admin/reprocess')).body['data'] as Record<string, unknown>[]
    expect(listed[0]).to.include({ id: request?.id, from_height: 100, to_height: 105 })
    expect((await send('POST', '/admin/reprocess', { ...requested, workers: ['x'] })).body).to.include({
      status: 400,
      code: 'unknown-worker',
      field: 'workers',
    })
    expect((await send('POST', '/admin/reprocess', { ...requested, to_height: 99_999 })).body).to.include({
      status: 400,
      code: 'range-not-stored',
    })
    expect((await send('POST', '/admin/reprocess', { ...requested, to_height: 99 })).body).to.include({
      status: 400,
      field: 'to_height',
    })
  })

  it('refresh token metadata', async () => {
    await start()
    await database.pool.query(
      `insert into app.ft_token_metadata (token, next_ask_at) values ('A.1654653399040a61.FlowToken', now() + interval '1 day')`,
    )
    const tokens = ['A.1654653399040a61.FlowToken', 'A.0000000000000001.None']
    expect((await send('POST', '/admin/refetch-metadata', { tokens })).body).to.deep.equal({
      tokens: tokens.slice(0, 1),
    })
    const {
      rows: [row],
    } = await database.pool.query<{ due: boolean }>('select next_ask_at <= now() as due from app.ft_token_metadata')
    expect(row?.due).to.equal(true)
  })

  it('create, list and revoke developer keys, and return each key only once', async () => {
    await start()
    const { body } = await send('POST', '/admin/developer-keys', { name: 'A friend', tier: 'enterprise' })
    const [made] = body['data'] as { id: number; key: string; prefix: string }[]
    expect(made?.key).to.match(/^fs_live_[0-9a-f]{64}$/)
    expect(made?.prefix).to.equal(made?.key.slice(0, 12))
    const verify = (): Promise<Answered> =>
      send('POST', '/auth/verify-key', undefined, { 'X-API-Key': made?.key ?? '' })
    expect((await verify()).body).to.deep.equal({ valid: true })
    const listed = await send('GET', '/admin/developer-keys')
    expect(JSON.stringify(listed.body)).to.include('A friend').and.not.include(made?.key.slice(12))
    expect((await send('DELETE', `/admin/developer-keys/${made?.id}`)).status).to.equal(200)
    expect((await verify()).status).to.equal(401)
    expect((await send('DELETE', '/admin/developer-keys/999999')).body).to.include({ status: 404, code: 'unknown-key' })
    expect((await send('POST', '/admin/developer-keys', { name: 'x', tier: 'best' })).body).to.include({
      status: 400,
      field: 'tier',
    })
  })

  it('report invalid bodies', async () => {
    await start()
    const path = '/admin/account-labels'
    const plain = { Authorization: `Bearer ${token}`, 'Content-Type': 'text/plain' }
    expect((await send('POST', path, '{}', plain)).body).to.include({ status: 415, code: 'not-json' })
    expect((await send('POST', path)).body).to.include({ status: 415 })
    expect((await send('POST', path, '{}', { 'Content-Encoding': 'gzip' })).body).to.include({
      status: 415,
      code: 'compressed-body',
    })
    expect((await send('POST', path, '{')).body).to.include({ status: 400, code: 'bad-json' })
    expect((await send('POST', path, '[]')).body).to.include({ status: 400, code: 'invalid-field' })
    expect((await send('POST', path, { address: 'x', tag: 't', label: 'l' })).body).to.include({
      status: 400,
      field: 'address',
    })
    expect((await send('POST', path, { address: '0x1', tag: 't', label: 'l', more: 1 })).body).to.include({
      status: 400,
      field: 'more',
    })
    const large = await send('POST', path, { label: 'x'.repeat(70_000) })
    expect(large.body).to.include({ status: 413, code: 'body-too-large' })
    expect(large.headers.get('connection')).to.equal('close')
  })

  it('reject text that cannot be stored', async () => {
    await start()
    const label = { address: '0x1', tag: 't', label: 'l' }
    const template = { script: 'x', category: 'c', label: 'l' }
    for (const bad of ['a\0b', 'a\ud800b', '\u0085', ' ', '', 'x'.repeat(201)]) {
      expect((await send('POST', '/admin/account-labels', { ...label, label: bad })).body, bad).to.include({
        status: 400,
        field: 'label',
      })
      expect((await send('POST', '/admin/developer-keys', { name: bad })).body, bad).to.include({
        status: 400,
        field: 'name',
      })
      expect((await send('POST', '/admin/script-templates', { ...template, category: bad })).body, bad).to.include({
        status: 400,
        field: 'category',
      })
      expect((await send('POST', '/admin/errors/resolve', { worker: bad })).body, bad).to.include({
        status: 400,
        field: 'worker',
      })
      expect(
        (await send('GET', `/admin/errors?worker=${encodeURIComponent(bad.toWellFormed())}`)).body,
        bad,
      ).to.include({ status: 400, field: 'worker' })
    }
    for (const bad of ['a\0b', 'a\ud800b', '']) {
      expect((await send('POST', '/admin/script-templates', { ...template, script: bad })).body, bad).to.include({
        status: 400,
        field: 'script',
      })
    }
  })

  const readAudits = (): Record<string, unknown>[] =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit !== undefined)

  it('log rejected attempts with a reason, rate-limited', async () => {
    await start()
    const signed = await jwt({ sub: 'user-18', role: 'reader' })
    expect((await labels(signed)).body).to.not.have.property('subject')
    await send('DELETE', '/admin/developer-keys/5', undefined, { Authorization: '' })
    for (let i = 0; i < 15; i++) await labels(`guess ${i}`)
    const refusals = readAudits()
    expect(
      refusals.map(({ audit, refused, by, address, path, level }) => ({ audit, refused, by, address, path, level })),
    ).to.deep.equal([
      {
        audit: 'adminListLabels',
        refused: 'role-not-allowed',
        by: 'user-18',
        address: '127.0.0.1',
        path: '/admin/account-labels',
        level: 40,
      },
      {
        audit: 'adminRevokeKey',
        refused: 'credentials-missing',
        by: undefined,
        address: '127.0.0.1',
        path: '/admin/developer-keys/5',
        level: 40,
      },
      {
        audit: 'adminListLabels',
        refused: 'bad-credentials',
        by: undefined,
        address: '127.0.0.1',
        path: '/admin/account-labels',
        level: 40,
      },
    ])
    expect(lines.join('')).to.not.include('guess').and.not.include(signed)
  })

  it('log changes without secrets', async () => {
    await start()
    const signed = await jwt({ sub: 'user-17', role: 'admin' })
    const { body } = await send(
      'POST',
      '/admin/developer-keys',
      { name: 'A friend' },
      { Authorization: `Bearer ${signed}` },
    )
    const [made] = body['data'] as { key: string }[]
    await send('POST', '/admin/account-labels', { address: '0x1', tag: 't', label: 'l' })
    await send('GET', `/flow/block?token=${token}`, undefined, { 'X-API-Key': made?.key ?? '' })
    await send('GET', '/admin/account-labels', undefined, { Authorization: 'Bearer wrong-guess' })
    await send('GET', '/admin/account-labels')
    const audits = readAudits()
    expect(audits.map(({ audit, by, refused }) => ({ audit, by, refused }))).to.deep.equal([
      { audit: 'adminCreateKey', by: 'user-17', refused: undefined },
      { audit: 'adminPutLabel', by: 'token', refused: undefined },
      { audit: 'adminListLabels', by: undefined, refused: 'bad-credentials' },
    ])
    for (const secretText of [token, signed, made?.key ?? '', secret, 'wrong-guess']) {
      expect(lines.join('').includes(secretText), secretText.slice(0, 12)).to.equal(false)
    }
  })
})
