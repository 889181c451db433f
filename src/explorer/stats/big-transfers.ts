import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import {
  contractParts,
  addressFormat,
  amountFormat,
  countFormat,
  heightFormat,
  idFormat,
  timestampFormat,
} from '../formats.ts'
import type { Bounds } from '../paging/bounds.ts'
import { priceCurrency } from '../tokens/prices.ts'
import { ftTransferTypes } from '../tokens/schema.ts'
import { partyFormat } from '../tokens/transfer-lists.ts'
import type { TransferKey } from '../tokens/transfer-lists.ts'
import { blockOf, transactionIdOf } from '../transactions/queries.ts'

interface BigTransferSelection {
  /** US dollars, decimal. Transfers of unknown value are not filtered. */
  readonly minUsd: string
  /** Default: all. */
  readonly types: readonly BigTransferType[] | undefined
  /** The first price of this token marks the start of the price feed. */
  readonly flowToken: string
}

export interface BigTransferPage {
  readonly rows: readonly BigTransferRow[]
  /** Undefined at the end of the list. */
  readonly last:
    | { readonly block_height: number; readonly tx_id: string; readonly event_index: number; readonly leg: number }
    | undefined
}

/** Few of the rows may match. */
const maxExamined = 5000

/**
 * Newest first. May return fewer than `count` rows; the list then continues after the last examined
 * row.
 *
 * Transfers of unknown value, selected by amount, are included only before the first FLOW price.
 */
export async function listBigTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  before: TransferKey | undefined,
  selection: BigTransferSelection,
  count: number,
): Promise<BigTransferPage> {
  if (bounds === undefined) return { rows: [], last: undefined }
  const span = { low: bounds.min, before: before ?? { height: bounds.max + 1, txIndex: 0, eventIndex: 0, leg: 0 } }
  const rows = await readSelected(database, span, selection, count)
  return { rows, last: rows.length < count ? await findLastExamined(database, span) : undefined }
}

interface Span {
  readonly low: number
  readonly before: TransferKey
}

const newestFirst = sql.fragment`block_height desc, tx_index desc, event_index desc, leg desc`

function selectExamined({ low, before: { height, txIndex, eventIndex, leg } }: Span): FragmentSqlToken {
  return sql.fragment`
    select * from app.big_transfers
    where block_height between ${low} and ${height}
      and (block_height, tx_index, event_index, leg) < (${height}, ${txIndex}, ${eventIndex}, ${leg})
    order by ${newestFirst}
    limit ${maxExamined}
  `
}

/** Joins are key lookups, so reading stops with the page. */
async function readSelected(
  database: DatabasePool,
  span: Span,
  { minUsd, types, flowToken }: BigTransferSelection,
  count: number,
): Promise<readonly BigTransferRow[]> {
  const isWanted =
    types === undefined ? sql.fragment`true` : sql.fragment`kind.type = any (${sql.array(types, 'text')})`
  const {
    low,
    before: { height: high },
  } = span
  return database.any(sql.prepared('big transfers', bigTransferRow)`
    select encode(r.id, 'hex') as tx_id, e.block_height, e.tx_index, e.event_index, e.leg, b.timestamp, kind.type,
      t.transfer_type, e.token, m.symbol, m.logo, e.amount::text as amount,
      round(e.amount * p.price, 2)::text as usd_value, t.from_address, t.to_address
    from (${selectExamined(span)}) e
    cross join lateral ${blockOf(sql.fragment`e.block_height`, low, high)} b
    left join lateral (
      select price from app.prices
      where token = e.token and currency = ${priceCurrency} and price_time <= b.timestamp
        and price_time >= b.timestamp - interval '48 hours'
      order by price_time desc limit 1
    ) p on true
    cross join lateral (
      select from_address, to_address, transfer_type from app.ft_transfers f
      where f.block_height = e.block_height and f.tx_index = e.tx_index and f.event_index = e.event_index
        and f.leg = e.leg and f.block_height between ${low} and ${high}
      limit 1
    ) t
    cross join lateral (
      select case
        when t.transfer_type in ('mint', 'burn', 'bridge') then t.transfer_type
        when t.transfer_type in ('stake', 'unstake', 'reward') then 'staking'
        when exists (
          select from app.defi_events d
          where d.block_height = e.block_height and d.tx_index = e.tx_index and d.event_type = 'Swap'
            and d.block_height between ${low} and ${high}
        ) then 'swap'
        else 'transfer'
      end as type
    ) kind
    cross join lateral ${transactionIdOf(sql.fragment`e`, low, high)} r
    left join app.ft_token_metadata m on m.token = e.token
    where ${isWanted} and case
      when p.price is not null then e.amount * p.price >= ${minUsd}::numeric
      else b.timestamp < coalesce((
        select price_time from app.prices where token = ${flowToken} and currency = ${priceCurrency}
        order by price_time limit 1
      ), 'infinity')
    end
    order by e.block_height desc, e.tx_index desc, e.event_index desc, e.leg desc
    limit ${count}
  `)
}

const lastRow = z.object({
  examined: z.number(),
  block_height: z.number(),
  tx_id: z.string(),
  event_index: z.number(),
  leg: z.number(),
})

/** Undefined if there are fewer rows than the limit. */
async function findLastExamined(database: DatabasePool, span: Span): Promise<BigTransferPage['last']> {
  const row = await database.maybeOne(sql.prepared('last big transfer', lastRow)`
    select l.examined, l.block_height, encode(r.id, 'hex') as tx_id, l.event_index, l.leg
    from (
      select *, count(*) over () as examined from (${selectExamined(span)}) as e
      order by block_height, tx_index, event_index, leg
      limit 1
    ) as l
    join raw.transactions r on r.block_height = l.block_height and r.tx_index = l.tx_index
      and r.block_height between ${span.low} and ${span.before.height}
  `)
  return row === null || row.examined < maxExamined ? undefined : row
}

export const bigTransferTypes = ['mint', 'burn', 'transfer', 'swap', 'bridge', 'staking'] as const
export type BigTransferType = (typeof bigTransferTypes)[number]

export const bigTransferSchema = z
  .strictObject({
    tx_id: idFormat,
    block_height: heightFormat,
    tx_index: countFormat.describe('Index of the transaction in the block.'),
    event_index: countFormat.describe('Index of the deposit event in the transaction.'),
    leg: countFormat.describe('Index among the transfers of the same event; usually 0.'),
    timestamp: timestampFormat.describe('Block time.'),
    type: z
      .enum(bigTransferTypes)
      .describe('swap: transfer in a transaction with a swap. staking: stake, unstake or reward.'),
    transfer_type: z.enum(ftTransferTypes).describe('See FtTransfer.'),
    token: z.string().describe('`A.<address>.<name>`.'),
    token_symbol: z.string().nullable().describe('Null, like the logo, if not published or not read yet.'),
    token_contract_address: addressFormat.describe('Account that holds the contract.'),
    contract_name: z.string(),
    token_logo: z.string().nullable().describe('Image URL.'),
    amount: amountFormat.describe('Tokens.'),
    usd_value: amountFormat
      .nullable()
      .describe('Value in US dollars at the last price of the 48 hours before it; null if unknown.'),
    from_address: partyFormat.nullable().describe('Null for mints and unknown senders.'),
    to_address: partyFormat.nullable().describe('Null for burns and unknown receivers.'),
  })
  .meta({ id: 'BigTransfer' })
export type BigTransfer = z.output<typeof bigTransferSchema>

const bigTransferRow = z.object({
  tx_id: z.string(),
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  leg: z.number(),
  timestamp: z.string(),
  type: z.enum(bigTransferTypes),
  transfer_type: z.enum(ftTransferTypes),
  token: z.string(),
  symbol: z.string().nullable(),
  logo: z.string().nullable(),
  amount: z.string(),
  usd_value: z.string().nullable(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
})
type BigTransferRow = z.output<typeof bigTransferRow>

export function presentBigTransfer(row: BigTransferRow): BigTransfer {
  const { symbol, logo, token, ...same } = row
  const { name, address } = contractParts(token)
  return {
    ...same,
    token,
    token_symbol: symbol,
    token_logo: logo,
    token_contract_address: address,
    contract_name: name,
  }
}
