import type { ListCase } from './skewed/list-case.ts'

/** Rows that one page may read: of twenty items, each with what belongs to it. */
const ofPage = 1300

/** Lists of which a page reads more, for one reason each. */
const ofLists: readonly (readonly [path: RegExp, maxRows: number])[] = [
  // A block is derived by several workers, and a transaction has transfers of both kinds and its tags.
  [
    /^\/flow\/(transaction|account\/0x\w+\/transaction|contract\/[\w.]+\/transaction)\b.*status=(FAILURE|UNKNOWN)/,
    16_000,
  ],
  [/^\/flow\/transaction\?(.*&)?(authorizers|proposer)=/, 8000],
  // The first page adds up all transfers of the account within the days.
  [/\/tax-report\?/, 3_000_000],
  // Catalogues, with a row for each token, collection, node or contract of the chain, are looked through where no
  // index serves a filter.
  [/^\/flow\/(ft|nft)(\?|$)/, 8000],
  // What the chain corrected of owners is few, and may be read whole.
  [/\/nft\/transfer/, 2500],
  // The graph of imports is read whole, four times a minute at most.
  [/^\/flow\/contract(\?|$|\/[\w.]+\/dependencies)/, 130_000],
  [/^\/status\/nodes/, 2000],
  [/^\/flow\/events\/search\?name=/, 2000],
  // Looked through up to a bound: decision 38.
  [/^\/insights\/big-transfers/, 25_000],
  [/^\/flow\/nft\/search/, 40_000],
]

export function maxRowsOf({ path }: ListCase): number {
  return ofLists.find(([pattern]) => pattern.test(path))?.[1] ?? ofPage
}
