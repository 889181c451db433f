import type pg from 'pg'
import type { KeyTier } from '../platform/auth/developer-keys.ts'
import { query } from '../platform/db/pool.ts'
import type { NewDelivery } from './delivery-rows.ts'
import { webhookLimits } from './webhook-limits.ts'
import type { WebhookOwner } from './webhook-limits.ts'

/** Null: unlimited. */
export type HourlyLimits = Readonly<Record<KeyTier, number | null>>

export const thisHour = "date_trunc('hour', now(), 'UTC')"

/** Requires developer keys `k`. `h.left` is null if unlimited. */
export const joinHour = (tiers: string, limits: string): string => `cross join lateral (
  select l.events - coalesce((select u.events from app.webhook_usage u where u.key_id = k.id and u.hour =
    ${thisHour}), 0) as "left"
  from unnest(${tiers}::text[], ${limits}::bigint[]) as l (tier, events) where l.tier = k.tier
) h`

export function hourlyParameters(limits: HourlyLimits): [tiers: string[], limits: (number | null)[]] {
  return [Object.keys(limits), Object.values(limits)]
}

/** Must run in the transaction that creates the deliveries. */
export async function countEvents(
  client: pg.ClientBase,
  deliveries: readonly NewDelivery[],
  keyOf: ReadonlyMap<number, number>,
): Promise<void> {
  const counts = new Map<number, number>()
  for (const { subscriptionId } of deliveries) {
    const keyId = keyOf.get(subscriptionId)
    if (keyId !== undefined) counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
  }
  if (counts.size === 0) return
  await query(
    client,
    `insert into app.webhook_usage as u (key_id, hour, events)
     select c.key_id, ${thisHour}, c.events from unnest($1::bigint[], $2::bigint[]) as c (key_id, events) order by
       c.key_id
     on conflict (key_id, hour) do update set events = u.events + excluded.events`,
    [[...counts.keys()], [...counts.values()]],
  )
}

export interface WebhookUsage {
  readonly endpoints: number
  readonly subscriptions: number
  readonly events: number
  readonly hourEndsAt: Date
}

export async function readUsage(pool: pg.Pool, { keyId }: WebhookOwner): Promise<WebhookUsage> {
  const {
    rows: [row],
  } = await query<WebhookUsage>(
    pool,
    `select (select count(*)::int from app.webhook_endpoints e where e.key_id = $1) as endpoints,
       (select count(*)::int from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id
         where e.key_id = $1) as subscriptions,
       coalesce((select u.events::float8 from app.webhook_usage u where u.key_id = $1 and u.hour = ${thisHour}), 0)
         as events,
       ${thisHour} + interval '1 hour' as "hourEndsAt"`,
    [keyId],
  )
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

export const defaultHourlyLimits: HourlyLimits = {
  free: webhookLimits.free.eventsPerHour,
  pro: webhookLimits.pro.eventsPerHour,
  enterprise: webhookLimits.enterprise.eventsPerHour,
  unlimited: webhookLimits.unlimited.eventsPerHour,
}
