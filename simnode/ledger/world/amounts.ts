import type { Random } from '../random.ts'

/** One token in its smallest units. */
const unit = 100_000_000
/** The smallest amounts are of this size, in smallest units: a hundredth of a token. */
const smallest = 1_000_000
/** Sizes, each ten times the one before: the highest are thousands of tokens. */
const sizes = 6
/** First digits of what people choose without counting. */
const roundNumbers = [1, 1, 1.5, 2, 2.5, 3, 5, 5, 7.5, 8] as const

/**
 * An amount as people choose them: most are small, most are round, and now and then there is a large one.
 * @param most in whole tokens
 * @returns units of 10^-8
 */
export function somebodysAmount(random: Random, most: number): bigint {
  const size = smallest * 10 ** Math.min(random.below(sizes), random.below(sizes))
  const amount = random.percent(55)
    ? random.pick(roundNumbers) * size
    : size + Math.floor(random.below(900_000_000) * (size / unit))
  return BigInt(Math.min(amount, most * unit))
}
