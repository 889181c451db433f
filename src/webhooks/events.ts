/** What can be subscribed to. The more special of two names of one event stands first. */
export const eventTypes = {
  'block.sealed': 'A block was stored.',
  'transaction.sealed': 'A transaction was sealed, successful or not.',
  'address.activity': 'An account paid for, proposed or authorized a transaction, or was created by it.',
  'ft.large_transfer': 'A fungible token moved: at least `min_amount`, without it 1,000 whole tokens.',
  'ft.transfer': 'A fungible token moved from account to account; fees are left out.',
  'nft.transfer': 'An item of a collection moved from account to account.',
  'account.created': 'An account was created.',
  'account.key.added': 'A key was added to an account.',
  'account.key.removed': 'A key of an account was revoked.',
  'account.key_change': 'A key was added to an account or revoked.',
  'account.contract.added': 'A contract was deployed.',
  'account.contract.updated': 'A contract was replaced by a new version.',
  'account.contract.removed': 'A contract was removed.',
  'account.event': 'Any of the above that starts with `account.`.',
  'contract.event': 'A contract emitted an event; `contracts` or `event_names` with full types say which.',
  'evm.transaction': 'A transaction of Flow EVM was executed, successful or not.',
  'defi.swap': 'Two tokens of a pair were swapped.',
  'defi.liquidity': 'Liquidity was added to a pair or removed.',
  'defi.event': 'Any event of a pair: swaps, liquidity, flash loans, fees of the exchange.',
  'staking.event': 'Something happened to a node, to a delegator or to the rules of staking.',
  'chain.rollback':
    'Blocks were taken back: what was told of them did not happen. It comes unasked to subscriptions ' +
    'that were told of one.',
} as const

export type EventType = keyof typeof eventTypes

export const eventTypeNames = Object.keys(eventTypes) as [EventType, ...EventType[]]

/** What the endpoint is sent to try it out; nobody can subscribe to it. */
export const testEventType = 'webhook.test'

/** Where something happened. Events of a subscription are sent in this order. */
export interface EventPlace {
  readonly height: number
  /** -1: before all transactions of the block. */
  readonly txIndex: number
  /** -1: before all events of the transaction. */
  readonly eventIndex: number
  readonly leg: number
}

/** Something that happened on the chain and may be told. */
export interface ChainEvent {
  /** All types by which it can be subscribed to, the most special first. */
  readonly types: readonly EventType[]
  readonly place: EventPlace
  /** What is told of it. Amounts are exact decimal strings. */
  readonly data: Readonly<Record<string, unknown>>
  /** What conditions look at. */
  readonly facets: EventFacets
}

/** Absent: the event has no such thing, and a condition on it is not met. */
export interface EventFacets {
  /** Accounts that gave: what leaves them goes out. */
  readonly from?: readonly string[]
  /** Accounts that got. */
  readonly to?: readonly string[]
  /** Accounts that it concerns otherwise. */
  readonly addresses?: readonly string[]
  /** Tokens, collections or pairs. */
  readonly tokens?: readonly string[]
  /** Exact decimal, in whole tokens. */
  readonly amount?: string
  /** `A.<address>.<name>` */
  readonly contracts?: readonly string[]
  /** Pairs of exchanges. */
  readonly pairs?: readonly string[]
  /** Numbers of items within their collection. */
  readonly nftIds?: readonly string[]
  /** Nodes, 64 hex digits. */
  readonly nodes?: readonly string[]
  /** What an account was in a transaction. */
  readonly roles?: readonly AccountRole[]
  /** Names by which its kind is known: the full type of an event, or `Swap`, `TokensCommitted`, `mint`. */
  readonly names?: readonly string[]
}

export const accountRoles = ['payer', 'proposer', 'authorizer'] as const

type AccountRole = (typeof accountRoles)[number]

export function comparePlaces(a: EventPlace, b: EventPlace): number {
  return a.height - b.height || a.txIndex - b.txIndex || a.eventIndex - b.eventIndex || a.leg - b.leg
}

/** What is told of the block of an event. */
export interface BlockFacts {
  readonly height: number
  /** 64 hex digits; null where the block is gone. */
  readonly id: string | null
  readonly timestamp: Date
}

/**
 * The text that is posted: `type`, `timestamp` and `data` as the Standard Webhooks describe them, `event_type` and
 * `block_height` as clients of the Flow explorer know them. `event_id` is the same whenever the same event of the
 * same block is told, to whomever, also when it is told again because somebody asked.
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
