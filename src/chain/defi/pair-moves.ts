import { ufix64Text, ufix64Units } from '../tokens/ufix64.ts'
import type { FungibleTransfer } from '../tokens/token-moves.ts'

/** A token and how much of it. */
export interface TokenAmount {
  readonly token: string
  /** UFix64 text. */
  readonly amount: string
}

/**
 * The tokens that a transaction moved into the account of a pair, and out of it. Each belongs to one event of the pair
 * at most: what an event takes is gone for the others.
 */
export class PairMoves {
  readonly #into: Set<FungibleTransfer>
  readonly #outOf: Set<FungibleTransfer>

  /** @param lpToken the pair's own token, which is no part of what it holds */
  constructor(transfers: readonly FungibleTransfer[], holder: string, lpToken: string) {
    const others = transfers.filter(({ type, token }) => type !== 'fee' && token !== lpToken)
    this.#into = new Set(others.filter(({ to }) => to === holder))
    this.#outOf = new Set(others.filter(({ from }) => from === holder))
  }

  /**
   * Takes what a swap moved: by the amounts that its event tells, or where these are not those that moved (an exchange
   * tells them without its fee, a vault was split), whatever is nearest.
   */
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

  /** Takes what moved into the pair between two events; undefined where that was not one token or two. */
  takeInto(after: number, before: number): readonly TokenAmount[] | undefined {
    return take(this.#into, after, before)
  }

  /** The same for what moved out of it. */
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
