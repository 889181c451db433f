/**
 * In the first half of a cycle users act; in the second half each turn is reversed, the last one
 * first. A cycle leaves behind only what grows by the same amount each time, so the state at the
 * start of any cycle is a formula.
 */
export const cycleLength = 200

/** Turns are at places 1 to 99; a turn at place p is reversed at 200 - p or soon after. */
export const cycleMiddle = 100

/** From 0. */
export function cycleOf(height: number): number {
  return Math.floor(height / cycleLength)
}

/** From 0. */
export function placeInCycle(height: number): number {
  return height % cycleLength
}

/** Turns of member `position` of `size` in a rotation of `turns` turns. */
export function timesServed(position: number, size: number, turns: number): number {
  return position >= turns ? 0 : Math.floor((turns - 1 - position) / size) + 1
}

/** Each member has one turn a round, and totals follow from the number of turns. */
export interface Rotation {
  /** The member of a turn, by ordinal from 0. */
  placeOf(ordinal: number): number
  /** A member's share of the first `turns` turns. */
  turnsOf(place: number, turns: number): number
}

/** @param size a prime @param stride coprime to `size` */
export function rotation(size: number, stride: number, first: number): Rotation {
  const ordinals = new Map(Array.from({ length: size }, (_, ordinal) => [(first + ordinal * stride) % size, ordinal]))
  return {
    placeOf: (ordinal) => (first + (ordinal % size) * stride) % size,
    turnsOf: (place, turns) => timesServed(ordinals.get(place) ?? Number.POSITIVE_INFINITY, size, turns),
  }
}

/** A formula for the start of the cycle, and the changes since. */
export interface StatePart {
  /** Also keys that were changed back. */
  touched(): Iterable<string>
  /** Text, to compare states. */
  read(key: string): string
}
