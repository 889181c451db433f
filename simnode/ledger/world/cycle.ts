/**
 * Heights are cut into tides. In the flood of a tide people do this and that; in the ebb each of these turns is given
 * back, the last one first: what was sent comes back, what was staked is unstaked. So all that a tide leaves behind is
 * what grows by the same amount in each, and the state at the start of any tide is known without the blocks before it.
 */
export const tideLength = 200

/** Turns of the flood are at places 1 to 99; a turn at place p is given back at 200 - p or soon after. Places 0 and 100 are quiet. */
export const floodEnd = 100

/** Which tide a height is in, counted from 0. */
export function tideOf(height: number): number {
  return Math.floor(height / tideLength)
}

/** Where in its tide a height is, from 0. */
export function placeInTide(height: number): number {
  return height % tideLength
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
 * The state that one domain keeps. It is made as at the start of a tide, from a closed form, and keeps only what turned
 * out differently since; asking it is cheap, whatever came before.
 */
export interface StatePart {
  /** Keys of all that was changed since the tide began, also where it is now as it was. */
  touched(): Iterable<string>
  /** What is under such a key, as text: for comparing two states. */
  read(key: string): string
}
