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

export interface TransferKey {
  readonly height: number
  readonly txIndex: number
  readonly eventIndex: number
  readonly leg: number
}

export interface TransferSelection {
  /** Sender or receiver. */
  readonly address?: string | undefined
  readonly token?: string | undefined
  /** Requires `token`. */
  readonly nftId?: string | undefined
  /** Requires bounds of a single height. */
  readonly txIndex?: number | undefined
}

export interface TransferTable {
  readonly name: FragmentSqlToken
  readonly listed: FragmentSqlToken
}

/** Lists and their indexes exclude fees. */
export const ftTransfers: TransferTable = {
  name: sql.fragment`app.ft_transfers`,
  listed: sql.fragment`transfer_type <> 'fee'`,
}

export const nftTransfers: TransferTable = { name: sql.fragment`app.nft_transfers`, listed: sql.fragment`true` }

export type TransferSpan = EventSpan<TransferKey>

/** Inclusive. */
export interface PageHeights {
  readonly low: number
  readonly high: number
}

interface TransferPage<Row> {
  readonly table: TransferTable
  /** Newest first. */
  readonly select: (span: TransferSpan) => FragmentSqlToken
  /** Adds columns of other tables, newest first. */
  readonly complete: (rows: FragmentSqlToken, heights: PageHeights) => Promise<readonly Row[]>
}

const placeRow = z.object({ block_height: z.number(), tx_index: z.number(), event_index: z.number(), leg: z.number() })

/**
 * Most pages come from one statement. Over years, it would be planned for every partition of four
 * tables, so distant rows are located first and completed afterwards.
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

/** Event indexes restart with each transaction. */
const newestFirst = sql.fragment`block_height desc, tx_index desc, event_index desc, leg desc`

/**
 * Newest first. Sent and received transfers of an account use one index each; `union` removes
 * self-transfers. The account and token indexes end at the height; rows are sorted per block until
 * the page is full.
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
    // An item has few transfers; an account may have thousands in the collection.
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
  // The index holds a hash of both names, so collisions are filtered here. Comparing them as one
  // text keeps the planner from using the index of either column.
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

function selectSorted(table: TransferTable, span: TransferSpan, condition: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select * from ${table.name}
    where ${within(span)} and ${table.listed} and ${condition}
    order by ${newestFirst}
    limit ${span.count}
  `
}

/**
 * Comparing and sorting by `columns` and the height keeps the planner from walking the primary key.
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

/** The row comparison does not prune partitions. */
function within(span: TransferSpan): FragmentSqlToken {
  return sql.fragment`block_height between ${span.low} and ${span.high} ${after(span)}`
}

/** With a leading `and`. */
function after({ high, before }: TransferSpan): FragmentSqlToken {
  if (before === undefined || before.height > high) return sql.fragment``
  const { height, txIndex, eventIndex, leg } = before
  return sql.fragment`and (block_height, tx_index, event_index, leg) < (${height}, ${txIndex}, ${eventIndex}, ${leg})`
}

export const partyFormat = z
  .string()
  .regex(/^0x([0-9a-f]{16}|[0-9a-f]{40})$/)
  .describe('0x and 16 hex digits (Flow) or 40 (EVM).')

const directionFormat = z
  .enum(['deposit', 'withdraw'])
  .describe(
    'Relative to the account of the list: withdraw if it is the sender. Without an account: withdraw for a burn, ' +
      'else deposit.',
  )

export const transferFields = {
  transaction_hash: idFormat.describe('Id of the transaction.'),
  block_height: heightFormat,
  tx_index: countFormat.describe('Index of the transaction in the block.'),
  event_index: countFormat.describe('Index of the deposit event in the transaction.'),
  leg: countFormat.describe('Index among the transfers of the same event; usually 0.'),
  timestamp: timestampFormat.describe('Block time.'),
  sender: partyFormat.nullable().describe('Null for mints and unknown senders.'),
  receiver: partyFormat.nullable().describe('Null for burns and unknown receivers.'),
  direction: directionFormat,
}

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
 * @returns undefined for the first page
 *
 * @throws ApiError 400 if the block has no such transaction, for example after a reorg
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
      `Parameter "cursor" is outdated: block ${place.height} has no such transaction. Restart without a cursor.`,
      { field: 'cursor' },
    )
  }
  return { height: place.height, txIndex: transaction.index, eventIndex: place.eventIndex, leg: place.leg }
}

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

export const transferPageParameters = {
  limit: limitParameter({ default: 20, max: 100 }),
  cursor: cursorParameter(transferCursorPattern, transferCursorForm),
  height: heightParameter().optional().describe('Block height.'),
}

export function transactionHashParameter(): z.ZodString {
  return z
    .string()
    .regex(hashPattern, 'must be a transaction id: 64 hex digits, with or without 0x')
    .describe(
      'Flow transaction id, or hash of an EVM transaction that it executed. Ids of system transactions repeat in ' +
        'every block, so they require `height`.',
    )
}

interface TransferScope {
  /** Undefined if nothing can match. */
  readonly bounds: Bounds | undefined
  readonly before: TransferKey | undefined
  readonly txIndex: number | undefined
}

/** @throws ApiError 400 */
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

function atHeight(bounds: Bounds | undefined, height: number | undefined): Bounds | undefined {
  if (bounds === undefined || height === undefined) return bounds
  return height < bounds.min || height > bounds.max ? undefined : { min: height, max: height }
}
