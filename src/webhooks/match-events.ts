import { comparePlaces, deliveryBody } from './events.ts'
import type { ChainEvent, BlockFacts } from './events.ts'
import { typeMatcher } from './conditions.ts'
import type { Conditions } from './conditions.ts'
import type { NewDelivery } from './delivery-rows.ts'

export interface MatchedSubscription {
  readonly id: number
  readonly keyId: number
  readonly eventTypes: readonly string[]
  readonly conditions: Conditions
}

export interface MatchOptions {
  readonly subscriptions: readonly MatchedSubscription[]
  readonly blocks: ReadonlyMap<number, BlockFacts>
  readonly end: number
  /** Matching ends with the block that reaches this count. */
  readonly enough: number
  /** Remaining events per key; the block that exceeds it is delivered completely. */
  readonly left: ReadonlyMap<number, number>
}

export interface MatchedEvents {
  /** In chain order. */
  readonly deliveries: readonly NewDelivery[]
  /** Exclusive end heights by subscription. */
  readonly ends: ReadonlyMap<number, number>
}

/** Time between yields to the event loop. */
const sliceMs = 20

/**
 * Each subscription receives an event at most once.
 *
 * @param events sorted in place
 */
export async function matchEvents(
  events: ChainEvent[],
  { subscriptions, blocks, end, enough, left: allowed }: MatchOptions,
): Promise<MatchedEvents> {
  events.sort((a, b) => comparePlaces(a.place, b.place))
  const deliveries: NewDelivery[] = []
  const ends = new Map<number, number>()
  const left = new Map(allowed)
  let matchers = subscriptions.map(({ id, keyId, eventTypes, conditions }) => ({
    id,
    keyId,
    typeOf: typeMatcher(eventTypes, conditions),
  }))
  const endWhere = (height: number, isDone: (keyId: number) => boolean): void => {
    for (const { id, keyId } of matchers) if (isDone(keyId)) ends.set(id, height)
    matchers = matchers.filter(({ keyId }) => !isDone(keyId))
  }
  let block: BlockFacts | undefined
  let yieldAt = performance.now() + sliceMs
  for (const event of events) {
    if (performance.now() >= yieldAt) {
      await new Promise((resolve) => setImmediate(resolve))
      yieldAt = performance.now() + sliceMs
    }
    const { height } = event.place
    if (height !== block?.height) {
      endWhere(height, (keyId) => deliveries.length >= enough || (left.get(keyId) ?? 0) <= 0)
      if (matchers.length === 0) break
      block = blocks.get(height)
      if (block === undefined) throw new Error(`height ${height} is covered, and its block is not stored`)
    }
    const bodies = new Map<string, string>()
    for (const { id, keyId, typeOf } of matchers) {
      const eventType = typeOf(event)
      if (eventType === undefined) continue
      let body = bodies.get(eventType)
      if (body === undefined) bodies.set(eventType, (body = deliveryBody(eventType, event, block)))
      deliveries.push({ subscriptionId: id, blockHeight: height, eventType, body })
      left.set(keyId, (left.get(keyId) ?? 0) - 1)
    }
  }
  endWhere(end, () => true)
  return { deliveries, ends }
}
