import type { Account, AccountKey, NewAccountKey } from '../world/account.ts'
import { externalAccount, publishedPayer, publishedPayerKey, accountAt, fullWeight } from '../world/account.ts'
import type { ContractCode } from '../world/deployed-contracts.ts'
import type { StatePart } from '../world/cycle.ts'

/** Effects of submitted transactions, which cycles do not reverse. */
export class ExternalAccounts implements StatePart {
  readonly #keys: Map<number, readonly AccountKey[]>
  /** Difference from the formula, by account, in units of 10^-8 FLOW. */
  readonly #moved: Map<number, bigint>
  readonly #contracts: Map<number, readonly ContractCode[]>
  readonly supply: bigint

  private constructor(
    keys: Map<number, readonly AccountKey[]>,
    moved: Map<number, bigint>,
    contracts: Map<number, readonly ContractCode[]>,
    supply: bigint,
  ) {
    this.#keys = keys
    this.#moved = moved
    this.#contracts = contracts
    this.supply = supply
  }

  static atGenesis(hasPayer: boolean): ExternalAccounts {
    // The payer's place stays reserved, so that later accounts are the same.
    if (!hasPayer) return new ExternalAccounts(new Map(), new Map(), new Map(), 0n)
    const { account, keyCount, signatureAlgorithm, hashAlgorithm, funds } = publishedPayer
    const key = {
      publicKey: publishedPayerKey(),
      signatureAlgorithm,
      hashAlgorithm,
      weight: fullWeight,
      sequenceNumber: 0,
      isRevoked: false,
    }
    return new ExternalAccounts(
      new Map([[account.index, Array.from({ length: keyCount }, () => key)]]),
      new Map([[account.index, funds]]),
      new Map(),
      funds,
    )
  }

  copy(): ExternalAccounts {
    return new ExternalAccounts(new Map(this.#keys), new Map(this.#moved), new Map(this.#contracts), this.supply)
  }

  exists({ index }: Account): boolean {
    return this.#keys.has(index)
  }

  keys({ index }: Account): readonly AccountKey[] {
    return this.#keys.get(index) ?? []
  }

  moved({ index }: Account): bigint {
    return this.#moved.get(index) ?? 0n
  }

  noteMove(from: Account, to: Account, amount: bigint): void {
    this.#moved.set(from.index, this.moved(from) - amount)
    this.#moved.set(to.index, this.moved(to) + amount)
  }

  contracts({ index }: Account): readonly ContractCode[] {
    return this.#contracts.get(index) ?? []
  }

  /** Adds it, or replaces the one of that name. */
  putContract(account: Account, contract: ContractCode): void {
    const others = this.contracts(account).filter(({ name }) => name !== contract.name)
    this.#contracts.set(account.index, [...others, contract])
  }

  get next(): Account {
    return externalAccount(this.#keys.has(publishedPayer.account.index) ? this.#keys.size : this.#keys.size + 1)
  }

  create(): Account {
    const account = this.next
    this.#keys.set(account.index, [])
    return account
  }

  addKey(account: Account, key: NewAccountKey): number {
    const keys = this.keys(account)
    this.#keys.set(account.index, [...keys, { ...key, sequenceNumber: 0, isRevoked: false }])
    return keys.length
  }

  revokeKey(account: Account, keyIndex: number): void {
    this.#change(account, keyIndex, (key) => ({ ...key, isRevoked: true }))
  }

  propose(account: Account, keyIndex: number): void {
    this.#change(account, keyIndex, (key) => ({ ...key, sequenceNumber: key.sequenceNumber + 1 }))
  }

  *touched(): Generator<string> {
    for (const index of this.#keys.keys()) yield `keys ${index}`
    for (const index of this.#moved.keys()) yield `moved ${index}`
    for (const index of this.#contracts.keys()) yield `contracts ${index}`
  }

  read(key: string): string {
    const [what, index] = key.split(' ')
    const account = accountAt(Number(index))
    if (what === 'moved') return String(this.moved(account))
    if (what === 'contracts')
      return this.contracts(account)
        .map(({ name, code }) => `${name} ${code.toString()}`)
        .join()
    return this.keys(account)
      .map(({ publicKey, sequenceNumber, isRevoked }) => `${publicKey.toString('hex')} ${sequenceNumber} ${isRevoked}`)
      .join()
  }

  #change(account: Account, keyIndex: number, change: (key: AccountKey) => AccountKey): void {
    this.#keys.set(
      account.index,
      this.keys(account).map((key, index) => (index === keyIndex ? change(key) : key)),
    )
  }
}
