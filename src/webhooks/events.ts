/** Specific types before general ones. */
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

/** Rows of an own table: `own.top_shot.moment_purchased`. */
export type OwnEventType = `own.${string}.${string}`

export const ownEventForm = /^own\.[a-z][a-z0-9_]{0,59}\.[a-z][a-z0-9_]{0,59}$/

export type EventType = keyof typeof eventTypes | OwnEventType

export const eventTypeNames = Object.keys(eventTypes) as [keyof typeof eventTypes, ...(keyof typeof eventTypes)[]]

export function isOwnEventType(type: string): type is OwnEventType {
  return ownEventForm.test(type)
}

/** The worker has the name of its schema. */
export function ownTableOf(type: OwnEventType): { readonly worker: string; readonly table: string } {
  const [, worker = '', table = ''] = type.split('.')
  return { worker: `own_${worker}`, table }
}

/** Sent by test requests; cannot be subscribed to. */
export const testEventType = 'webhook.test'

export interface EventPlace {
  readonly height: number
  /** -1 for the block. */
  readonly txIndex: number
  /** -1 for the transaction. */
  readonly eventIndex: number
  readonly leg: number
}

export interface ChainEvent {
  /** Most specific type first. */
  readonly types: readonly EventType[]
  readonly place: EventPlace
  /** Amounts are exact decimal strings. */
  readonly data: Readonly<Record<string, unknown>>
  readonly facets: EventFacets
}

export interface EventFacets {
  readonly from?: readonly string[]
  readonly to?: readonly string[]
  readonly addresses?: readonly string[]
  readonly tokens?: readonly string[]
  readonly amount?: string
  /** `A.<address>.<name>`. */
  readonly contracts?: readonly string[]
  readonly pairs?: readonly string[]
  readonly nftIds?: readonly string[]
  /** 64 hex digits. */
  readonly nodes?: readonly string[]
  readonly roles?: readonly AccountRole[]
  /** Full event type, or a short name such as `Swap`, `TokensCommitted` or `mint`. */
  readonly names?: readonly string[]
  /** Columns of an own table. */
  readonly columns?: Readonly<Record<string, unknown>>
}

export const accountRoles = ['payer', 'proposer', 'authorizer'] as const

type AccountRole = (typeof accountRoles)[number]

export function comparePlaces(a: EventPlace, b: EventPlace): number {
  return a.height - b.height || a.txIndex - b.txIndex || a.eventIndex - b.eventIndex || a.leg - b.leg
}

export interface BlockFacts {
  readonly height: number
  /** Null if the block was removed. */
  readonly id: string | null
  readonly timestamp: Date
}

/**
 * `type`, `timestamp` and `data` as in Standard Webhooks, `event_type` and `block_height` as in the
 * Flow explorer API. Repeated deliveries have the same `event_id`.
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
