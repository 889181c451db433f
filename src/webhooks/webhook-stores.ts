import type pg from 'pg'
import { DeliveryStore, deliveriesPage } from './delivery-store.ts'
import { EndpointStore, endpointColumns } from './endpoint-store.ts'
import { SubscriptionStore, subscriptionColumns } from './subscription-store.ts'
import { targetPolicy } from '../platform/outbound/target-policy.ts'
import { query } from '../platform/db/pool.ts'
import type { DeliveryStatus, WebhookDelivery } from './delivery-store.ts'
import type { WebhookEndpoint } from './endpoint-store.ts'
import type { WebhookSubscription } from './subscription-store.ts'
import { hourlyParameters, joinHour, readUsage, defaultHourlyLimits } from './usage.ts'
import type { WebhookUsage } from './usage.ts'
import type { WebhookOwner } from './webhook-limits.ts'

export interface WebhookStores {
  readonly endpoints: EndpointStore
  readonly subscriptions: SubscriptionStore
  readonly deliveries: DeliveryStore
  readonly overview: OverviewStore
}

export function webhookStores(pool: pg.Pool, allowedNetworks: readonly string[]): WebhookStores {
  const endpoints = new EndpointStore(pool, targetPolicy(allowedNetworks))
  return {
    endpoints,
    subscriptions: new SubscriptionStore(pool, endpoints),
    deliveries: new DeliveryStore(pool),
    overview: new OverviewStore(pool),
  }
}

const maxCounted = 10_000

export interface SubscriptionState extends WebhookSubscription {
  readonly keyId: number
  /** Counted up to 10,000. */
  readonly waiting: number
  readonly oldestWaitingAt: Date | null
  /** Null if nothing is pending or sending is not allowed. */
  readonly dueAt: Date | null
  readonly isBeingSent: boolean
  readonly isOverLimit: boolean
}

interface OverviewPage {
  readonly before: number | undefined
  readonly limit: number
}

interface WaitingTotals {
  /** Counted up to 100,000. */
  readonly deliveries: number
  readonly oldestSeconds: number
  /** By reason. */
  readonly paused: Readonly<Record<'owner' | 'failures' | 'gone', number>>
}

export class OverviewStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Newest first. */
  async endpoints(
    { before, limit }: OverviewPage,
    filter: { readonly keyId: number | undefined; readonly isPaused: boolean | undefined },
  ): Promise<readonly WebhookEndpoint[]> {
    const { rows } = await query<WebhookEndpoint>(
      this.#pool,
      `select ${endpointColumns} from app.webhook_endpoints
       where ($1::bigint is null or id < $1) and ($2::bigint is null or key_id = $2) and ($3::boolean is null or
         (paused_at is not null) = $3)
       order by id desc limit $4`,
      [before ?? null, filter.keyId ?? null, filter.isPaused ?? null, limit],
    )
    return rows
  }

  /** Newest first. */
  async subscriptions(
    { before, limit }: OverviewPage,
    endpointId: number | undefined,
  ): Promise<readonly SubscriptionState[]> {
    const { rows } = await query<SubscriptionState>(
      this.#pool,
      `select ${subscriptionColumns}, t.key_id::float8 as "keyId", t.due_at as "dueAt", t.is_held as "isBeingSent",
        w.waiting, w.oldest as "oldestWaitingAt",
         coalesce(h."left" <= 0, false) as "isOverLimit"
       from app.webhook_subscriptions s join app.webhook_turns t on t.subscription_id = s.id join app.developer_keys
         k on k.id = t.key_id
       ${joinHour('$4', '$5')} cross join lateral (
         select count(*)::int as waiting, min(created_at) as oldest from (
           select created_at from app.webhook_deliveries d where d.subscription_id = s.id and d.status = 'pending'
             order by sequence limit ${maxCounted}
         ) p
       ) w
       where ($1::bigint is null or s.id < $1) and ($2::bigint is null or s.endpoint_id = $2) order by s.id desc
         limit $3`,
      [before ?? null, endpointId ?? null, limit, ...hourlyParameters(defaultHourlyLimits)],
    )
    return rows
  }

  /** Newest first. */
  async deliveries(
    { before, limit }: OverviewPage,
    subscriptionId: number,
    status: DeliveryStatus | undefined,
  ): Promise<readonly WebhookDelivery[]> {
    const { text, values } = deliveriesPage(subscriptionId, { before, status, limit })
    return (await query<WebhookDelivery>(this.#pool, text, values)).rows
  }

  usage(owner: WebhookOwner): Promise<WebhookUsage> {
    return readUsage(this.#pool, owner)
  }

  async totals(): Promise<WaitingTotals> {
    const {
      rows: [row],
    } = await query<{ deliveries: number; seconds: number; owner: number; failures: number; gone: number }>(
      this.#pool,
      `select w.deliveries, w.seconds, e.* from (
         select count(*)::int as deliveries, coalesce(extract(epoch from clock_timestamp() - min(created_at)),
           0)::float8 as seconds
         from (select created_at from app.webhook_deliveries where status = 'pending' limit 100000) p
       ) w cross join (
         select (count(*) filter (where paused_reason = 'owner'))::int as owner, (count(*) filter (where
           paused_reason = 'failures'))::int as failures,
           (count(*) filter (where paused_reason = 'gone'))::int as gone from app.webhook_endpoints
       ) e`,
    )
    return {
      deliveries: row?.deliveries ?? 0,
      oldestSeconds: row?.seconds ?? 0,
      paused: { owner: row?.owner ?? 0, failures: row?.failures ?? 0, gone: row?.gone ?? 0 },
    }
  }
}
