import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import type { Bounds } from '../paging/bounds.ts'
import { ftTransferRow } from '../presenters/ft-transfer.ts'
import type { FtTransferRow } from '../presenters/ft-transfer.ts'
import { blockOf, transactionIdOf } from './transactions.ts'
import { ftTransfers, readTransferPage, selectTransfers } from './transfer-pages.ts'
import type { PageHeights, TransferKey, TransferSelection } from './transfer-pages.ts'

/** Up to `count` transfers before a place, newest first, fees aside. */
export async function listFtTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  selection: TransferSelection,
  before: TransferKey | undefined,
  count: number,
): Promise<readonly FtTransferRow[]> {
  return readTransferPage(database, bounds, before, count, {
    table: ftTransfers,
    select: (span) => selectTransfers(ftTransfers, selection, span),
    complete: (rows, heights) => database.any(sql.prepared('FT transfers', ftTransferRow)`${completed(rows, heights)}`),
  })
}

/** A page of app.ft_transfers with what its rows do not hold themselves, each looked up by its key. */
export function completed(page: FragmentSqlToken, { low, high }: PageHeights): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${page})
    select t.block_height, t.tx_index, t.event_index, t.leg, encode(r.id, 'hex') as transaction_hash, b.timestamp, t.token,
      t.from_address, t.to_address, t.transfer_type, t.amount::text as amount, m.name, m.symbol, m.decimals, m.logo,
      p.price::text as usd_price, trim_scale(t.amount * p.price)::text as usd_value
    from page t
    cross join lateral ${blockOf(sql.fragment`t.block_height`, low, high)} b
    cross join lateral ${transactionIdOf(sql.fragment`t`, low, high)} r
    left join app.ft_token_metadata m on m.token = t.token
    left join lateral (${priceAt(sql.fragment`t.token`, sql.fragment`b.timestamp`)}) p on true
    order by t.block_height desc, t.tx_index desc, t.event_index desc, t.leg desc
  `
}

/** The last price of a token in US dollars at a time, if one is known of the two days before it. */
export function priceAt(token: FragmentSqlToken, time: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select price from app.prices
    where token = ${token} and currency = 'USD' and price_time <= ${time} and price_time > ${time} - interval '48 hours'
    order by price_time desc
    limit 1
  `
}
