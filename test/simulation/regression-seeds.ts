/** A history that once failed, and the bug that made it fail. */
export interface RegressionSeed {
  readonly seed: number
  readonly bug: string
}

/** Run before all others. A seed is added with each bug that the simulation finds, and stays. */
export const regressionSeeds: readonly RegressionSeed[] = []
