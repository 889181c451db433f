/** When blocks are made: `time` at `height`, and so many milliseconds from one block to the next, taken over many. */
export interface ClockShape {
  readonly height: number
  readonly time: Date
  readonly spacingMs: number
}

/** The main network's pace. */
export const mainnetSpacingMs = 800

export const defaultClock: ClockShape = {
  height: 0, time: new Date('2026-01-01T00:00:00Z'), spacingMs: mainnetSpacingMs,
}

/** Milliseconds since 1970; a block comes a little before or after its time, and never before the one below it. */
export function timeOf(height: number, { height: known, time, spacingMs }: ClockShape): number {
  const jitter = ((Math.imul(height, 0x9e3779b1) >>> 0) / 0x1_0000_0000 - 0.5) * 0.5
  return Math.round(time.getTime() + (height - known + jitter) * spacingMs)
}

/** The view in which a block was made: now and then one passes without a block. */
export function viewOf(height: number): number {
  return height + Math.floor(height / 25)
}
