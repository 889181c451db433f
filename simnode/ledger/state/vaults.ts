import type { Account } from '../world/account.ts'
import { userCount, placeInRound, userOfTurn } from '../world/users.ts'
import { flow, systemAccounts, pairs, reservesAtStart, tokens } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { keeperInitialBalance } from '../world/genesis-contracts.ts'
import { nodeCount, ownerInitialBalance } from '../staking/stakers.ts'
import { accountAt } from '../world/account.ts'
import type { StatePart } from '../world/cycle.ts'

const unit = 100_000_000n
/** More than any cycle spends. */
const minSavings = 20_000n * unit
/** Savings are spread evenly over these doublings of the minimum. */
const doublings = 4
/** The nth richest user has an nth of it. */
const fortune = 5_000_000n * unit
/** Values of a 32-bit chance per doubling. */
const oneOfChance = 2n ** 32n / BigInt(doublings)
/** Users are rich in different tokens. */
const rankShift = 1667

export function genesisBalance(token: Token, account: Account): bigint {
  if (token === flow && account.index === systemAccounts.service.index) return 1_000_000_000n * unit
  const place = placeInRound(account)
  if (place === undefined) return 0n
  const rank = (place + token.index * rankShift) % userCount
  return savings(Math.imul(account.index + token.index * 7919, 0x9e3779b1) >>> 0) + fortune / BigInt(rank + 1)
}

/** @param chance 32 bits; in integers, which are the same on all machines */
function savings(chance: number): bigint {
  const beyond = BigInt(Math.floor(chance / doublings))
  return ((minSavings << BigInt(chance % doublings)) * (oneOfChance + beyond)) / oneOfChance
}

/** In units of 10^-8. */
export function genesisSupply(token: Token): bigint {
  return (supplies ??= tokens.map(sum))[token.index] ?? 0n
}

let supplies: readonly bigint[] | undefined

function sum(token: Token): bigint {
  let total = 0n
  for (let turn = 0; turn < userCount; turn++) total += genesisBalance(token, userOfTurn(turn))
  for (const { contract } of pairs) total += reservesAtStart(token, contract)
  if (token === flow)
    total +=
      genesisBalance(flow, systemAccounts.service) + BigInt(nodeCount) * ownerInitialBalance + keeperInitialBalance
  return total
}

/** In units of 10^-8. */
export type StartBalance = (token: Token, account: Account) => bigint

export class Vaults implements StatePart {
  readonly #start: StartBalance
  readonly #moved: ReadonlyArray<Map<number, bigint>> = tokens.map(() => new Map())

  constructor(start: StartBalance) {
    this.#start = start
  }

  balance(token: Token, account: Account): bigint {
    return this.#moved[token.index]?.get(account.index) ?? this.#start(token, account)
  }

  /** @returns the balance after @throws RangeError for an amount above the balance */
  withdraw(token: Token, account: Account, amount: bigint): bigint {
    const after = this.balance(token, account) - amount
    if (after < 0n) throw new RangeError(`${account.hex} lacks ${-after} of ${token.name}`)
    return this.#set(token, account, after)
  }

  deposit(token: Token, account: Account, amount: bigint): bigint {
    return this.#set(token, account, this.balance(token, account) + amount)
  }

  *touched(): Generator<string> {
    for (const [token, moved] of this.#moved.entries()) for (const account of moved.keys()) yield `${token} ${account}`
  }

  read(key: string): string {
    const [token = 0, account = 0] = key.split(' ').map(Number)
    return String(this.balance(tokens[token] ?? flow, accountAt(account)))
  }

  #set(token: Token, account: Account, balance: bigint): bigint {
    this.#moved[token.index]?.set(account.index, balance)
    return balance
  }
}

/** In units of 10^-8. */
export class Supplies implements StatePart {
  readonly #start: (token: Token) => bigint
  readonly #changes = new Map<Token, bigint>()

  /** @param start supply at the start of the cycle */
  constructor(start: (token: Token) => bigint) {
    this.#start = start
  }

  of(token: Token): bigint {
    return this.#start(token) + (this.#changes.get(token) ?? 0n)
  }

  /** @param amount negative for burnt tokens */
  add(token: Token, amount: bigint): void {
    this.#changes.set(token, (this.#changes.get(token) ?? 0n) + amount)
  }

  *touched(): Generator<string> {
    for (const { index } of this.#changes.keys()) yield String(index)
  }

  read(key: string): string {
    return String(this.of(tokens[Number(key)] as Token))
  }
}
