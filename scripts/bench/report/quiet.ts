import type { Conditions } from './history.ts'

/** Part of all cores that others may use while the machine counts as quiet. */
const quietShare = 0.1

/** Runnable tasks for each core that a load average may have before a run: what ran just before counts in it. */
const quietLoad = 0.75

/** What was wrong with the machine, in words; undefined where figures are to be believed. */
export function disturbance({ cores, loadBefore, others }: Pick<Conditions, 'cores' | 'loadBefore' | 'others'>): string | undefined {
  const worst = Math.max(0, ...others)
  if (worst > quietShare) return `others used up to ${(worst * 100).toFixed(0)} % of all cores`
  return loadBefore > quietLoad * cores ? `the load before was ${loadBefore.toFixed(1)} on ${cores} cores` : undefined
}
