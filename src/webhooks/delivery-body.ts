import type { ChainEvent } from './chain-event.ts'

/** What is told of the block of an event. */
export interface BlockFacts {
  readonly height: number
  /** 64 hex digits; null where the block is gone. */
  readonly id: string | null
  readonly timestamp: Date
}

/**
 * The text that is posted: `type`, `timestamp` and `data` as the Standard Webhooks describe them, `event_type` and
 * `block_height` as clients of the Flow explorer know them. `event_id` is the same whenever the same event of the same block
 * is told, to whomever, also when it is told again because somebody asked.
 */
export function deliveryBody(type: string, event: Pick<ChainEvent, 'place' | 'data'>, block: BlockFacts): string {
  const { height, txIndex, eventIndex, leg } = event.place
  return JSON.stringify({
    type,
    event_type: type,
    event_id: `${type}:${height}:${txIndex}:${eventIndex}:${leg}:${block.id?.slice(0, 16) ?? '-'}`,
    block_height: height,
    block_id: block.id,
    timestamp: block.timestamp.toISOString(),
    data: event.data,
  })
}
