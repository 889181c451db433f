/** A history that once failed, and the bug that made it fail. */
export interface RegressionSeed {
  readonly seed: number
  readonly bug: string
}

/** Run before all others. A seed is added with each bug that the simulation finds, and stays. */
export const regressionSeeds: readonly RegressionSeed[] = [
  { seed: 25, bug: 'a connection of the queues that broke while it was in use ended the process' },
]
