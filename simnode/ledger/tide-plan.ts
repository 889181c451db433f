import type { Activity } from './activity.ts'
import { Random } from './random.ts'
import { floodEnd } from './world/tide.ts'

/** A turn that an activity is to have. */
export interface PlannedTurn {
  readonly activity: Activity
  readonly ordinal: number
}

/** How many turns an activity has in each flood. */
export function turnsPerTide(activity: Activity, busyness: number): number {
  return activity.perTide * busyness
}

/** How many user transactions there are in each tide. */
export function transactionsPerTide(activities: readonly Activity[], busyness: number): number {
  return activities.reduce(
    (sum, activity) => sum + turnsPerTide(activity, busyness) * (activity.giveBack === undefined ? 1 : 2),
    0,
  )
}

/**
 * Spreads the turns of one tide over its flood: by place in the tide, in the order in which they are done. The plan is
 * the same on all branches, so that what grows with each turn grows on all alike.
 */
export function planFlood(
  seed: number,
  tide: number,
  activities: readonly Activity[],
  busyness: number,
): ReadonlyArray<readonly PlannedTurn[]> {
  const places: Array<Array<PlannedTurn & { order: number }>> = Array.from({ length: floodEnd }, () => [])
  activities.forEach((activity, index) => {
    const random = new Random(seed, tide, index)
    const count = turnsPerTide(activity, busyness)
    const drawn = Array.from({ length: count }, () => random.between(1, floodEnd - 1)).sort((a, b) => a - b)
    drawn.forEach((place, nth) =>
      places[place]?.push({ activity, ordinal: tide * count + nth, order: random.below(0x1_0000_0000) }),
    )
  })
  return places.map((turns) => inOrder(turns))
}

/** Mixed, but an activity's own turns one after the other, as their ordinals say. */
function inOrder(turns: ReadonlyArray<PlannedTurn & { order: number }>): PlannedTurn[] {
  const mixed = turns.toSorted((a, b) => a.order - b.order)
  const own = new Map<Activity, PlannedTurn[]>()
  for (const { activity, ordinal } of turns) {
    const list = own.get(activity) ?? []
    own.set(activity, list)
    list.push({ activity, ordinal })
  }
  return mixed.map(({ activity }) => own.get(activity)?.shift() as PlannedTurn)
}
