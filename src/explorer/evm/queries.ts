import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { fixedStatement } from '../../platform/db/named-query.ts'
import type { PayloadValue } from '../../flow/payload-value.ts'
import type { Bounds } from '../paging/bounds.ts'
import { newestEventFirst, readEventPage, withinEvents } from '../paging/event-pages.ts'
import type { EventKey, EventSpan } from '../paging/event-pages.ts'
import { chunkStartOf, eventColumns, fieldsOfEvents, singleEvent } from '../transactions/events.ts'
import { derivedEvmRow } from './schema.ts'
import type { EvmTransactionRow } from './schema.ts'
import { evmAddressFacts } from './token-schema.ts'
import type { EvmDirectory } from './token-schema.ts'

/** Number.MAX_SAFE_INTEGER; constant statements take no values. */
const maxHeight = sql.fragment`9007199254740991`

const storedRow = derivedEvmRow.extend(singleEvent)
export const placeRow = z.object({ block_height: z.number(), tx_index: z.number(), event_index: z.number() })
export type EvmPlace = z.output<typeof placeRow>

/** Combined with AND. */
export interface EvmTransactionSelection {
  /** 40 hex digits. */
  readonly address?: string | undefined
  /** Direction, seen from the address. Default: both. */
  readonly direction?: 'sent' | 'received' | undefined
  readonly status?: 'ok' | 'error' | undefined
  readonly type?: number | undefined
  /** Selectors, 8 hex digits each; at most `maxMethods`. */
  readonly methods?: readonly string[] | undefined
}

export const maxMethods = 20

/** Per request. */
const maxScanned = 2000

interface EvmTransactionPage {
  readonly rows: readonly EvmTransactionRow[]
  /** The scan limit was reached before the page was full. */
  readonly stoppedAt: EvmPlace | undefined
}

/**
 * Latest first. The index of one condition selects candidates, which are filtered by the others up
 * to the scan limit.
 */
export async function listEvmTransactions(
  database: DatabasePool,
  bounds: Bounds | undefined,
  selection: EvmTransactionSelection,
  before: EventKey | undefined,
  count: number,
): Promise<EvmTransactionPage> {
  const { select, rest } = sourceOf(selection)
  const places: EvmPlace[] = []
  let [key, scanned] = [before, 0]
  let stoppedAt: EvmPlace | undefined
  for (let size = count; ; size = Math.min(size * 4, maxScanned - scanned)) {
    const candidates = await readEventPage(bounds, key, size, (span) =>
      database.any(sql.type(placeRow)`${select(span)} order by ${newestEventFirst} limit ${span.count}`),
    )
    places.push(...(rest.length === 0 ? candidates : await matchingPlaces(database, candidates, rest)))
    const last = candidates.at(-1)
    scanned += candidates.length
    if (places.length >= count || candidates.length < size || last === undefined) break
    if (scanned >= maxScanned) {
      stoppedAt = last
      break
    }
    key = { height: last.block_height, txIndex: last.tx_index, eventIndex: last.event_index }
  }
  return { rows: await readEvmTransactions(database, places.slice(0, count)), stoppedAt }
}

interface Source {
  readonly select: (span: EventSpan) => FragmentSqlToken
  /** Conditions on `h` and `t` that candidates may not meet. */
  readonly rest: readonly FragmentSqlToken[]
}

function sourceOf({ address, direction, status, type, methods }: EvmTransactionSelection): Source {
  const ofMethods = methods && sql.fragment`t.method_id = any (${sql.array(methods, 'text')})`
  const ofStatus = status && sql.fragment`h.evm_status = ${status === 'ok' ? 1 : 0}`
  const ofType = type === undefined ? undefined : sql.fragment`t.tx_type = ${type}`
  const rest = (...conditions: (FragmentSqlToken | undefined)[]): FragmentSqlToken[] =>
    conditions.filter((condition) => condition !== undefined)
  if (address !== undefined)
    return { select: (span) => selectOfAddress(span, address, direction), rest: rest(ofMethods, ofStatus, ofType) }
  if (methods !== undefined)
    return {
      select: (span) => selectOfKeys(span, sql.fragment`method_id`, methods),
      rest: rest(ofStatus, ofType),
    }
  if (status === 'error') return { select: selectFailed, rest: rest(ofType) }
  if (type !== undefined)
    return { select: (span) => selectOfKeys(span, sql.fragment`tx_type`, [type]), rest: rest(ofStatus) }
  // Most transactions succeed.
  return { select: selectAny, rest: rest(ofStatus) }
}

async function matchingPlaces(
  database: DatabasePool,
  candidates: readonly EvmPlace[],
  conditions: readonly FragmentSqlToken[],
): Promise<readonly EvmPlace[]> {
  if (candidates.length === 0) return []
  const { heights, places } = placeArrays(candidates)
  return database.any(sql.type(placeRow)`
    select h.block_height, h.tx_index, h.event_index
    from unnest(${places}) as place (height, tx, event)
    join app.evm_tx_hashes h on h.block_height = place.height and h.tx_index = place.tx
      and h.event_index = place.event and h.block_height = any (${heights})
    join app.evm_transactions t on t.block_height = place.height and t.tx_index = place.tx
      and t.event_index = place.event and t.block_height = any (${heights})
    where ${sql.join(conditions, sql.fragment` and `)}
    order by h.block_height desc, h.tx_index desc, h.event_index desc
  `)
}

function selectAny(span: EventSpan): FragmentSqlToken {
  return sql.fragment`select block_height, tx_index, event_index from app.evm_tx_hashes where ${withinEvents(span)}`
}

function selectFailed(span: EventSpan): FragmentSqlToken {
  return sql.fragment`${selectAny(span)} and evm_status = 0`
}

/** One index scan for each key, because an index has the order of one key only. */
function selectOfKeys(span: EventSpan, column: FragmentSqlToken, keys: readonly (string | number)[]): FragmentSqlToken {
  const parts = keys.map(
    (key) => sql.fragment`(
    select block_height, tx_index, event_index from app.evm_transactions
    where (${column}, block_height) between (${key}, ${span.low}) and (${key}, ${span.high})
      and ${column} is not null and ${withinEvents(span)}
    order by ${column} desc, ${newestEventFirst}
    limit ${span.count}
  )`,
  )
  return sql.fragment`select * from (${sql.join(parts, sql.fragment` union all `)}) as places`
}

/** Each side uses one index; `union` removes self-transfers. */
function selectOfAddress(
  span: EventSpan,
  address: string,
  direction: EvmTransactionSelection['direction'],
): FragmentSqlToken {
  const columns = { sent: sql.fragment`evm_from`, received: sql.fragment`evm_to` }
  const sides = (direction === undefined ? Object.values(columns) : [columns[direction]]).map(
    (side) => sql.fragment`(
    select block_height, tx_index, event_index from app.evm_tx_hashes
    where (${side}, block_height) between (${address}, ${span.low}) and (${address}, ${span.high})
      and ${side} is not null and ${withinEvents(span)}
    order by ${side} desc, ${newestEventFirst}
    limit ${span.count}
  )`,
  )
  return sql.fragment`select * from (${sql.join(sides, sql.fragment` union `)}) as places`
}

/** Heights passed as values prune partitions. */
function placeArrays(places: readonly EvmPlace[]): { heights: FragmentSqlToken; places: FragmentSqlToken } {
  const of = (name: keyof EvmPlace, type: string): FragmentSqlToken =>
    sql.fragment`${sql.array(
      places.map((place) => place[name]),
      type,
    )}`
  const heights = of('block_height', 'int8')
  return { heights, places: sql.fragment`${heights}, ${of('tx_index', 'int4')}, ${of('event_index', 'int4')}` }
}

/** In the order of the places. */
export async function readEvmTransactions(
  database: DatabasePool,
  places: readonly EvmPlace[],
): Promise<readonly EvmTransactionRow[]> {
  if (places.length === 0) return []
  const { heights, places: arrays } = placeArrays(places)
  const rows = await database.any(sql.type(storedRow)`
    select h.block_height, h.tx_index, h.event_index, h.tx_id, h.evm_hash, h.evm_from, h.evm_to,
      h.evm_value::text as evm_value, h.evm_gas_used, h.evm_status, b.timestamp, t.evm_block_height, t.evm_tx_index,
      t.error_code, t.tx_type, t.call_type, t.nonce::text as nonce, t.gas_limit::text as gas_limit,
      t.gas_price::text as gas_price, t.max_fee_per_gas::text as max_fee_per_gas,
      t.max_priority_fee_per_gas::text as max_priority_fee_per_gas, t.contract_address, t.error_message,
      ${eventColumns(sql.fragment`place.event`)},
      exists (
        select from app.evm_token_transfers m
        where m.block_height = h.block_height and m.tx_index = h.tx_index and m.event_index = h.event_index
          and m.block_height = any (${heights})
      ) as moves_tokens
    from unnest(${arrays}) as place (height, tx, event)
    join app.evm_tx_hashes h on h.block_height = place.height and h.tx_index = place.tx
      and h.event_index = place.event and h.block_height = any (${heights})
    join app.evm_transactions t on t.block_height = place.height and t.tx_index = place.tx
      and t.event_index = place.event and t.block_height = any (${heights})
    join raw.event_chunks c on c.block_height = place.height and c.tx_index = place.tx
      and c.first_event_index = ${chunkStartOf(sql.fragment`place.event`)} and c.block_height = any (${heights})
    join raw.blocks b on b.height = place.height and b.height = any (${heights})
  `)
  const fields = await fieldsOfEvents(database, rows)
  const textsOf = (i: number): Pick<EvmTransactionRow, 'payload' | 'precompiled_calls'> => ({
    payload: textOf(fields[i]?.['payload']),
    precompiled_calls: textOf(fields[i]?.['precompiledCalls']),
  })
  const byPlace = new Map(rows.map((row, i) => [keyOf(row), { ...row, ...textsOf(i) }]))
  return places.flatMap((place) => byPlace.get(keyOf(place)) ?? [])
}

function keyOf(place: EvmPlace): string {
  return `${place.block_height}:${place.tx_index}:${place.event_index}`
}

const placeOfHash = fixedStatement(sql.prepared('place of an EVM hash', placeRow)`
  select block_height, tx_index, event_index from app.evm_tx_hashes
  where evm_hash = $1::text
  order by evm_status desc, ${newestEventFirst}
  limit 1
`)

/**
 * An invalid transaction may be retried under the same hash: returns the executed one, else the
 * latest.
 */
export async function findEvmTransaction(database: DatabasePool, hash: string): Promise<EvmPlace | undefined> {
  const [place] = await database.any(placeOfHash(hash))
  return place
}

function textOf(value: PayloadValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

const logRow = z.object(singleEvent)

/** Bytes of the event in hex. */
export async function readEvmLogs(database: DatabasePool, place: EvmPlace): Promise<string | null> {
  const index = sql.fragment`${place.event_index}::int4`
  const rows = await database.any(sql.type(logRow)`
    select ${eventColumns(index)} from raw.event_chunks c
    where c.block_height = ${place.block_height} and c.tx_index =
    ${place.tx_index} and c.first_event_index = ${chunkStartOf(index)}
  `)
  const [fields] = await fieldsOfEvents(database, rows)
  return textOf(fields?.['logs'])
}

// Prepared: planning it for all partitions takes longer than running it.
const addressFacts = fixedStatement(sql.prepared('EVM addresses', evmAddressFacts)`
  select a.address, coalesce(label.label, own.name, ft.name, nft.name, verified.name) as name, coa.flow_address,
    coa.coa_address is not null or a.address like '000000000000000000000002%' as is_coa,
    created.contract_address is not null or token.token is not null or verified.address is not null as is_contract,
    coalesce(sent.has_signed, false) as has_signed, verified.address is not null as is_verified
  from unnest($1::text[]) as a (address)
  left join lateral (
    select c.coa_address, c.flow_address from app.coa_accounts c where c.coa_address = '0x' || a.address
    order by c.block_height desc, c.tx_index desc, c.event_index desc limit 1
  ) coa on true
  left join lateral (select t.token from app.evm_tokens t where t.token = a.address limit 1) token on true
  left join lateral (
    select t.contract_address from app.evm_transactions t
    where token.token is null and t.contract_address = a.address and t.error_code = 0 limit 1
  ) created on true
  left join lateral (
    select t.tx_type <> 255 as has_signed
    from (
      ${endOf(sql.fragment`app.evm_tx_hashes`, sql.fragment`evm_from`, sql.fragment`a.address`, sql.fragment`asc`)}
    ) h
    join app.evm_transactions t
      on t.block_height = h.block_height and t.tx_index = h.tx_index and t.event_index = h.event_index
  ) sent on true
  left join (
    select distinct on (l.address) l.address, l.label from app.account_labels l
    where l.address = any ($2::text[])
    order by l.address, l.tag
  ) label on label.address = '0x' || a.address
  left join app.evm_token_metadata own on own.token = a.address
  left join app.evm_verified_contracts verified on verified.address = a.address
  left join lateral (
    select m.name from app.ft_token_metadata m where m.evm_address = '0x' || a.address and m.name is not null limit 1
  ) ft on true
  left join lateral (
    select m.name from app.nft_collection_metadata m
    where m.evm_address = '0x' || a.address and m.name is not null limit 1
  ) nft on true
`)

/**
 * COA addresses start with eleven zero bytes and a two. Source: onflow/flow-go
 * `fvm/evm/types/address.go`.
 *
 * @param addresses 40 hex digits
 */
export async function describeEvmAddresses(
  database: DatabasePool,
  addresses: ReadonlyArray<string | null>,
): Promise<EvmDirectory> {
  const distinct = [...new Set(addresses.filter((address) => address !== null))]
  if (distinct.length === 0) return new Map()
  const rows = await database.any(
    addressFacts(
      distinct,
      distinct.map((address) => `0x${address}`),
    ),
  )
  return new Map(rows.map((row) => [row.address, row]))
}

/** First or last row. Comparing and sorting by address and height forces the address index. */
function endOf(
  table: FragmentSqlToken,
  column: FragmentSqlToken,
  address: FragmentSqlToken,
  direction: FragmentSqlToken,
): FragmentSqlToken {
  return sql.fragment`
    select * from ${table} m
    where (m.${column}, m.block_height) between (${address}, 0) and (${address}, ${maxHeight})
      and m.${column} is not null
    order by m.${column} ${direction}, m.block_height ${direction}
    limit 1
  `
}

const spanRow = z.object({
  first_height: z.number().nullable(),
  last_height: z.number().nullable(),
  creation_hash: z.string().nullable(),
  creation_height: z.number().nullable(),
  creator: z.string().nullable(),
})
type EvmAddressSpan = z.output<typeof spanRow>

const mentions = [
  [sql.fragment`app.evm_tx_hashes`, sql.fragment`evm_from`],
  [sql.fragment`app.evm_tx_hashes`, sql.fragment`evm_to`],
  [sql.fragment`app.evm_token_transfers`, sql.fragment`from_address`],
  [sql.fragment`app.evm_token_transfers`, sql.fragment`to_address`],
] as const

/** 40 hex digits. */
export async function readEvmAddressSpan(database: DatabasePool, address: string): Promise<EvmAddressSpan> {
  const ends = mentions.flatMap(([table, column]) =>
    [sql.fragment`asc`, sql.fragment`desc`].map(
      (direction) => sql.fragment`(
    select block_height as height from (${endOf(table, column, sql.fragment`${address}`, direction)}) one
  )`,
    ),
  )
  return database.one(sql.type(spanRow)`
    with seen as (
      ${sql.join(ends, sql.fragment` union all `)}
      union all
      (select block_height from app.evm_transactions where contract_address = ${address})
      union all
      (select block_height from app.coa_accounts where coa_address = ${`0x${address}`} order by block_height limit 1)
    )
    select min(seen.height) as first_height, max(seen.height) as last_height, max(made.evm_hash) as creation_hash,
      max(made.block_height) as creation_height, max(made.evm_from) as creator
    from (select) as one
    left join seen on true
    left join lateral (
      select h.evm_hash, h.evm_from, h.block_height
      from app.evm_transactions t
      join app.evm_tx_hashes h
        on h.block_height = t.block_height and h.tx_index = t.tx_index and h.event_index = t.event_index
      where t.contract_address = ${address} and t.error_code = 0
      order by t.block_height desc limit 1
    ) made on true
  `)
}
