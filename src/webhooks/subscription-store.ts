import type pg from 'pg'
import { ApiError } from '../platform/errors.ts'
import { query, withTransaction } from '../platform/db/pool.ts'
import type { Conditions } from './conditions.ts'
import { deliveryBody, isOwnEventType, ownTableOf, testEventType } from './events.ts'
import type { EndpointStore, NewEndpoint } from './endpoint-store.ts'
import type { EventType } from './events.ts'
import { insertDeliveries } from './delivery-rows.ts'
import { lockForRemoval } from './leases.ts'
import { webhookLimits } from './webhook-limits.ts'
import type { WebhookOwner } from './webhook-limits.ts'

export interface WebhookSubscription {
  readonly id: number
  readonly endpointId: number
  readonly eventTypes: readonly EventType[]
  readonly conditions: Conditions
  readonly isEnabled: boolean
  /** Null before the first stored block. */
  readonly nextHeight: number | null
  readonly deliveryCount: number
  readonly createdAt: Date
  readonly changedAt: Date
}

export interface NewSubscription {
  readonly endpoint: number | NewEndpoint
  readonly eventTypes: readonly EventType[]
  readonly conditions: Conditions
  /** Undefined: the next stored block. */
  readonly fromHeight: number | undefined
}

export interface SubscriptionChange {
  readonly eventTypes?: readonly EventType[] | undefined
  readonly conditions?: Conditions | undefined
  readonly isEnabled?: boolean | undefined
  readonly fromHeight?: number | undefined
}

export const subscriptionColumns = `s.id::float8 as id, s.endpoint_id::float8 as "endpointId", s.event_types as
  "eventTypes", s.conditions, s.is_enabled as "isEnabled",
  s.next_height::float8 as "nextHeight", s.last_sequence::float8 as "deliveryCount", s.created_at as "createdAt",
  s.changed_at as "changedAt"`
const ofOwner = 'exists (select from app.webhook_endpoints e where e.id = s.endpoint_id and e.key_id = $1)'

/** Pending, per subscription. */
const maxTests = 20

const nextBlock =
  '(select max(upper(r)) from app.indexing_checkpoints c, unnest(c.covered) r where c.service_name ' +
  `= 'main_ingester')`

/** Subscriptions of other keys are treated as nonexistent. */
export class SubscriptionStore {
  readonly #pool: pg.Pool
  readonly #endpoints: EndpointStore

  constructor(pool: pg.Pool, endpoints: EndpointStore) {
    this.#pool = pool
    this.#endpoints = endpoints
  }

  /** Newest first. */
  async list(owner: WebhookOwner, endpointId: number | undefined): Promise<readonly WebhookSubscription[]> {
    const { rows } = await query<WebhookSubscription>(
      this.#pool,
      `select ${subscriptionColumns} from app.webhook_subscriptions s where ${ofOwner} and ($2::bigint ` +
        'is null or s.endpoint_id = $2) order by s.id desc',
      [owner.keyId, endpointId ?? null],
    )
    return rows
  }

  /** @throws ApiError 404 `unknown-subscription` */
  async find(owner: WebhookOwner, id: number): Promise<WebhookSubscription> {
    const { rows } = await query<WebhookSubscription>(
      this.#pool,
      `select ${subscriptionColumns} from app.webhook_subscriptions s where ${ofOwner} and s.id = $2`,
      [owner.keyId, id],
    )
    return known(rows[0], id)
  }

  /**
   * @throws ApiError 400 for invalid conditions or a disallowed URL, 403 `webhook-limit`, 404
   * `unknown-endpoint`
   */
  async create(
    owner: WebhookOwner,
    { endpoint, eventTypes, conditions, fromHeight }: NewSubscription,
  ): Promise<{ readonly subscription: WebhookSubscription; readonly secret: string | undefined }> {
    checkConditions(eventTypes, conditions)
    return this.#change(async (client) => {
      await checkOwnTables(client, eventTypes, conditions)
      await query(client, 'select 1 from app.developer_keys where id = $1 for no key update', [owner.keyId])
      const madeEndpoint =
        typeof endpoint === 'number' ? undefined : await this.#endpoints.createIn(client, owner, endpoint)
      const endpointId = typeof endpoint === 'number' ? endpoint : (madeEndpoint?.endpoint.id ?? 0)
      const max = webhookLimits[owner.tier].subscriptions
      const {
        rows: [there],
      } = await query<{ count: number; is_endpoint: boolean }>(
        client,
        `select exists (select from app.webhook_endpoints where id = $2 and key_id = $1) as is_endpoint,
           (select count(*)::int from app.webhook_subscriptions s where ${ofOwner}) as count`,
        [owner.keyId, endpointId],
      )
      if (there?.is_endpoint !== true)
        throw new ApiError(404, 'unknown-endpoint', `Endpoint ${endpointId} does not exist.`)
      if (max !== null && there.count >= max)
        throw new ApiError(403, 'webhook-limit', `Subscription limit reached: tier ${owner.tier} allows ${max}.`)
      const { rows } = await query<WebhookSubscription>(
        client,
        `insert into app.webhook_subscriptions as s (endpoint_id, event_types, conditions, next_height)
         values ($1, $2, $3, coalesce($4::bigint, ${nextBlock})) returning ${subscriptionColumns}`,
        [endpointId, [...new Set(eventTypes)], JSON.stringify(conditions), fromHeight ?? null],
      )
      const made = known(rows[0], 0)
      await query(client, 'insert into app.webhook_turns (subscription_id, key_id) values ($1, $2)', [
        made.id,
        owner.keyId,
      ])
      return { subscription: made, secret: madeEndpoint?.secret }
    })
  }

  /** @throws ApiError 400, 404 */
  async change(owner: WebhookOwner, id: number, change: SubscriptionChange): Promise<WebhookSubscription> {
    return this.#change(async (client) => {
      const { rows } = await query<WebhookSubscription>(
        client,
        `select ${subscriptionColumns} from app.webhook_subscriptions s where ${ofOwner} and s.id = $2 ` +
          'for no key update',
        [owner.keyId, id],
      )
      const before = known(rows[0], id)
      const {
        eventTypes = before.eventTypes,
        conditions = before.conditions,
        isEnabled = before.isEnabled,
        fromHeight = before.nextHeight,
      } = change
      checkConditions(eventTypes, conditions)
      if (change.eventTypes !== undefined || change.conditions !== undefined)
        await checkOwnTables(client, eventTypes, conditions)
      const { rows: changed } = await query<WebhookSubscription>(
        client,
        'update app.webhook_subscriptions s set event_types = $2, conditions = $3, is_enabled = $4, ' +
          `next_height = $5, changed_at = now() where id = $1 returning ${subscriptionColumns}`,
        [id, [...new Set(eventTypes)], JSON.stringify(conditions), isEnabled, fromHeight],
      )
      return known(changed[0], id)
    })
  }

  /** Also removes deliveries. @throws ApiError 404 */
  async remove(owner: WebhookOwner, id: number): Promise<WebhookSubscription> {
    return withTransaction(this.#pool, async (client) => {
      await lockForRemoval(client, `select s.id from app.webhook_subscriptions s where ${ofOwner} and s.id = $2`, [
        owner.keyId,
        id,
      ])
      const { rows } = await query<WebhookSubscription>(
        client,
        `delete from app.webhook_subscriptions s where ${ofOwner} and s.id = $2 returning ${subscriptionColumns}`,
        [owner.keyId, id],
      )
      return known(rows[0], id)
    })
  }

  /** @throws ApiError 404, 409 `tests-waiting` */
  async sendTest(owner: WebhookOwner, id: number): Promise<WebhookSubscription> {
    return this.#change(async (client) => {
      const { rows } = await query<WebhookSubscription>(
        client,
        `select ${subscriptionColumns} from app.webhook_subscriptions s where ${ofOwner} and s.id = $2 ` +
          'for no key update',
        [owner.keyId, id],
      )
      const { nextHeight } = known(rows[0], id)
      const {
        rows: [waiting],
      } = await query<{ tests: number }>(
        client,
        `select count(*)::int as tests from (
           select from app.webhook_deliveries where subscription_id = $1 and status = 'pending' and event_type = $2
             limit ${maxTests}
         ) t`,
        [id, testEventType],
      )
      if (waiting?.tests === maxTests)
        throw new ApiError(
          409,
          'tests-waiting',
          `Too many pending tests: limit ${maxTests} per subscription. Wait until they are sent.`,
        )
      const timestamp = new Date()
      const place = {
        height: Math.max(0, (nextHeight ?? 1) - 1),
        txIndex: -1,
        eventIndex: -1,
        leg: timestamp.getTime(),
      }
      const body = deliveryBody(
        testEventType,
        { place, data: { message: 'This is a test of your endpoint.' } },
        { height: place.height, id: null, timestamp },
      )
      await insertDeliveries(client, [
        { subscriptionId: id, blockHeight: place.height, eventType: testEventType, body },
      ])
      return this.#reread(client, id)
    })
  }

  async #reread(client: pg.ClientBase, id: number): Promise<WebhookSubscription> {
    const { rows } = await query<WebhookSubscription>(
      client,
      `select ${subscriptionColumns} from app.webhook_subscriptions s where s.id = $1`,
      [id],
    )
    return known(rows[0], id)
  }

  /** Wakes the dispatcher on commit. */
  async #change<T>(fn: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    return withTransaction(this.#pool, async (client) => {
      const result = await fn(client)
      await query(client, "select pg_notify('flowfarm_webhook_changes', '')")
      return result
    })
  }
}

function known(subscription: WebhookSubscription | undefined, id: number): WebhookSubscription {
  if (subscription === undefined) throw new ApiError(404, 'unknown-subscription', `Subscription ${id} does not exist.`)
  return subscription
}

/** @throws ApiError 400 for unknown tables, and for conditions on columns that they do not have */
async function checkOwnTables(
  client: pg.ClientBase,
  types: readonly EventType[],
  { columns = {} }: Conditions,
): Promise<void> {
  const own = types.filter(isOwnEventType)
  if (own.length === 0) return
  const { rows } = await query<{ worker: string; table: string; columns: string[] }>(
    client,
    `select w.name as worker, t ->> 'name' as "table",
       array(select c ->> 'name' from jsonb_array_elements(t -> 'columns') as c) as columns
     from app.own_workers w, jsonb_array_elements(w.declaration -> 'tables') as t where w.replaces is null`,
  )
  for (const type of own) {
    const { worker, table } = ownTableOf(type)
    const found = rows.find((row) => row.worker === worker && row.table === table)
    if (found === undefined) {
      const message = `Field "event_types" has an unknown table: ${type}. See /webhooks/event-types.`
      throw new ApiError(400, 'invalid-field', message, { field: 'event_types' })
    }
    const unknown = Object.keys(columns).find((name) => !found.columns.includes(name))
    if (unknown !== undefined) {
      const message =
        `Field "conditions.columns" has a column that ${type} does not have: ${unknown}. ` +
        `Possible: ${found.columns.join(', ')}.`
      throw new ApiError(400, 'invalid-field', message, { field: 'conditions.columns' })
    }
  }
}

function checkConditions(
  types: readonly EventType[],
  { addresses, direction, contracts, event_names: names, columns }: Conditions,
): void {
  if (columns !== undefined && !types.every(isOwnEventType)) {
    throw new ApiError(400, 'invalid-field', 'Field "conditions.columns" requires own tables only as "event_types".', {
      field: 'conditions.columns',
    })
  }
  if (direction !== undefined && addresses === undefined) {
    throw new ApiError(400, 'invalid-field', 'Field "conditions.direction" requires "conditions.addresses".', {
      field: 'conditions.direction',
    })
  }
  const isNamed = contracts !== undefined || names?.some((name) => /^(A\.[0-9a-f]{16}|flow)\./.test(name)) === true
  if (types.includes('contract.event') && !isNamed) {
    throw new ApiError(
      400,
      'invalid-field',
      'Event type contract.event requires "conditions.contracts" or "conditions.event_names".',
      { field: 'conditions.contracts' },
    )
  }
}
