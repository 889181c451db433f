import type { ListCase } from './skewed/list-case.ts'

/** Maximum rows read for one page: twenty items, each with its related rows. */
const ofPage = 1300

/** Lists with larger pages, with the reason. */
const ofLists: readonly (readonly [path: RegExp, maxRows: number])[] = [
  // A block is derived by several workers, and a transaction has both kinds of transfers and tags.
  [
    /^\/flow\/(transaction|account\/0x\w+\/transaction|contract\/[\w.]+\/transaction)\b.*status=(FAILURE|UNKNOWN)/,
    16_000,
  ],
  [/^\/flow\/transaction\?(.*&)?(authorizers|proposer)=/, 8000],
  // Rows of the contract are scanned for the tag, up to a limit.
  [/^\/flow\/(transaction\?contract=|contract\/[\w.]+\/transaction\?).*tag=/, 8000],
  // The first page sums all transfers of the account within the days.
  [/\/tax-report\?/, 3_000_000],
  // Catalogues, with a row per token, collection, node or contract of the chain, are scanned if no
  // index serves a filter.
  [/^\/flow\/(ft|nft)(\?|$)/, 8000],
  // Reconciled owners are few, and may be scanned as a whole.
  [/\/nft\/transfer/, 2500],
  // The import graph is read as a whole, at most four times a minute.
  [/^\/flow\/contract(\?|$|\/[\w.]+\/dependencies)/, 130_000],
  [/^\/status\/nodes/, 2000],
  [/^\/flow\/events\/search\?name=/, 2000],
  // Scanned up to a limit: decision 38.
  [/^\/insights\/big-transfers/, 25_000],
  [/^\/flow\/nft\/search/, 40_000],
]

export function maxRowsOf({ path }: ListCase): number {
  return ofLists.find(([pattern]) => pattern.test(path))?.[1] ?? ofPage
}
