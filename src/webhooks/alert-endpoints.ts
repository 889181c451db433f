import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { query } from '../platform/db/pool.ts'
import { insertDeliveries } from './delivery-rows.ts'
import type { DeliveryStore, WebhookDelivery } from './delivery-store.ts'
import type { EndpointStore } from './endpoint-store.ts'
import { lockForRemoval, scheduleNow } from './leases.ts'
import type { WebhookOwner } from './webhook-limits.ts'
import type { WebhookStores } from './webhook-stores.ts'

export const alertEventType = 'query.alert'

/** Cannot be the user id of an account: those are UUIDs. */
const accountId = 'service:alerts'

export interface AlertEvent {
  /** The same for the same firing. */
  readonly id: string
  readonly at: Date
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Endpoints of the alerts of the query service: each has one subscription that matches no chain event and is disabled,
 * so the dispatcher skips it and the sender delivers what `send` adds. One account owns them; revoking it stops all.
 */
export class AlertEndpoints {
  readonly #endpoints: EndpointStore
  readonly #deliveries: DeliveryStore

  constructor({ endpoints, deliveries }: Pick<WebhookStores, 'endpoints' | 'deliveries'>) {
    this.#endpoints = endpoints
    this.#deliveries = deliveries
  }

  /** @throws ApiError 400 for a disallowed URL */
  async open(
    client: pg.ClientBase,
    { url, description }: { readonly url: string; readonly description: string },
  ): Promise<{ readonly subscriptionId: number; readonly url: string; readonly secret: string }> {
    const owner = await accountOf(client)
    const { endpoint, secret } = await this.#endpoints.createIn(client, owner, { url, description })
    const { rows } = await query<{ id: number }>(
      client,
      `insert into app.webhook_subscriptions (endpoint_id, event_types, is_enabled, next_height)
       values ($1, $2, false, 0) returning id::float8 as id`,
      [endpoint.id, [alertEventType]],
    )
    const subscriptionId = rows[0]?.id ?? 0
    await query(client, 'insert into app.webhook_turns (subscription_id, key_id) values ($1, $2)', [
      subscriptionId,
      owner.keyId,
    ])
    return { subscriptionId, url: endpoint.url, secret }
  }

  /** @returns false if the operator deleted the endpoint */
  async send(client: pg.ClientBase, subscriptionId: number, { id, at, data }: AlertEvent): Promise<boolean> {
    const { rowCount } = await query(
      client,
      'select 1 from app.webhook_subscriptions where id = $1 for no key update',
      [subscriptionId],
    )
    if (rowCount !== 1) return false
    const body = JSON.stringify({
      type: alertEventType,
      event_type: alertEventType,
      event_id: id,
      block_height: 0,
      timestamp: at.toISOString(),
      data,
    })
    // Height 0 is below every rollback.
    await insertDeliveries(client, [{ subscriptionId, blockHeight: 0, eventType: alertEventType, body }])
    return true
  }

  /** Newest first. */
  async deliveries(client: pg.Pool, subscriptionId: number, limit: number): Promise<readonly WebhookDelivery[]> {
    const owner = await accountOf(client)
    return await this.#deliveries.list(owner, subscriptionId, { before: undefined, status: undefined, limit })
  }

  /** Also sends what waits since the endpoint failed too often. */
  async resume(client: pg.ClientBase, subscriptionId: number): Promise<void> {
    await scheduleNow(client, [subscriptionId])
    await query(
      client,
      `update app.webhook_endpoints e set failures = 0, paused_at = null, paused_reason = null
       from app.webhook_subscriptions s where s.id = $1 and e.id = s.endpoint_id`,
      [subscriptionId],
    )
  }

  /** Also deletes its deliveries. */
  async close(client: pg.ClientBase, subscriptionId: number): Promise<void> {
    await lockForRemoval(client, 'select $1::bigint', [subscriptionId])
    await query(
      client,
      'delete from app.webhook_endpoints where id = (select endpoint_id from app.webhook_subscriptions where id = $1)',
      [subscriptionId],
    )
  }
}

async function accountOf(client: pg.ClientBase | pg.Pool): Promise<WebhookOwner> {
  const find = async (): Promise<number | undefined> =>
    (
      await query<{ id: number }>(client, 'select id::float8 as id from app.developer_keys where user_id = $1', [
        accountId,
      ])
    ).rows[0]?.id
  const found = await find()
  if (found !== undefined) return { keyId: found, tier: 'unlimited' }
  // The digest of an unknown random value: no key matches it.
  await query(
    client,
    `insert into app.developer_keys (key_hash, prefix, name, tier, user_id)
     values ($1, 'account', 'alerts of the query service', 'unlimited', $2) on conflict (user_id) do nothing`,
    [randomBytes(32), accountId],
  )
  const keyId = await find()
  if (keyId === undefined) throw new Error('the account of alerts was not found')
  return { keyId, tier: 'unlimited' }
}
