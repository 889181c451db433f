/**
 * Heights are cut into cycles. In the first half of a cycle people do this and that; in the second half each of these turns is given
 * back, the last one first: what was sent comes back, what was staked is unstaked. So all that a cycle leaves behind is
 * what grows by the same amount in each, and the state at the start of any cycle is known without the blocks before it.
 */
export const cycleLength = 200

/** Turns of the first half are at places 1 to 99; a turn at place p is given back at 200 - p or soon after. Places 0 and 100 are quiet. */
export const cycleMiddle = 100

/** Which cycle a height is in, counted from 0. */
export function cycleOf(height: number): number {
  return Math.floor(height / cycleLength)
}

/** Where in its cycle a height is, from 0. */
export function placeInCycle(height: number): number {
  return height % cycleLength
}

/** How often number `position` of `size` has been served after `turns` turns, one after the other from 0. */
export function timesServed(position: number, size: number, turns: number): number {
  return position >= turns ? 0 : Math.floor((turns - 1 - position) / size) + 1
}

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

/**
 * The state that one domain keeps. It is made as at the start of a cycle, from a closed form, and keeps only what turned
 * out differently since; asking it is cheap, whatever came before.
 */
export interface StatePart {
  /** Keys of all that was changed since the cycle began, also where it is now as it was. */
  touched(): Iterable<string>
  /** What is under such a key, as text: for comparing two states. */
  read(key: string): string
}
