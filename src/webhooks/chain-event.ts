import type { EventType } from './event-types.ts'

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

export type AccountRole = (typeof accountRoles)[number]

export function comparePlaces(a: EventPlace, b: EventPlace): number {
  return a.height - b.height || a.txIndex - b.txIndex || a.eventIndex - b.eventIndex || a.leg - b.leg
}
