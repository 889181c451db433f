import { expect } from 'chai'
import { pino } from 'pino'
import { Metrics } from '../../src/platform/metrics.ts'
import { adminOperations } from '../../src/explorer/service.ts'
import { farmOperations } from '../../src/farm/operations.ts'
import { readOwnWorkers } from '../../src/own-tables/registry.ts'
import { WebhookMetrics } from '../../src/webhooks/service.ts'
import { webhookStores } from '../../src/webhooks/webhook-stores.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { commitTransfers, loopback, makeOwner, runHooks, subscribe } from './support/hook-world.ts'
import { startReceiver } from './support/receiver.ts'
import type { Receiver } from './support/receiver.ts'

describe('webhook overview', () => {
  let database: TestDatabase
  let api: RunningApi
  let receiver: Receiver
  let ids: { readonly good: number; readonly failing: number; readonly failingEndpoint: number }
  const metrics = new Metrics()
  before(async () => {
    database = await createTestDatabase()
    receiver = await startReceiver({
      answer: ({ path }, response) => void response.writeHead(path === '/gone' ? 410 : 200).end(),
    })
    await commitTransfers(database, 0, [[]])
    const stores = webhookStores(database.pool, loopback)
    const figures = new WebhookMetrics({
      overview: stores.overview,
      metrics,
      log: pino({ level: 'silent' }),
      isDispatching: () => true,
    })
    const hooks = await runHooks(database.url, {
      onAttempt: (attempt) => figures.attempt(attempt),
      onMade: (count) => figures.made(count),
    })
    const owner = await makeOwner(database)
    const good = await subscribe(database, owner, `${receiver.url}/good`)
    const failing = await subscribe(database, await makeOwner(database, 'free'), `${receiver.url}/gone`)
    ids = { good: good.id, failing: failing.id, failingEndpoint: failing.endpointId }
    await commitTransfers(database, 1, [[{}, {}, {}]])
    await receiver.until((received) => received.length === 4)
    await hooks.stop()
    await figures.read()
    await figures.stop()
    const credentials = { token: 'admin', jwtSecret: undefined, allowedRoles: ['admin'] }
    api = await runApi(database.url, {
      server: {
        webhooks: stores,
        admin: {
          credentials,
          operations: adminOperations(database.pool, () => 'mainnet', farmOperations(database.pool, readOwnWorkers)),
        },
      },
    })
  })
  after(async () => {
    await api.stop()
    await receiver.stop()
    await database.drop()
  })

  async function list(path: string, status = 200): Promise<Record<string, unknown>[]> {
    const response = await api.get(path, { headers: { Authorization: 'Bearer admin' } })
    expect(response.status, path).to.equal(status)
    return ((await response.json()) as { data: Record<string, unknown>[] }).data
  }

  it('shows administrators the endpoints, subscriptions and deliveries of all keys', async () => {
    expect((await list('/admin/webhooks/endpoints')).map((one) => one['paused_reason'])).to.deep.equal(['gone', null])
    expect((await list('/admin/webhooks/endpoints?is_paused=true')).map((one) => one['id'])).to.deep.equal([
      ids.failingEndpoint,
    ])
    expect(await list('/admin/webhooks/endpoints?limit=1&cursor=2')).to.have.length(1)
    expect(await list('/admin/webhooks/endpoints?cursor=')).to.have.length(2)
    const subscriptions = await list('/admin/webhooks/subscriptions')
    expect(
      subscriptions.map((one) => [one['id'], one['waiting'], one['next_attempt_at'], one['is_being_sent']]),
    ).to.deep.equal([
      [ids.failing, 3, null, false],
      [ids.good, 0, null, false],
    ])
    expect(await list(`/admin/webhooks/subscriptions?endpoint_id=${ids.failingEndpoint}`)).to.have.length(1)
    expect(
      (await list(`/admin/webhooks/subscriptions/${ids.good}/deliveries?status=delivered`)).map(
        (one) => one['sequence'],
      ),
    ).to.deep.equal([3, 2, 1])
    expect(
      (await list(`/admin/webhooks/subscriptions/${ids.failing}/deliveries?limit=1&cursor=2`)).map((one) => [
        one['sequence'],
        one['response_status'],
      ]),
    ).to.deep.equal([[1, 410]])
    expect((await api.get('/admin/webhooks/endpoints')).status).to.equal(401)
  })

  it('counts attempts by result, and the backlog', async () => {
    const text = await metrics.registry.metrics()
    for (const line of [
      'flowfarm_webhook_deliveries_made_total 6',
      'flowfarm_webhook_attempts_total{result="delivered"} 3',
      'flowfarm_webhook_attempts_total{result="refused"} 1',
      'flowfarm_webhook_attempt_seconds_count{result="delivered"} 3',
      'flowfarm_webhook_waiting_deliveries 3',
      'flowfarm_webhook_paused_endpoints{reason="gone"} 1',
      'flowfarm_webhook_paused_endpoints{reason="owner"} 0',
    ])
      expect(text.split('\n')).to.include(line)
  })
})
