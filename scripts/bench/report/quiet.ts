import type { Conditions } from './history.ts'
import { percentText } from './number-text.ts'

/** Part of all cores that others may use in the mean of all looks while the machine counts as quiet: what a part left to be tidied up is seen by one. */
const quietShare = 0.1

/** Runnable tasks for each core that a load average may have before a run: what ran just before counts in it. */
const quietLoad = 0.75

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** What was wrong with the machine, in words; undefined where figures are to be believed. */
export function disturbance({
  cores,
  loadBefore,
  others,
}: Pick<Conditions, 'cores' | 'loadBefore' | 'others'>): string | undefined {
  const share = mean(others)
  if (share > quietShare) return `others used ${percentText(share)} of all cores`
  return loadBefore > quietLoad * cores ? `the load before was ${loadBefore.toFixed(1)} on ${cores} cores` : undefined
}
