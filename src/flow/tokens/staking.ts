import type { StakingEventKind } from './token-event-kind.ts'
import type { FungibleTransfer, TransferType, Unnamed } from './token-moves.ts'
import { ufix64Text, ufix64Units, ufix64Zero } from './ufix64.ts'

/** What FlowIDTableStaking says of an amount that came into its account, left it, or changed from bucket to bucket. */
export interface StakingEvent {
  readonly eventIndex: number
  readonly kind: StakingEventKind
  readonly amount: string
}

/** What one event brought into the staking account, or one transfer took out of it. */
interface Move {
  readonly eventIndex: number
  readonly transfers: readonly Unnamed<FungibleTransfer>[]
}

const types: Readonly<Record<StakingEventKind, TransferType>> = {
  'staking-staked': 'stake',
  'staking-node': 'stake',
  'staking-unstaked': 'unstake',
  'staking-reward-withdrawn': 'reward',
  'staking-reward-paid': 'reward',
}

/**
 * Names the transfers of FLOW of which staking events tell what they were for: of each event, the nearest move of its
 * very amount into the staking account, or out of it. The events stand before a move or after it, as the contract has
 * it, but always near. What is minted stays so.
 * Source: onflow/flow-core-contracts `contracts/FlowIDTableStaking.cdc`.
 * @param account of the staking contract
 * @param transfers in the order of `eventIndex`
 * @param events in the order of `eventIndex`
 */
export function nameStaking(
  transfers: readonly Unnamed<FungibleTransfer>[],
  events: readonly StakingEvent[],
  account: string,
  flowToken: string,
): void {
  const ofFlow = transfers.filter(({ token }) => token === flowToken)
  const incoming = byAmount(arrivals(ofFlow.filter(({ to }) => to === account)))
  const outgoing = byAmount(ofFlow.filter(({ from }) => from === account).map(alone))
  const unarrived = byAmount(ofFlow.filter(({ type }) => type === 'withdrawal').map(alone))
  for (const { kind, amount, eventIndex } of events) {
    if (amount === ufix64Zero) continue
    const isOut = kind === 'staking-unstaked' || kind === 'staking-reward-withdrawn'
    const found = takeNearest(isOut ? outgoing : incoming, amount, eventIndex)
    for (const transfer of found?.transfers ?? []) if (transfer.type === 'transfer') transfer.type = types[kind]
    if (found !== undefined || kind !== 'staking-node') continue
    // The vault became the new node's, as it was: no event tells of a deposit.
    for (const transfer of takeNearest(unarrived, amount, eventIndex)?.transfers ?? []) {
      transfer.to = account
      transfer.type = 'stake'
    }
  }
}

/** One move for each event, of all that it brought. */
function arrivals(transfers: readonly Unnamed<FungibleTransfer>[]): Move[] {
  return [...Map.groupBy(transfers, ({ eventIndex }) => eventIndex)].map(([eventIndex, ofEvent]) => ({
    eventIndex,
    transfers: ofEvent,
  }))
}

function alone(transfer: Unnamed<FungibleTransfer>): Move {
  return { eventIndex: transfer.eventIndex, transfers: [transfer] }
}

function byAmount(moves: readonly Move[]): Map<string, Move[]> {
  return Map.groupBy(moves, ({ transfers: [first, ...more] }) =>
    more.length === 0
      ? (first?.amount ?? ufix64Zero)
      : ufix64Text([...more, first].reduce((sum, one) => sum + ufix64Units(one?.amount ?? ufix64Zero), 0n)),
  )
}

/**
 * The move of that amount that is nearest to the event, which is none of another event's then. Moves that were named
 * already do not count: one from bucket to bucket comes in and goes out.
 */
function takeNearest(moves: ReadonlyMap<string, Move[]>, amount: string, eventIndex: number): Move | undefined {
  const candidates = moves.get(amount)
  let nearest = -1
  let distance = Infinity
  for (const [at, move] of candidates?.entries() ?? []) {
    const away = Math.abs(move.eventIndex - eventIndex)
    if (away > distance) break
    if (!move.transfers.some(({ type }) => isUnnamed(type))) continue
    nearest = at
    distance = away
  }
  return nearest < 0 ? undefined : candidates?.splice(nearest, 1)[0]
}

function isUnnamed(type: TransferType): boolean {
  return type === 'transfer' || type === 'mint' || type === 'deposit' || type === 'withdrawal'
}
