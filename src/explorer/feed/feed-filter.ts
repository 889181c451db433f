import type { ToldTransaction } from './told-block.ts'

/** What a filter may choose among. */
export const feedTypes = ['new_block', 'new_transaction', 'rollback'] as const
export type FeedType = (typeof feedTypes)[number]

/** The lists of a filter that speak of transactions. */
export const conditionNames = ['addresses', 'tags', 'contracts', 'templates'] as const
export type ConditionName = (typeof conditionNames)[number]

/**
 * What a subscription asks for: a message of one of the types; of transactions those that have, for each of the lists that
 * are given, at least one of its words.
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
 * Selections of which each transaction that a filter wants is in at least one; none for filters that want rollbacks alone.
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
