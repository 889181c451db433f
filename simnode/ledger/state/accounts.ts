import { accountAt, isExternal, inventedKey } from '../world/account.ts'
import type { Account, AccountKey } from '../world/account.ts'
import { deployedContract, deployer, passing } from '../world/deployed-contracts.ts'
import type { ContractCode } from '../world/deployed-contracts.ts'
import { genesisContracts } from '../world/genesis-contracts.ts'
import { userCount, placeInRound, createdAccount, createdOrdinal, turnsOf } from '../world/users.ts'
import type { StatePart } from '../world/cycle.ts'
import type { ExternalAccounts } from './external-accounts.ts'

/** At the start of a cycle all deployed contracts are in their second version. */
export class Contracts implements StatePart {
  #deployed: number
  readonly #young = new Set<number>()
  readonly #passing = new Set<number>()
  readonly #touched = new Set<number>()
  readonly #externalAccounts: ExternalAccounts

  /** @param deployed before the cycle */
  constructor(deployed: number, externalAccounts: ExternalAccounts) {
    this.#deployed = deployed
    this.#externalAccounts = externalAccounts
  }

  deploy(): ContractCode {
    const ordinal = this.#deployed++
    this.#young.add(ordinal)
    this.#touched.add(deployer(ordinal).index)
    return deployedContract(ordinal, 1)
  }

  update(ordinal: number): ContractCode {
    this.#young.delete(ordinal)
    return deployedContract(ordinal, 2)
  }

  addPassing({ index }: Account): void {
    this.#passing.add(index)
    this.#touched.add(index)
  }

  removePassing({ index }: Account): void {
    this.#passing.delete(index)
  }

  of(account: Account): ContractCode[] {
    const found = [...(genesisContracts.get(account.index) ?? []), ...this.#externalAccounts.contracts(account)]
    const place = placeInRound(account)
    for (let ordinal = place ?? Number.POSITIVE_INFINITY; ordinal < this.#deployed; ordinal += userCount) {
      found.push(deployedContract(ordinal, this.#young.has(ordinal) ? 1 : 2))
    }
    if (this.#passing.has(account.index)) found.push(passing)
    return found
  }

  *touched(): Generator<string> {
    for (const account of this.#touched) yield String(account)
  }

  read(key: string): string {
    return this.of(accountAt(Number(key)))
      .map(({ name, code }) => `${name} ${code.toString()}`)
      .join()
  }
}

/** Key 0 signs; others are added in the first half of a cycle and revoked in the second. */
export class Accounts implements StatePart {
  #created: number
  readonly #keyTurns: number
  readonly #transactions: number
  readonly #sequenceNumbers = new Map<number, number>()
  readonly #keyCounts = new Map<number, number>()
  /** Keys added and not yet revoked, as `account key`. */
  readonly #lateKeys = new Set<string>()
  readonly #externalAccounts: ExternalAccounts

  /**
   * All numbers are before the cycle.
   *
   * @param keyTurns keys added
   *
   * @param transactions user transactions
   */
  constructor(created: number, keyTurns: number, transactions: number, externalAccounts: ExternalAccounts) {
    this.#externalAccounts = externalAccounts
    this.#transactions = transactions
    this.#created = created
    this.#keyTurns = keyTurns
  }

  get created(): number {
    return this.#created
  }

  exists(account: Account): boolean {
    return isExternal(account)
      ? this.#externalAccounts.exists(account)
      : (createdOrdinal(account) ?? -1) < this.#created
  }

  create(): Account {
    return createdAccount(this.#created++)
  }

  /** Including revoked keys. */
  keys(account: Account): readonly AccountKey[] {
    if (isExternal(account)) return this.#externalAccounts.keys(account)
    return Array.from({ length: this.keyCount(account) }, (_, index) => ({
      ...inventedKey(account, index),
      sequenceNumber: index === 0 ? this.sequenceNumber(account) : 0,
      isRevoked: this.isRevoked(account, index),
    }))
  }

  sequenceNumber(account: Account): number {
    return this.#sequenceNumbers.get(account.index) ?? turnsOf(account, this.#transactions)
  }

  /** @returns the sequence number of the proposed transaction */
  propose(account: Account): number {
    const sequenceNumber = this.sequenceNumber(account)
    this.#sequenceNumbers.set(account.index, sequenceNumber + 1)
    return sequenceNumber
  }

  keyCount(account: Account): number {
    return this.#keyCounts.get(account.index) ?? 1 + turnsOf(account, this.#keyTurns)
  }

  isRevoked(account: Account, keyIndex: number): boolean {
    return keyIndex > 0 && !this.#lateKeys.has(`${account.index} ${keyIndex}`)
  }

  addKey(account: Account): number {
    const keyIndex = this.keyCount(account)
    this.#keyCounts.set(account.index, keyIndex + 1)
    this.#lateKeys.add(`${account.index} ${keyIndex}`)
    return keyIndex
  }

  revokeKey(account: Account, keyIndex: number): void {
    this.#lateKeys.delete(`${account.index} ${keyIndex}`)
  }

  *touched(): Generator<string> {
    yield 'created'
    for (const account of this.#keyCounts.keys()) yield String(account)
    for (const account of this.#sequenceNumbers.keys()) yield String(account)
  }

  read(key: string): string {
    if (key === 'created') return String(this.#created)
    const account = accountAt(Number(key))
    const keys = Array.from({ length: this.keyCount(account) }, (_, index) => this.isRevoked(account, index))
    return [this.sequenceNumber(account), ...keys.map((isRevoked) => (isRevoked ? 'revoked' : 'valid'))].join(' ')
  }
}
