import type pg from 'pg'
import { query } from '../platform/db/pool.ts'

export interface PendingDelivery {
  readonly sequence: number
  readonly eventType: string
  readonly body: string
  /** Attempts before. */
  readonly attempts: number
}

/** What is to be sent for a subscription now, the first deliveries that wait, in their order. */
export interface PendingWork {
  readonly subscriptionId: number
  readonly url: string
  /** The present secret, and the one before while it is good. */
  readonly secrets: readonly Buffer[]
  readonly deliveries: readonly PendingDelivery[]
}

interface Row {
  readonly subscription_id: number
  readonly url: string
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
  readonly sequence: number
  readonly event_type: string
  readonly body: string
  readonly attempt_count: number
}

/** Bodies of a subscription that are read at once: no more than this and the one that goes beyond it. */
const enoughBytes = 256 * 1024

/** By subscription; those of endpoints that are paused or whose key was revoked are left out. One round trip for all. */
export async function readPending(
  pool: pg.Pool,
  subscriptionIds: readonly number[],
  most: number,
): Promise<ReadonlyMap<number, PendingWork>> {
  const { rows } = await query<Row>(
    pool,
    `select s.id::float8 as subscription_id, e.url, e.secret, case when e.previous_secret_until > now() then e.previous_secret end as previous_secret,
       d.sequence::float8 as sequence, d.event_type, d.body, d.attempt_count
     from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id join app.developer_keys k on k.id = e.key_id
     cross join lateral (
       select *, sum(octet_length(d.body)) over (order by d.sequence) - octet_length(d.body) as bytes_before from (
         select * from app.webhook_deliveries w where w.subscription_id = s.id and w.status = 'pending' order by w.sequence limit $2
       ) d
     ) d
     where s.id = any ($1) and d.bytes_before < $3 and e.paused_at is null and k.revoked_at is null
     order by s.id, d.sequence`,
    [subscriptionIds, most, enoughBytes],
  )
  return new Map(
    [...Map.groupBy(rows, (row) => row.subscription_id)].flatMap(([subscriptionId, own]) => {
      const [first] = own
      return first === undefined
        ? []
        : [
            [
              subscriptionId,
              {
                subscriptionId,
                url: first.url,
                secrets: first.previous_secret === null ? [first.secret] : [first.secret, first.previous_secret],
                deliveries: own.map(({ sequence, event_type: eventType, body, attempt_count: attempts }) => ({
                  sequence,
                  eventType,
                  body,
                  attempts,
                })),
              },
            ],
          ]
    }),
  )
}
