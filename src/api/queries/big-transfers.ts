import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../bounds.ts'
import { bigTransferRow } from '../presenters/big-transfer.ts'
import type { BigTransferRow, BigTransferType } from '../presenters/big-transfer.ts'
import { priceCurrency } from './prices.ts'
import type { TransferKey } from './transfer-pages.ts'

/** Which big transfers. */
export interface BigTransferSelection {
  /** Least worth in US dollars, decimal text, of those whose worth is known. */
  readonly minUsd: string
  /** Default: all. */
  readonly types: readonly BigTransferType[] | undefined
  /** FLOW of the network: where its prices begin, the feed does. */
  readonly flowToken: string
}

/** A part of the list, and where it goes on. */
export interface BigTransferPage {
  readonly rows: readonly BigTransferRow[]
  /** The last one that was looked at; undefined where that was the last there is. */
  readonly last: { readonly block_height: number; readonly tx_id: string; readonly event_index: number; readonly leg: number } | undefined
}

/** How many are looked at for one page: few of them may be worth enough, or of the wanted types. */
const mostExamined = 5000

const pageRow = z.object({
  examined: z.number(),
  block_height: z.number().nullable(),
  tx_id: z.string().nullable(),
  event_index: z.number().nullable(),
  leg: z.number().nullable(),
  rows: z.array(bigTransferRow),
})

/**
 * Up to `count` big transfers before a place, the newest first. It looks at a bounded number of them, and gives fewer
 * than `count` where too few of these are wanted: the list goes on at the last that was looked at.
 *
 * Those whose worth is not known are given too as long as there is no feed of prices, that is on days before its first price of
 * FLOW: they are many of their token, as jobs/analytics has it.
 */
export async function listBigTransfers(
  database: DatabasePool, bounds: Bounds | undefined, before: TransferKey | undefined, selection: BigTransferSelection,
  count: number,
): Promise<BigTransferPage> {
  if (bounds === undefined) return { rows: [], last: undefined }
  const { minUsd, types, flowToken } = selection
  const key = before ?? { height: bounds.max + 1, txIndex: 0, eventIndex: 0, leg: 0 }
  const row = await database.one(sql.type(pageRow)`
    with examined as materialized (
      select *, row_number() over (order by block_height desc, tx_index desc, event_index desc, leg desc) as nth
      from (
        select * from app.big_transfers
        where block_height between ${bounds.min} and ${key.height}
          and (block_height, tx_index, event_index, leg) < (${key.height}, ${key.txIndex}, ${key.eventIndex}, ${key.leg})
        order by block_height desc, tx_index desc, event_index desc, leg desc
        limit ${mostExamined}
      ) as newest
    ), feed as (
      select min(price_time) as begun from (
        select price_time from app.prices where token = ${flowToken} and currency = ${priceCurrency}
        order by price_time limit 1
      ) as first
    ), priced as materialized (
      select d.token, d.day, p.price, coalesce((d.day + 1)::timestamp at time zone 'UTC' <= feed.begun, true)
        and p.price is null as is_before_feed
      from (select distinct token, day from examined) d cross join feed left join lateral (
        select price from app.prices
        where token = d.token and currency = ${priceCurrency}
          and price_time < (d.day + 1)::timestamp at time zone 'UTC'
          and price_time >= (d.day - 1)::timestamp at time zone 'UTC'
        order by price_time desc limit 1
      ) p on true
    ), worthy as (
      select e.*, round(e.amount * v.price, 2) as usd_value
      from examined e join priced v on v.token = e.token and v.day = e.day
      where e.amount * v.price >= ${minUsd}::numeric or v.is_before_feed
      order by e.nth
      limit ${types === undefined ? count : mostExamined}
    ), wanted as (
      select w.*, t.from_address, t.to_address, t.transfer_type, kind.type
      from worthy w cross join lateral (
        select * from app.ft_transfers f
        where f.block_height = w.block_height and f.tx_index = w.tx_index and f.event_index = w.event_index
          and f.leg = w.leg
      ) t cross join lateral (
        select case
          when t.transfer_type in ('mint', 'burn', 'bridge') then t.transfer_type
          when t.transfer_type in ('stake', 'unstake', 'reward') then 'staking'
          when exists (
            select from app.defi_events d
            where d.block_height = w.block_height and d.tx_index = w.tx_index and d.event_type = 'Swap'
          ) then 'swap'
          else 'transfer'
        end as type
      ) kind
      where ${types === undefined ? sql.fragment`true` : sql.fragment`kind.type = any (${sql.array(types, 'text')})`}
      order by w.nth
      limit ${count}
    ), shown as (
      select w.nth, jsonb_build_object(
        'tx_id', encode(r.id, 'hex'), 'block_height', w.block_height, 'tx_index', w.tx_index,
        'event_index', w.event_index, 'leg', w.leg,
        'timestamp', to_char(b.timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'type', w.type,
        'transfer_type', w.transfer_type, 'token', w.token, 'symbol', m.symbol, 'logo', m.logo,
        'amount', w.amount::text, 'usd_value', w.usd_value::text, 'from_address', w.from_address,
        'to_address', w.to_address
      ) as transfer
      from wanted w
      join raw.transactions r on r.block_height = w.block_height and r.tx_index = w.tx_index
        and r.block_height between ${bounds.min} and ${key.height}
      join raw.blocks b on b.height = w.block_height and b.height between ${bounds.min} and ${key.height}
      left join app.ft_token_metadata m on m.token = w.token
    )
    select seen.examined, l.block_height, encode(r.id, 'hex') as tx_id, l.event_index, l.leg,
      coalesce((select jsonb_agg(transfer order by nth) from shown), '[]') as rows
    from (select count(*) as examined from examined) as seen
    left join examined l on l.nth = seen.examined
    left join raw.transactions r on r.block_height = l.block_height and r.tx_index = l.tx_index
      and r.block_height between ${bounds.min} and ${key.height}
  `)
  const { examined, block_height, tx_id, event_index, leg, rows } = row
  const isEnd = examined < mostExamined || block_height === null || tx_id === null || event_index === null || leg === null
  return { rows, last: isEnd ? undefined : { block_height, tx_id, event_index, leg } }
}
