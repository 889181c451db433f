/** What tells the time and wakes; tests set it by hand. */
export interface Clock {
  /** ms since 1970; never goes back. */
  readonly now: () => number
  /** Has something done after so long, ms. Gives what takes that back. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** The time of this machine, as it went on since the process began: who sets the clock ends no pause. */
export const machineClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
