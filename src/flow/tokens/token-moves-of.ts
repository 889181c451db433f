import type { DecodedTransaction } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import { readTokenMoves } from './read-token-moves.ts'
import type { TokenMoves } from './token-moves.ts'

/** Of transactions that somebody still holds. */
const known = new WeakMap<DecodedTransaction, TokenMoves>()

/** `readTokenMoves`, once for all the workers of a process that look at the same decoded transaction. */
export function tokenMovesOf(transaction: DecodedTransaction, network: Network): TokenMoves {
  let moves = known.get(transaction)
  if (moves === undefined) {
    moves = readTokenMoves(transaction, network)
    known.set(transaction, moves)
  }
  return moves
}
