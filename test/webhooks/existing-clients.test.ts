import { expect } from 'chai'
import { SignJWT } from 'jose'
import { Accounts } from '../../src/platform/auth/accounts.ts'
import { DeveloperKeys } from '../../src/platform/auth/developer-keys.ts'
import { addressList } from '../../src/platform/limits/clients.ts'
import { webhookStores } from '../../src/webhooks/webhook-stores.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { bob, commitTransfers, flow, loopback, makeOwner, runHooks } from './support/hook-world.ts'
import type { RunningHooks } from './support/hook-world.ts'
import { startReceiver } from './support/receiver.ts'
import type { Receiver } from './support/receiver.ts'

type Item = Record<string, unknown> & { readonly id: string }

const jwtSecret = 'of the authentication service, 32 bytes or more'

function jwtOf(claims: Record<string, unknown>, { secret = jwtSecret, expires = '1h' } = {}): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret))
}

describe('existing clients of webhooks', () => {
  let database: TestDatabase
  let api: RunningApi
  let hooks: RunningHooks
  let receiver: Receiver
  const secrets = new Map<string, string>()
  let key: string
  before(async () => {
    database = await createTestDatabase()
    await commitTransfers(database, 0, [[]])
    key = (await makeOwner(database, 'free')).text
    receiver = await startReceiver({ secrets })
    hooks = await runHooks(database.url)
    const keys = new DeveloperKeys(database.pool)
    api = await runApi(database.url, {
      server: {
        keys,
        accounts: new Accounts({ pool: database.pool, keys, jwtSecret }),
        webhooks: webhookStores(database.pool, loopback),
        rateLimit: { rps: 0.01, burst: 400, ttlMinutes: 15, trustedRps: 1, trustedAddresses: addressList([]) },
      },
    })
  })
  after(async () => {
    await api.stop()
    await hooks.stop()
    await receiver.stop()
    await database.drop()
  })

  /**
   * Requests of the SDK: the key as bearer, a JSON content type on every request, errors as text in
   * `error`.
   */
  async function ask(
    method: string,
    path: string,
    body?: unknown,
    bearer = key,
  ): Promise<{ status: number; answer: Item }> {
    const response = await api.get(`/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status === 204) expect(text).to.equal('')
    else expect(response.headers.get('content-type'), text).to.include('application/json')
    const answer = (text === '' ? {} : JSON.parse(text)) as Item
    if (!response.ok) expect(answer['error']).to.be.a('string')
    return { status: response.status, answer }
  }

  it('create, list, update and delete endpoints and subscriptions, and receive deliveries', async () => {
    const { status, answer: endpoint } = await ask('POST', '/endpoints', {
      url: `${receiver.url}/client`,
      description: 'mine',
    })
    expect([status, endpoint['is_active'], endpoint['description']]).to.deep.equal([201, true, 'mine'])
    secrets.set('/client', String(endpoint['secret']))
    const { status: made, answer: subscription } = await ask('POST', '/subscriptions', {
      endpoint_id: endpoint.id,
      event_type: 'ft.transfer',
      conditions: { token: `${flow}.Vault`, to: bob, min_amount: 1.5 },
    })
    expect([made, subscription['event_type'], subscription['conditions']]).to.deep.equal([
      201,
      'ft.transfer',
      { tokens: [flow], addresses: [bob], direction: 'in', min_amount: '1.5' },
    ])
    await commitTransfers(database, 1, [[{ amount: '1' }, { amount: '1.5' }]])
    await receiver.until((received) => received.length === 1)
    expect(receiver.received[0]?.body.data['amount']).to.equal('1.5')
    expect(receiver.problems).to.deep.equal([])
    await hooks.stop()
    hooks = await runHooks(database.url)

    const { answer: log } = await ask('GET', '/logs?limit=10')
    expect(log['count']).to.equal(1)
    expect((log['items'] as Item[])[0]).to.deep.include({
      id: receiver.received[0]?.id,
      endpoint_id: endpoint.id,
      status_code: 204,
      payload: receiver.received[0]?.body,
    })
    expect((await ask('GET', '/subscriptions?limit=5&offset=0')).answer['items']).to.deep.equal([subscription])
    expect((await ask('GET', '/subscriptions?offset=1')).answer).to.deep.equal({ items: [], count: 0 })
    const { answer: changed } = await ask('PATCH', `/subscriptions/${subscription.id}`, { is_enabled: false })
    expect(changed['is_enabled']).to.equal(false)
    expect(Date.parse(String(changed['updated_at']))).to.be.above(Date.parse(String(subscription['updated_at'])))
    expect((await ask('PATCH', `/endpoints/${endpoint.id}`, { is_active: false })).answer['is_active']).to.equal(false)
    expect((await ask('GET', '/account/usage')).answer).to.include({ tier: 'free', endpoints: 1, events_this_hour: 1 })
    expect((await ask('DELETE', `/subscriptions/${subscription.id}`)).status).to.equal(204)
    expect((await ask('GET', `/subscriptions/${subscription.id}`)).status).to.equal(404)
    expect((await ask('DELETE', `/endpoints/${endpoint.id}`)).status).to.equal(204)
    expect((await ask('GET', '/endpoints')).answer).to.deep.equal({ items: [], count: 0 })
  })

  it('get errors as text, also before routing and under each prefix', async () => {
    for (const prefix of ['', '/chain/v1', '/api/v1/chain/v1']) {
      const response = await api.get(`${prefix}/api/v1/endpoints`, { headers: { 'X-API-Key': 'ff_unknown' } })
      expect([response.status, response.headers.get('content-type')?.split(';')[0]], prefix).to.deep.equal([
        401,
        'application/json',
      ])
      expect(((await response.json()) as { readonly error?: unknown }).error, prefix).to.be.a('string')
    }
    for (const [status, method, path, body] of [
      [400, 'POST', '/endpoints', { url: 'http://169.254.169.254/' }],
      [400, 'POST', '/endpoints', { url: 'https://discord.example/', endpoint_type: 'discord' }],
      [400, 'POST', '/subscriptions', { endpoint_id: 'x', event_type: 'ft.transfer' }],
      [404, 'POST', '/subscriptions', { endpoint_id: '999', event_type: 'ft.transfer' }],
      [400, 'POST', '/subscriptions', { endpoint_id: '999', event_type: 'balance.check' }],
      [
        400,
        'POST',
        '/subscriptions',
        { endpoint_id: '999', event_type: 'ft.transfer', conditions: { 'amount_>=': 5 } },
      ],
      [
        400,
        'POST',
        '/subscriptions',
        { endpoint_id: '999', event_type: 'evm.transaction', conditions: { from: bob, to: bob } },
      ],
      [400, 'GET', '/logs?limit=201', undefined],
      [404, 'DELETE', '/endpoints/999', undefined],
      [405, 'PUT', '/endpoints', undefined],
      [404, 'GET', '/endpoints/1/nothing', undefined],
    ] as const) {
      const { status: output, answer } = await ask(method, path, body)
      expect(output, `${method} ${path} ${JSON.stringify(body)}: ${String(answer['error'])}`).to.equal(status)
    }
    for (const bearer of ['fs_live_wrong', `fs_live_${'0'.repeat(64)}`])
      expect((await ask('GET', '/endpoints', undefined, bearer)).status).to.equal(401)
    const { items } = (await (await api.get('/api/v1/event-types')).json()) as { items: string[] }
    expect(items).to.include.members([
      'ft.transfer',
      'nft.transfer',
      'transaction.sealed',
      'block.sealed',
      'account.created',
      'account.key.added',
    ])
  })

  it('may be users of the authentication service, whose keys share their webhooks', async () => {
    const jwt = await jwtOf({ sub: 'person 1' })
    const { answer: endpoint } = await ask('POST', '/endpoints', { url: `${receiver.url}/person` }, jwt)
    const { status, answer: made } = await ask('POST', '/api-keys', { name: 'program' }, jwt)
    expect(status).to.equal(201)
    const ofProgram = String(made['key'])
    expect((await ask('GET', '/endpoints', undefined, ofProgram)).answer['count']).to.equal(1)
    expect((await ask('GET', '/api-keys', undefined, jwt)).answer['items']).to.have.length(1)
    const others = await jwtOf({ sub: 'person 2' })
    expect((await ask('GET', '/endpoints', undefined, others)).answer['count']).to.equal(0)
    expect((await ask('DELETE', `/endpoints/${endpoint.id}`, undefined, others)).status).to.equal(404)
    expect((await ask('DELETE', `/api-keys/${made.id}`, undefined, others)).status).to.equal(404)
    expect((await api.get('/webhooks/endpoints', { headers: { Authorization: `Bearer ${jwt}` } })).status).to.equal(200)
    expect((await ask('DELETE', `/api-keys/${made.id}`, undefined, jwt)).status).to.equal(204)
    expect((await ask('GET', '/endpoints', undefined, ofProgram)).status).to.equal(401)
    const {
      rows: [account],
    } = await database.pool.query<{ id: string }>("select id from app.developer_keys where user_id = 'person 1'")
    const { answer: another } = await ask('POST', '/api-keys', { name: 'another' }, jwt)
    await new DeveloperKeys(database.pool).revoke(Number(account?.id))
    expect((await ask('GET', '/endpoints', undefined, jwt)).status).to.equal(403)
    expect((await ask('GET', '/endpoints', undefined, String(another['key']))).status).to.equal(401)
  })

  it('are rejected with an invalid JWT, and cannot create keys with an administrator key', async () => {
    for (const jwt of [
      await jwtOf({ sub: 'person 1' }, { secret: 'of another key, indefinitely' }),
      await jwtOf({ sub: 'person 1' }, { expires: '-1s' }),
      await jwtOf({ role: 'anon' }),
      await jwtOf({ sub: '' }),
      'a.b.c',
    ])
      expect((await ask('GET', '/endpoints', undefined, jwt)).status, jwt).to.equal(401)
    expect((await ask('POST', '/api-keys', { name: 'more' })).status).to.equal(403)
    expect((await ask('GET', '/api-keys')).answer['count']).to.equal(1)
  })

  it('are rate-limited by their key, also as bearer token', async () => {
    const response = await api.get('/api/v1/event-types', { headers: { Authorization: `Bearer ${key}` } })
    expect(response.headers.get('ratelimit-policy')).to.match(/^"key"/)
  })
})
