import { accountAt } from '../world/account.ts'
import type { Account } from '../world/account.ts'
import { deployedContract, deployer, passing } from '../world/deployed-contracts.ts'
import type { ContractCode } from '../world/deployed-contracts.ts'
import { genesisContracts } from '../world/genesis-contracts.ts'
import { peopleCount, placeInRound } from '../world/people.ts'
import type { StatePart } from '../world/cycle.ts'

/** The contracts of every account. At the start of a cycle all that people deployed are in their second version. */
export class Contracts implements StatePart {
  #deployed: number
  /** Those that are still as they were deployed. */
  readonly #young = new Set<number>()
  /** Accounts that have the contract that is removed again. */
  readonly #passing = new Set<number>()
  readonly #touched = new Set<number>()

  /** @param deployed before the cycle */
  constructor(deployed: number) {
    this.#deployed = deployed
  }

  /** @returns the new contract, in its first version */
  deploy(): ContractCode {
    const ordinal = this.#deployed++
    this.#young.add(ordinal)
    this.#touched.add(deployer(ordinal).index)
    return deployedContract(ordinal, 1)
  }

  /** @returns the contract in its second version */
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

  /** By name in the order of deployment. */
  of(account: Account): ContractCode[] {
    const found = [...(genesisContracts.get(account.index) ?? [])]
    const place = placeInRound(account)
    for (let ordinal = place ?? Number.POSITIVE_INFINITY; ordinal < this.#deployed; ordinal += peopleCount) {
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
