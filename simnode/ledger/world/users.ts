import type { Random } from './random.ts'
import { accountAt } from './account.ts'
import type { Account } from './account.ts'
import { timesServed } from './cycle.ts'

/**
 * They pay for transactions in rotation, so that sequence numbers and fees follow from the number
 * of transactions.
 */
export const userCount = 5003
const firstUser = 64
const frequentUsers = 50
/** Coprime to `userCount`, a prime. */
const stride = 1877

export function userOfTurn(turn: number): Account {
  return accountAt(firstUser + (((turn % userCount) * stride) % userCount))
}

/** Place in the rotation; undefined for other accounts. */
export function placeInRound(account: Account): number | undefined {
  const user = account.index - firstUser
  return user < 0 || user >= userCount ? undefined : (user * inverseStride) % userCount
}

/** Often a popular one. */
export function drawUser(random: Random, except: Account): Account {
  const place = random.percent(30) ? random.below(frequentUsers) : random.below(userCount)
  const user = userOfTurn(place)
  return user.index === except.index ? userOfTurn(place + 1) : user
}

export function turnsOf(account: Account, turns: number): number {
  const place = placeInRound(account)
  return place === undefined ? 0 : timesServed(place, userCount, turns)
}

export function createdAccount(ordinal: number): Account {
  return accountAt(firstUser + userCount + ordinal)
}

/** Undefined for accounts that no transaction created. */
export function createdOrdinal(account: Account): number | undefined {
  const ordinal = account.index - firstUser - userCount
  return ordinal < 0 ? undefined : ordinal
}

const inverseStride = inverse(stride, userCount)

function inverse(value: number, prime: number): number {
  for (let candidate = 1; candidate < prime; candidate++) if ((value * candidate) % prime === 1) return candidate
  throw new RangeError(`${value} has no inverse modulo ${prime}`)
}

const unit = 100_000_000
/** In the smallest units: 0.01 tokens. */
const smallest = 1_000_000
const sizes = 6
const roundNumbers = [1, 1, 1.5, 2, 2.5, 3, 5, 5, 7.5, 8] as const

/** Most are small and round. @param max in whole tokens @returns units of 10^-8 */
export function drawAmount(random: Random, max: number): bigint {
  const size = smallest * 10 ** Math.min(random.below(sizes), random.below(sizes))
  const amount = random.percent(55)
    ? random.pick(roundNumbers) * size
    : size + Math.floor(random.below(900_000_000) * (size / unit))
  return BigInt(Math.min(amount, max * unit))
}
