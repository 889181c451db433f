import { formatDuration } from '../kit/formats.ts'

/** How long something took: `14 ms`, `0.2 s`, `31 s`, `1 min 5 s`. */
export function secondsText(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`
  return ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms / 1000)
}
