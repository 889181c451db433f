import { coas, evmUsers } from './evm-world.ts'
import type { Coa, EvmUser } from './evm-world.ts'
import { rotation } from './rotation.ts'
import type { Rotation } from './rotation.ts'

/** Whether a turn is one of the flood or gives one back. */
export type Direction = 'there' | 'back'

/**
 * How the transactions of one activity are signed: by whom, who relays them, and what they cost. All follows from the
 * ordinals of its turns, so that nonces and fees follow from their number.
 */
export interface SignedTurns {
  readonly signers: Readonly<Record<Direction, Rotation>>
  readonly relayers: Rotation
  readonly gasUsed: number
  readonly gasLimit: number
  /** Attoflow per gas. */
  readonly gasPrice: bigint
  /** How often a turn is signed in its tide: again where it is given back. */
  readonly directions: readonly Direction[]
}

const gasPrice = 100_000_000n

function signedTurns(
  first: number,
  gasUsed: number,
  gasLimit: number,
  directions: readonly Direction[] = ['there', 'back'],
): SignedTurns {
  return {
    signers: { there: rotation(evmUsers.length, 1, first), back: rotation(evmUsers.length, 29, first + 7) },
    relayers: rotation(coas.length, 1, first % coas.length),
    gasUsed,
    gasLimit,
    gasPrice,
    directions,
  }
}

/** The signed transactions of each activity. Gas as recorded for the same calls. */
export const signedTurnsOf = {
  transfer: signedTurns(0, 21_000, 31_000),
  erc20: signedTurns(11, 34_515, 60_000),
  erc721: signedTurns(23, 48_204, 90_000),
  erc1155: signedTurns(37, 52_117, 90_000),
  failure: signedTurns(53, 24_430, 120_000, ['there']),
  /** Gives back what a Cadence-owned account called. */
  coaCall: signedTurns(71, 34_515, 60_000, ['back']),
} as const

export type SignedKind = keyof typeof signedTurnsOf

/** Whose Cadence-owned account has a turn of those that Cadence makes itself. */
export const coaTurns = { deposit: rotation(coas.length, 5, 3), call: rotation(coas.length, 3, 8) } as const

export function signerOf(kind: SignedKind, direction: Direction, ordinal: number): EvmUser {
  return evmUsers[signedTurnsOf[kind].signers[direction].placeOf(ordinal)] as EvmUser
}

/** Who takes the fee. */
export function relayerOf(kind: SignedKind, ordinal: number): Coa {
  return coas[signedTurnsOf[kind].relayers.placeOf(ordinal)] as Coa
}

export function coaOf(kind: keyof typeof coaTurns, ordinal: number): Coa {
  return coas[coaTurns[kind].placeOf(ordinal)] as Coa
}
