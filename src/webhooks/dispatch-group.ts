import type pg from 'pg'
import { query, withTransaction } from '../platform/db/pool.ts'
import type { ChainEvent } from './chain-event.ts'
import type { Conditions } from './conditions.ts'
import type { BlockFacts } from './delivery-body.ts'
import { insertDeliveries } from './insert-deliveries.ts'
import { matchEvents } from './match-events.ts'
import { readCoverage, readyEnd, readyHeights } from './ready-heights.ts'
import { rollbackLock } from './rollback-lock.ts'
import type { HeightRange } from '../platform/ranges.ts'
import { sourcesOf } from './sources/all-sources.ts'
import { countEvents, hourlyParameters, joinHour } from './usage.ts'
import type { HourlyLimits } from './usage.ts'

/** A transaction that has so many ends with the block it is at, so that neither it nor what it holds in memory grows without bound. */
const enoughDeliveries = 10_000

/** Subscriptions that are at the same height and wait for the same workers. */
export interface DispatchGroup {
  readonly subscriptionIds: readonly number[]
  readonly from: number
  /** Up to where heights are ready, exclusive. */
  readonly end: number
}

export interface DispatchLimits {
  /** Heights that are read at once. */
  readonly blocksAtOnce: number
  /** Deliveries of a subscription that may wait: one with more gets no further ones until some are sent. */
  readonly maxPending: number
  readonly eventsPerHour: HourlyLimits
}

interface LockedSubscription {
  readonly id: number
  readonly key_id: number
  readonly event_types: string[]
  readonly conditions: Conditions
  /** Events that its key may still be told of in this hour; null: without limit. */
  readonly left: number | null
}

/**
 * Makes the deliveries of the next heights of a group, moves its cursors and has them sent, in one transaction: either all of
 * it happened or nothing, and no height is done twice for a subscription, however many processes do this.
 * @returns how many deliveries were made; undefined: no cursor moved
 */
export async function dispatchGroup(
  pool: pg.Pool,
  group: DispatchGroup,
  limits: DispatchLimits,
): Promise<number | undefined> {
  return withTransaction(pool, async (client) => {
    await query(client, `select pg_advisory_xact_lock_shared(${rollbackLock})`)
    const subscriptions = await lockSubscriptions(client, group, limits)
    if (subscriptions.length === 0) return undefined
    const sources = sourcesOf(subscriptions.flatMap((one) => one.event_types))
    const end = readyEnd(readyHeights(await readCoverage(client), sources), group.from)
    const range = { from: group.from, to: Math.min(end, group.from + limits.blocksAtOnce) }
    if (range.to <= range.from) return undefined

    const events: ChainEvent[] = []
    for (const source of sources) {
      const asking = subscriptions.filter((one) => source.types.some((type) => one.event_types.includes(type)))
      events.push(
        ...(await source.read(
          client,
          range,
          asking.map((one) => one.conditions),
        )),
      )
    }
    const { deliveries, ends } = await matchEvents(events, {
      subscriptions: subscriptions.map((one) => ({
        id: one.id,
        keyId: one.key_id,
        eventTypes: one.event_types,
        conditions: one.conditions,
      })),
      blocks: await readBlocks(client, range),
      end: range.to,
      enough: enoughDeliveries,
      left: new Map(subscriptions.map((one) => [one.key_id, one.left ?? Number.POSITIVE_INFINITY])),
    })
    await query(
      client,
      'update app.webhook_subscriptions s set next_height = e.height from unnest($1::bigint[], $2::bigint[]) as e (id, height) where s.id = e.id',
      [[...ends.keys()], [...ends.values()]],
    )
    await countEvents(client, deliveries, new Map(subscriptions.map((one) => [one.id, one.key_id])))
    await insertDeliveries(client, deliveries)
    return deliveries.length
  })
}

/** Those that still are where the group is and may be told more. */
async function lockSubscriptions(
  client: pg.ClientBase,
  group: DispatchGroup,
  { maxPending, eventsPerHour }: DispatchLimits,
): Promise<LockedSubscription[]> {
  const { rows } = await query<LockedSubscription>(
    client,
    `select s.id::float8 as id, k.id::float8 as key_id, s.event_types, s.conditions, h."left"::float8 as "left"
     from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id join app.developer_keys k on k.id = e.key_id
     ${joinHour('$4', '$5')}
     where s.id = any ($1) and s.next_height = $2 and s.is_enabled and (h."left" is null or h."left" > 0) and s.last_sequence - coalesce((
       select sequence - 1 from app.webhook_deliveries d where d.subscription_id = s.id and d.status = 'pending' order by sequence limit 1
     ), s.last_sequence) < $3
     order by s.id for no key update of s`,
    [group.subscriptionIds, group.from, maxPending, ...hourlyParameters(eventsPerHour)],
  )
  return rows
}

async function readBlocks(client: pg.ClientBase, range: HeightRange): Promise<ReadonlyMap<number, BlockFacts>> {
  const { rows } = await query<{ height: number; id: string; timestamp: Date }>(
    client,
    `select height::float8 as height, encode(id, 'hex') as id, "timestamp" from raw.blocks where height >= $1 and height < $2`,
    [range.from, range.to],
  )
  return new Map(rows.map((row) => [row.height, row]))
}
