import { ufix64Units, ufix64Text } from '../tokens/ufix64.ts'
import type { DecodedTransaction } from '../decoded-block.ts'
import { FieldShapeError } from '../event-fields.ts'
import type { Network } from '../network.ts'
import { tokenMovesOf } from '../tokens/read-token-moves.ts'
import type { FungibleTransfer } from '../tokens/token-moves.ts'
import type { DefiEventTypes } from './dexes.ts'
import { pairOf, readPairEvent } from './pair-event.ts'
import type { PairEvent, PairOfEvent } from './pair-event.ts'

const decimals = 18
const scale = 10n ** BigInt(decimals)

/** Truncated to 18 decimals; undefined if `of` is 0. */
export function price(amount: string, of: string): string | undefined {
  const units = ufix64Units(of)
  if (units === 0n) return undefined
  const quotient = (ufix64Units(amount) * scale) / units
  return `${quotient / scale}.${(quotient % scale).toString().padStart(decimals, '0')}`
}

/** As in `app.defi_events.event_type`. `ProtocolFee`: liquidity tokens minted for the exchange. */
export type DefiType = 'Swap' | 'AddLiquidity' | 'RemoveLiquidity' | 'Flashloan' | 'ProtocolFee'

/** Amounts are UFix64 texts, undefined if unknown. */
export interface DefiEvent {
  readonly index: number
  /** `A.<address>.<contract>`, with a further part if one contract has many pools. */
  readonly pair: string
  readonly type: DefiType
  /** In the pair's order for swaps, else in the order of the transfers. */
  readonly asset0: string | undefined
  readonly asset1: string | undefined
  /** Paid into and out of the pair. */
  readonly in0?: string | undefined
  readonly out0?: string | undefined
  readonly in1?: string | undefined
  readonly out1?: string | undefined
  readonly lpAmount?: string | undefined
}

export interface PairChange {
  readonly index: number
  readonly pair: string
  readonly asset0: string | undefined
  readonly asset1: string | undefined
  readonly isStable: boolean | undefined
  /** UFix64 text: 0.00300000 is 30 basis points. */
  readonly fee: string | undefined
}

interface DefiProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly code: string
  readonly message: string
}

interface Defi {
  readonly events: readonly DefiEvent[]
  readonly pairs: readonly PairChange[]
  readonly problems: readonly DefiProblem[]
}

interface PairAction extends PairOfEvent {
  readonly index: number
  readonly event: PairEvent
}

export function readDefi(transaction: DecodedTransaction, types: DefiEventTypes, network: Network): Defi | undefined {
  const actions: PairAction[] = []
  const pairs: PairChange[] = []
  const problems: DefiProblem[] = []
  for (const event of transaction.events) {
    const type = types(event.type)
    if (type === undefined || event.fields === undefined) continue
    const { index, fields } = event
    try {
      const read = readPairEvent(type, fields)
      if (read.what === 'created') pairs.push(created(index, read))
      else if (read.what === 'fee') pairs.push({ ...noAssets, index, pair: type.contract, fee: read.fee })
      else actions.push({ index, ...pairOf(type, fields), event: read })
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      problems.push({ eventIndex: index, eventType: event.type, code: 'defi-event-shape', message: error.message })
    }
  }
  if (actions.length + pairs.length + problems.length === 0) return undefined
  const events = [...Map.groupBy(actions, ({ pair }) => pair)].flatMap(([pair, ofPair]) => {
    const [{ holder } = { holder: '' }] = ofPair
    return eventsOfPair(ofPair, new PairMoves(tokenMovesOf(transaction, network).fungible, holder, pair))
  })
  return { events: events.toSorted((a, b) => a.index - b.index), pairs, problems }
}

const noAssets = { asset0: undefined, asset1: undefined, isStable: undefined }

function created(
  index: number,
  { pairAddress, token0, token1, isStable }: Extract<PairEvent, { what: 'created' }>,
): PairChange {
  return { index, pair: `A.${pairAddress.slice(2)}.SwapPair`, asset0: token0, asset1: token1, isStable, fee: undefined }
}

/** Swaps first, because their amounts are known; the rest is liquidity. */
function eventsOfPair(actions: readonly PairAction[], moves: PairMoves): DefiEvent[] {
  const events = new Map<number, DefiEvent>()
  for (const one of actions) {
    const { event, index, pair } = one
    if (event.what === 'swap') events.set(index, swap(one, event, moves))
    else if (event.what === 'flashloan') {
      events.set(index, { index, pair, type: 'Flashloan', asset0: event.token, asset1: undefined, out0: event.amount })
    }
  }
  for (const [i, one] of actions.entries()) {
    if (one.event.what === 'burn') events.set(one.index, removal(one, actions[i - 1], actions[i + 1], moves))
  }
  // Backwards: an event takes the transfers since the previous one.
  for (const [i, one] of [...actions.entries()].toReversed()) {
    if (one.event.what === 'mint') events.set(one.index, addition(actions, i, moves))
  }
  return [...events.values()]
}

function swap(
  { index, pair }: PairAction,
  { isForward, amountIn, amountOut }: Extract<PairEvent, { what: 'swap' }>,
  moves: PairMoves,
): DefiEvent {
  const { tokenIn, tokenOut } = moves.takeSwap(index, amountIn, amountOut)
  return isForward
    ? { index, pair, type: 'Swap', asset0: tokenIn, asset1: tokenOut, in0: amountIn, out1: amountOut }
    : { index, pair, type: 'Swap', asset0: tokenOut, asset1: tokenIn, in1: amountIn, out0: amountOut }
}

/** After the burn event, or before it if the tokens had left already. */
function removal(
  { index, pair, event }: PairAction,
  before: PairAction | undefined,
  next: PairAction | undefined,
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
 * Before or after the mint event. A pair can mint twice for one deposit: a first small part that is
 * locked in a new pair, and the exchange's fees.
 */
function addition(actions: readonly PairAction[], i: number, moves: PairMoves): DefiEvent {
  const { index, pair, event } = actions[i] as PairAction
  const { lpAmount, amounts } = event as Extract<PairEvent, { what: 'mint' }>
  const before = actions[i - 1]
  let taken = moves.takeInto(before?.index ?? -1, index)
  if (before?.event.what === 'mint') taken ??= moves.takeInto(actions[i - 2]?.index ?? -1, index)
  taken ??= moves.takeInto(index, actions[i + 1]?.index ?? Infinity)
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

interface TokenAmount {
  readonly token: string
  readonly amount: string
}

/** Each transfer is matched to at most one event. */
class PairMoves {
  readonly #into: Set<FungibleTransfer>
  readonly #outOf: Set<FungibleTransfer>

  /** @param lpToken not part of the pair's reserves */
  constructor(transfers: readonly FungibleTransfer[], holder: string, lpToken: string) {
    const others = transfers.filter(({ type, token }) => type !== 'fee' && token !== lpToken)
    this.#into = new Set(others.filter(({ to }) => to === holder))
    this.#outOf = new Set(others.filter(({ from }) => from === holder))
  }

  /** By amounts, or the nearest transfers if they differ (event without the fee, split vault). */
  takeSwap(
    index: number,
    amountIn: string,
    amountOut: string,
  ): { readonly tokenIn: string | undefined; readonly tokenOut: string | undefined } {
    const exactOut = nearest(this.#outOf, index, ({ amount }) => amount === amountOut)
    const into =
      nearest(this.#into, index, ({ amount, token }) => amount === amountIn && token !== exactOut?.token) ??
      nearest(this.#into, index, ({ token }) => token !== exactOut?.token)
    const outOf = exactOut ?? nearest(this.#outOf, index, ({ token }) => token !== into?.token)
    if (into !== undefined) this.#into.delete(into)
    if (outOf !== undefined) this.#outOf.delete(outOf)
    return { tokenIn: into?.token, tokenOut: outOf?.token }
  }

  /** Undefined unless these are of one or two tokens. */
  takeInto(after: number, before: number): readonly TokenAmount[] | undefined {
    return take(this.#into, after, before)
  }

  /** Like `takeInto`, for amounts that leave. */
  takeOutOf(after: number, before: number): readonly TokenAmount[] | undefined {
    return take(this.#outOf, after, before)
  }
}

function nearest(
  moves: ReadonlySet<FungibleTransfer>,
  index: number,
  fits: (move: FungibleTransfer) => boolean,
): FungibleTransfer | undefined {
  let found: FungibleTransfer | undefined
  for (const move of moves) {
    if (!fits(move)) continue
    if (found === undefined || Math.abs(move.eventIndex - index) < Math.abs(found.eventIndex - index)) found = move
  }
  return found
}

function take(moves: Set<FungibleTransfer>, after: number, before: number): readonly TokenAmount[] | undefined {
  const units = new Map<string, bigint>()
  const taken = [...moves].filter(({ eventIndex }) => eventIndex > after && eventIndex < before)
  for (const { token, amount } of taken) units.set(token, (units.get(token) ?? 0n) + ufix64Units(amount))
  if (units.size === 0 || units.size > 2) return undefined
  for (const move of taken) moves.delete(move)
  return [...units].map(([token, all]) => ({ token, amount: ufix64Text(all) }))
}
