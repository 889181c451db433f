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
