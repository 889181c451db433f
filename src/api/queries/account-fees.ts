import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import type { Bounds } from '../paging/bounds.ts'
import { readEventPage } from '../paging/event-pages.ts'
import { ftTransferRow } from '../presenters/ft-transfer.ts'
import type { FtTransferRow } from '../presenters/ft-transfer.ts'
import { completed } from './ft-transfers.ts'
import type { TransferKey, TransferSpan } from './transfer-pages.ts'

/**
 * Up to `count` fees that an account paid for transactions, before a place, newest first. No index is of fees: they are found by
 * the transactions of the account, so that what is read are those of the heights, also the ones that others paid for.
 */
export async function listAccountFees(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  before: TransferKey | undefined,
  count: number,
): Promise<readonly FtTransferRow[]> {
  return readEventPage(bounds, before, count, (span) =>
    database.any(sql.type(ftTransferRow)`
    ${completed(selectFees(address, span), span)}
  `),
  )
}

/** All fees that an account paid within some heights: rows of app.ft_transfers. */
export function selectAllFees(address: string, { min, max }: Bounds): FragmentSqlToken {
  return sql.fragment`select fee.* from ${feesOf(address, { low: min, high: max })}`
}

function selectFees(address: string, { low, high, before, count }: TransferSpan): FragmentSqlToken {
  const isBefore =
    before === undefined || before.height > high
      ? sql.fragment`true`
      : sql.fragment`
    (t.block_height, t.tx_index) <= (${before.height}, ${before.txIndex})
    and (fee.block_height, fee.tx_index, fee.event_index, fee.leg)
      < (${before.height}, ${before.txIndex}, ${before.eventIndex}, ${before.leg})
  `
  return sql.fragment`
    select fee.* from ${feesOf(address, { low, high })} and ${isBefore}
    order by t.block_height desc, t.tx_index desc, fee.event_index desc, fee.leg desc
    limit ${count}
  `
}

/**
 * The transactions `t` of an account with their `fee`, looked up one by one: `offset 0` keeps the planner from reading all
 * transfers of the heights. Fees are the movements that are named so, and not the sums of app.tx_metrics: each movement is
 * a transfer or a fee, and never both.
 */
function feesOf(address: string, { low, high }: { readonly low: number; readonly high: number }): FragmentSqlToken {
  return sql.fragment`
    app.address_transactions t cross join lateral (
      select * from app.ft_transfers f
      where f.block_height = t.block_height and f.tx_index = t.tx_index and f.block_height between ${low} and ${high}
        and f.transfer_type = 'fee' and f.from_address = ${address}
      offset 0
    ) as fee
    where t.address = ${address} and t.is_payer and t.block_height between ${low} and ${high}
  `
}
