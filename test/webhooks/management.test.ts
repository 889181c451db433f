import { expect } from 'chai'
import { DeveloperKeys } from '../../src/platform/auth/developer-keys.ts'
import { webhookStores } from '../../src/webhooks/webhook-stores.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { alice, bob, commitTransfers, loopback, makeOwner, runHooks } from './support/hook-world.ts'
import type { RunningHooks } from './support/hook-world.ts'
import { startReceiver } from './support/receiver.ts'
import type { Receiver } from './support/receiver.ts'

type Item = Record<string, unknown> & { readonly id: number; readonly secret: string }

describe('webhook management', () => {
  let database: TestDatabase
  let api: RunningApi
  let hooks: RunningHooks
  let receiver: Receiver
  const secrets = new Map<string, string>()
  let key: string
  let otherKey: string
  before(async () => {
    database = await createTestDatabase()
    await commitTransfers(database, 0, [[]])
    key = (await makeOwner(database, 'free')).text
    otherKey = (await makeOwner(database, 'pro')).text
    receiver = await startReceiver({ secrets })
    hooks = await runHooks(database.url)
    api = await runApi(database.url, {
      server: { keys: new DeveloperKeys(database.pool), webhooks: webhookStores(database.pool, loopback) },
    })
  })
  after(async () => {
    await api.stop()
    await hooks.stop()
    await receiver.stop()
    await database.drop()
  })

  async function call(
    method: string,
    path: string,
    body?: unknown,
    apiKey: string | undefined = key,
  ): Promise<{ status: number; json: Record<string, unknown>; data: Item[] }> {
    const response = await api.get(path, {
      method,
      headers: {
        ...(apiKey === '' ? {} : { 'X-API-Key': apiKey }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const json = (await response.json()) as Record<string, unknown>
    return { status: response.status, json, data: (json['data'] ?? []) as Item[] }
  }

  async function only(method: string, path: string, body?: unknown): Promise<Item> {
    const { status, json, data } = await call(method, path, body)
    expect(status, JSON.stringify(json)).to.equal(200)
    return data[0] as Item
  }

  it('covers key, endpoint, signed delivery, log and replay', async () => {
    const endpoint = await only('POST', '/webhooks/endpoints', { url: `${receiver.url}/watched`, description: 'mine' })
    secrets.set('/watched', endpoint.secret)
    const { id } = await only('POST', '/webhooks/subscriptions', {
      endpoint_id: endpoint.id,
      event_types: ['ft.transfer'],
      conditions: { addresses: ['0xB2'], direction: 'in', min_amount: '2' },
    })
    await commitTransfers(database, 1, [
      [{ amount: '1.99999999' }, { amount: '2' }, { from: bob, to: alice, amount: '5' }],
    ])
    await receiver.until((received) => received.length === 1)
    expect(receiver.received[0]?.body.data).to.include({ to: bob, amount: '2' })

    await only('POST', `/webhooks/subscriptions/${id}/test`)
    await receiver.until((received) => received.length === 2)
    expect(receiver.received[1]?.body.type).to.equal('webhook.test')

    const rotated = await only('POST', `/webhooks/endpoints/${endpoint.id}/rotate-secret`, {})
    expect(rotated.secret).not.to.equal(endpoint.secret)
    await only('POST', `/webhooks/subscriptions/${id}/deliveries/1/replay`)
    await receiver.until((received) => received.length === 3)
    expect(receiver.received[2]?.id).to.equal(receiver.received[0]?.id)
    secrets.set('/watched', rotated.secret)
    await only('PATCH', `/webhooks/subscriptions/${id}`, { from_height: 0 })
    await receiver.until((received) => received.length === 4)
    expect(receiver.received[3]?.body).to.deep.equal(receiver.received[0]?.body)
    expect(receiver.problems, 'both secrets sign').to.deep.equal([])

    const log = await call('GET', `/webhooks/subscriptions/${id}/deliveries?limit=2`)
    expect(log.data.map((one) => one['sequence'])).to.deep.equal([3, 2])
    const withEmptyCursor = await call('GET', `/webhooks/subscriptions/${id}/deliveries?limit=2&cursor=`)
    expect(withEmptyCursor.data.map((one) => one['sequence'])).to.deep.equal([3, 2])
    const rest = await call(
      'GET',
      `/webhooks/subscriptions/${id}/deliveries?limit=2&cursor=${String(log.json['cursor'])}`,
    )
    expect(rest.data.map((one) => [one['sequence'], one['message_id']])).to.deep.equal([[1, `msg_${id}_1`]])
    expect(JSON.parse(String((await only('GET', `/webhooks/subscriptions/${id}/deliveries/1`))['body']))).to.deep.equal(
      receiver.received[0]?.body,
    )
  })

  it('holds deliveries while an endpoint is paused', async () => {
    const endpoint = await only('POST', '/webhooks/endpoints', { url: `${receiver.url}/paused` })
    await only('POST', '/webhooks/subscriptions', { endpoint_id: endpoint.id, event_types: ['block.sealed'] })
    await only('PATCH', `/webhooks/endpoints/${endpoint.id}`, { is_paused: true })
    const sent = (): string[] =>
      receiver.received.filter(({ path }) => path === '/paused').map(({ body }) => String(body.block_height))
    await commitTransfers(database, 2, [[], []])
    await only('PATCH', `/webhooks/endpoints/${endpoint.id}`, { is_paused: false })
    await receiver.until(() => sent().length === 2)
    expect(sent()).to.deep.equal(['2', '3'])
    expect(await only('DELETE', `/webhooks/endpoints/${endpoint.id}`)).to.include({ id: endpoint.id })
  })

  it('creates the endpoint with the subscription, optionally with a given secret', async () => {
    const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    secrets.set('/at-once', secret)
    const made = await only('POST', '/webhooks/subscriptions', {
      url: `${receiver.url}/at-once`,
      secret,
      event_types: ['block.sealed'],
    })
    expect(made.secret).to.equal(secret)
    await only('POST', `/webhooks/subscriptions/${made.id}/test`)
    await receiver.until((received) => received.some(({ path }) => path === '/at-once'))
    expect(receiver.problems).to.deep.equal([])
    expect(await only('GET', `/webhooks/subscriptions/${made.id}`)).not.to.have.property('secret')
    const there = (await call('GET', '/webhooks/endpoints')).data.length
    for (const [field, wrong] of [
      ['endpoint_id', {}],
      ['endpoint_id', { url: receiver.url, endpoint_id: made['endpoint_id'] }],
      ['secret', { endpoint_id: made['endpoint_id'], secret }],
      ['secret', { url: receiver.url, secret: 'whsec_short' }],
      ['url', { url: 'https://10.0.0.1/' }],
      ['conditions.contracts', { url: receiver.url, event_types: ['contract.event'] }],
    ] as const) {
      const { status, json } = await call('POST', '/webhooks/subscriptions', {
        event_types: ['block.sealed'],
        ...wrong,
      })
      expect([status, json['field']], JSON.stringify(wrong)).to.deep.equal([400, field])
    }
    expect((await call('GET', '/webhooks/endpoints')).data).to.have.length(there)
    await only('DELETE', `/webhooks/endpoints/${String(made['endpoint_id'])}`)
  })

  it('hides objects of other keys', async () => {
    const endpoint = await only('POST', '/webhooks/endpoints', { url: `${receiver.url}/own` })
    const { id } = await only('POST', '/webhooks/subscriptions', {
      endpoint_id: endpoint.id,
      event_types: ['chain.rollback'],
    })
    expect((await call('GET', '/webhooks/endpoints', undefined, otherKey)).data).to.deep.equal([])
    for (const [method, path, body] of [
      ['GET', `/webhooks/endpoints/${endpoint.id}`],
      ['PATCH', `/webhooks/endpoints/${endpoint.id}`, { is_paused: true }],
      ['DELETE', `/webhooks/endpoints/${endpoint.id}`],
      ['POST', `/webhooks/endpoints/${endpoint.id}/rotate-secret`, {}],
      ['GET', `/webhooks/subscriptions/${id}`],
      ['PATCH', `/webhooks/subscriptions/${id}`, { from_height: 0 }],
      ['DELETE', `/webhooks/subscriptions/${id}`],
      ['POST', `/webhooks/subscriptions/${id}/test`],
      ['GET', `/webhooks/subscriptions/${id}/deliveries`],
      ['GET', `/webhooks/subscriptions/${id}/deliveries/1`],
      ['POST', `/webhooks/subscriptions/${id}/deliveries/1/replay`],
      ['POST', '/webhooks/subscriptions', { endpoint_id: endpoint.id, event_types: ['block.sealed'] }],
    ] as const) {
      expect((await call(method, path, body, otherKey)).status, `${method} ${path}`).to.equal(404)
    }
    for (const path of ['/webhooks/endpoints', '/webhooks/subscriptions']) {
      expect((await call('GET', path, undefined, '')).status).to.equal(401)
    }
  })

  it('rejects invalid targets and fields by name', async () => {
    for (const url of [
      'http://169.254.169.254/latest/meta-data/',
      'https://10.0.0.1/',
      'https://[::1]/',
      'no url',
      'file:///etc/passwd',
    ]) {
      const { status, json } = await call('POST', '/webhooks/endpoints', { url })
      expect([status, json['field']], url).to.deep.equal([400, 'url'])
    }
    const endpoint = await only('POST', '/webhooks/endpoints', { url: `${receiver.url}/refusals` })
    for (const wrong of [
      { event_types: ['no.such'] },
      { event_types: [] },
      { event_types: ['contract.event'] },
      { event_types: ['ft.transfer'], conditions: { min_amount: '1e3' } },
      { event_types: ['ft.transfer'], conditions: { adresses: ['0x1'] } },
      { event_types: ['ft.transfer'], conditions: { direction: 'in' } },
      { event_types: ['ft.transfer'], from_height: -1 },
    ]) {
      expect(
        (await call('POST', '/webhooks/subscriptions', { endpoint_id: endpoint.id, ...wrong })).status,
        JSON.stringify(wrong),
      ).to.equal(400)
    }
  })

  it('limits endpoints by tier', async () => {
    const there = (await call('GET', '/webhooks/endpoints')).data.length
    const made = await Promise.all(
      Array.from({ length: 12 }, () => call('POST', '/webhooks/endpoints', { url: `${receiver.url}/many` })),
    )
    expect(made.filter(({ status }) => status === 200)).to.have.length(10 - there)
    expect(made.filter(({ status }) => status === 403)).to.have.length(2 + there)
  })
})
