import type { StakingEventKind } from './token-event-kind.ts'
import type { FungibleTransfer, TransferType, Untyped } from './token-moves.ts'
import { ufix64Text, ufix64Units, ufix64Zero } from './ufix64.ts'

/** An amount that entered or left the account, or changed the bucket. */
export interface StakingEvent {
  readonly eventIndex: number
  readonly kind: StakingEventKind
  readonly amount: string
}

/** Caused by one event into a vault, or one transfer out. */
interface Move {
  readonly eventIndex: number
  readonly transfers: readonly Untyped<FungibleTransfer>[]
}

const types: Readonly<Record<StakingEventKind, TransferType>> = {
  'staking-staked': 'stake',
  'staking-node': 'stake',
  'staking-unstaked': 'unstake',
  'staking-reward-withdrawn': 'reward',
  'staking-reward-paid': 'reward',
}

/**
 * For each event the nearest move of the same amount, before or after it. Mints keep their type.
 * Source: onflow/flow-core-contracts `contracts/FlowIDTableStaking.cdc`.
 *
 * @param transfers, events in the order of `eventIndex`
 */
export function setStakingTypes(
  transfers: readonly Untyped<FungibleTransfer>[],
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
    // Stored without a deposit event.
    for (const transfer of takeNearest(unarrived, amount, eventIndex)?.transfers ?? []) {
      transfer.to = account
      transfer.type = 'stake'
    }
  }
}

/** One move per event. */
function arrivals(transfers: readonly Untyped<FungibleTransfer>[]): Move[] {
  return [...Map.groupBy(transfers, ({ eventIndex }) => eventIndex)].map(([eventIndex, ofEvent]) => ({
    eventIndex,
    transfers: ofEvent,
  }))
}

function alone(transfer: Untyped<FungibleTransfer>): Move {
  return { eventIndex: transfer.eventIndex, transfers: [transfer] }
}

function byAmount(moves: readonly Move[]): Map<string, Move[]> {
  return Map.groupBy(moves, ({ transfers: [first, ...more] }) =>
    more.length === 0
      ? (first?.amount ?? ufix64Zero)
      : ufix64Text([...more, first].reduce((sum, one) => sum + ufix64Units(one?.amount ?? ufix64Zero), 0n)),
  )
}

/** Excludes moves with a type: one between buckets both leaves and enters. */
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
