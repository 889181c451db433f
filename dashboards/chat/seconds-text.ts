import { formatDuration } from '../kit/formats.ts'

/** How long something took: `0.2 s`, `31 s`, `1 min 5 s`. */
export function secondsText(ms: number): string {
  return ms < 9950 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : formatDuration(ms / 1000)
}
