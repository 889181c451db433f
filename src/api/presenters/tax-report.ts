import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { dayFormat } from '../parameters/day-range.ts'
import type { DayRange } from '../parameters/day-range.ts'
import { addressFormat, amountFormat, countFormat } from '../formats/formats.ts'
import type { FtTotals, NftTotals } from '../queries/account-transfers.ts'
import {
  accountFeeSchema,
  accountTransferSchema,
  presentAccountFee,
  presentAccountTransfer,
} from './account-transfer.ts'
import type { AccountFeeRow, AccountTransferRow } from './account-transfer.ts'
import { tokenFormat } from './fungible-token.ts'
import { nftTypeFormat } from './nft-collection.ts'

const tokenTotalsSchema = z
  .strictObject({
    token: tokenFormat,
    name: z.string().describe('What the contract calls the token, else the name of the contract.'),
    symbol: z.string().nullable(),
    received: amountFormat.describe('Whole tokens that it got.'),
    sent: amountFormat.describe('Whole tokens that it gave, fees aside.'),
    fees: amountFormat.describe('Whole tokens that it paid for transactions: 0 but of FLOW.'),
    net: amountFormat.describe('received less sent and fees.'),
    received_count: countFormat,
    sent_count: countFormat.describe('A transfer from the account to itself is in both counts.'),
    fee_count: countFormat.describe('Transactions that it paid for.'),
  })
  .meta({ id: 'TaxReportToken' })

const collectionTotalsSchema = z
  .strictObject({
    nft_type: nftTypeFormat.nullable().describe('Null: items were destroyed of which the collection is not told.'),
    received_count: countFormat,
    sent_count: countFormat,
  })
  .meta({ id: 'TaxReportCollection' })

/** What an account got, gave or paid. */
const taxEntrySchema = z.discriminatedUnion('type', [...accountTransferSchema.options, accountFeeSchema])
export type TaxEntry = z.output<typeof taxEntrySchema>

/** As it is read from the database. */
export type TaxEntryRow = AccountTransferRow | AccountFeeRow

export const taxReportSchema = z
  .strictObject({
    address: addressFormat,
    start_date: dayFormat.describe('First day of the report, UTC.'),
    end_date: dayFormat.describe('Last day of the report, UTC, inclusive.'),
    total_transfers: countFormat
      .nullable()
      .describe('Transfers of these days, on all pages. As all totals, null but on the first page.'),
    ft_transfers: countFormat.nullable().describe('Those of fungible tokens.'),
    nft_transfers: countFormat.nullable().describe('Those of items.'),
    fee_count: countFormat.nullable().describe('Transactions of these days that it paid for.'),
    total_fees: amountFormat.nullable().describe('What it paid for them, in FLOW.'),
    tokens: z
      .array(tokenTotalsSchema)
      .nullable()
      .describe('Totals of these days for each fungible token, on all pages.'),
    collections: z
      .array(collectionTotalsSchema)
      .nullable()
      .describe('Totals of these days for each collection, on all pages.'),
    flow_price_usd: amountFormat
      .nullable()
      .describe('US dollars for one FLOW now; null where no price of the last two days is known.'),
    transfers: z.array(taxEntrySchema).describe('Of this page, fees among them, the newest first.'),
  })
  .meta({ id: 'TaxReport' })
export type TaxReport = z.output<typeof taxReportSchema>

export interface TaxTotals {
  readonly tokens: readonly FtTotals[]
  readonly collections: readonly NftTotals[]
}

export function presentTaxEntry(entry: TaxEntryRow, address: string): TaxEntry {
  return entry.type === 'fee' ? presentAccountFee(entry, address) : presentAccountTransfer(entry, address)
}

/** @param totals undefined on pages that are not the first */
export function presentTaxReport(
  address: string,
  days: DayRange,
  totals: TaxTotals | undefined,
  flowPrice: string | null,
  transfers: TaxEntry[],
): TaxReport {
  const count = (rows: readonly { readonly transfer_count: number }[] | undefined): number | null =>
    rows === undefined ? null : rows.reduce((sum, row) => sum + row.transfer_count, 0)
  const [fungible, items] = [count(totals?.tokens), count(totals?.collections)]
  // All fees are paid in FLOW.
  const paid = totals?.tokens.find((token) => token.fee_count > 0) ?? { fee_count: 0, fees: '0.00000000' }
  return {
    address,
    start_date: days.from,
    end_date: days.to,
    total_transfers: fungible === null || items === null ? null : fungible + items,
    ft_transfers: fungible,
    nft_transfers: items,
    fee_count: totals === undefined ? null : paid.fee_count,
    total_fees: totals === undefined ? null : paid.fees,
    tokens:
      totals?.tokens.map(({ token, name, symbol, transfer_count: _count, ...sums }) => ({
        token,
        name: name ?? contractParts(token).name,
        symbol,
        ...sums,
      })) ?? null,
    collections:
      totals?.collections.map(({ token, received_count, sent_count }) => ({
        nft_type: token,
        received_count,
        sent_count,
      })) ?? null,
    flow_price_usd: flowPrice,
    transfers,
  }
}
