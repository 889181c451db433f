import type { DatabasePool } from 'slonik'
import { ApiError } from '../../base/errors.ts'
import { readBounds } from './bounds.ts'
import { pageUpTo } from './envelope.ts'
import type { List } from './envelope.ts'
import { presentWithEvents } from '../presenters/transaction.ts'
import type { Transaction, TransactionRow } from '../presenters/transaction.ts'
import { completeTransactions } from '../queries/complete-transactions.ts'
import { readEventsOfPlaces } from '../queries/events.ts'
import { listFilteredTransactions } from '../queries/transaction-filters.ts'
import type { FilteredPage, TransactionFilter } from '../queries/transaction-filters.ts'
import { markKey } from '../queries/transaction-marks.ts'
import { findTransactionInBlock } from '../queries/transactions.ts'
import type { TransactionPlace } from '../queries/transactions.ts'
import type { Services } from '../route.ts'

/** Which transactions a page shows: those of a filter, or rows that are there already, one more than fit on the page if there are. */
export type PageSource =
  | { readonly rows: readonly TransactionRow[] }
  | {
      readonly filter: TransactionFilter
      readonly height?: number | undefined
      readonly before: TransactionPlace | undefined
    }

export interface PageOptions {
  readonly limit: number
  readonly includeEvents: boolean
  readonly cursorOf: (row: TransactionRow) => string
  /** Sums of transfers are told as this account sees them. */
  readonly account?: string
}

/**
 * A page of transactions, complete. A page of several conditions may hold fewer than `limit`, also none, though there are more: then
 * `has_more` is true, and the cursor goes on where the search has stopped.
 */
export async function transactionPage(
  source: PageSource,
  { limit, includeEvents, cursorOf, account }: PageOptions,
  { database, network }: Services,
): Promise<List<Transaction>> {
  const { rows, stoppedAt } = await readSource(source, limit + 1, database)
  const shown = rows.slice(0, limit)
  const [complete, events] = await Promise.all([
    completeTransactions(database, network(), shown, account),
    includeEvents ? readEventsOfPlaces(database, shown) : [],
  ])
  const byPlace = Map.groupBy(events, markKey)
  const last = rows.length > limit ? shown.at(-1) : stoppedAt
  const data = complete.map((one) => presentWithEvents(one, byPlace.get(markKey(one.row)) ?? []))
  return pageUpTo(data, limit, last === undefined ? '' : cursorOf(last))
}

async function readSource(source: PageSource, count: number, database: DatabasePool): Promise<FilteredPage> {
  if ('rows' in source) return { rows: source.rows, stoppedAt: undefined }
  const { filter, height, before } = source
  const bounds = height === undefined ? await readBounds(database) : { min: height, max: height }
  return listFilteredTransactions(database, bounds, filter, before, count)
}

/**
 * The place that a cursor with height and id means.
 * @throws ApiError 400 where there is no such transaction, or no longer
 */
export async function placeOfCursor(
  cursor: { readonly height: number; readonly id: string } | undefined,
  { database }: Services,
): Promise<TransactionPlace | undefined> {
  if (cursor === undefined) return undefined
  const place = await findTransactionInBlock(database, cursor.id, cursor.height)
  if (place !== undefined) return place
  const detail =
    'Parameter "cursor" names a transaction that is not in its block (any more): begin again without a cursor.'
  throw new ApiError(400, 'invalid-parameter', detail, { field: 'cursor' })
}
