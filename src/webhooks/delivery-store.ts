import type pg from 'pg'
import { ApiError } from '../platform/errors.ts'
import { query, withTransaction } from '../platform/db/pool.ts'
import { scheduleNow } from './leases.ts'
import type { WebhookOwner } from './webhook-limits.ts'

export type DeliveryStatus = 'pending' | 'delivered' | 'dead'

export interface WebhookDelivery {
  readonly subscriptionId: number
  readonly sequence: number
  readonly eventType: string
  readonly blockHeight: number
  readonly status: DeliveryStatus
  readonly attemptCount: number
  readonly responseStatus: number | null
  readonly latencyMs: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export interface DeliveryDetail extends WebhookDelivery {
  readonly body: string
  readonly failures: readonly DeliveryFailure[]
}

export interface LoggedDelivery extends WebhookDelivery {
  readonly endpointId: number
  readonly body: string
}

export interface DeliveryFailure {
  readonly attempt: number
  readonly failedAt: Date
  readonly responseStatus: number | null
  readonly latencyMs: number
  readonly error: string
  readonly responseExcerpt: string | null
}

const deliveryColumns = `d.subscription_id::float8 as "subscriptionId", d.sequence::float8 as sequence, d.event_type
  as "eventType",
  d.block_height::float8 as "blockHeight", d.status, d.attempt_count as "attemptCount", d.response_status as
    "responseStatus",
  d.latency_ms as "latencyMs", d.error, d.response_excerpt as "responseExcerpt", d.created_at as "createdAt",
    d.finished_at as "finishedAt"`
const ofOwner = `exists (
  select from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id where s.id =
    d.subscription_id and e.key_id = $1
)`

export interface DeliveriesPage {
  readonly before: number | undefined
  readonly status: DeliveryStatus | undefined
  readonly limit: number
}

/** Newest first. Pending and dead deliveries are few and have partial indexes. */
export function deliveriesPage(
  subscriptionId: number,
  { before, status, limit }: DeliveriesPage,
  owner?: WebhookOwner,
): { readonly text: string; readonly values: unknown[] } {
  return {
    text: `select ${deliveryColumns} from app.webhook_deliveries d
      where d.subscription_id = $2 and ($3::bigint is null or d.sequence < $3) and ($4::text is null or d.status =
        $4) and ($1::bigint is null or ${ofOwner})
      order by d.sequence desc limit $5`,
    values: [owner?.keyId ?? null, subscriptionId, before ?? null, status ?? null, limit],
  }
}

export class DeliveryStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async list(owner: WebhookOwner, subscriptionId: number, page: DeliveriesPage): Promise<readonly WebhookDelivery[]> {
    const { text, values } = deliveriesPage(subscriptionId, page, owner)
    return (await query<WebhookDelivery>(this.#pool, text, values)).rows
  }

  /** Newest first. */
  async log(
    { keyId }: WebhookOwner,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<readonly LoggedDelivery[]> {
    const { rows } = await query<LoggedDelivery>(
      this.#pool,
      `select ${deliveryColumns}, d.body, p.endpoint_id::float8 as "endpointId" from (
         select l.*, s.endpoint_id from app.webhook_subscriptions s join app.webhook_endpoints e on e.id =
           s.endpoint_id cross join lateral (
           select w.subscription_id, w.sequence, w.created_at from app.webhook_deliveries w
           where w.subscription_id = s.id and w.attempt_count > 0 order by w.sequence desc limit $2::int + $3::int
         ) l
         where e.key_id = $1 order by l.created_at desc, l.subscription_id desc, l.sequence desc limit $2 offset $3
       ) p join app.webhook_deliveries d using (subscription_id, sequence)
       order by d.created_at desc, d.subscription_id desc, d.sequence desc`,
      [keyId, limit, offset],
    )
    return rows
  }

  /** @throws ApiError 404 `unknown-delivery` */
  async find(owner: WebhookOwner, subscriptionId: number, sequence: number): Promise<DeliveryDetail> {
    const {
      rows: [delivery],
    } = await query<WebhookDelivery & { body: string }>(
      this.#pool,
      `select ${deliveryColumns}, d.body from app.webhook_deliveries d where ${ofOwner} and ` +
        'd.subscription_id = $2 and d.sequence = $3',
      [owner.keyId, subscriptionId, sequence],
    )
    if (delivery === undefined) throw unknownDelivery(sequence)
    const { rows: failures } = await query<DeliveryFailure>(
      this.#pool,
      `select attempt, failed_at as "failedAt", response_status as "responseStatus", latency_ms as "latencyMs",
        error, response_excerpt as "responseExcerpt"
       from app.webhook_failures where subscription_id = $1 and sequence = $2 order by attempt`,
      [subscriptionId, sequence],
    )
    return { ...delivery, failures }
  }

  /**
   * Sends it again with the same id, before all others of the subscription. @throws ApiError 404
   */
  async replay(owner: WebhookOwner, subscriptionId: number, sequence: number): Promise<WebhookDelivery> {
    return withTransaction(this.#pool, async (client) => {
      // Before the delivery, as when recording results: same lock order.
      await scheduleNow(client, [subscriptionId])
      const {
        rows: [delivery],
      } = await query<WebhookDelivery>(
        client,
        `update app.webhook_deliveries d set status = 'pending', finished_at = null, attempt_count = case when
          d.status = 'pending' then d.attempt_count else 0 end
         where ${ofOwner} and d.subscription_id = $2 and d.sequence = $3 returning ${deliveryColumns}`,
        [owner.keyId, subscriptionId, sequence],
      )
      if (delivery === undefined) throw unknownDelivery(sequence)
      await query(
        client,
        'delete from app.webhook_failures where subscription_id = $1 and sequence = $2 and attempt > $3',
        [subscriptionId, sequence, delivery.attemptCount],
      )
      return delivery
    })
  }
}

function unknownDelivery(sequence: number): ApiError {
  return new ApiError(
    404,
    'unknown-delivery',
    `Delivery ${sequence} of this subscription does not exist or was pruned.`,
  )
}
