import type { BlockMessages, FilterableTransaction } from './feed-block.ts'

export interface Subscriber {
  readonly filters: readonly FeedFilter[]
}

/**
 * Results are stored in place to avoid a lookup: a block may match a hundred thousand subscribers.
 */
interface IndexedSubscriber<T> {
  readonly owner: T
  match: number
  numbers: number[]
}

interface Entry<T> {
  readonly subscriber: IndexedSubscriber<T>
  readonly filter: FeedFilter
  /** Every hit matches: the indexed list is the only condition. */
  readonly isSettled: boolean
}

/**
 * The cost depends on the matches, not on the number of subscribers. Each filter is indexed by
 * every word of its first list; its other lists are checked only for hits.
 */
export class FilterIndex<T extends Subscriber> {
  readonly #blocks = new Set<IndexedSubscriber<T>>()
  readonly #rollbacks = new Set<T>()
  readonly #transactions = new Set<IndexedSubscriber<T>>()
  readonly #words: Readonly<Record<ConditionName, Map<string, Set<Entry<T>>>>> = {
    addresses: new Map(),
    tags: new Map(),
    contracts: new Map(),
    templates: new Map(),
  }
  readonly #filed = new Map<
    T,
    readonly { readonly name: ConditionName; readonly word: string; readonly entry: Entry<T> }[]
  >()
  readonly #subscribers = new Map<T, IndexedSubscriber<T>>()
  #matches = 0

  add(owner: T): void {
    const filed = []
    const subscriber = { owner, match: 0, numbers: [] }
    this.#subscribers.set(owner, subscriber)
    for (const filter of owner.filters) {
      if (filter.types.has('new_block')) this.#blocks.add(subscriber)
      if (filter.types.has('rollback')) this.#rollbacks.add(owner)
      if (!filter.types.has('new_transaction')) continue
      const given = conditionNames.filter((name) => filter.conditions[name] !== undefined)
      const [name] = given
      if (name === undefined) {
        this.#transactions.add(subscriber)
        continue
      }
      const entry = { subscriber, filter, isSettled: given.length === 1 }
      for (const word of filter.conditions[name] ?? []) {
        const entries = this.#words[name].get(word)
        if (entries === undefined) this.#words[name].set(word, new Set([entry]))
        else entries.add(entry)
        filed.push({ name, word, entry })
      }
    }
    this.#filed.set(owner, filed)
  }

  remove(owner: T): void {
    const subscriber = this.#subscribers.get(owner)
    if (subscriber === undefined) return
    for (const set of [this.#blocks, this.#transactions]) set.delete(subscriber)
    this.#rollbacks.delete(owner)
    for (const { name, word, entry } of this.#filed.get(owner) ?? []) {
      const entries = this.#words[name].get(word)
      entries?.delete(entry)
      if (entries?.size === 0) this.#words[name].delete(word)
    }
    this.#filed.delete(owner)
    this.#subscribers.delete(owner)
  }

  get ofRollbacks(): Iterable<T> {
    return this.#rollbacks
  }

  /** Ascending; omits subscribers without matches. */
  match(block: BlockMessages): readonly (readonly [owner: T, numbers: readonly number[]])[] {
    const match = ++this.#matches
    const found: [T, number[]][] = []
    const note = (subscriber: IndexedSubscriber<T>, number: number): void => {
      if (subscriber.match === match) {
        if (subscriber.numbers.at(-1) !== number) subscriber.numbers.push(number)
        return
      }
      subscriber.match = match
      subscriber.numbers = [number]
      found.push([subscriber.owner, subscriber.numbers])
    }
    for (const subscriber of this.#blocks) note(subscriber, 0)
    block.transactions.forEach((transaction, i) => {
      for (const subscriber of this.#transactions) note(subscriber, i + 1)
      for (const name of conditionNames) {
        const byWord = this.#words[name]
        if (byWord.size === 0) continue
        for (const word of transaction[name]) {
          for (const { subscriber, filter, isSettled } of byWord.get(word) ?? []) {
            if (isSettled || matchesTransaction(filter, transaction)) note(subscriber, i + 1)
          }
        }
      }
    })
    return found
  }
}

/** Ascending. */
export function matchOne({ filters }: Subscriber, block: BlockMessages): number[] {
  const numbers = filters.some(({ types }) => types.has('new_block')) ? [0] : []
  block.transactions.forEach((transaction, i) => {
    if (filters.some((filter) => matchesTransaction(filter, transaction))) numbers.push(i + 1)
  })
  return numbers
}

export const feedTypes = ['new_block', 'new_transaction', 'rollback'] as const
export type FeedType = (typeof feedTypes)[number]

export const conditionNames = ['addresses', 'tags', 'contracts', 'templates'] as const
export type ConditionName = (typeof conditionNames)[number]

/** Transactions must match at least one word of every given list. */
export interface FeedFilter {
  readonly types: ReadonlySet<FeedType>
  readonly conditions: Readonly<Partial<Record<ConditionName, ReadonlySet<string>>>>
  /** Equal for equal filters. */
  readonly key: string
}

export type FilterLists = Readonly<Partial<Record<ConditionName, readonly string[] | undefined>>> & {
  readonly types?: readonly FeedType[] | undefined
}

/** Default: all types, without blocks if a list selects transactions. */
export function createFilter(lists: FilterLists): FeedFilter {
  const given = conditionNames.filter((name) => lists[name] !== undefined)
  const types = lists.types ?? feedTypes.filter((type) => given.length === 0 || type !== 'new_block')
  const canonical = (words: readonly string[]): string[] => [...new Set(words)].toSorted()
  return {
    types: new Set(types),
    conditions: Object.fromEntries(given.map((name) => [name, new Set(lists[name])])),
    key: JSON.stringify([canonical(types), ...conditionNames.map((name) => canonical(lists[name] ?? []))]),
  }
}

export const everything = createFilter({})

export function matchesTransaction(filter: FeedFilter, transaction: FilterableTransaction): boolean {
  if (!filter.types.has('new_transaction')) return false
  for (const name of conditionNames) {
    const words = filter.conditions[name]
    if (words !== undefined && !transaction[name].some((word) => words.has(word))) return false
  }
  return true
}

export function sizeOf(filter: FeedFilter): number {
  return Object.values(filter.conditions).reduce((sum, words) => sum + words.size, 0)
}

export interface IndexedSelection {
  readonly kind: 'addresses' | 'tags'
  readonly words: readonly string[]
}

/**
 * Together cover every transaction that the filters match; empty for filters of rollbacks only.
 *
 * @returns undefined if a filter matches blocks, or transactions that no index covers
 */
export function indexedSelections(filters: readonly FeedFilter[]): readonly IndexedSelection[] | undefined {
  const selections: IndexedSelection[] = []
  for (const { types, conditions } of filters) {
    if (types.has('new_block')) return undefined
    if (!types.has('new_transaction')) continue
    const kind = (['addresses', 'tags'] as const).find((name) => conditions[name] !== undefined)
    if (kind === undefined) return undefined
    selections.push({ kind, words: [...(conditions[kind] ?? [])] })
  }
  return selections
}
