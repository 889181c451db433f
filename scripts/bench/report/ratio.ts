import type { FigureKind } from './figures.ts'
import type { Measured } from './history.ts'
import { numberText } from './number-text.ts'

/**
 * A figure divided by its limit. Undefined without a limit, or where that is nothing.
 */
export function timesLimit({ value, limit }: Measured): number | undefined {
  if (limit === undefined) return undefined
  const times = value / limit
  return Number.isFinite(times) ? times : undefined
}

/** The same in words that say which way is better: `0.650 times as fast`, `2.85 times as much`. */
export function timesText({ better }: Pick<FigureKind, 'better'>, measured: Measured): string {
  const times = timesLimit(measured)
  return times === undefined ? '' : `${numberText(times)} times as ${better === 'more' ? 'fast' : 'much'}`
}

/** A target in words: `at least 2,000`, `at most 2.2`; empty without one. */
export function targetText({ better, target }: Pick<FigureKind, 'better' | 'target'>): string {
  return target === undefined ? '' : `at ${better === 'more' ? 'least' : 'most'} ${target.toLocaleString('en-US')}`
}

/** Undefined without a target. */
export function isTargetReached(
  { better, target }: Pick<FigureKind, 'better' | 'target'>,
  { value }: Measured,
): boolean | undefined {
  if (target === undefined) return undefined
  return better === 'more' ? value >= target : value <= target
}
