import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { countFormat, heightFormat, idFormat, timestampFormat, hashPattern } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { firstWindow, readEventPage, windowGrowth, wideHeights } from '../paging/event-pages.ts'
import type { EventSpan } from '../paging/event-pages.ts'
import { cursorParameter, heightParameter, limitParameter } from '../parameters.ts'
import type { Services } from '../route.ts'
import {
  formatTransferCursor,
  parseTransferCursor,
  findTransactionInBlock,
  transferCursorForm,
  transferCursorPattern,
  findTransaction,
} from '../transactions/queries.ts'

/** A place in the order of transfers. */
export interface TransferKey {
  readonly height: number
  readonly txIndex: number
  readonly eventIndex: number
  readonly leg: number
}

/**
 * Which transfers; what is undefined does not matter. Those of one block are selected by the bounds of the reading,
 * those of one transaction by these and `txIndex`.
 */
export interface TransferSelection {
  /** Gave or got: `0x` and 16 hex digits, or 40 for an EVM account. */
  readonly address?: string | undefined
  /** As in the tables. */
  readonly token?: string | undefined
  /** Of a collection: only with `token`. */
  readonly nftId?: string | undefined
  /** Only with bounds of one height. */
  readonly txIndex?: number | undefined
}

/** A table of transfers, and which of its rows are in lists. */
export interface TransferTable {
  readonly name: FragmentSqlToken
  readonly listed: FragmentSqlToken
}

/** Fees are in no list, and in no index of one. */
export const ftTransfers: TransferTable = {
  name: sql.fragment`app.ft_transfers`,
  listed: sql.fragment`transfer_type <> 'fee'`,
}

export const nftTransfers: TransferTable = { name: sql.fragment`app.nft_transfers`, listed: sql.fragment`true` }

/** A part of a page of transfers. */
export type TransferSpan = EventSpan<TransferKey>

/** Where the rows of a page are; both inclusive. Partitions outside are left out. */
export interface PageHeights {
  readonly low: number
  readonly high: number
}

interface TransferPage<Row> {
  readonly table: TransferTable
  /** Selects the rows of a span alone, newest first. */
  readonly select: (span: TransferSpan) => FragmentSqlToken
  /** Gives the rows that a statement selects with what they do not hold themselves, newest first. */
  readonly complete: (rows: FragmentSqlToken, heights: PageHeights) => Promise<readonly Row[]>
}

const placeRow = z.object({ block_height: z.number(), tx_index: z.number(), event_index: z.number(), leg: z.number() })

/**
 * Up to `count` transfers before a place, newest first. Most pages are in a few heights, and come from one statement.
 * That would be planned for all partitions of four tables where it goes through years: what is not near is found by
 * statements on its own table, and then completed where it is.
 */
export async function readTransferPage<Row>(
  database: DatabasePool,
  bounds: Bounds | undefined,
  before: TransferKey | undefined,
  count: number,
  { table, select, complete }: TransferPage<Row>,
): Promise<readonly Row[]> {
  if (bounds === undefined) return []
  const high = Math.min(bounds.max, before?.height ?? bounds.max)
  if (high < bounds.min) return []
  const low = Math.max(bounds.min, high - firstWindow + 1)
  const near = await complete(select({ low, high, before, count }), { low, high })
  const missing = count - near.length
  if (missing <= 0 || low === bounds.min) return near
  const places = await readEventPage(
    { min: bounds.min, max: low - 1 },
    before,
    missing,
    async (span) =>
      await database.any(sql.prepared('places of transfers', placeRow)`
      select block_height, tx_index, event_index, leg from (${select(span)}) as t
    `),
    firstWindow * windowGrowth,
  )
  const [first, last] = [places[0], places.at(-1)]
  if (first === undefined || last === undefined) return near
  const heights = { low: last.block_height, high: first.block_height }
  return [...near, ...(await complete(selectPlaces(table, places, heights), heights))]
}

function selectPlaces(
  { name }: TransferTable,
  places: ReadonlyArray<z.output<typeof placeRow>>,
  { low, high }: PageHeights,
): FragmentSqlToken {
  const column = (of: keyof z.output<typeof placeRow>, type: 'int4' | 'int8'): FragmentSqlToken =>
    sql.fragment`${sql.array(
      places.map((place) => place[of]),
      type,
    )}`
  return sql.fragment`
    select f.*
    from unnest(${column('block_height', 'int8')},
    ${column('tx_index', 'int4')}, ${column('event_index', 'int4')}, ${column('leg', 'int4')})
      as place (height, tx, event, leg)
    cross join lateral (
      select * from ${name}
      where block_height = place.height and tx_index = place.tx and event_index = place.event and leg = place.leg
        and block_height between ${low} and ${high}
      limit 1
    ) f
  `
}

/** The columns that put transfers in order: an event index alone restarts with each transaction. */
const newestFirst = sql.fragment`block_height desc, tx_index desc, event_index desc, leg desc`

/**
 * The statement that selects a span of transfers with all columns, newest first. It reads few rows more than it gives:
 *
 * - Of an account those that it gave and those that it got are read by an index each, as many as the page holds, and
 *   `union` leaves one of those that it gave itself.
 * - The indexes of accounts and tokens end at the height. Rows of one block are put in order when they are read, block
 *   by block until the page is full.
 */
export function selectTransfers(
  table: TransferTable,
  { address, token, nftId, txIndex }: TransferSelection,
  span: TransferSpan,
): FragmentSqlToken {
  if (txIndex !== undefined) {
    return selectSorted(
      table,
      span,
      sql.fragment`
      tx_index = ${txIndex}
      ${address === undefined ? sql.fragment`` : sql.fragment`and ${address} in (from_address, to_address)`}
      ${token === undefined ? sql.fragment`` : sql.fragment`and token = ${token}`}
      ${nftId === undefined ? sql.fragment`` : sql.fragment`and nft_id = ${nftId}::numeric`}
    `,
    )
  }
  if (token !== undefined && nftId !== undefined) {
    // An item moves some dozen times, an account may have moved thousands of its collection. So few need no order of
    // an index.
    return selectSorted(
      table,
      span,
      sql.fragment`
      token = ${token} and nft_id = ${nftId}::numeric
      ${address === undefined ? sql.fragment`` : sql.fragment`and ${address} in (from_address, to_address)`}
    `,
    )
  }
  if (address === undefined) {
    if (token === undefined) return selectSorted(table, span, sql.fragment`true`)
    return selectByIndex(
      table,
      span,
      { columns: [sql.fragment`token`], values: [sql.fragment`${token}`] },
      sql.fragment`true`,
    )
  }
  const sides = [sql.fragment`from_address`, sql.fragment`to_address`].map((side) => {
    return sql.fragment`(${selectOfSide(table, span, side, { address, token })})`
  })
  return sql.fragment`
    ${sql.join(sides, sql.fragment` union `)}
    order by ${newestFirst}
    limit ${span.count}
  `
}

function selectOfSide(
  table: TransferTable,
  span: TransferSpan,
  side: FragmentSqlToken,
  { address, token }: { address: string; token: string | undefined },
): FragmentSqlToken {
  if (token === undefined) {
    return selectByIndex(
      table,
      span,
      { columns: [side], values: [sql.fragment`${address}`] },
      sql.fragment`${side} is not null`,
    )
  }
  // The index holds a hash of both names, which others may share. They are compared as one text, of which the indexes
  // of either know nothing: a plan for all values would take one of these, and read all that a busy account has
  // moved.
  return selectByIndex(
    table,
    span,
    {
      columns: [sql.fragment`hashtextextended(${side} || token, 0)`],
      values: [sql.fragment`hashtextextended(${address}::text || ${token}::text, 0)`],
    },
    sql.fragment`
    ${side} is not null and ${side} || token = ${address}::text || ${token}::text
  `,
  )
}

/** By the primary key, or whatever finds the rows of one block or item. */
function selectSorted(table: TransferTable, span: TransferSpan, condition: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select * from ${table.name}
    where ${within(span)} and ${table.listed} and ${condition}
    order by ${newestFirst}
    limit ${span.count}
  `
}

/**
 * By an index that begins with `columns` and the height. They are compared as a row and stand in the order, which gives
 * the same rows as an equation and leaves the primary key no use for the order: it would read through all that is not
 * selected, which the planner thinks cheap of an account or token that is often seen, wherever its rows really are.
 */
function selectByIndex(
  table: TransferTable,
  span: TransferSpan,
  { columns, values }: { columns: readonly FragmentSqlToken[]; values: readonly FragmentSqlToken[] },
  condition: FragmentSqlToken,
): FragmentSqlToken {
  const comma = sql.fragment`, `
  const keys = sql.join(columns, comma)
  const wanted = sql.join(values, comma)
  return sql.fragment`
    select * from ${table.name}
    where (${keys}, block_height) between (${wanted}, ${span.low}) and (${wanted}, ${span.high})
      and ${wideHeights(span.low, span.high)} ${after(span)} and ${table.listed} and ${condition}
    order by ${sql.join(
      columns.map((column) => sql.fragment`${column} desc`),
      comma,
    )}, ${newestFirst}
    limit ${span.count}
  `
}

/** The comparison of rows leaves out no partitions; the range of heights does. */
function within(span: TransferSpan): FragmentSqlToken {
  return sql.fragment`block_height between ${span.low} and ${span.high} ${after(span)}`
}

/** What comes after the place where the span begins, with the `and` before it. */
function after({ high, before }: TransferSpan): FragmentSqlToken {
  if (before === undefined || before.height > high) return sql.fragment``
  const { height, txIndex, eventIndex, leg } = before
  return sql.fragment`and (block_height, tx_index, event_index, leg) < (${height}, ${txIndex}, ${eventIndex}, ${leg})`
}

/** Somebody who gives or gets tokens. */
export const partyFormat = z
  .string()
  .regex(/^0x([0-9a-f]{16}|[0-9a-f]{40})$/)
  .describe('0x and 16 hex digits; 40 for an account of Flow EVM.')

const directionFormat = z
  .enum(['deposit', 'withdraw'])
  .describe(
    'As the account sees it whose transfers are listed: withdraw where it is the sender. Without an account, ' +
      'withdraw for a ' +
      'burn, else deposit.',
  )

/** Fields that transfers of all kinds have. */
export const transferFields = {
  transaction_hash: idFormat.describe('Id of the transaction.'),
  block_height: heightFormat,
  tx_index: countFormat.describe('Position of the transaction in the block.'),
  event_index: countFormat.describe('The event by which it arrived, by its position in the transaction.'),
  leg: countFormat.describe('Counts from 0 the transfers that this event made; nearly always 0.'),
  timestamp: timestampFormat.describe('Time of the block.'),
  sender: partyFormat.nullable().describe('Null where nobody gave it, as of what was minted.'),
  receiver: partyFormat.nullable().describe('Null where nobody got it, as of what was burned.'),
  direction: directionFormat,
}

/** What rows of transfers of all kinds have, with the id of the transaction and the time of the block. */
export const transferRowFields = {
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  leg: z.number(),
  transaction_hash: z.string(),
  timestamp: z.string(),
  token: z.string(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
  transfer_type: z.string(),
}

type TransferFields = z.output<z.ZodObject<typeof transferFields>>
type TransferRow = Omit<z.output<z.ZodObject<typeof transferRowFields>>, 'token'>

/** The fields that transfers of all kinds have. @param address the account whose transfers are listed */
export function presentTransfer(
  row: TransferRow,
  address: string | undefined,
): TransferFields & { address: string | null } {
  return {
    address: address ?? null,
    transaction_hash: row.transaction_hash,
    block_height: row.block_height,
    tx_index: row.tx_index,
    event_index: row.event_index,
    leg: row.leg,
    timestamp: row.timestamp,
    sender: row.from_address,
    receiver: row.to_address,
    direction: directionOf(row, address),
  }
}

function directionOf(row: TransferRow, address: string | undefined): 'deposit' | 'withdraw' {
  if (address === undefined) return row.transfer_type === 'burn' ? 'withdraw' : 'deposit'
  return row.from_address === address ? 'withdraw' : 'deposit'
}

/**
 * The place that a cursor of transfers means. The cursor names the transaction by its id, and the order goes by its
 * position, which its block tells.
 * @param cursor a text that `transferCursorPattern` accepts
 * @returns undefined for the first page
 * @throws ApiError 400 where the block has no such transaction, also because the chain was rolled back since
 */
export async function findTransferKey(
  database: DatabasePool,
  cursor: string | undefined,
): Promise<TransferKey | undefined> {
  const place = parseTransferCursor(cursor)
  if (place === undefined) return undefined
  const transaction = await findTransactionInBlock(database, place.id, place.height)
  if (transaction === undefined) {
    throw new ApiError(
      400,
      'invalid-parameter',
      `Parameter "cursor" names a transaction that block ${place.height} does not have; begin again without it.`,
      { field: 'cursor' },
    )
  }
  return { height: place.height, txIndex: transaction.index, eventIndex: place.eventIndex, leg: place.leg }
}

/** The cursor that continues after a transfer. */
export function transferCursorOf(row: {
  readonly block_height: number
  readonly transaction_hash: string
  readonly event_index: number
  readonly leg: number
}): string {
  return formatTransferCursor({
    height: row.block_height,
    id: row.transaction_hash,
    eventIndex: row.event_index,
    leg: row.leg,
  })
}

/** Parameters that all lists of transfers have. */
export const transferPageParameters = {
  limit: limitParameter({ default: 20, max: 100 }),
  cursor: cursorParameter(transferCursorPattern, transferCursorForm),
  height: heightParameter().optional().describe('Only transfers of this block.'),
}

/** `transaction_hash` of a list of transfers. */
export function transactionHashParameter(): z.ZodString {
  return z
    .string()
    .regex(hashPattern, 'must be a transaction id: 64 hex digits, with or without 0x')
    .describe(
      'Only transfers of this transaction; the hash of an EVM transaction that it executed is taken too. A system ' +
        'transaction, whose id repeats in every block, needs `height`.',
    )
}

/** Which part of the chain a list of transfers is about, and where its page begins. */
interface TransferScope {
  /** Undefined: no part. */
  readonly bounds: Bounds | undefined
  readonly before: TransferKey | undefined
  /** Only this transaction of the block, which is all there is within the bounds. */
  readonly txIndex: number | undefined
}

/** @throws ApiError 400 for a cursor that names no transaction of its block */
export async function findTransferScope(
  {
    cursor,
    height,
    transaction_hash: id,
  }: {
    readonly cursor?: string | undefined
    readonly height?: number | undefined
    readonly transaction_hash?: string | undefined
  },
  { database }: Services,
): Promise<TransferScope> {
  const [bounds, before, place] = await Promise.all([
    readBounds(database),
    findTransferKey(database, cursor),
    id === undefined ? undefined : findPlace(database, id, height),
  ])
  const isElsewhere = id !== undefined && (place === undefined || (height !== undefined && place.height !== height))
  return { bounds: isElsewhere ? undefined : atHeight(bounds, place?.height ?? height), before, txIndex: place?.index }
}

async function findPlace(
  database: Services['database'],
  id: string,
  height: number | undefined,
): Promise<{ height: number; index: number } | undefined> {
  const known = await findTransaction(database, id)
  return known ?? (height === undefined ? undefined : findTransactionInBlock(database, id, height))
}

/** The part of the stored heights that is one block. */
function atHeight(bounds: Bounds | undefined, height: number | undefined): Bounds | undefined {
  if (bounds === undefined || height === undefined) return bounds
  return height < bounds.min || height > bounds.max ? undefined : { min: height, max: height }
}
