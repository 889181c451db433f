import { conditionNames, wantsTransaction } from './feed-filter.ts'
import type { ConditionName, FeedFilter } from './feed-filter.ts'
import type { ToldBlock } from './told-block.ts'

/** Whoever is told of what at least one of its filters wants. */
export interface Interested {
  readonly filters: readonly FeedFilter[]
}

interface Entry<T> {
  readonly owner: T
  readonly filter: FeedFilter
}

/**
 * Finds who is to be told of a message, at a cost that depends on who is, not on how many there are. Each filter is filed under
 * every word of its first list; of the others only those filters are asked that a word of the transaction has led to.
 */
export class FilterIndex<T extends Interested> {
  readonly #blocks = new Set<T>()
  readonly #rollbacks = new Set<T>()
  /** Those that want every transaction. */
  readonly #transactions = new Set<T>()
  readonly #words: Readonly<Record<ConditionName, Map<string, Set<Entry<T>>>>> = {
    addresses: new Map(), tags: new Map(), contracts: new Map(), templates: new Map(),
  }
  /** What was filed for each, to be taken out again. */
  readonly #filed = new Map<T, readonly { readonly name: ConditionName; readonly word: string; readonly entry: Entry<T> }[]>()

  add(owner: T): void {
    const filed = []
    for (const filter of owner.filters) {
      if (filter.types.has('new_block')) this.#blocks.add(owner)
      if (filter.types.has('rollback')) this.#rollbacks.add(owner)
      if (!filter.types.has('new_transaction')) continue
      const name = conditionNames.find((name) => filter.conditions[name] !== undefined)
      if (name === undefined) this.#transactions.add(owner)
      const entry = { owner, filter }
      for (const word of (name === undefined ? undefined : filter.conditions[name]) ?? []) {
        if (name === undefined) break
        const entries = this.#words[name].get(word)
        if (entries === undefined) this.#words[name].set(word, new Set([entry]))
        else entries.add(entry)
        filed.push({ name, word, entry })
      }
    }
    this.#filed.set(owner, filed)
  }

  remove(owner: T): void {
    for (const set of [this.#blocks, this.#rollbacks, this.#transactions]) set.delete(owner)
    for (const { name, word, entry } of this.#filed.get(owner) ?? []) {
      const entries = this.#words[name].get(word)
      entries?.delete(entry)
      if (entries?.size === 0) this.#words[name].delete(word)
    }
    this.#filed.delete(owner)
  }

  /** Those that are told of rollbacks. */
  get ofRollbacks(): Iterable<T> {
    return this.#rollbacks
  }

  /** The numbers of the messages of a block that each is told of, ascending; whoever is told of none is left out. */
  match(block: ToldBlock): Map<T, number[]> {
    const found = new Map<T, number[]>()
    for (const owner of this.#blocks) found.set(owner, [0])
    block.transactions.forEach((transaction, i) => {
      for (const owner of this.#transactions) note(found, owner, i + 1)
      for (const name of conditionNames) {
        const byWord = this.#words[name]
        if (byWord.size === 0) continue
        for (const word of transaction[name]) {
          for (const { owner, filter } of byWord.get(word) ?? []) {
            if (found.get(owner)?.at(-1) !== i + 1 && wantsTransaction(filter, transaction)) note(found, owner, i + 1)
          }
        }
      }
    })
    return found
  }
}

/** The numbers of the messages of a block that somebody is told of, ascending. */
export function matchOne({ filters }: Interested, block: ToldBlock): number[] {
  const numbers = filters.some(({ types }) => types.has('new_block')) ? [0] : []
  block.transactions.forEach((transaction, i) => {
    if (filters.some((filter) => wantsTransaction(filter, transaction))) numbers.push(i + 1)
  })
  return numbers
}

function note<T>(found: Map<T, number[]>, owner: T, number: number): void {
  const numbers = found.get(owner)
  if (numbers === undefined) found.set(owner, [number])
  else if (numbers.at(-1) !== number) numbers.push(number)
}
