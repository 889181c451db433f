import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken, QuerySqlToken } from 'slonik'
import { z } from 'zod'
import { fixedStatement } from '../../platform/db/named-query.ts'
import type { TransactionTag } from '../../flow/transactions/transaction-tags.ts'
import type { Bounds } from '../paging/bounds.ts'
import { readEventPage, wideHeights } from '../paging/event-pages.ts'
import type { EventSpan } from '../paging/event-pages.ts'
import type { TransactionRow } from './schema.ts'
import { readTransaction, readTransactionsAt } from './queries.ts'
import type { TransactionCondition, TransactionPlace } from './queries.ts'

export const transactionStatuses = ['SEALED', 'UNKNOWN', 'SUCCESS', 'FAILURE'] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** Combined with AND. */
export interface TransactionFilter {
  readonly payer?: string | undefined
  readonly proposer?: string | undefined
  readonly authorizer?: string | undefined
  /** Payer, proposer or authorizer. */
  readonly participant?: string | undefined
  readonly contract?: string | undefined
  readonly tag?: TransactionTag | undefined
  readonly status?: TransactionStatus | undefined
}

export interface FilteredPage {
  readonly rows: readonly TransactionRow[]
  /** The scan limit was reached before the page was full. */
  readonly stoppedAt: TransactionRow | undefined
}

/** Per request: about 5 ms. */
const maxScanned = 2000

/**
 * Latest first. The index of one condition selects candidates (the least active account, if there
 * are several), which are then filtered up to the scan limit.
 */
export async function listFilteredTransactions(
  database: DatabasePool,
  bounds: Bounds | undefined,
  filter: TransactionFilter,
  before: TransactionPlace | undefined,
  count: number,
): Promise<FilteredPage> {
  const source = await chooseSource(database, filter)
  const condition = conditionOf({ ...filter, ...source.covered })
  const rows: TransactionRow[] = []
  let [place, scanned] = [before, 0]
  // Usually most candidates match.
  for (let size = count; ; size = Math.min(size * 4, maxScanned - scanned)) {
    const places = await readEventPage(narrowed(bounds, source), place, size, async (span) =>
      database.any(source.select(span)),
    )
    rows.push(...(await readTransactionsAt(database, places, condition, count - rows.length)))
    place = places.at(-1)
    scanned += places.length
    if (rows.length >= count || places.length < size || place === undefined)
      return { rows: rows.slice(0, count), stoppedAt: undefined }
    if (scanned >= maxScanned) return { rows, stoppedAt: await readTransaction(database, place) }
  }
}

const placeRow = z.object({ height: z.number(), index: z.number() })

interface Source {
  readonly select: (span: EventSpan<TransactionPlace>) => QuerySqlToken<typeof placeRow>
  readonly heights?: Bounds | undefined
  /** Conditions that all candidates meet. */
  readonly covered?: { readonly contract?: undefined; readonly tag?: undefined }
}

async function chooseSource(database: DatabasePool, filter: TransactionFilter): Promise<Source> {
  const { payer, proposer, authorizer, participant, contract, tag, status } = filter
  const roles = { payer, proposer, authorizer, participant }
  const accounts = [...new Set(Object.values(roles).filter((account) => account !== undefined))]
  const account = accounts.length === 0 ? undefined : await findLeastActive(database, accounts)
  if (account !== undefined) {
    return { select: (span) => selectOf(placesOfAccount, account.address, span), heights: account.heights }
  }
  if (contract !== undefined) {
    return { select: (span) => selectOf(placesOfContract, contract, span), covered: { contract: undefined } }
  }
  if (tag !== undefined) return { select: (span) => selectOf(placesOfTag, tag, span), covered: { tag: undefined } }
  if (status === 'FAILURE' || status === 'UNKNOWN')
    return { select: (span) => sql.type(placeRow)`${selectUnsuccessful(status, span)}` }
  // Nearly all transactions match SEALED or SUCCESS.
  return { select: (span) => sql.type(placeRow)`${selectAll(span)}` }
}

function narrowed(bounds: Bounds | undefined, { heights }: Source): Bounds | undefined {
  if (bounds === undefined || heights === undefined) return bounds
  return { min: Math.max(bounds.min, heights.min), max: Math.min(bounds.max, heights.max) }
}

const accountRow = z.object({ address: z.string(), first: z.number(), last: z.number() })

const activityOf = fixedStatement(sql.prepared('activity of accounts', accountRow)`
  select a.address, a.first_seen_height as first, a.last_seen_height as last
  from app.accounts a left join app.address_stats s using (address)
  where a.address = any ($1::text[])
  order by coalesce(s.tx_count, 0), a.address
`)

async function findLeastActive(
  database: DatabasePool,
  addresses: readonly string[],
): Promise<{ address: string; heights: Bounds }> {
  const rows = await database.any(activityOf(addresses))
  const unknown = addresses.find((address) => !rows.some((row) => row.address === address))
  const [least] = rows
  if (unknown !== undefined || least === undefined) return { address: unknown ?? '', heights: { min: 0, max: -1 } }
  return { address: least.address, heights: { min: least.first, max: least.last } }
}

/**
 * Comparing and sorting by the key keeps the planner from sorting all transactions of an account
 * or contract.
 */
const placesOfAccount = fixedStatement(sql.prepared('places of transactions', placeRow)`
  select block_height as height, tx_index as index from app.address_transactions
  where (address, block_height) between ($1::text, $2::int8) and ($1::text, $3::int8)
    and (is_payer or is_proposer or is_authorizer)
    and ${wideHeights(sql.fragment`$2`, sql.fragment`$3`)} and (block_height, tx_index) < ($4::int8, $5::int4)
  order by address desc, block_height desc, tx_index desc
  limit $6::int8
`)

function selectOf(
  places: typeof placesOfAccount,
  key: string,
  { low, high, before, count }: EventSpan<TransactionPlace>,
): QuerySqlToken<typeof placeRow> {
  const { height, index } = before ?? { height: high + 1, index: 0 }
  return places(key, low, high, height, index, count)
}

interface PlaceList {
  readonly table: FragmentSqlToken
  readonly column: FragmentSqlToken
}

const contractPlaces: PlaceList = { table: sql.fragment`app.tx_contracts`, column: sql.fragment`contract` }
const tagPlaces: PlaceList = { table: sql.fragment`app.tx_tags`, column: sql.fragment`tag` }

const placesIn = ({ table, column }: PlaceList): typeof placesOfAccount =>
  fixedStatement(sql.prepared('places of transactions in lists', placeRow)`
    select c.block_height as height, place.index
    from ${table} c cross join lateral unnest(c.tx_indexes) as place (index)
    where (${column}, block_height) between ($1::text, $2::int8) and ($1::text, $3::int8)
      and ${wideHeights(sql.fragment`$2`, sql.fragment`$3`)} and (block_height, place.index) < ($4::int8, $5::int4)
    order by ${column} desc, block_height desc, place.index desc
    limit $6::int8
  `)
const placesOfContract = placesIn(contractPlaces)
const placesOfTag = placesIn(tagPlaces)

/** A key lookup per transaction `t`; `limit` keeps it from becoming a join. */
function isIn({ table, column }: PlaceList, key: string): TransactionCondition['others'][number] {
  return ({ low, high }) => sql.fragment`(
    select t.tx_index = any (l.tx_indexes) from ${table} l
    where ${column} = ${key} and l.block_height = t.block_height and l.block_height between ${low} and ${high}
    limit 1
  )`
}

function selectUnsuccessful(status: 'FAILURE' | 'UNKNOWN', span: EventSpan<TransactionPlace>): FragmentSqlToken {
  // Hardly any failed transaction has an unknown status.
  const code =
    status === 'UNKNOWN'
      ? sql.fragment`status_code is null`
      : sql.fragment`status_code is distinct from 0 and status_code <> 0`
  return sql.fragment`
    select block_height as height, tx_index as index from raw.transactions
    where ${code} and ${within(span, sql.fragment`tx_index`)}
    order by block_height desc, tx_index desc
    limit ${span.count}
  `
}

function selectAll(span: EventSpan<TransactionPlace>): FragmentSqlToken {
  return sql.fragment`
    select block_height as height, tx_index as index from raw.transactions
    where ${within(span, sql.fragment`tx_index`)}
    order by block_height desc, tx_index desc
    limit ${span.count}
  `
}

/** The row comparison does not prune partitions. */
function within(span: EventSpan<TransactionPlace>, index: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`block_height between ${span.low} and ${span.high} ${after(span, index)}`
}

function after({ high, before }: EventSpan<TransactionPlace>, index: FragmentSqlToken): FragmentSqlToken {
  if (before === undefined || before.height > high) return sql.fragment``
  return sql.fragment`and (block_height, ${index}) < (${before.height}, ${before.index})`
}

const ofStatus: Readonly<Record<TransactionStatus, FragmentSqlToken>> = {
  SEALED: sql.fragment`t.status = 'SEALED'`,
  UNKNOWN: sql.fragment`t.status_code is null`,
  SUCCESS: sql.fragment`t.status_code = 0`,
  FAILURE: sql.fragment`t.status_code <> 0`,
}

function conditionOf(filter: TransactionFilter): TransactionCondition {
  const { payer, proposer, authorizer, participant, contract, tag, status } = filter
  const others: TransactionCondition['others'][number][] = []
  if (payer !== undefined) others.push(() => sql.fragment`t.payer_address = ${payer}`)
  if (proposer !== undefined) others.push(() => sql.fragment`t.proposer_address = ${proposer}`)
  if (authorizer !== undefined) others.push(() => sql.fragment`t.authorizers @> array[${authorizer}]`)
  if (status !== undefined) others.push(() => ofStatus[status])
  if (contract !== undefined) others.push(isIn(contractPlaces, contract))
  if (tag !== undefined) others.push(isIn(tagPlaces, tag))
  return { participant, others }
}
