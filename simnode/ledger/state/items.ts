import { userOfTurn, placeInRound, userCount } from '../world/users.ts'
import type { Account } from '../world/account.ts'
import { collections, genesisItems } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import { timesServed } from '../world/cycle.ts'
import type { StatePart } from '../world/cycle.ts'

/** At the start of a cycle each item is with its first owner. */
export class Items implements StatePart {
  readonly #counts: number[]
  readonly #moved: ReadonlyArray<Map<number, Account>> = collections.map(() => new Map())

  /** @param minted before the cycle */
  constructor(minted: number) {
    this.#counts = collections.map(({ index }) => genesisItems + timesServed(index, collections.length, minted))
  }

  /** Ids are 1 to this. */
  count({ index }: Collection): number {
    return this.#counts[index] ?? 0
  }

  owner(collection: Collection, id: number): Account {
    return this.#moved[collection.index]?.get(id) ?? firstOwner(collection, id)
  }

  mint({ index }: Collection): number {
    const id = (this.#counts[index] ?? 0) + 1
    this.#counts[index] = id
    return id
  }

  move(collection: Collection, id: number, to: Account): void {
    this.#moved[collection.index]?.set(id, to)
  }

  idsOf(collection: Collection, account: Account): number[] {
    const ids: number[] = []
    const place = placeInRound(account)
    const first = place === undefined ? Number.POSITIVE_INFINITY : idOfPlace(collection, place)
    for (let id = first; id <= this.count(collection); id += userCount) {
      if (this.owner(collection, id).index === account.index) ids.push(id)
    }
    const moved = this.#moved[collection.index] ?? new Map<number, Account>()
    for (const [id, owner] of moved) {
      if (owner.index === account.index && firstOwner(collection, id).index !== account.index) ids.push(id)
    }
    return ids.sort((a, b) => a - b)
  }

  *touched(): Generator<string> {
    for (const { index } of collections) {
      yield `${index}`
      for (const id of this.#moved[index]?.keys() ?? []) yield `${index} ${id}`
    }
  }

  read(key: string): string {
    const [index = 0, id] = key.split(' ').map(Number)
    const collection = collections[index] as Collection
    return String(id === undefined ? this.count(collection) : this.owner(collection, id).index)
  }
}

export function firstOwner({ index }: Collection, id: number): Account {
  return userOfTurn(id + shiftOf(index))
}

function idOfPlace({ index }: Collection, place: number): number {
  const id = (((place - shiftOf(index)) % userCount) + userCount) % userCount
  return id === 0 ? userCount : id
}

function shiftOf(index: number): number {
  return index * 1000
}
