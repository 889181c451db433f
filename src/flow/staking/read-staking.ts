import { coreContracts } from '../core-contracts.ts'
import type { DecodedTransaction, DecodedEvent } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'
import { ufix64Units, isUfix64 } from '../tokens/ufix64.ts'
import { isEpochEventName, readEpochEvent } from './epoch-event.ts'
import type { EpochEvent } from './epoch-event.ts'
import { readStakingEvent } from './staking-event.ts'
import type { StakingEvent } from './staking-event.ts'
import { FieldShapeError } from '../event-fields.ts'

export type Bucket = 'committed' | 'staked' | 'unstaking' | 'unstaked' | 'rewarded'

export interface BucketMove {
  /** Undefined: from outside. `unknown`: from `unstaked` or `rewarded`. */
  readonly from: Bucket | 'unknown' | undefined
  /** Undefined: to outside. */
  readonly to: Bucket | undefined
  /** UFix64 text. */
  readonly amount: string
}

export interface PlacedStakingEvent {
  readonly place: number
  readonly event: StakingEvent
}

export interface PlacedEpochEvent {
  readonly place: number
  readonly event: EpochEvent
}

/**
 * By event name without `Delegator`. `TokensStaked`, `TokensUnstaking` and rewards are processed at
 * the end of an epoch, the rest by the token owner. Source: FlowIDTableStaking.
 */
const fixed: ReadonlyMap<string, readonly [from: Bucket | undefined, to: Bucket | undefined]> = new Map<
  string,
  readonly [Bucket | undefined, Bucket | undefined]
>([
  ['NewNodeCreated', [undefined, 'committed']],
  ['TokensStaked', ['committed', 'staked']],
  ['TokensUnstaking', ['staked', 'unstaking']],
  ['RewardsPaid', [undefined, 'rewarded']],
  ['UnstakedTokensWithdrawn', ['unstaked', undefined]],
  ['RewardTokensWithdrawn', ['rewarded', undefined]],
  ['TokensUnStaked', ['staked', 'unstaking']],
  ['UnlockedTokensWithdrawn', ['unstaked', undefined]],
])

/**
 * Uuid distances between vaults, which the contract creates in sequence. The first vault of an
 * older node came from outside.
 */
const distances = {
  node: { unstakingToUnstaked: 1n, unstakedToCommitted: -4n, rewardedToCommitted: -5n },
  delegator: { unstakingToUnstaked: 2n, unstakedToCommitted: -4n, rewardedToCommitted: -3n },
} as const

/**
 * Undefined for events without movement. Three kinds need the vault movements next to them:
 * `TokensCommitted` (new, unstaked or rewarded tokens; for delegators the amount includes a
 * cancelled request), `TokensUnstaked` (committed tokens, or unstaking ones at an epoch end), and
 * `NodeRemovedAndRefunded` (one amount for committed and staked tokens).
 *
 * @param epochs indexes of epoch events: NewEpoch follows all movements of an epoch end
 */
export function bucketMoves(
  staking: readonly PlacedStakingEvent[],
  epochs: readonly PlacedEpochEvent[],
  transaction: DecodedTransaction,
  network: Network,
): ReadonlyArray<BucketMove | undefined> {
  let found: InnerMoves | undefined
  const inner = (): InnerMoves => (found ??= innerMoves(transaction.events, network))
  const epochEnd = epochs.findLast(({ event }) => event.name === 'NewEpoch')?.place ?? -1
  let removal: PlacedStakingEvent | undefined
  return staking.map((placed) => {
    const { place, event } = placed
    const { name, nodeId, delegatorId, amount } = event
    const isDelegator = delegatorId > 0
    if (!isDelegator) removal = name === 'NodeRemovedAndRefunded' ? placed : undefined
    if (amount === undefined) return undefined
    const kind = isDelegator ? name.replace(/^Delegator/, '') : name
    const known = fixed.get(kind)
    if (known !== undefined) return { from: known[0], to: known[1], amount }
    if (kind === 'TokensCommitted') return committed(event, amount, inner().endingAt(place - 1), transaction)
    if (kind === 'NodeRemovedAndRefunded') {
      const freed = inner().beginningAt(place + 1)
      return freed === undefined ? undefined : { from: 'committed', to: 'unstaked', amount: freed.amount }
    }
    if (kind !== 'TokensUnstaked') return undefined
    const isRefund =
      isDelegator &&
      removal !== undefined &&
      removal.event.nodeId === nodeId &&
      !isBetween(epochs, removal.place, place)
    const isFreed = place < epochEnd && isUnstaking(isDelegator, amount, isRefund, inner(), place)
    return { from: isFreed ? 'unstaking' : 'committed', to: 'unstaked', amount }
  })
}

function committed(
  { delegatorId, nodeId }: StakingEvent,
  amount: string,
  moved: InnerMove | undefined,
  { script }: DecodedTransaction,
): BucketMove | undefined {
  if (nodeId === undefined) return undefined
  const isDelegator = delegatorId > 0
  const isIts = moved !== undefined && (moved.amount === amount || (isDelegator && isLess(moved.amount, amount)))
  if (!isIts) return { from: undefined, to: 'committed', amount }
  return { from: sourceOf(moved, isDelegator, script), to: 'committed', amount: moved.amount }
}

/** Determined by the vaults, or for older nodes by the calls of the script. */
function sourceOf({ distance }: InnerMove, isDelegator: boolean, script: string): Bucket | 'unknown' {
  const byScript = sourceByScript(script)
  if (!isDelegator && byScript !== undefined) return byScript
  const { unstakedToCommitted, rewardedToCommitted } = isDelegator ? distances.delegator : distances.node
  if (distance === unstakedToCommitted) return 'unstaked'
  if (distance === rewardedToCommitted) return 'rewarded'
  return byScript ?? 'unknown'
}

/** Functions of FlowIDTableStaking, LockedTokens and FlowStakingCollection. */
function sourceByScript(script: string): Bucket | undefined {
  const callsUnstaked = /(stake|delegate)UnstakedTokens\s*\(/.test(script)
  const callsRewarded = /(stake|delegate)RewardedTokens\s*\(/.test(script)
  if (callsUnstaked === callsRewarded) return undefined
  return callsUnstaked ? 'unstaked' : 'rewarded'
}

/** Whether the tokens were unstaked; otherwise they were commitments of a removed node. */
function isUnstaking(
  isDelegator: boolean,
  amount: string,
  isRefund: boolean,
  inner: InnerMoves,
  place: number,
): boolean {
  const own = inner.beginningAt(place + 1)
  if (own === undefined || own.amount !== amount) return inner.endingAt(place - 1)?.amount !== amount && !isRefund
  if (own.distance === undefined) return !isRefund
  return own.distance === (isDelegator ? distances.delegator : distances.node).unstakingToUnstaked
}

function isBetween(epochs: readonly PlacedEpochEvent[], from: number, to: number): boolean {
  return epochs.some(({ place }) => place > from && place < to)
}

function isLess(a: string, b: string): boolean {
  return ufix64Units(a) < ufix64Units(b)
}

interface InnerMove {
  readonly first: number
  readonly last: number
  readonly amount: string
  /** Target uuid minus source uuid; undefined before Cadence 1.0. */
  readonly distance: bigint | undefined
}

interface InnerMoves {
  beginningAt(place: number): InnerMove | undefined
  endingAt(place: number): InnerMove | undefined
}

/** Since Cadence 1.0 by uuid, before by adjacent token events. */
function innerMoves(events: readonly DecodedEvent[], network: Network): InnerMoves {
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

export interface StakingProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly code: string
  readonly message: string
}

export interface Staking {
  readonly events: ReadonlyArray<{ readonly event: StakingEvent; readonly move: BucketMove | undefined }>
  readonly epochs: readonly EpochEvent[]
  readonly problems: readonly StakingProblem[]
}

export interface StakingTypes {
  readonly table: string
  readonly epoch: string
}

export function stakingTypes(network: Network): StakingTypes {
  const { staking } = coreContracts(network)
  return { table: `A.${staking}.FlowIDTableStaking.`, epoch: `A.${staking}.FlowEpoch.` }
}

export function readStaking(
  transaction: DecodedTransaction,
  types: StakingTypes,
  network: Network,
): Staking | undefined {
  const { events } = transaction
  if (!events.some(({ type }) => type.startsWith(types.table) || type.startsWith(types.epoch))) return undefined
  const placed: PlacedStakingEvent[] = []
  const epochs: PlacedEpochEvent[] = []
  const problems: StakingProblem[] = []
  for (const [place, event] of events.entries()) {
    try {
      const read = readOne(event, types)
      if (read === undefined) continue
      if ('nodeId' in read) placed.push({ place, event: read })
      else epochs.push({ place, event: read })
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      const { index, type } = event
      problems.push({ eventIndex: index, eventType: type, code: 'staking-event-shape', message: error.message })
    }
  }
  const moves = bucketMoves(placed, epochs, transaction, network)
  return {
    events: placed.map(({ event }, i) => ({ event, move: moves[i] })),
    epochs: epochs.map(({ event }) => event),
    problems,
  }
}

function readOne(event: DecodedEvent, { table, epoch }: StakingTypes): StakingEvent | EpochEvent | undefined {
  const { type } = event
  const prefix = [table, epoch].find((one) => type.startsWith(one))
  if (prefix === undefined || event.fields === undefined) return undefined
  const name = type.slice(prefix.length)
  if (isEpochEventName(name)) return readEpochEvent(event, name, event.fields)
  if (prefix === epoch) throw new FieldShapeError(`unknown event ${name} of FlowEpoch`)
  return readStakingEvent(event, name, event.fields)
}
