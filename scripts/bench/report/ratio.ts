import type { FigureKind } from './figures.ts'
import type { Measured } from './history.ts'

/**
 * How near a figure is to its limit: 1 is the limit itself, 0.5 half as fast or twice as dear, whichever way is better.
 * Undefined without a limit, or where nothing was measured that could be divided by.
 */
export function shareOfLimit({ better }: Pick<FigureKind, 'better'>, { value, limit }: Measured): number | undefined {
  if (limit === undefined) return undefined
  const share = better === 'more' ? value / limit : limit / value
  return Number.isFinite(share) ? share : undefined
}

/** Undefined without a target. */
export function isTargetReached({ better, target }: Pick<FigureKind, 'better' | 'target'>, { value }: Measured): boolean | undefined {
  if (target === undefined) return undefined
  return better === 'more' ? value >= target : value <= target
}
