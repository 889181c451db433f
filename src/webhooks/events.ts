/** Event types with descriptions, specific types before general ones. */
export const eventTypes = {
  'block.sealed': 'A block was stored.',
  'transaction.sealed': 'A transaction was sealed, successful or not.',
  'address.activity': 'An account paid for, proposed or authorized a transaction, or was created by it.',
  'ft.large_transfer': 'A fungible token transfer of at least `min_amount` (default: 1,000 tokens).',
  'ft.transfer': 'A fungible token transfer, excluding fees.',
  'nft.transfer': 'An NFT transfer.',
  'account.created': 'An account was created.',
  'account.key.added': 'A key was added to an account.',
  'account.key.removed': 'A key of an account was revoked.',
  'account.key_change': 'A key of an account was added or revoked.',
  'account.contract.added': 'A contract was deployed.',
  'account.contract.updated': 'A contract was updated.',
  'account.contract.removed': 'A contract was removed.',
  'account.event': 'Any event of a type that starts with `account.`.',
  'contract.event': 'A contract emitted an event selected by `contracts` or `event_names` (full types).',
  'evm.transaction': 'An EVM transaction was executed, successful or not.',
  'defi.swap': 'Two tokens of a pair were swapped.',
  'defi.liquidity': 'Liquidity was added to or removed from a pair.',
  'defi.event': 'Any event of a pair: swaps, liquidity, flash loans, protocol fees.',
  'staking.event': 'A staking event of a node, a delegator or the network settings.',
  'chain.rollback':
    'Blocks were removed by a reorg, so their events are void. Also sent to every subscription that received such an ' +
    'event.',
} as const

export type EventType = keyof typeof eventTypes

export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]]

/** Sent by test requests; cannot be subscribed to. */
export const testEventType = 'webhook.test'

/** Sort key of the deliveries of a subscription. */
export interface EventPlace {
  readonly height: number
  /** -1: before all transactions of the block. */
  readonly txIndex: number
  /** -1: before all events of the transaction. */
  readonly eventIndex: number
  readonly leg: number
}

export interface ChainEvent {
  /** Matching event types, most specific first. */
  readonly types: readonly EventType[]
  readonly place: EventPlace
  /** Delivered data. Amounts are exact decimal strings. */
  readonly data: Readonly<Record<string, unknown>>
  /** Evaluated by conditions. */
  readonly facets: EventFacets
}

/** A condition on an absent facet is not met. */
export interface EventFacets {
  /** Senders. */
  readonly from?: readonly string[]
  /** Receivers. */
  readonly to?: readonly string[]
  /** Other involved accounts. */
  readonly addresses?: readonly string[]
  /** Tokens, collections or pairs. */
  readonly tokens?: readonly string[]
  /** In tokens, as an exact decimal string. */
  readonly amount?: string
  /** `A.<address>.<name>`. */
  readonly contracts?: readonly string[]
  /** Exchange pairs. */
  readonly pairs?: readonly string[]
  /** Item ids within their collection. */
  readonly nftIds?: readonly string[]
  /** Nodes, 64 hex digits. */
  readonly nodes?: readonly string[]
  /** Roles of the account in the transaction. */
  readonly roles?: readonly AccountRole[]
  /** Full event type, or a short name such as `Swap`, `TokensCommitted` or `mint`. */
  readonly names?: readonly string[]
}

export const accountRoles = ['payer', 'proposer', 'authorizer'] as const

type AccountRole = (typeof accountRoles)[number]

export function comparePlaces(a: EventPlace, b: EventPlace): number {
  return a.height - b.height || a.txIndex - b.txIndex || a.eventIndex - b.eventIndex || a.leg - b.leg
}

export interface BlockFacts {
  readonly height: number
  /** 64 hex digits; null if the block was removed. */
  readonly id: string | null
  readonly timestamp: Date
}

/**
 * The posted body: `type`, `timestamp` and `data` as in Standard Webhooks, `event_type` and
 * `block_height` as in the Flow explorer API. `event_id` is the same for every delivery of the same
 * event of the same block.
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
