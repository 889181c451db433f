import { Random } from './random.ts'

/** When blocks are made: `time` at `height`, and so many milliseconds from one block to the next, taken over many. */
export interface ClockShape {
  readonly height: number
  readonly time: Date
  readonly spacingMs: number
  /**
   * Below `height`, so that few blocks make a long past; not less than `spacingMs`. Such a past has busy days and calm
   * ones. Default: as above it.
   */
  readonly pastSpacingMs?: number
}

/** The main network's pace. */
export const mainnetSpacingMs = 800

export const defaultClock: ClockShape = {
  height: 0,
  time: new Date('2026-01-01T00:00:00Z'),
  spacingMs: mainnetSpacingMs,
}

const dayMs = 86_400_000
/** Busier and calmer times of a long past: how long from one busy time to the next, and how much denser blocks are then. */
const waves = [
  { lengthMs: 7 * dayMs, share: 0.25 },
  { lengthMs: 2.6 * dayMs, share: 0.2 },
  { lengthMs: 17 * dayMs, share: 0.15 },
] as const

const jitterSteps = 2 ** 32

/** Milliseconds since 1970; a block comes a little before or after its time, and never before the one below it. */
export function timeOf(height: number, { height: known, time, spacingMs, pastSpacingMs }: ClockShape): number {
  const jitter = (new Random(height).below(jitterSteps) / jitterSteps - 0.5) * 0.5
  const blocks = height - known
  if (blocks >= 0 || pastSpacingMs === undefined) return Math.round(time.getTime() + (blocks + jitter) * spacingMs)
  return Math.round(time.getTime() - ageInWaves(-blocks * pastSpacingMs) + jitter * minSpacing * pastSpacingMs)
}

/** What is left of the distance between two blocks of the past where all waves are high. */
const minSpacing = 1 - waves.reduce((sum, { share }) => sum + share, 0)

/** How old something is that would be so old if all days were alike, in milliseconds. */
function ageInWaves(ageMs: number): number {
  return waves.reduce((age, { lengthMs, share }) => {
    const angle = (2 * Math.PI) / lengthMs
    return age + (share / angle) * Math.sin(angle * ageMs)
  }, ageMs)
}

/** The view in which a block was made: now and then one passes without a block. */
export function viewOf(height: number): number {
  return height + Math.floor(height / 25)
}
