import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { hashBytes } from '../formats.ts'
import { readDescending } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { fixedStatement } from '../../platform/db/named-query.ts'
import { derivedCoverage, derivedDetails, derivedTags } from './derived-details.ts'
import type { HeightParameter, HeightParameters, TransferView } from './derived-details.ts'
import { readByPlaces } from './events.ts'
import { rawTransactionRow, transactionRow } from './schema.ts'
import type { RawTransactionRow, TransactionRow } from './schema.ts'

export interface TransactionPlace {
  readonly height: number
  readonly index: number
}

/** A key lookup; with a join the planner may scan all blocks between the heights. */
export function blockOf(height: FragmentSqlToken, low: HeightParameter, high: HeightParameter): FragmentSqlToken {
  return sql.fragment`(select * from raw.blocks
    where height = ${height} and height between ${low} and ${high} limit 1)`
}

export function transactionIdOf(row: FragmentSqlToken, low: HeightParameter, high: HeightParameter): FragmentSqlToken {
  return sql.fragment`(
    select id from raw.transactions x
    where x.block_height = ${row}.block_height and x.tx_index =
    ${row}.tx_index and x.block_height between ${low} and ${high}
    limit 1
  )`
}

const rawColumns = sql.fragment`
  t.block_height, t.tx_index, encode(t.id, 'hex') as id, b.timestamp, t.collection_index,
  t.collection_index is null and t.signatures is null as is_system, t.status, t.status_code, t.is_evm,
  t.payer_address, t.proposer_address, t.proposer_key_index, t.proposer_sequence_number, t.authorizers,
  encode(t.reference_block_id, 'hex') as reference_block_id, encode(t.script_hash, 'hex') as script_hash,
  t.gas_limit, t.gas_used, t.event_count, t.error_message, encode(l.evm_hash, 'hex') as evm_hash
`

/** @param page rows of raw.transactions between the heights */
function rawTransactions(page: FragmentSqlToken, { low, high }: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${page})
    select ${rawColumns}
    from page t
    cross join lateral ${blockOf(sql.fragment`t.block_height`, low, high)} as b
    left join raw.tx_lookup l on l.id = t.id and l.block_height = t.block_height
  `
}

/** With derived data, in one statement. @param page rows of raw.transactions between the heights */
export function transactions(
  page: FragmentSqlToken,
  heights: HeightParameters,
  transfers: TransferView,
  more = sql.fragment``,
): FragmentSqlToken {
  const { low, high } = heights
  return sql.fragment`
    with page as materialized (${page}), ${derivedCoverage}
    select ${rawColumns}, ${derivedDetails(heights, transfers)} ${more}
    from page t
    cross join lateral ${blockOf(sql.fragment`t.block_height`, low, high)} as b
    left join raw.tx_lookup l on l.id = t.id and l.block_height = t.block_height
  `
}

/** The first two parameters of constant statements. */
export const firstHeights: HeightParameters = { low: sql.fragment`$1::int8`, high: sql.fragment`$2::int8` }

const newestFirst = sql.fragment`order by t.block_height desc, t.tx_index desc`

// The row comparison does not prune partitions.
const transactionList = fixedStatement(sql.prepared('transaction list', transactionRow)`
  ${transactions(
    sql.fragment`
    select * from raw.transactions
    where block_height between $1::int8 and $2::int8 and (block_height, tx_index) < ($3::int8, $4::int4)
    order by block_height desc, tx_index desc
    limit $5::int8
  `,
    firstHeights,
    'all',
  )}
  ${newestFirst}
`)

/** Latest first. */
export async function listTransactions(
  database: DatabasePool,
  bounds: Bounds | undefined,
  before: TransactionPlace | undefined,
  count: number,
): Promise<readonly TransactionRow[]> {
  const { height, index } = before ?? { height: Number.MAX_SAFE_INTEGER, index: 0 }
  return readDescending(bounds, height, count, (low, high, limit) =>
    database.any(transactionList(low, high, height, index, limit)),
  )
}

export async function listTransactionsOfBlock(
  database: DatabasePool,
  height: number,
  before: number | undefined,
  count: number,
): Promise<readonly TransactionRow[]> {
  return database.any(transactionList(height, height, height, before ?? 2 ** 31 - 1, count))
}

const allBetween = sql.fragment`select * from raw.transactions where block_height between $1::int8 and $2::int8`
const inOrder = sql.fragment`order by t.block_height, t.tx_index`
const rawOfHeights = fixedStatement(
  sql.prepared('raw transactions', rawTransactionRow)`${rawTransactions(allBetween, firstHeights)} ${inOrder}`,
)
const summariesOfHeights = fixedStatement(
  sql.prepared('transaction summaries', transactionRow)`${transactions(allBetween, firstHeights, 'none')} ${inOrder}`,
)
const transactionsOfHeights = fixedStatement(
  sql.prepared('transactions', transactionRow)`${transactions(allBetween, firstHeights, 'all')} ${inOrder}`,
)

export async function readRawTransactions(
  database: DatabasePool,
  from: number,
  to: number,
): Promise<readonly RawTransactionRow[]> {
  return database.any(rawOfHeights(from, to))
}

export async function readTransactions(
  database: DatabasePool,
  from: number,
  to: number,
  transfers: 'all' | 'none',
): Promise<readonly TransactionRow[]> {
  return database.any((transfers === 'all' ? transactionsOfHeights : summariesOfHeights)(from, to))
}

/** JSON of all transactions between the first two parameters, without the time. */
export const summariesBetween = sql.fragment`
  with ${derivedCoverage}
  select json_agg(s) from (
    select t.block_height, encode(t.id, 'hex') as id, t.collection_index, t.status, t.status_code,
      t.payer_address, t.proposer_address, encode(t.script_hash, 'hex') as script_hash, t.error_message,
      ${derivedTags(firstHeights)}
    from raw.transactions t where t.block_height between $1::int8 and $2::int8
    ${inOrder}
  ) as s
`

/** Of rows `t` at the places given as arrays. */
function atPlaces(
  { low, high }: HeightParameters,
  [heights, indexes, limit]: readonly [FragmentSqlToken, FragmentSqlToken, FragmentSqlToken | number],
  condition: FragmentSqlToken,
): FragmentSqlToken {
  return sql.fragment`
    select t.*
    from unnest(${heights}, ${indexes}) as place (height, index)
    cross join lateral (
      select * from raw.transactions
      where block_height = place.height and tx_index = place.index and block_height between ${low} and ${high}
      limit 1
    ) as t
    where ${condition}
    ${newestFirst}
    limit ${limit}
  `
}

const ofAccount = fixedStatement(sql.prepared('transactions of an account', transactionRow)`
  ${transactions(
    atPlaces(
      firstHeights,
      [sql.fragment`$3::int8[]`, sql.fragment`$4::int4[]`, sql.fragment`$5::int8`],
      isParticipant(sql.fragment`$6::text`),
    ),
    firstHeights,
    { account: sql.fragment`$6::text` },
  )}
  ${newestFirst}
`)

/** Of rows `t` of raw.transactions. */
export interface TransactionCondition {
  /** Transfers are relative to it. */
  readonly participant: string | undefined
  readonly others: ReadonlyArray<(heights: HeightParameters) => FragmentSqlToken>
}

export function isParticipant(account: FragmentSqlToken | string): FragmentSqlToken {
  return sql.fragment`
    (${account} in (t.payer_address, t.proposer_address) or t.authorizers @> array[${account}])
  `
}

/** Latest first, up to `count`. Omits transactions that are not stored. */
export async function readTransactionsAt(
  database: DatabasePool,
  places: readonly TransactionPlace[],
  { participant, others }: TransactionCondition,
  count: number,
): Promise<readonly TransactionRow[]> {
  const isOfAccount = participant !== undefined && others.length === 0
  const conditions = [...(participant === undefined ? [] : [() => isParticipant(participant)]), ...others]
  const isFrequent = conditions.length <= 1
  const rows = await readByPlaces(
    places.map(({ height, index }) => ({ block_height: height, tx_index: index })),
    (ofWindow, low, high) => {
      const heights = ofWindow.map((place) => place.block_height)
      const indexes = ofWindow.map((place) => place.tx_index)
      if (isOfAccount) return database.any(ofAccount(low, high, heights, indexes, count, participant))
      const matching = conditions.map((of) => of({ low, high }))
      const page = atPlaces(
        { low, high },
        [sql.fragment`${sql.array(heights, 'int8')}`, sql.fragment`${sql.array(indexes, 'int4')}`, count],
        sql.fragment`${sql.join([sql.fragment`true`, ...matching], sql.fragment` and `)}`,
      )
      const select = sql.fragment`
        ${transactions(page, { low, high }, participant === undefined ? 'all' : { account: participant })}
        ${newestFirst}
      `
      return database.any(
        isFrequent
          ? sql.prepared('transactions at places', transactionRow)`${select}`
          : sql.type(transactionRow)`${select}`,
      )
    },
    isFrequent ? 1 : undefined,
  )
  return rows.toSorted((a, b) => b.block_height - a.block_height || b.tx_index - a.tx_index).slice(0, count)
}

/** Parameters: height and index. */
export const oneTransaction = {
  page: sql.fragment`select * from raw.transactions where block_height = $1::int8 and tx_index = $2::int4`,
  heights: { low: sql.fragment`$1::int8`, high: sql.fragment`$1::int8` },
}

const summaryOfOne = fixedStatement(
  sql.prepared('transaction summary', transactionRow)`
    ${transactions(oneTransaction.page, oneTransaction.heights, 'none')}
  `,
)

/** Without transfers. */
export async function readTransaction(
  database: DatabasePool,
  { height, index }: TransactionPlace,
): Promise<TransactionRow | undefined> {
  const row = await database.maybeOne(summaryOfOne(height, index))
  return row ?? undefined
}

const placeRow = z.object({ height: z.number(), index: z.number() })

const transactionById = fixedStatement(sql.prepared('transaction by id', placeRow)`
  select block_height as height, tx_index as index from raw.tx_lookup where id = $1
  order by block_height desc
  limit 1
`)

const transactionInBlock = fixedStatement(sql.prepared('transaction of a block', placeRow)`
  select block_height as height, tx_index as index from raw.transactions
  where block_height = $1::int8 and id = $2
  order by tx_index
  limit 1
`)

/** By id or EVM hash, without system transactions. */
export async function findTransaction(
  database: DatabasePool,
  idOrEvmHash: string,
): Promise<TransactionPlace | undefined> {
  const bytes = hashBytes(idOrEvmHash)
  const byId = await database.any(transactionById(bytes))
  return byId[0] ?? (await findByEvmHash(database, bytes))
}

/** The first EVM hash is known once the block is stored; the others once derived. */
async function findByEvmHash(database: DatabasePool, hash: Buffer): Promise<TransactionPlace | undefined> {
  const [place] = await database.any(sql.prepared('transaction by EVM hash', placeRow)`
    select * from (
      select block_height as height, tx_index as index from raw.tx_lookup where evm_hash = ${sql.binary(hash)}
      union all
      select block_height, tx_index from app.evm_tx_hashes where evm_hash = ${hash.toString('hex')}
    ) as found
    order by height desc, index desc
    limit 1
  `)
  return place
}

/** Also finds system transactions, whose ids repeat in every block. */
export async function findTransactionInBlock(
  database: DatabasePool,
  id: string,
  height: number,
): Promise<TransactionPlace | undefined> {
  const [place] = await database.any(transactionInBlock(height, hashBytes(id)))
  return place
}

/** On both sides of a block, or down from the newest. */
const heightsWithId = 20

export const maxOtherHeights = 10

export async function findSystemTransaction(
  database: DatabasePool,
  id: string,
  bounds: Bounds | undefined,
): Promise<TransactionPlace | undefined> {
  if (bounds === undefined) return undefined
  const place = await database.maybeOne(sql.prepared('system transaction', placeRow)`
    select block_height as height, tx_index as index from raw.transactions
    where block_height between ${bounds.max - heightsWithId} and ${bounds.max} and id = ${sql.binary(hashBytes(id))}
    order by block_height desc, tx_index
    limit 1
  `)
  return place ?? undefined
}

const otherHeights = fixedStatement(sql.prepared('other heights', z.object({ height: z.number() }))`
  select block_height as height from raw.transactions
  where block_height between $1::int8 and $2::int8 and block_height <> $3::int8 and id = $4
  group by block_height
  order by abs(block_height - $3::int8), block_height desc
  limit $5::int8
`)

export async function listOtherHeights(database: DatabasePool, id: string, height: number): Promise<readonly number[]> {
  const rows = await database.any(
    otherHeights(height - heightsWithId, height + heightsWithId, height, hashBytes(id), maxOtherHeights),
  )
  return rows.map((row) => row.height).toSorted((a, b) => b - a)
}

const idRow = z.object({ block_height: z.number(), tx_index: z.number(), id: z.string() })

interface Place {
  readonly block_height: number
  readonly tx_index: number
}

/**
 * Heights passed as values prune partitions.
 *
 * @returns a function that returns '' if the transaction is not stored
 */
export async function readTransactionIds(
  database: DatabasePool,
  places: readonly Place[],
): Promise<(place: Place) => string> {
  if (places.length === 0) return () => ''
  const heights = places.map((place) => place.block_height)
  const indexes = places.map((place) => place.tx_index)
  const rows = await database.any(sql.type(idRow)`
    select block_height, tx_index, encode(id, 'hex') as id from raw.transactions
    where block_height = any (${sql.array([...new Set(heights)], 'int8')}) and (block_height, tx_index) in (
      select height, index from unnest(${sql.array(heights, 'int8')},
      ${sql.array(indexes, 'int4')}) as place(height, index)
    )
  `)
  const ids = new Map(rows.map((row) => [keyOf(row), row.id]))
  return (place) => ids.get(keyOf(place)) ?? ''
}

function keyOf(place: Place): string {
  return `${place.block_height}:${place.tx_index}`
}

/** Cursors are sort keys, so pages do not shift while blocks arrive. */

export const blockCursorPattern = /^(\d{1,15})?$/
export const transactionCursorPattern = /^(\d{1,15}:\d{1,9}:[0-9a-fA-F]{64})?$/

export function parseBlockCursor(cursor: string | undefined): number | undefined {
  return cursor === undefined || cursor === '' ? undefined : Number(cursor)
}

export function parseTransactionCursor(cursor: string | undefined): TransactionPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [height, index] = cursor.split(':')
  return { height: Number(height), index: Number(index) }
}

export function formatTransactionCursor(row: { block_height: number; tx_index: number; id: string }): string {
  return `${row.block_height}:${row.tx_index}:${row.id}`
}

export const accountTransactionCursorPattern = /^(\d{1,15}:[0-9a-fA-F]{64})?$/
export const accountTransactionCursorForm = '<block_height>:<tx_id>'

/** The id must be looked up in its block. */
export function parseAccountTransactionCursor(cursor: string | undefined): { height: number; id: string } | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [height, id = ''] = cursor.split(':')
  return { height: Number(height), id: id.toLowerCase() }
}

export function formatAccountTransactionCursor(row: { block_height: number; id: string }): string {
  return `${row.block_height}:${row.id}`
}

interface TransferPlace {
  readonly height: number
  readonly id: string
  readonly eventIndex: number
  readonly leg: number
}

export const transferCursorPattern = /^(\d{1,15}:[0-9a-fA-F]{64}:\d{1,9}(:\d{1,4})?)?$/
export const transferCursorForm = '<block_height>:<tx_id>:<event_index>[:<leg>]'

/**
 * The id must be looked up by `findTransactionInBlock`, as the order follows the transaction index.
 */
export function parseTransferCursor(cursor: string | undefined): TransferPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [height, id = '', eventIndex, leg = 0] = cursor.split(':')
  return { height: Number(height), id: id.toLowerCase(), eventIndex: Number(eventIndex), leg: Number(leg) }
}

export function formatTransferCursor({ height, id, eventIndex, leg }: TransferPlace): string {
  return `${height}:${id}:${eventIndex}${leg === 0 ? '' : `:${leg}`}`
}
