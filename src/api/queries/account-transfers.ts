import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../paging/bounds.ts'
import { transferKeyOf } from '../presenters/account-transfer.ts'
import type { AccountFeeRow, AccountTransferRow } from '../presenters/account-transfer.ts'
import { listAccountFees, selectAllFees } from './account-fees.ts'
import { listFtTransfers } from './ft-transfers.ts'
import { listNftTransfers } from './nft-transfers.ts'
import { ftTransfers, nftTransfers } from './transfer-pages.ts'
import type { TransferKey, TransferTable } from './transfer-pages.ts'

/**
 * Up to `count` transfers of both kinds that an account gave or got, before a place, newest first. As many of each are
 * read, since all may be of one kind. No event makes transfers of both, so that their places tell them apart.
 */
export async function listAccountTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  before: TransferKey | undefined,
  count: number,
): Promise<readonly AccountTransferRow[]> {
  // One after the other: a download uses one of the connections that all calls share.
  const fungible = await listFtTransfers(database, bounds, { address }, before, count)
  const nonFungible = await listNftTransfers(database, bounds, { address }, before, count)
  const merged: AccountTransferRow[] = [
    ...fungible.map((row) => ({ type: 'ft' as const, row })),
    ...nonFungible.map((row) => ({ type: 'nft' as const, row })),
  ]
  return newestFirst(merged).slice(0, count)
}

/**
 * The same with the fees that the account paid. Fees are read no further down than the page goes: looking for them costs by
 * the transactions of these heights, and an account may have very many that others paid for.
 */
export async function listAccountEntries(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  before: TransferKey | undefined,
  count: number,
): Promise<ReadonlyArray<AccountTransferRow | AccountFeeRow>> {
  const transfers = await listAccountTransfers(database, bounds, address, before, count)
  const last = transfers.length < count ? undefined : transfers.at(-1)
  const ofPage = bounds === undefined || last === undefined ? bounds : { ...bounds, min: last.row.block_height }
  const fees = await listAccountFees(database, ofPage, address, before, count)
  return newestFirst([...transfers, ...fees.map((row) => ({ type: 'fee' as const, row }))]).slice(0, count)
}

function newestFirst<Row extends AccountTransferRow | AccountFeeRow>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => compareKeys(transferKeyOf(b), transferKeyOf(a)))
}

function compareKeys(a: TransferKey, b: TransferKey): number {
  return a.height - b.height || a.txIndex - b.txIndex || a.eventIndex - b.eventIndex || a.leg - b.leg
}

const ftTotals = z.object({
  token: z.string(),
  received: z.string(),
  sent: z.string(),
  fees: z.string(),
  net: z.string(),
  received_count: z.number(),
  sent_count: z.number(),
  fee_count: z.number(),
  transfer_count: z.number(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
})
export type FtTotals = z.output<typeof ftTotals>

/** What an account got, gave and paid of each fungible token within some heights: reads each of these transfers, by the indexes. */
export async function sumFtTransfers(
  database: DatabasePool,
  bounds: Bounds,
  address: string,
): Promise<readonly FtTotals[]> {
  return database.any(sql.type(ftTotals)`
    select s.*, m.name, m.symbol from (
      select token, coalesce(sum(amount) filter (where is_in), 0.00000000)::text as received,
        coalesce(sum(amount) filter (where not is_in), 0.00000000)::text as sent,
        coalesce(sum(amount) filter (where is_in is null), 0.00000000)::text as fees,
        sum(case when is_in then amount else -amount end)::text as net,
        count(*) filter (where is_in) as received_count, count(*) filter (where not is_in) as sent_count,
        count(*) filter (where is_in is null) as fee_count, count(*) filter (where is_first) as transfer_count
      from (
        ${sidesOf(ftTransfers, bounds, address)}
        union all
        select *, null, false from (${selectAllFees(address, bounds)}) as paid
      ) as sides
      group by token
    ) s left join app.ft_token_metadata m on m.token = s.token
    order by s.transfer_count desc, s.token
  `)
}

/**
 * How many transfers an account has within some heights, without fees: exact up to `max`, else one more.
 * Reads the indexes of both sides no further than that.
 */
export async function countAccountTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  max: number,
): Promise<number> {
  if (bounds === undefined) return 0
  const { count } = await database.one(sql.type(z.object({ count: z.number() }))`
    select count(*) filter (where is_first) as count from (
      select is_first from (
        select is_first from (${sidesOf(ftTransfers, bounds, address)}) as fungible
        union all
        select is_first from (${sidesOf(nftTransfers, bounds, address)}) as items
      ) as sides
      where is_first
      limit ${max + 1}
    ) as counted
  `)
  return count
}

const nftTotals = z.object({
  token: z.string().nullable(),
  received_count: z.number(),
  sent_count: z.number(),
  transfer_count: z.number(),
})
export type NftTotals = z.output<typeof nftTotals>

/** How many items of each collection an account got and gave within some heights. */
export async function countNftTransfers(
  database: DatabasePool,
  bounds: Bounds,
  address: string,
): Promise<readonly NftTotals[]> {
  return database.any(sql.type(nftTotals)`
    select token, count(*) filter (where is_in) as received_count, count(*) filter (where not is_in) as sent_count,
      count(*) filter (where is_first) as transfer_count
    from (${sidesOf(nftTransfers, bounds, address)}) as sides
    group by token
    order by transfer_count desc, token
  `)
}

/** Each transfer as the receiver has it, and as the sender has it; `is_first` is true of one row a transfer. */
function sidesOf({ name, listed }: TransferTable, { min, max }: Bounds, address: string): FragmentSqlToken {
  return sql.fragment`
    select *, true as is_in, true as is_first from ${name}
    where to_address = ${address} and block_height between ${min} and ${max} and ${listed}
    union all
    select *, false, to_address is distinct from ${address} from ${name}
    where from_address = ${address} and block_height between ${min} and ${max} and ${listed}
  `
}
