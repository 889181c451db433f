import { timesServed } from '../world/tide.ts'

/**
 * Who of a fixed number of members has which turn: everybody once in a round, so that what turns change follows from
 * their number.
 */
export interface Rotation {
  /** The place of who has a turn, by its ordinal from 0. */
  placeOf(ordinal: number): number
  /** How many of the first `turns` turns were of the member at a place. */
  turnsOf(place: number, turns: number): number
}

/**
 * @param size a prime
 * @param stride how far apart the members of two turns are, without a common divisor with `size`
 */
export function rotation(size: number, stride: number, first: number): Rotation {
  const ordinals = new Map(Array.from({ length: size }, (_, ordinal) => [(first + ordinal * stride) % size, ordinal]))
  return {
    placeOf: (ordinal) => (first + (ordinal % size) * stride) % size,
    turnsOf: (place, turns) => timesServed(ordinals.get(place) ?? Number.POSITIVE_INFINITY, size, turns),
  }
}
