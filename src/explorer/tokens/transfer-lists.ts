import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken, QuerySqlToken } from 'slonik'
import { z } from 'zod'
import { fixedStatement } from '../../platform/db/named-query.ts'
import { shapedStatement } from '../../platform/db/slonik.ts'
import { ApiError } from '../../platform/errors.ts'
import { countFormat, heightFormat, idFormat, timestampFormat, hashPattern } from '../formats.ts'
import { atHeight, readBoundsOfDays } from '../paging/bounds.ts'
import type { Bounds, DayFilter } from '../paging/bounds.ts'
import { firstWindow, readEventPage, windowGrowth, wideHeights } from '../paging/event-pages.ts'
import type { EventSpan } from '../paging/event-pages.ts'
import { cursorParameter, dayFilters, heightParameter, limitParameter } from '../parameters.ts'
import type { Services } from '../route.ts'
import type { HeightParameters } from '../transactions/derived-details.ts'
import {
  formatTransferCursor,
  parseTransferCursor,
  findTransactionInBlock,
  firstHeights,
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
  /** Instead of `address`. */
  readonly sender?: string | undefined
  /** Instead of `address`. Excludes self-transfers, which count as sent. */
  readonly receiver?: string | undefined
  readonly token?: string | undefined
  /** Requires `token`. */
  readonly nftId?: string | undefined
  /** Requires `nftId`: adds transfers of the item without a collection. */
  readonly nftUuid?: string | undefined
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

type Parameter<Value> = Value | FragmentSqlToken

export interface TransferSpan extends HeightParameters {
  readonly before: { readonly [Name in keyof TransferKey]: Parameter<number> } | undefined
  readonly count: Parameter<number>
}

type SelectTransfers = (
  table: TransferTable,
  selection: { readonly [Name in keyof TransferSelection]: Parameter<TransferSelection[Name]> },
  span: TransferSpan,
) => FragmentSqlToken

const placeRow = z.object({ block_height: z.number(), tx_index: z.number(), event_index: z.number(), leg: z.number() })

interface PageValues extends TransferSelection {
  readonly low: number
  readonly high: number
  readonly count: number
  readonly beforeHeight?: number | undefined
  readonly beforeIndex?: number | undefined
  readonly beforeEvent?: number | undefined
  readonly beforeLeg?: number | undefined
}

const pageTypes = {
  low: 'int8',
  high: 'int8',
  count: 'int8',
  beforeHeight: 'int8',
  beforeIndex: 'int4',
  beforeEvent: 'int4',
  beforeLeg: 'int4',
  address: 'text',
  sender: 'text',
  receiver: 'text',
  token: 'text',
  nftId: 'numeric',
  nftUuid: 'int8',
  txIndex: 'int4',
}

type ReadTransfers<Row> = (
  database: DatabasePool,
  bounds: Bounds | undefined,
  selection: TransferSelection,
  before: TransferKey | undefined,
  count: number,
) => Promise<readonly Row[]>

/**
 * Most pages come from one statement. Over years, it would touch every partition of four tables, so
 * distant rows are located first and completed afterwards.
 *
 * @param complete adds columns of other tables, newest first
 */
export function transferReader<Row>(
  table: TransferTable,
  complete: (rows: FragmentSqlToken, heights: HeightParameters) => QuerySqlToken<z.ZodType<Row>>,
  select: SelectTransfers = selectTransfers,
): ReadTransfers<Row> {
  const rowsOf = (parameters: { readonly [Name in keyof PageValues]: FragmentSqlToken }): FragmentSqlToken => {
    const { beforeHeight: height, beforeIndex: txIndex, beforeEvent: eventIndex, beforeLeg: leg } = parameters
    const before = height && txIndex && eventIndex && leg && { height, txIndex, eventIndex, leg }
    return select(table, parameters, { ...parameters, before })
  }
  const nearPage = shapedStatement<PageValues, z.ZodType<Row>>(pageTypes, (parameters) =>
    complete(rowsOf(parameters), parameters),
  )
  const distantPlaces = shapedStatement<PageValues, typeof placeRow>(
    pageTypes,
    (parameters) => sql.prepared('places of transfers', placeRow)`
      select block_height, tx_index, event_index, leg from (${rowsOf(parameters)}) as t
    `,
  )
  const distantPage = fixedStatement(complete(selectPlaces(table), firstHeights))
  return async (database, bounds, selection, before, count) => {
    if (bounds === undefined) return []
    const high = Math.min(bounds.max, before?.height ?? bounds.max)
    if (high < bounds.min) return []
    const low = Math.max(bounds.min, high - firstWindow + 1)
    const near = await database.any(nearPage(pageValues(selection, { low, high, before, count })))
    const missing = count - near.length
    if (missing <= 0 || low === bounds.min) return near
    const places = await readEventPage(
      { min: bounds.min, max: low - 1 },
      before,
      missing,
      async (span) => database.any(distantPlaces(pageValues(selection, span))),
      firstWindow * windowGrowth,
    )
    const [first, last] = [places[0], places.at(-1)]
    if (first === undefined || last === undefined) return near
    const columns = (['block_height', 'tx_index', 'event_index', 'leg'] as const).map((name) =>
      places.map((place) => place[name]),
    )
    return [...near, ...(await database.any(distantPage(last.block_height, first.block_height, ...columns)))]
  }
}

function pageValues(selection: TransferSelection, { low, high, before, count }: EventSpan<TransferKey>): PageValues {
  const values = { ...selection, low, high, count }
  if (before === undefined || before.height > high) return values
  const { height, txIndex, eventIndex, leg } = before
  return { ...values, beforeHeight: height, beforeIndex: txIndex, beforeEvent: eventIndex, beforeLeg: leg }
}

/** Parameters: lowest and highest height; columns of the places. */
function selectPlaces({ name }: TransferTable): FragmentSqlToken {
  return sql.fragment`
    select f.*
    from unnest($3::int8[], $4::int4[], $5::int4[], $6::int4[]) as place (height, tx, event, leg)
    cross join lateral (
      select * from ${name}
      where block_height = place.height and tx_index = place.tx and event_index = place.event and leg = place.leg
        and block_height between $1::int8 and $2::int8
      limit 1
    ) f
  `
}

/** Event indexes restart with each transaction. */
export const newestFirst = sql.fragment`block_height desc, tx_index desc, event_index desc, leg desc`

/**
 * Newest first. Sent and received transfers of an account use one index each; `union` removes
 * self-transfers. The account and token indexes end at the height; rows are sorted per block until
 * the page is full.
 */
export const selectTransfers: SelectTransfers = (table, { token, nftId, txIndex, ...parties }, span) => {
  if (txIndex !== undefined) {
    return selectSorted(
      table,
      span,
      sql.fragment`
      tx_index = ${txIndex} and ${isOfParty(parties)}
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
      token = ${token} and nft_id = ${nftId}::numeric and ${isOfParty(parties)}
    `,
    )
  }
  const { address, sender, receiver } = parties
  if (sender !== undefined) return selectOfSide(table, span, sql.fragment`from_address`, { address: sender, token })
  if (receiver !== undefined) {
    return selectOfSide(table, span, sql.fragment`to_address`, { address: receiver, token }, isNotFrom(receiver))
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

type Parties = Pick<Parameters<SelectTransfers>[1], 'address' | 'sender' | 'receiver'>

function isOfParty({ address, sender, receiver }: Parties): FragmentSqlToken {
  if (sender !== undefined) return sql.fragment`from_address = ${sender}`
  if (receiver !== undefined) {
    return sql.fragment`to_address = ${receiver} and ${isNotFrom(receiver)}`
  }
  return address === undefined ? sql.fragment`true` : sql.fragment`${address} in (from_address, to_address)`
}

function isNotFrom(address: Parameter<string>): FragmentSqlToken {
  return sql.fragment`from_address is distinct from ${address}`
}

function selectOfSide(
  table: TransferTable,
  span: TransferSpan,
  side: FragmentSqlToken,
  { address, token }: { address: Parameter<string>; token: Parameter<string> | undefined },
  condition = sql.fragment`true`,
): FragmentSqlToken {
  if (token === undefined) {
    return selectByIndex(
      table,
      span,
      { columns: [side], values: [sql.fragment`${address}`] },
      sql.fragment`${side} is not null and ${condition}`,
    )
  }
  // The index holds a hash of both names, so collisions are filtered here. Comparing them as one
  // text keeps the planner from using the index of either column, so `condition` must not compare
  // them.
  return selectByIndex(
    table,
    span,
    {
      columns: [sql.fragment`hashtextextended(${side} || token, 0)`],
      values: [sql.fragment`hashtextextended(${address}::text || ${token}::text, 0)`],
    },
    sql.fragment`
    ${side} is not null and ${side} || token = ${address}::text || ${token}::text and ${condition}
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
export function within(span: TransferSpan): FragmentSqlToken {
  return sql.fragment`block_height between ${span.low} and ${span.high} ${after(span)}`
}

/** With a leading `and`. */
function after({ before }: TransferSpan): FragmentSqlToken {
  if (before === undefined) return sql.fragment``
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
}

type TransferFields = z.output<z.ZodObject<typeof transferFields>>
type TransferRow = Omit<z.output<z.ZodObject<typeof transferRowFields>>, 'token'> & { readonly transfer_type: string }

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
  ...dayFilters,
}

export const directionParameter = z
  .enum(['deposit', 'withdraw'], 'must be deposit or withdraw')
  .optional()
  .describe('Transfers received or sent by the account; transfers to itself count as sent.')

export function partyOf(
  address: string | undefined,
  direction: z.output<typeof directionParameter>,
): Pick<TransferSelection, 'address' | 'sender' | 'receiver'> {
  if (direction === undefined) return { address }
  if (address === undefined) {
    throw new ApiError(400, 'invalid-parameter', 'Parameter "direction" requires "address".', { field: 'direction' })
  }
  return direction === 'withdraw' ? { sender: address } : { receiver: address }
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
    ...days
  }: DayFilter & {
    readonly cursor?: string | undefined
    readonly height?: number | undefined
    readonly transaction_hash?: string | undefined
  },
  { database }: Services,
): Promise<TransferScope> {
  const [bounds, before, place] = await Promise.all([
    readBoundsOfDays(database, days),
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
