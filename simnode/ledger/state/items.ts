import { personOfTurn, placeInRound, peopleCount } from '../world/people.ts'
import type { Account } from '../world/account.ts'
import { collections, genesisItems } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import { timesServed } from '../world/cycle.ts'
import type { StatePart } from '../world/cycle.ts'

/**
 * Who owns which item. At the start of a cycle each item is with the person to whom it was first given: they took turns.
 */
export class Items implements StatePart {
  /** How many of each collection there are. */
  readonly #counts: number[]
  /** By collection, then id: the owners of items that moved. */
  readonly #moved: ReadonlyArray<Map<number, Account>> = collections.map(() => new Map())

  /** @param minted items minted before the cycle: in turn in all collections */
  constructor(minted: number) {
    this.#counts = collections.map(({ index }) => genesisItems + timesServed(index, collections.length, minted))
  }

  /** How many items there are; their ids are 1 to this. */
  count({ index }: Collection): number {
    return this.#counts[index] ?? 0
  }

  owner(collection: Collection, id: number): Account {
    return this.#moved[collection.index]?.get(id) ?? firstOwner(collection, id)
  }

  /** Makes the next item, which goes to its first owner. @returns its id */
  mint({ index }: Collection): number {
    const id = (this.#counts[index] ?? 0) + 1
    this.#counts[index] = id
    return id
  }

  move(collection: Collection, id: number, to: Account): void {
    this.#moved[collection.index]?.set(id, to)
  }

  /** The ids that an account owns, the lowest first. */
  idsOf(collection: Collection, account: Account): number[] {
    const ids: number[] = []
    const place = placeInRound(account)
    const first = place === undefined ? Number.POSITIVE_INFINITY : idOfPlace(collection, place)
    for (let id = first; id <= this.count(collection); id += peopleCount) {
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

/** To whom an item was given first. */
export function firstOwner({ index }: Collection, id: number): Account {
  return personOfTurn(id + shiftOf(index))
}

function idOfPlace({ index }: Collection, place: number): number {
  const id = (((place - shiftOf(index)) % peopleCount) + peopleCount) % peopleCount
  return id === 0 ? peopleCount : id
}

/** So that not everybody has one of each. */
function shiftOf(index: number): number {
  return index * 1000
}
