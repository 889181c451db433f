import { flow, tokens } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { accountAt } from '../world/account.ts'
import type { Account } from '../world/account.ts'
import type { StatePart } from './state-part.ts'

/** The balance of a vault at the start of a tide, in units of 10^-8. */
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
