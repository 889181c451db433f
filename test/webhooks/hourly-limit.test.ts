import { expect } from 'chai'
import { DeveloperKeys } from '../../src/platform/auth/developer-keys.ts'
import { defaultHourlyLimits } from '../../src/webhooks/usage.ts'
import { webhookStores } from '../../src/webhooks/webhook-stores.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { commitTransfers, loopback, makeOwner, runHooks, subscribe } from './support/hook-world.ts'
import type { RunningHooks } from './support/hook-world.ts'
import { startReceiver } from './support/receiver.ts'
import type { Receiver } from './support/receiver.ts'

describe('hourly events of a key', () => {
  let database: TestDatabase
  let receiver: Receiver
  let hooks: RunningHooks
  let api: RunningApi
  before(async () => {
    database = await createTestDatabase()
    receiver = await startReceiver()
    await commitTransfers(database, 0, [[]])
    hooks = await runHooks(database.url, { limits: { eventsPerHour: { ...defaultHourlyLimits, free: 3 } } })
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

  const heights = (path: string): number[] =>
    receiver.received.filter((one) => one.path === path).map(({ body }) => body.block_height)

  it('are limited by tier up to the end of a block, and resume in the next hour without loss', async () => {
    const limited = await makeOwner(database, 'free')
    await subscribe(database, limited, `${receiver.url}/first`)
    await subscribe(database, limited, `${receiver.url}/second`)
    await subscribe(database, await makeOwner(database, 'pro'), `${receiver.url}/pro`)
    await commitTransfers(database, 1, [[{}], [{}, {}], [{}], [{}]])
    await receiver.until(
      () => heights('/pro').length === 5 && heights('/first').length + heights('/second').length === 6,
    )
    const usage = (await (await api.get('/webhooks/usage', { headers: { 'X-API-Key': limited.text } })).json()) as {
      data: Record<string, unknown>[]
    }
    expect(usage.data[0]).to.include({
      tier: 'free',
      endpoints: 2,
      endpoints_limit: 10,
      subscriptions: 2,
      subscriptions_limit: 10,
      events_this_hour: 6,
      events_per_hour_limit: 5000,
    })
    // A later commit is delivered to the other key, so the dispatcher has processed both by then.
    await commitTransfers(database, 5, [[{}]])
    await receiver.until(() => heights('/pro').length === 6)
    expect([heights('/first'), heights('/second')]).to.deep.equal([
      [1, 2, 2],
      [1, 2, 2],
    ])

    await database.pool.query("update app.webhook_usage set hour = hour - interval '1 day'")
    await commitTransfers(database, 6, [[]])
    const whole = [1, 2, 2, 3, 4, 5]
    await receiver.until(() => heights('/first').length + heights('/second').length >= 10)
    await database.pool.query("update app.webhook_usage set hour = hour - interval '2 days'")
    await commitTransfers(database, 7, [[]])
    await receiver.until(() => heights('/first').length + heights('/second').length === 12)
    expect([heights('/first'), heights('/second')]).to.deep.equal([whole, whole])
  })
})
