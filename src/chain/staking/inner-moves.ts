import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'
import { isUfix64 } from '../tokens/ufix64.ts'

/** FLOW that went from one vault of the staking account into another, as the token's own events tell. */
export interface InnerMove {
  /** Place of its first event among those of the transaction, and of its last. */
  readonly first: number
  readonly last: number
  /** UFix64 text. */
  readonly amount: string
  /** Uuid of the vault that it went into less that of the one it left; undefined before Cadence 1.0. */
  readonly distance: bigint | undefined
}

/** The inner moves of a transaction by where they begin and where they end. */
export interface InnerMoves {
  beginningAt(place: number): InnerMove | undefined
  endingAt(place: number): InnerMove | undefined
}

/**
 * Finds what moved between the vaults that the staking contract keeps for nodes and delegators. Since Cadence 1.0 by
 * the events of the standard, which name what was taken out by its uuid; before by the token's own, which a move of the
 * contract emits one right after the other.
 */
export function innerMoves(events: readonly DecodedEvent[], network: Network): InnerMoves {
  const { flowToken, fungibleToken, staking } = coreContracts(network)
  const account = `0x${staking}`
  const vault = `A.${flowToken}.FlowToken.Vault`
  const ownWithdrawn = `A.${flowToken}.FlowToken.TokensWithdrawn`
  const ownDeposited = `A.${flowToken}.FlowToken.TokensDeposited`
  const withdrawn = `A.${fungibleToken}.FungibleToken.Withdrawn`
  const deposited = `A.${fungibleToken}.FungibleToken.Deposited`
  const moves: InnerMove[] = []
  const taken = new Map<string, { readonly first: number; readonly fields: PayloadFields }>()
  const hasStandard = events.some(({ type }) => type === withdrawn || type === deposited)
  for (const [place, { type, fields }] of events.entries()) {
    const amount = fields?.['amount']
    const uuid = textOrNone(fields?.['withdrawnUUID'] ?? fields?.['depositedUUID'])
    if (fields === undefined || typeof amount !== 'string' || !isUfix64(amount)) continue
    if (type === withdrawn && fields['type'] === vault && fields['from'] === account) {
      const first = events[place - 1]?.type === ownWithdrawn ? place - 1 : place
      if (uuid !== undefined) taken.set(uuid, { first, fields })
    } else if (type === deposited && fields['type'] === vault && fields['to'] === account) {
      const from = uuid === undefined ? undefined : taken.get(uuid)
      if (from === undefined || from.fields['amount'] !== amount) continue
      const distance = distanceOf(from.fields['fromUUID'], fields['toUUID'])
      moves.push({ first: from.first, last: place, amount, distance })
    } else if (!hasStandard && type === ownDeposited && fields['to'] === account) {
      const before = events[place - 1]
      if (before?.type !== ownWithdrawn || before.fields?.['from'] !== account) continue
      if (before.fields['amount'] === amount) moves.push({ first: place - 1, last: place, amount, distance: undefined })
    }
  }
  const beginning = new Map(moves.map((move) => [move.first, move]))
  const ending = new Map(moves.map((move) => [move.last, move]))
  return { beginningAt: (place) => beginning.get(place), endingAt: (place) => ending.get(place) }
}

function distanceOf(from: PayloadValue | undefined, to: PayloadValue | undefined): bigint | undefined {
  return isUuid(from) && isUuid(to) ? BigInt(to) - BigInt(from) : undefined
}

function isUuid(value: PayloadValue | undefined): value is string {
  return typeof value === 'string' && /^\d+$/.test(value)
}

function textOrNone(value: PayloadValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
