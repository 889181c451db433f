import type pg from 'pg'
import { query, withTransaction } from '../db/pool.ts'
import { comparePlaces } from './chain-event.ts'
import type { ChainEvent } from './chain-event.ts'
import { typeMatcher } from './conditions.ts'
import type { Conditions } from './conditions.ts'
import { deliveryBody } from './delivery-body.ts'
import type { BlockFacts } from './delivery-body.ts'
import { insertDeliveries } from './insert-deliveries.ts'
import type { NewDelivery } from './insert-deliveries.ts'
import { readCoverage, readyEnd, readyHeights } from './ready-heights.ts'
import { rollbackLock } from './rollback-lock.ts'
import type { HeightRange } from '../base/ranges.ts'
import { sourcesOf } from './sources/all-sources.ts'

/** A transaction that has so many ends with the block it is at, so that neither it nor what it holds in memory grows without bound. */
const enoughDeliveries = 10_000

/** So long at most, deliveries in hand are not looked after. */
const sliceMs = 20

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
}

interface LockedSubscription {
  readonly id: number
  readonly event_types: string[]
  readonly conditions: Conditions
}

/**
 * Makes the deliveries of the next heights of a group, moves its cursors and has them sent, in one transaction: either all of
 * it happened or nothing, and no height is done twice for a subscription, however many processes do this.
 * @returns how many deliveries were made; undefined: no cursor moved
 */
export async function dispatchGroup(pool: pg.Pool, group: DispatchGroup, limits: DispatchLimits): Promise<number | undefined> {
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
      events.push(...await source.read(client, range, asking.map((one) => one.conditions)))
    }
    const { deliveries, to } = await matchAll(events, subscriptions, await readBlocks(client, range), range.to)
    await query(client, 'update app.webhook_subscriptions set next_height = $2 where id = any ($1)', [subscriptions.map(({ id }) => id), to])
    await insertDeliveries(client, deliveries)
    return deliveries.length
  })
}

async function lockSubscriptions(client: pg.ClientBase, group: DispatchGroup, { maxPending }: DispatchLimits): Promise<LockedSubscription[]> {
  const { rows } = await query<LockedSubscription>(
    client,
    `select id::float8 as id, event_types, conditions from app.webhook_subscriptions s
     where id = any ($1) and next_height = $2 and is_enabled and last_sequence - coalesce((
       select sequence - 1 from app.webhook_deliveries d where d.subscription_id = s.id and d.status = 'pending' order by sequence limit 1
     ), last_sequence) < $3
     order by id for no key update`,
    [group.subscriptionIds, group.from, maxPending],
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

/**
 * In the order of the chain; an event is told to a subscription once at most.
 * @returns `to`: deliveries of all heights below are among them; less than was asked for where they are many
 */
async function matchAll(
  events: ChainEvent[], subscriptions: readonly LockedSubscription[], blocks: ReadonlyMap<number, BlockFacts>, end: number,
): Promise<{ readonly deliveries: readonly NewDelivery[]; readonly to: number }> {
  events.sort((a, b) => comparePlaces(a.place, b.place))
  const deliveries: NewDelivery[] = []
  const matchers = subscriptions.map(({ id, event_types: types, conditions }) => ({ id, typeOf: typeMatcher(types, conditions) }))
  let height: number | undefined
  let yieldAt = performance.now() + sliceMs
  for (const event of events) {
    if (performance.now() >= yieldAt) {
      await new Promise((resolve) => setImmediate(resolve))
      yieldAt = performance.now() + sliceMs
    }
    if (event.place.height !== height && deliveries.length >= enoughDeliveries) return { deliveries, to: event.place.height }
    height = event.place.height
    const block = blocks.get(event.place.height)
    if (block === undefined) throw new Error(`height ${event.place.height} is covered, and its block is not stored`)
    const bodies = new Map<string, string>()
    for (const { id, typeOf } of matchers) {
      const eventType = typeOf(event)
      if (eventType === undefined) continue
      let body = bodies.get(eventType)
      if (body === undefined) bodies.set(eventType, body = deliveryBody(eventType, event, block))
      deliveries.push({ subscriptionId: id, blockHeight: block.height, eventType, body })
    }
  }
  return { deliveries, to: end }
}
