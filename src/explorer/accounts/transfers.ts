import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { exampleNftTransfer, nftTransferSchema, presentNftTransfer } from '../nfts/schema.ts'
import type { NftTransferRow } from '../nfts/schema.ts'
import { listNftTransfers } from '../nfts/transfers.ts'
import type { Bounds } from '../paging/bounds.ts'
import { listOf, page } from '../paging/pages.ts'
import { readEventPage } from '../paging/event-pages.ts'
import type { EventSpan } from '../paging/event-pages.ts'
import {
  exampleFtTransferOfAccount,
  exampleFungibleToken,
  ftTransferRow,
  ftTransferSchema,
  presentFtTransfer,
} from '../tokens/schema.ts'
import type { FtTransferRow } from '../tokens/schema.ts'
import {
  directionParameter,
  findTransferScope,
  ftTransfers,
  nftTransfers,
  partyOf,
  transferCursorOf,
  transferPageParameters,
} from '../tokens/transfer-lists.ts'
import { accountParameter, contractParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { TransferKey, TransferTable } from '../tokens/transfer-lists.ts'
import { listFtTransfers, completed } from '../tokens/transfers.ts'
import type { TaxReport } from './tax-report.ts'

interface AccountTransferSelection extends ReturnType<typeof partyOf> {
  readonly type?: 'ft' | 'nft' | undefined
  /** Or a collection. */
  readonly token?: string | undefined
}

/** Reads `count` of each kind, as all results may be of one kind. */
export async function listAccountTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  { type, ...selection }: AccountTransferSelection,
  before: TransferKey | undefined,
  count: number,
): Promise<readonly AccountTransferRow[]> {
  // Sequential, to use one shared connection.
  const fungible = type === 'nft' ? [] : await listFtTransfers(database, bounds, selection, before, count)
  const nonFungible = type === 'ft' ? [] : await listNftTransfers(database, bounds, selection, before, count)
  const merged: AccountTransferRow[] = [
    ...fungible.map((row) => ({ type: 'ft' as const, row })),
    ...nonFungible.map((row) => ({ type: 'nft' as const, row })),
  ]
  return newestFirst(merged).slice(0, count)
}

/**
 * Reads fees down to the last transfer of the page only: each costs one lookup per transaction of
 * the account.
 */
export async function listAccountEntries(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  before: TransferKey | undefined,
  count: number,
): Promise<ReadonlyArray<AccountTransferRow | AccountFeeRow>> {
  const transfers = await listAccountTransfers(database, bounds, { address }, before, count)
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

/** Reads every transfer by index. */
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

const countRow = z.object({ count: z.number() })

/** Excludes fees. Returns `max + 1` for more than `max` transfers. */
export async function countAccountTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  max: number,
): Promise<number> {
  if (bounds === undefined) return 0
  const rows = sql.fragment`
    select from (
      select is_first from (${sidesOf(ftTransfers, bounds, address)}) as fungible
      union all
      select is_first from (${sidesOf(nftTransfers, bounds, address)}) as items
    ) as sides
    where is_first
  `
  return countRows(database, rows, max)
}

/**
 * In any role, as the index does not cover payers. Fees cost one lookup each. Returns `max + 1` for
 * more than `max`.
 */
export async function countAccountTransactions(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  max: number,
): Promise<number> {
  if (bounds === undefined) return 0
  const rows = sql.fragment`
    select from app.address_transactions
    where address = ${address} and block_height between ${bounds.min} and ${bounds.max}
  `
  return countRows(database, rows, max)
}

async function countRows(database: DatabasePool, rows: FragmentSqlToken, max: number): Promise<number> {
  const { count } = await database.one(sql.type(countRow)`
    select count(*) as count from (${rows} limit ${max + 1}) as counted
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

function sidesOf({ name, listed }: TransferTable, { min, max }: Bounds, address: string): FragmentSqlToken {
  return sql.fragment`
    select *, true as is_in, true as is_first from ${name}
    where to_address = ${address} and block_height between ${min} and ${max} and ${listed}
    union all
    select *, false, to_address is distinct from ${address} from ${name}
    where from_address = ${address} and block_height between ${min} and ${max} and ${listed}
  `
}

const ftFeeRow = ftTransferRow.extend({ transfer_type: z.literal('fee') })
type FtFeeRow = z.output<typeof ftFeeRow>

/** Newest first. No index covers fees, so they are found by the transactions of the account. */
async function listAccountFees(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  before: TransferKey | undefined,
  count: number,
): Promise<readonly FtFeeRow[]> {
  return readEventPage(bounds, before, count, (span) =>
    database.any(sql.type(ftFeeRow)`${completed(selectFees(address, span), span)}`),
  )
}

function selectAllFees(address: string, { min, max }: Bounds): FragmentSqlToken {
  return sql.fragment`select fee.* from ${feesOf(address, { low: min, high: max })}`
}

function selectFees(address: string, { low, high, before, count }: EventSpan<TransferKey>): FragmentSqlToken {
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
 * `offset 0` forces a lookup per transaction instead of a scan of all transfers. Fees come from
 * app.ft_transfers, so each movement is either a transfer or a fee.
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

export const accountTransferSchema = z.discriminatedUnion('type', [
  ftTransferSchema.extend({ type: z.literal('ft') }).meta({ id: 'AccountFtTransfer' }),
  nftTransferSchema.extend({ type: z.literal('nft') }).meta({ id: 'AccountNftTransfer' }),
])
export type AccountTransfer = z.output<typeof accountTransferSchema>

export const accountFeeSchema = ftTransferSchema
  .extend({ type: z.literal('fee'), transfer_type: z.literal('fee') })
  .meta({ id: 'AccountFee' })
type AccountFee = z.output<typeof accountFeeSchema>

export type AccountTransferRow =
  | { readonly type: 'ft'; readonly row: FtTransferRow }
  | { readonly type: 'nft'; readonly row: NftTransferRow }

export interface AccountFeeRow {
  readonly type: 'fee'
  readonly row: FtFeeRow
}

export function presentAccountTransfer(transfer: AccountTransferRow, address: string): AccountTransfer {
  return transfer.type === 'ft'
    ? { type: 'ft', ...presentFtTransfer(transfer.row, address) }
    : { type: 'nft', ...presentNftTransfer(transfer.row, address) }
}

export function presentAccountFee({ row }: AccountFeeRow, address: string): AccountFee {
  return { type: 'fee', ...presentFtTransfer({ ...row, transfer_type: 'transfer' }, address), transfer_type: 'fee' }
}

export function transferKeyOf({ row }: AccountTransferRow | AccountFeeRow): TransferKey {
  return { height: row.block_height, txIndex: row.tx_index, eventIndex: row.event_index, leg: row.leg }
}

const address = '0x18eb4ee6b3c026d2'

export const exampleAccountTransfers: AccountTransfer[] = [
  { type: 'ft', ...exampleFtTransferOfAccount, address },
  { type: 'nft', ...exampleNftTransfer, address, receiver: address, direction: 'deposit' },
]

const exampleFee: AccountFee = {
  ...exampleFtTransferOfAccount,
  address,
  type: 'fee',
  transfer_type: 'fee',
  event_index: exampleFtTransferOfAccount.event_index + 4,
  sender: address,
  receiver: '0xf919ee77447b7497',
  direction: 'withdraw',
  amount: '0.00001250',
  approx_usd_price: '0.3412',
  usd_value: '0.000004265',
}

export const exampleTaxReport: TaxReport = {
  address,
  start_date: '2025-01-01',
  end_date: '2025-12-31',
  total_transfers: 2,
  ft_transfers: 1,
  nft_transfers: 1,
  fee_count: 1,
  total_fees: exampleFee.amount,
  tokens: [
    {
      token: exampleFungibleToken.id,
      name: exampleFungibleToken.name,
      symbol: 'FLOW',
      received: '0.00000000',
      sent: '10.00000000',
      fees: exampleFee.amount,
      net: '-10.00001250',
      received_count: 0,
      sent_count: 1,
      fee_count: 1,
    },
  ],
  collections: [{ nft_type: 'A.0b2a3299cc857e29.TopShot', received_count: 1, sent_count: 0 }],
  flow_price_usd: '0.3412',
  transfers: [exampleFee, ...exampleAccountTransfers],
}

const accountTransferList = defineRoute({
  path: '/flow/account/{address}/transfer',
  operationId: 'listTransfersOfAccount',
  tag: 'Accounts',
  summary: 'Token and NFT transfers of an account, newest first',
  description: 'Excludes transaction fees.',
  params: z.object({ address: accountParameter() }),
  query: z.object({
    ...transferPageParameters,
    direction: directionParameter,
    type: z.enum(['ft', 'nft'], 'must be ft or nft').optional().describe('Only fungible tokens, or only NFTs.'),
    token: contractParameter().optional().describe('Token or collection, `A.<address>.<name>`.'),
  }),
  response: listOf(accountTransferSchema, 'AccountTransfer'),
  example: { data: exampleAccountTransfers, has_more: false, cursor: '', _meta: { limit: 20, count: 2 } },
  handler: async ({ params: { address }, query }, services) => {
    const { bounds, before } = await findTransferScope(query, services)
    const selection = { ...partyOf(address, query.direction), type: query.type, token: query.token }
    const rows = await listAccountTransfers(services.database, bounds, selection, before, query.limit + 1)
    return {
      body: page(
        rows,
        query.limit,
        (row) => presentAccountTransfer(row, address),
        ({ row }) => transferCursorOf(row),
      ),
    }
  },
})

export const accountTransferRoutes = [accountTransferList]
