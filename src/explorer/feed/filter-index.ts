import type { ToldBlock, ToldTransaction } from './feed-block.ts'

/** Whoever is told of what at least one of its filters wants. */
export interface Interested {
  readonly filters: readonly FeedFilter[]
}

/**
 * One that is told, with what a match has found for it. It is reached without a look-up: there may be a hundred
 * thousand of those in a block.
 */
interface Seeker<T> {
  readonly owner: T
  /** The match that found something for it last. */
  match: number
  numbers: number[]
}

interface Entry<T> {
  readonly seeker: Seeker<T>
  readonly filter: FeedFilter
  /** Whether it has no list but the one under which it is filed, so that whatever leads to it fits. */
  readonly isSettled: boolean
}

/**
 * Finds who is to be told of a message, at a cost that depends on who is, not on how many there are. Each filter is
 * filed under every word of its first list; of the others only those filters are asked that a word of the transaction
 * has led to.
 */
export class FilterIndex<T extends Interested> {
  readonly #blocks = new Set<Seeker<T>>()
  readonly #rollbacks = new Set<T>()
  /** Those that want every transaction. */
  readonly #transactions = new Set<Seeker<T>>()
  readonly #words: Readonly<Record<ConditionName, Map<string, Set<Entry<T>>>>> = {
    addresses: new Map(),
    tags: new Map(),
    contracts: new Map(),
    templates: new Map(),
  }
  /** What was filed for each, to be taken out again. */
  readonly #filed = new Map<
    T,
    readonly { readonly name: ConditionName; readonly word: string; readonly entry: Entry<T> }[]
  >()
  readonly #seekers = new Map<T, Seeker<T>>()
  #matches = 0

  add(owner: T): void {
    const filed = []
    const seeker = { owner, match: 0, numbers: [] }
    this.#seekers.set(owner, seeker)
    for (const filter of owner.filters) {
      if (filter.types.has('new_block')) this.#blocks.add(seeker)
      if (filter.types.has('rollback')) this.#rollbacks.add(owner)
      if (!filter.types.has('new_transaction')) continue
      const given = conditionNames.filter((name) => filter.conditions[name] !== undefined)
      const [name] = given
      if (name === undefined) {
        this.#transactions.add(seeker)
        continue
      }
      const entry = { seeker, filter, isSettled: given.length === 1 }
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
    const seeker = this.#seekers.get(owner)
    if (seeker === undefined) return
    for (const set of [this.#blocks, this.#transactions]) set.delete(seeker)
    this.#rollbacks.delete(owner)
    for (const { name, word, entry } of this.#filed.get(owner) ?? []) {
      const entries = this.#words[name].get(word)
      entries?.delete(entry)
      if (entries?.size === 0) this.#words[name].delete(word)
    }
    this.#filed.delete(owner)
    this.#seekers.delete(owner)
  }

  /** Those that are told of rollbacks. */
  get ofRollbacks(): Iterable<T> {
    return this.#rollbacks
  }

  /** The numbers of the messages of a block that each is told of, ascending; whoever is told of none is left out. */
  match(block: ToldBlock): readonly (readonly [owner: T, numbers: readonly number[]])[] {
    const match = ++this.#matches
    const found: [T, number[]][] = []
    const note = (seeker: Seeker<T>, number: number): void => {
      if (seeker.match === match) {
        if (seeker.numbers.at(-1) !== number) seeker.numbers.push(number)
        return
      }
      seeker.match = match
      seeker.numbers = [number]
      found.push([seeker.owner, seeker.numbers])
    }
    for (const seeker of this.#blocks) note(seeker, 0)
    block.transactions.forEach((transaction, i) => {
      for (const seeker of this.#transactions) note(seeker, i + 1)
      for (const name of conditionNames) {
        const byWord = this.#words[name]
        if (byWord.size === 0) continue
        for (const word of transaction[name]) {
          for (const { seeker, filter, isSettled } of byWord.get(word) ?? []) {
            if (isSettled || wantsTransaction(filter, transaction)) note(seeker, i + 1)
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

/** What a filter may choose among. */
export const feedTypes = ['new_block', 'new_transaction', 'rollback'] as const
export type FeedType = (typeof feedTypes)[number]

/** The lists of a filter that speak of transactions. */
export const conditionNames = ['addresses', 'tags', 'contracts', 'templates'] as const
export type ConditionName = (typeof conditionNames)[number]

/**
 * What a subscription asks for: a message of one of the types; of transactions those that have, for each of the lists
 * that are given, at least one of its words.
 */
export interface FeedFilter {
  readonly types: ReadonlySet<FeedType>
  /** No list is empty. */
  readonly conditions: Readonly<Partial<Record<ConditionName, ReadonlySet<string>>>>
  /** The same for filters that ask for the same. */
  readonly key: string
}

/** The filter's lists as a client gives them, each word in the form in which transactions have it. */
export type FilterLists = Readonly<Partial<Record<ConditionName, readonly string[] | undefined>>> & {
  readonly types?: readonly FeedType[] | undefined
}

/**
 * Without `types` these are all; where a list asks for certain transactions, blocks are not among them, since they have
 * nothing of what is asked for.
 */
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

/** What a client gets that asks for nothing in particular. */
export const everything = createFilter({})

export function wantsTransaction(filter: FeedFilter, transaction: ToldTransaction): boolean {
  if (!filter.types.has('new_transaction')) return false
  for (const name of conditionNames) {
    const words = filter.conditions[name]
    if (words !== undefined && !transaction[name].some((word) => words.has(word))) return false
  }
  return true
}

/** Words in its lists. */
export function sizeOf(filter: FeedFilter): number {
  return Object.values(filter.conditions).reduce((sum, words) => sum + words.size, 0)
}

/** Transactions that an index finds: those of any of some accounts, or with any of some tags. */
export interface IndexedSelection {
  readonly kind: 'addresses' | 'tags'
  readonly words: readonly string[]
}

/**
 * Selections of which each transaction that a filter wants is in at least one; none for filters that want rollbacks
 * alone.
 * @returns undefined where a filter wants blocks, or transactions that no index finds
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
