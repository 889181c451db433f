import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { fixedStatement } from '../../platform/db/named-query.ts'
import type { Bounds } from '../paging/bounds.ts'
import { newestEventFirst, readEventPage, withinEvents } from '../paging/event-pages.ts'
import type { EventKey, EventSpan } from '../paging/event-pages.ts'
import { defiAssetRow, defiEventRow, defiPairRow } from './schema.ts'
import type { DefiAssetRow, DefiEventRow, DefiPairRow } from './schema.ts'
import { withMarks } from '../transactions/events.ts'
import type { Marked } from '../transactions/events.ts'

export async function listDefiAssets(
  database: DatabasePool,
  after: string | undefined,
  count: number,
): Promise<readonly DefiAssetRow[]> {
  const sides = [sql.fragment`asset0`, sql.fragment`asset1`].map(
    (side) => sql.fragment`(
    select distinct ${side} as token from app.defi_pairs where ${side} > ${after ?? ''} order by ${side} limit ${count}
  )`,
  )
  return database.any(sql.type(defiAssetRow)`
    with assets as (${sql.join(sides, sql.fragment` union `)} order by token limit ${count})
    select a.token as id, m.symbol, m.name, m.logo, (
      select p.price::text from app.prices p where p.token = a.token and p.currency = 'USD'
      order by p.price_time desc limit 1
    ) as price_usd
    from assets a left join app.ft_token_metadata m on m.token = a.token
    order by a.token
  `)
}

export interface PairKey extends EventKey {
  readonly pair: string
}

export interface PairSelection {
  readonly dex?: string | undefined
  readonly asset?: string | undefined
  readonly pair?: string | undefined
}

const pairOrder = sql.fragment`last_height desc, last_tx_index desc, last_event_index desc, pair desc`

const pairRow = z.object({ pair: z.string() })

export async function listDefiPairs(
  database: DatabasePool,
  { dex, asset, pair: id }: PairSelection,
  before: PairKey | undefined,
  count: number,
): Promise<readonly DefiPairRow[]> {
  const condition = sql.fragment`
    ${dex === undefined ? sql.fragment`true` : sql.fragment`dex = ${dex}`}
    and ${id === undefined ? sql.fragment`true` : sql.fragment`pair = ${id}`} and ${isBefore(before)}
  `
  const select = (side: FragmentSqlToken): FragmentSqlToken => sql.fragment`
    select pair, last_height, last_tx_index, last_event_index from app.defi_pairs
    where ${side} and ${condition} order by ${pairOrder} limit ${count}
  `
  const pairs = await database.any(
    sql.type(pairRow)`${
      asset === undefined
        ? select(sql.fragment`true`)
        : sql.fragment`
    (${select(sql.fragment`asset0 = ${asset}`)}) union (${select(sql.fragment`asset1 = ${asset}`)})
    order by ${pairOrder} limit ${count}
  `
    }`,
  )
  return pairs.length === 0 ? [] : database.any(completedPairs(pairs.map(({ pair }) => pair)))
}

/**
 * Balance of the pair's account if it has a single vault, else of the vault moved by the last
 * event. Ambiguous if that moved several.
 */
function reserve(asset: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select coalesce((
      select h.balance from app.ft_holdings h
      where h.address = p.address and h.token = ${asset} and h.vault_count = 1 and h.is_complete
    ), (
      select l.balance
      from (
        select min(v.vault_uuid) as vault_uuid from app.ft_vault_balances v
        where v.block_height = p.last_height and v.owner = decode(substr(p.address, 3), 'hex') and v.token = ${asset}
        having count(distinct v.vault_uuid) = 1
      ) moved
      cross join lateral (
        select b.balance from app.ft_vault_balances b
        where b.vault_uuid = moved.vault_uuid and b.block_height >= p.last_height and b.token = ${asset}
        order by b.block_height desc, b.nth desc
        limit 1
      ) l
    )) as balance
  `
}

// Prepared: planning it for all partitions takes longer than running it.
const completedPairs = fixedStatement(sql.prepared('pairs', defiPairRow)`
  with page as materialized (select * from app.defi_pairs where pair = any ($1::text[]))
  select p.pair as id, p.dex, p.address, p.asset0, p.asset1, m0.symbol as symbol0, m1.symbol as symbol1, p.is_stable,
    (p.fee * 10000)::float8 as fee_bps, r0.balance::text as reserve0, r1.balance::text as reserve1,
    p.price::text as price, d.swap_count, d.volume0, d.volume1, p.created_height, p.last_height, p.last_tx_index,
    p.last_event_index
  from page p
  left join app.ft_token_metadata m0 on m0.token = p.asset0
  left join app.ft_token_metadata m1 on m1.token = p.asset1
  left join lateral (${reserve(sql.fragment`p.asset0`)}) r0 on true
  left join lateral (${reserve(sql.fragment`p.asset1`)}) r1 on true
  cross join (select max(day) as newest from app.defi_pair_days) day
  cross join lateral (
    select coalesce(sum(s.swap_count), 0)::bigint as swap_count, coalesce(sum(s.volume0), 0)::text as volume0,
      coalesce(sum(s.volume1), 0)::text as volume1
    from app.defi_pair_days s
    where s.pair = p.pair and s.day > day.newest - 7
  ) d
  order by ${pairOrder}
`)

function isBefore(key: PairKey | undefined): FragmentSqlToken {
  if (key === undefined) return sql.fragment`true`
  return sql.fragment`
    (last_height, last_tx_index, last_event_index, pair)
      < (${key.height}, ${key.txIndex}, ${key.eventIndex}, ${key.pair})
  `
}

export interface DefiEventSelection {
  readonly pair?: string | undefined
  readonly type?: string | undefined
}

/** Latest first. */
export async function listDefiEvents(
  database: DatabasePool,
  bounds: Bounds | undefined,
  selection: DefiEventSelection,
  before: EventKey | undefined,
  count: number,
): Promise<ReadonlyArray<Marked<DefiEventRow>>> {
  const rows = await readEventPage(bounds, before, count, (span) =>
    database.any(sql.type(defiEventRow)`
    select block_height, tx_index, event_index, pair, event_type, maker, asset0, asset1, asset0_in::text as asset0_in,
      asset0_out::text as asset0_out, asset1_in::text as asset1_in, asset1_out::text as asset1_out,
      lp_amount::text as lp_amount, price::text as price
    from app.defi_events
    where ${selected(selection, span)} and ${withinEvents(span)}
    order by ${prefixOrder(selection)} ${newestEventFirst}
    limit ${span.count}
  `),
  )
  return withMarks(database, rows)
}

/**
 * Row comparison and `prefixOrder` keep the planner from the primary key. Nearly all events are
 * swaps, so only other types have an index.
 */
function selected({ pair, type }: DefiEventSelection, { low, high }: EventSpan): FragmentSqlToken {
  const ofRareType = type === undefined || type === 'Swap' ? undefined : type
  const isSwap = type === 'Swap' ? sql.fragment`and event_type = 'Swap'` : sql.fragment``
  if (pair !== undefined && ofRareType !== undefined) {
    return sql.fragment`
      (pair, event_type, block_height) between (${pair}, ${ofRareType}, ${low}) and (${pair}, ${ofRareType}, ${high})
      and event_type <> 'Swap'
    `
  }
  if (pair !== undefined) {
    return sql.fragment`(pair, block_height) between (${pair}, ${low}) and (${pair}, ${high}) ${isSwap}`
  }
  if (ofRareType !== undefined) {
    return sql.fragment`
      (event_type, block_height) between (${ofRareType}, ${low}) and (${ofRareType}, ${high}) and event_type <> 'Swap'
    `
  }
  return sql.fragment`true ${isSwap}`
}

function prefixOrder({ pair, type }: DefiEventSelection): FragmentSqlToken {
  const ofPair = pair === undefined ? sql.fragment`` : sql.fragment`pair desc,`
  return type === undefined || type === 'Swap' ? ofPair : sql.fragment`${ofPair} event_type desc,`
}

const symbolRow = z.object({ token: z.string(), symbol: z.string().nullable() })

export async function readSymbols(
  database: DatabasePool,
  tokens: ReadonlyArray<string | null>,
): Promise<ReadonlyMap<string, string | null>> {
  const distinct = [...new Set(tokens.filter((token) => token !== null))]
  if (distinct.length === 0) return new Map()
  const rows = await database.any(sql.type(symbolRow)`
    select token, symbol from app.ft_token_metadata where token = any (${sql.array(distinct, 'text')})
  `)
  return new Map(rows.map(({ token, symbol }) => [token, symbol]))
}

const existsRow = z.object({ is_known: z.boolean() })

export async function isKnownPair(database: DatabasePool, pair: string): Promise<boolean> {
  const { is_known: isKnown } = await database.one(sql.type(existsRow)`
    select exists (select from app.defi_pairs where pair = ${pair}) as is_known
  `)
  return isKnown
}
