import type { Account } from '../world/account.ts'
import { peopleCount, placeInRound, personOfTurn } from '../world/people.ts'
import { flow, systemAccounts, pairs, reservesAtStart, tokens } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { keepersFirstBalance } from '../world/genesis-contracts.ts'
import { nodeCount, ownersFirstBalance } from '../staking/stakers.ts'
import { accountAt } from '../world/account.ts'
import type { StatePart } from '../world/cycle.ts'

const unit = 100_000_000n
/** What the poorest have: so much that no cycle takes all of it. */
const minSavings = 20_000n * unit
/** Twice as much as `minSavings`, twice as much as that, …: there are as many people between each of these and the next. */
const doublings = 4
/** What the richest has beside it; the second has half of that, the third a third, and so on. */
const fortune = 5_000_000n * unit
/** How many values the part of a chance has that says how far somebody is from one doubling to the next. */
const oneOfChance = 2n ** 32n / BigInt(doublings)
/** Who is rich in one token is not so in the next. */
const rankShift = 1667

/** What an account had before the first block. */
export function genesisBalance(token: Token, account: Account): bigint {
  if (token === flow && account.index === systemAccounts.service.index) return 1_000_000_000n * unit
  const place = placeInRound(account)
  if (place === undefined) return 0n
  const rank = (place + token.index * rankShift) % peopleCount
  return savings(Math.imul(account.index + token.index * 7919, 0x9e3779b1) >>> 0) + fortune / BigInt(rank + 1)
}

/** @param chance 32 bits. In whole numbers, which are the same on all machines. */
function savings(chance: number): bigint {
  const beyond = BigInt(Math.floor(chance / doublings))
  return ((minSavings << BigInt(chance % doublings)) * (oneOfChance + beyond)) / oneOfChance
}

/** What there was of a token before the first block: what all accounts had, in units of 10^-8. */
export function genesisSupply(token: Token): bigint {
  return (supplies ??= tokens.map(sum))[token.index] ?? 0n
}

let supplies: readonly bigint[] | undefined

function sum(token: Token): bigint {
  let total = 0n
  for (let turn = 0; turn < peopleCount; turn++) total += genesisBalance(token, personOfTurn(turn))
  for (const { contract } of pairs) total += reservesAtStart(token, contract)
  if (token === flow)
    total += genesisBalance(flow, systemAccounts.service) + BigInt(nodeCount) * ownersFirstBalance + keepersFirstBalance
  return total
}

/** The balance of a vault at the start of a cycle, in units of 10^-8. */
export type StartBalance = (token: Token, account: Account) => bigint

/** What every account has of every token. */
export class Vaults implements StatePart {
  readonly #start: StartBalance
  /** By token, then account: balances of those that moved. */
  readonly #moved: ReadonlyArray<Map<number, bigint>> = tokens.map(() => new Map())

  constructor(start: StartBalance) {
    this.#start = start
  }

  balance(token: Token, account: Account): bigint {
    return this.#moved[token.index]?.get(account.index) ?? this.#start(token, account)
  }

  /** @returns the balance after @throws RangeError when there is less in the vault */
  withdraw(token: Token, account: Account, amount: bigint): bigint {
    const after = this.balance(token, account) - amount
    if (after < 0n) throw new RangeError(`${account.hex} lacks ${-after} of ${token.name}`)
    return this.#set(token, account, after)
  }

  /** @returns the balance after */
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

/** How much of each token there is, in units of 10^-8. */
export class Supplies implements StatePart {
  readonly #start: (token: Token) => bigint
  readonly #changes = new Map<Token, bigint>()

  /** @param start the supply at the start of the cycle */
  constructor(start: (token: Token) => bigint) {
    this.#start = start
  }

  of(token: Token): bigint {
    return this.#start(token) + (this.#changes.get(token) ?? 0n)
  }

  /** @param amount negative where tokens are burnt */
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
