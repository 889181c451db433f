import type { DecodedTransaction } from '../decoded-block.ts'
import { FieldShapeError } from '../event-fields.ts'
import type { Network } from '../network.ts'
import { tokenMovesOf } from '../tokens/token-moves-of.ts'
import type { DefiEvent, PairChange } from './defi-event.ts'
import type { DefiEventTypes } from './dexes.ts'
import { PairMoves } from './pair-moves.ts'
import { pairOf, readPairEvent } from './pair-event.ts'
import type { PairEvent, PairOfEvent } from './pair-event.ts'

export interface DefiProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly code: string
  readonly message: string
}

/** What a transaction did on exchanges, in the order of its events. */
export interface Defi {
  readonly events: readonly DefiEvent[]
  readonly pairs: readonly PairChange[]
  readonly problems: readonly DefiProblem[]
}

/** An event of a pair that moves tokens. */
interface Told extends PairOfEvent {
  readonly index: number
  readonly event: PairEvent
}

/** Reads a transaction; undefined where it has no event of an exchange. */
export function readDefi(transaction: DecodedTransaction, types: DefiEventTypes, network: Network): Defi | undefined {
  const told: Told[] = []
  const pairs: PairChange[] = []
  const problems: DefiProblem[] = []
  for (const event of transaction.events) {
    const type = types(event.type)
    if (type === undefined || event.fields === undefined) continue
    const { index, fields } = event
    try {
      const read = readPairEvent(type, fields)
      if (read.what === 'created') pairs.push(created(index, read))
      else if (read.what === 'fee') pairs.push({ ...nothingTold, index, pair: type.contract, fee: read.fee })
      else told.push({ index, ...pairOf(type, fields), event: read })
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      problems.push({ eventIndex: index, eventType: event.type, code: 'defi-event-shape', message: error.message })
    }
  }
  if (told.length + pairs.length + problems.length === 0) return undefined
  const events = [...Map.groupBy(told, ({ pair }) => pair)].flatMap(([pair, ofPair]) => {
    const [{ holder } = { holder: '' }] = ofPair
    return eventsOfPair(ofPair, new PairMoves(tokenMovesOf(transaction, network).fungible, holder, pair))
  })
  return { events: events.toSorted((a, b) => a.index - b.index), pairs, problems }
}

const nothingTold = { asset0: undefined, asset1: undefined, isStable: undefined }

function created(
  index: number,
  { pairAddress, token0, token1, isStable }: Extract<PairEvent, { what: 'created' }>,
): PairChange {
  return { index, pair: `A.${pairAddress.slice(2)}.SwapPair`, asset0: token0, asset1: token1, isStable, fee: undefined }
}

/** Swaps take what they moved first, since their amounts are told; liquidity is what is left. */
function eventsOfPair(told: readonly Told[], moves: PairMoves): DefiEvent[] {
  const events = new Map<number, DefiEvent>()
  for (const one of told) {
    const { event, index, pair } = one
    if (event.what === 'swap') events.set(index, swap(one, event, moves))
    else if (event.what === 'flashloan') {
      events.set(index, { index, pair, type: 'Flashloan', asset0: event.token, asset1: undefined, out0: event.amount })
    }
  }
  for (const [i, one] of told.entries()) {
    if (one.event.what === 'burn') events.set(one.index, removal(one, told[i - 1], told[i + 1], moves))
  }
  // The last one first: an event takes what came since the one before, and what comes after belongs to a later one.
  for (const [i, one] of [...told.entries()].toReversed()) {
    if (one.event.what === 'mint') events.set(one.index, addition(told, i, moves))
  }
  return [...events.values()]
}

function swap(
  { index, pair }: Told,
  { isForward, amountIn, amountOut }: Extract<PairEvent, { what: 'swap' }>,
  moves: PairMoves,
): DefiEvent {
  const { tokenIn, tokenOut } = moves.takeSwap(index, amountIn, amountOut)
  return isForward
    ? { index, pair, type: 'Swap', asset0: tokenIn, asset1: tokenOut, in0: amountIn, out1: amountOut }
    : { index, pair, type: 'Swap', asset0: tokenOut, asset1: tokenIn, in1: amountIn, out0: amountOut }
}

/** Tokens arrive after the event that burns what stood for them, or before where they had left already. */
function removal(
  { index, pair, event }: Told,
  before: Told | undefined,
  next: Told | undefined,
  moves: PairMoves,
): DefiEvent {
  const taken = moves.takeOutOf(index, next?.index ?? Infinity) ?? moves.takeOutOf(before?.index ?? -1, index)
  const { lpAmount, amounts } = event as Extract<PairEvent, { what: 'burn' }>
  const [one, other] = taken ?? []
  return {
    index,
    pair,
    type: 'RemoveLiquidity',
    asset0: one?.token,
    asset1: other?.token,
    lpAmount,
    out0: amounts?.[0] ?? one?.amount,
    out1: amounts?.[1] ?? other?.amount,
  }
}

/**
 * Tokens come before the event that mints what stands for them, or after it. A pair may mint twice for what came: a
 * first, small part that nobody gets when it is new, and what the exchange earned since liquidity changed last.
 */
function addition(told: readonly Told[], i: number, moves: PairMoves): DefiEvent {
  const { index, pair, event } = told[i] as Told
  const { lpAmount, amounts } = event as Extract<PairEvent, { what: 'mint' }>
  const before = told[i - 1]
  let taken = moves.takeInto(before?.index ?? -1, index)
  if (before?.event.what === 'mint') taken ??= moves.takeInto(told[i - 2]?.index ?? -1, index)
  taken ??= moves.takeInto(index, told[i + 1]?.index ?? Infinity)
  const [one, other] = taken ?? []
  const isForNothing = taken === undefined && amounts === undefined
  return {
    index,
    pair,
    lpAmount,
    type: isForNothing ? 'ProtocolFee' : 'AddLiquidity',
    asset0: one?.token,
    asset1: other?.token,
    in0: amounts?.[0] ?? one?.amount,
    in1: amounts?.[1] ?? other?.amount,
  }
}
