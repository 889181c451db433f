import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { hashBytes } from '../formats.ts'
import { readDescending } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { transactionExtras } from './detail-schema.ts'
import type { TransactionExtras } from './detail-schema.ts'
import { readByPlaces } from './events.ts'
import { transactionRow } from './schema.ts'
import type { TransactionRow } from './schema.ts'

export interface TransactionPlace {
  readonly height: number
  readonly index: number
}

/** A key lookup; with a join the planner may scan all blocks between the heights. */
export function blockOf(height: FragmentSqlToken, low: number, high: number): FragmentSqlToken {
  return sql.fragment`(select timestamp from raw.blocks
    where height = ${height} and height between ${low} and ${high} limit 1)`
}

export function transactionIdOf(row: FragmentSqlToken, low: number, high: number): FragmentSqlToken {
  return sql.fragment`(
    select id from raw.transactions x
    where x.block_height = ${row}.block_height and x.tx_index =
    ${row}.tx_index and x.block_height between ${low} and ${high}
    limit 1
  )`
}

function completed(pageOfTransactions: FragmentSqlToken, low: number, high: number): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${pageOfTransactions})
    select t.block_height, t.tx_index, encode(t.id, 'hex') as id, b.timestamp, t.collection_index,
      t.collection_index is null and t.signatures is null as is_system, t.status, t.status_code, t.is_evm,
      t.payer_address, t.proposer_address, t.proposer_key_index, t.proposer_sequence_number, t.authorizers,
      encode(t.reference_block_id, 'hex') as reference_block_id, encode(t.script_hash, 'hex') as script_hash,
      t.gas_limit, t.gas_used, t.event_count, t.error_message, encode(l.evm_hash, 'hex') as evm_hash
    from page t
    cross join lateral ${blockOf(sql.fragment`t.block_height`, low, high)} as b
    left join raw.tx_lookup l on l.id = t.id and l.block_height = t.block_height
  `
}

/** Latest first. */
export async function listTransactions(
  database: DatabasePool,
  bounds: Bounds | undefined,
  before: TransactionPlace | undefined,
  count: number,
): Promise<readonly TransactionRow[]> {
  const { height, index } = before ?? { height: Number.MAX_SAFE_INTEGER, index: 0 }
  // The row comparison does not prune partitions.
  return readDescending(bounds, height, count, (low, high, limit) =>
    database.any(sql.prepared('transaction list', transactionRow)`
    ${completed(
      sql.fragment`
      select * from raw.transactions
      where block_height between ${low} and ${high} and (block_height, tx_index) < (${height}, ${index})
      order by block_height desc, tx_index desc
      limit ${limit}
    `,
      low,
      high,
    )}
    order by t.block_height desc, t.tx_index desc
  `),
  )
}

export async function listTransactionsOfBlock(
  database: DatabasePool,
  height: number,
  before: number | undefined,
  count: number,
): Promise<readonly TransactionRow[]> {
  return database.any(sql.prepared('transactions of a block', transactionRow)`
    ${completed(
      sql.fragment`
      select * from raw.transactions
      where block_height = ${height} and tx_index < ${before ?? 2 ** 31 - 1}
      order by tx_index desc
      limit ${count}
    `,
      height,
      height,
    )}
    order by t.tx_index desc
  `)
}

export async function readTransactions(
  database: DatabasePool,
  from: number,
  to: number,
): Promise<readonly TransactionRow[]> {
  return database.any(sql.prepared('transactions of heights', transactionRow)`
    ${completed(sql.fragment`select * from raw.transactions where block_height between ${from} and ${to}`, from, to)}
    order by t.block_height, t.tx_index
  `)
}

/**
 * Omits transactions that are not stored.
 *
 * @param condition on a row `t` of raw.transactions
 */
export async function readTransactionsAt(
  database: DatabasePool,
  places: readonly TransactionPlace[],
  condition: FragmentSqlToken,
  isFrequent: boolean,
): Promise<readonly TransactionRow[]> {
  const marked = places.map(({ height, index }) => ({ block_height: height, tx_index: index }))
  const rows = await readByPlaces(
    marked,
    (ofWindow, low, high) => {
      const select = sql.fragment`
      ${completed(
        sql.fragment`
        select t.*
        from unnest(
          ${sql.array(
            ofWindow.map((place) => place.block_height),
            'int8',
          )},
          ${sql.array(
            ofWindow.map((place) => place.tx_index),
            'int4',
          )}
        ) as place (height, index)
        cross join lateral (
          select * from raw.transactions
          where block_height = place.height and tx_index = place.index and block_height between ${low} and ${high}
          limit 1
        ) as t
        where ${condition}
      `,
        low,
        high,
      )}
      order by t.block_height desc, t.tx_index desc
    `
      return database.any(
        isFrequent
          ? sql.prepared('transactions at places', transactionRow)`${select}`
          : sql.type(transactionRow)`${select}`,
      )
    },
    isFrequent ? 1 : undefined,
  )
  return rows.toSorted((a, b) => b.block_height - a.block_height || b.tx_index - a.tx_index)
}

export async function readTransaction(
  database: DatabasePool,
  { height, index }: TransactionPlace,
): Promise<TransactionRow | undefined> {
  const row = await database.maybeOne(sql.prepared('transaction', transactionRow)`
    ${completed(
      sql.fragment`
      select * from raw.transactions where block_height = ${height} and tx_index = ${index}
    `,
      height,
      height,
    )}
  `)
  return row ?? undefined
}

const placeRow = z.object({ height: z.number(), index: z.number() })

/** By id or EVM hash, without system transactions. */
export async function findTransaction(
  database: DatabasePool,
  idOrEvmHash: string,
): Promise<TransactionPlace | undefined> {
  const bytes = hashBytes(idOrEvmHash)
  const byId = await database.any(sql.prepared('transaction by id', placeRow)`
    select block_height as height, tx_index as index from raw.tx_lookup where id = ${sql.binary(bytes)}
    order by block_height desc
    limit 1
  `)
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
  const [place] = await database.any(sql.prepared('transaction of a block', placeRow)`
    select block_height as height, tx_index as index from raw.transactions
    where block_height = ${height} and id = ${sql.binary(hashBytes(id))}
    order by tx_index
    limit 1
  `)
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

export async function listOtherHeights(database: DatabasePool, id: string, height: number): Promise<readonly number[]> {
  const rows = await database.any(sql.prepared('other heights', z.object({ height: z.number() }))`
    select block_height as height from raw.transactions
    where block_height between ${height - heightsWithId} and ${height + heightsWithId} and block_height <> ${height}
      and id = ${sql.binary(hashBytes(id))}
    group by block_height
    order by abs(block_height - ${height}), block_height desc
    limit ${maxOtherHeights}
  `)
  return rows.map((row) => row.height).toSorted((a, b) => b - a)
}

export async function readTransactionExtras(
  database: DatabasePool,
  { height, index }: TransactionPlace,
): Promise<TransactionExtras | undefined> {
  const row = await database.maybeOne(sql.prepared('transaction extras', transactionExtras)`
    select encode(b.id, 'hex') as block_id, encode(b.collection_ids[t.collection_index + 1], 'hex') as collection_id,
      s.script_text as script, t.arguments
    from raw.transactions t
    join raw.blocks b on b.height = t.block_height and b.height = ${height}
    left join raw.scripts s on s.script_hash = t.script_hash
    where t.block_height = ${height} and t.tx_index = ${index}
  `)
  return row ?? undefined
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
