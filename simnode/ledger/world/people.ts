import type { Random } from './random.ts'
import { accountAt } from './account.ts'
import type { Account } from './account.ts'
import { timesServed } from './cycle.ts'

/**
 * The accounts that people act with from the first block on. They pay for transactions in turn, so that everybody's
 * sequence number and fees follow from how many transactions there were.
 */
export const peopleCount = 5003
const firstPerson = 64
/** So many are well known. */
const crowdSize = 50
/** Neighbours in turn are no neighbours by address. No divisor of `peopleCount`, which is a prime. */
const stride = 1877

/** The person whose turn is number `turn`, from 0 on without end. */
export function personOfTurn(turn: number): Account {
  return accountAt(firstPerson + (((turn % peopleCount) * stride) % peopleCount))
}

/** Which place in the round an account has; undefined for accounts that are no people of the first block. */
export function placeInRound(account: Account): number | undefined {
  const person = account.index - firstPerson
  return person < 0 || person >= peopleCount ? undefined : (person * inverseStride) % peopleCount
}

/**
 * Anybody but one: a few of the people are in most of what happens, as exchanges and shops are.
 * @param except who it may not be
 */
export function drawPerson(random: Random, except: Account): Account {
  const place = random.percent(30) ? random.below(crowdSize) : random.below(peopleCount)
  const person = personOfTurn(place)
  return person.index === except.index ? personOfTurn(place + 1) : person
}

/** How many of the first `turns` turns were this account's. */
export function turnsOf(account: Account, turns: number): number {
  const place = placeInRound(account)
  return place === undefined ? 0 : timesServed(place, peopleCount, turns)
}

/** Accounts that transactions create come after the people, in their order. */
export function createdAccount(ordinal: number): Account {
  return accountAt(firstPerson + peopleCount + ordinal)
}

/** The ordinal of an account that a transaction created; undefined for all others. */
export function createdOrdinal(account: Account): number | undefined {
  const ordinal = account.index - firstPerson - peopleCount
  return ordinal < 0 ? undefined : ordinal
}

const inverseStride = inverse(stride, peopleCount)

function inverse(value: number, prime: number): number {
  for (let candidate = 1; candidate < prime; candidate++) if ((value * candidate) % prime === 1) return candidate
  throw new RangeError(`${value} has no inverse modulo ${prime}`)
}

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
 * @param max in whole tokens
 * @returns units of 10^-8
 */
export function drawAmount(random: Random, max: number): bigint {
  const size = smallest * 10 ** Math.min(random.below(sizes), random.below(sizes))
  const amount = random.percent(55)
    ? random.pick(roundNumbers) * size
    : size + Math.floor(random.below(900_000_000) * (size / unit))
  return BigInt(Math.min(amount, max * unit))
}
