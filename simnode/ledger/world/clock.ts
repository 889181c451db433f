import { Random } from './random.ts'

/** `time` at `height`, with an average spacing. */
export interface ClockShape {
  readonly height: number
  readonly time: Date
  readonly spacingMs: number
  /** Below `height`, for a long past of few blocks; at least `spacingMs`. Default: `spacingMs`. */
  readonly pastSpacingMs?: number
}

export const mainnetSpacingMs = 800

export const defaultClock: ClockShape = {
  height: 0,
  time: new Date('2026-01-01T00:00:00Z'),
  spacingMs: mainnetSpacingMs,
}

const dayMs = 86_400_000
/** Their period, and their share of density. */
const waves = [
  { lengthMs: 7 * dayMs, share: 0.25 },
  { lengthMs: 2.6 * dayMs, share: 0.2 },
  { lengthMs: 17 * dayMs, share: 0.15 },
] as const

const jitterSteps = 2 ** 32

/** Milliseconds since 1970. Jittered, and increasing with height. */
export function timeOf(height: number, { height: known, time, spacingMs, pastSpacingMs }: ClockShape): number {
  const jitter = (new Random(height).below(jitterSteps) / jitterSteps - 0.5) * 0.5
  const blocks = height - known
  if (blocks >= 0 || pastSpacingMs === undefined) return Math.round(time.getTime() + (blocks + jitter) * spacingMs)
  return Math.round(time.getTime() - ageInWaves(-blocks * pastSpacingMs) + jitter * minSpacing * pastSpacingMs)
}

/** A share of the average. */
const minSpacing = 1 - waves.reduce((sum, { share }) => sum + share, 0)

function ageInWaves(ageMs: number): number {
  return waves.reduce((age, { lengthMs, share }) => {
    const angle = (2 * Math.PI) / lengthMs
    return age + (share / angle) * Math.sin(angle * ageMs)
  }, ageMs)
}

/** Some views have no block. */
export function viewOf(height: number): number {
  return height + Math.floor(height / 25)
}
