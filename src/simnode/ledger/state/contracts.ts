import { accountAt } from '../world/account.ts'
import type { Account } from '../world/account.ts'
import { garden, gardenOwner, passing } from '../world/deployed-contracts.ts'
import type { ContractCode } from '../world/deployed-contracts.ts'
import { genesisContracts } from '../world/genesis-contracts.ts'
import { peopleCount, placeInRound } from '../world/people.ts'
import type { StatePart } from './state-part.ts'

/** The contracts of every account. At the start of a tide all gardens are in their second version. */
export class Contracts implements StatePart {
  #gardens: number
  /** Gardens that are still as they were deployed. */
  readonly #young = new Set<number>()
  /** Accounts that have the contract that is removed again. */
  readonly #passing = new Set<number>()
  readonly #touched = new Set<number>()

  /** @param gardens deployed before the tide */
  constructor(gardens: number) {
    this.#gardens = gardens
  }

  /** @returns the new contract, in its first version */
  plantGarden(): ContractCode {
    const ordinal = this.#gardens++
    this.#young.add(ordinal)
    this.#touched.add(gardenOwner(ordinal).index)
    return garden(ordinal, 1)
  }

  /** @returns the contract in its second version */
  updateGarden(ordinal: number): ContractCode {
    this.#young.delete(ordinal)
    return garden(ordinal, 2)
  }

  addPassing({ index }: Account): void {
    this.#passing.add(index)
    this.#touched.add(index)
  }

  removePassing({ index }: Account): void {
    this.#passing.delete(index)
  }

  /** By name in the order of deployment. */
  of(account: Account): ContractCode[] {
    const found = [...(genesisContracts.get(account.index) ?? [])]
    const place = placeInRound(account)
    for (let ordinal = place ?? Number.POSITIVE_INFINITY; ordinal < this.#gardens; ordinal += peopleCount) {
      found.push(garden(ordinal, this.#young.has(ordinal) ? 1 : 2))
    }
    if (this.#passing.has(account.index)) found.push(passing)
    return found
  }

  *touched(): Generator<string> {
    for (const account of this.#touched) yield String(account)
  }

  read(key: string): string {
    return this.of(accountAt(Number(key))).map(({ name, code }) => `${name} ${code.toString()}`).join()
  }
}
