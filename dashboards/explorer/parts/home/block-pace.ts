import { formatNumber } from '../../../kit/formats.ts'
import type { LiveBlock } from '../../live-feed.ts'

/** How often a block comes, in the middle of the gaps of those that are there: one long pause is not the pace of the others. */
export function blockPace(blocks: readonly Pick<LiveBlock, 'height' | 'timestamp'>[]): string | undefined {
  const times = blocks.toSorted((a, b) => a.height - b.height)
  const gaps = times.slice(1).map(({ height, timestamp }, i) => {
    const before = times[i]
    return before === undefined
      ? 0
      : (Date.parse(timestamp) - Date.parse(before.timestamp)) / 1000 / (height - before.height)
  })
  const seconds = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]
  return seconds === undefined
    ? undefined
    : `a new one every ${seconds < 10 ? seconds.toFixed(1) : formatNumber(Math.round(seconds))} s`
}
