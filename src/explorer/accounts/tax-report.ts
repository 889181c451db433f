import { csvLine } from '../../platform/csv.ts'
import type { CsvValue } from '../../platform/csv.ts'
import { ApiError } from '../../platform/errors.ts'
import type { DayRange } from '../parameters.ts'
import { Readable } from 'node:stream'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { contractParts, addressFormat, amountFormat, countFormat } from '../formats.ts'
import { AnswerStream } from '../../platform/http/route.ts'
import { nftTypeFormat } from '../nfts/schema.ts'
import { readBounds, readHeightsOf } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { page } from '../paging/pages.ts'
import { dayParameter, accountParameter, cursorParameter, limitParameter, dayFormat } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { isKnownAccount } from '../tokens/queries.ts'
import { readNewestPrice } from '../tokens/prices.ts'
import { tokenFormat } from '../tokens/schema.ts'
import { findTransferKey, transferCursorOf } from '../tokens/transfer-lists.ts'
import type { TransferKey } from '../tokens/transfer-lists.ts'
import { transferCursorForm, transferCursorPattern } from '../transactions/queries.ts'
import {
  exampleTaxReport,
  transferKeyOf,
  countAccountTransactions,
  countAccountTransfers,
  countNftTransfers,
  listAccountEntries,
  sumFtTransfers,
  accountFeeSchema,
  accountTransferSchema,
  presentAccountFee,
  presentAccountTransfer,
} from './transfers.ts'
import type { FtTotals, NftTotals, AccountFeeRow, AccountTransferRow } from './transfers.ts'

/** Limit of JSON reports (leap year): their totals cover all pages. */
export const maxReportDays = 366
const dayMs = 86_400_000

/**
 * Defaults to one year if a date is missing.
 *
 * @param newest time of the newest stored block
 *
 * @throws ApiError 400 if the range is empty or longer than `maxDays`
 */
export function resolveTaxDays(
  requested: { readonly start_date?: string | undefined; readonly end_date?: string | undefined },
  newest: string | undefined,
  maxDays: number = maxReportDays,
): DayRange | undefined {
  const { start_date: start, end_date: end } = requested
  const to = end ?? (start === undefined ? newest?.slice(0, 10) : shifted(start, maxReportDays - 1))
  if (to === undefined) return undefined
  const from = start ?? shifted(to, 1 - maxReportDays)
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (length < 1) throw invalidDay(`must not be before "start_date" (${from})`)
  if (length > maxDays) {
    throw invalidDay(
      `must be less than ${maxDays} days after "start_date" (${from}): request one year at a time, or use format=csv`,
    )
  }
  return { from, to }
}

function invalidDay(problem: string): ApiError {
  return new ApiError(400, 'invalid-parameter', `Parameter "end_date" ${problem}.`, { field: 'end_date' })
}

function shifted(day: string, days: number): string {
  const time = Date.parse(day) + days * dayMs
  return new Date(Math.min(Math.max(time, Date.parse('0001-01-01')), Date.parse('9999-12-31')))
    .toISOString()
    .slice(0, 10)
}

const tokenTotalsSchema = z
  .strictObject({
    token: tokenFormat,
    name: z.string().describe('Published name, else contract name.'),
    symbol: z.string().nullable(),
    received: amountFormat.describe('Tokens received.'),
    sent: amountFormat.describe('Tokens sent, excluding fees.'),
    fees: amountFormat.describe('Transaction fees; 0 for tokens other than FLOW.'),
    net: amountFormat.describe('received minus sent and fees.'),
    received_count: countFormat,
    sent_count: countFormat.describe('Self-transfers are included in both counts.'),
    fee_count: countFormat.describe('Transactions paid for.'),
  })
  .meta({ id: 'TaxReportToken' })

const collectionTotalsSchema = z
  .strictObject({
    nft_type: nftTypeFormat.nullable().describe('Null for burned items of unknown collection.'),
    received_count: countFormat,
    sent_count: countFormat,
  })
  .meta({ id: 'TaxReportCollection' })

const taxEntrySchema = z.discriminatedUnion('type', [...accountTransferSchema.options, accountFeeSchema])
export type TaxEntry = z.output<typeof taxEntrySchema>

type TaxEntryRow = AccountTransferRow | AccountFeeRow

const taxReportSchema = z
  .strictObject({
    address: addressFormat,
    start_date: dayFormat.describe('First day, UTC.'),
    end_date: dayFormat.describe('Last day, UTC, inclusive.'),
    total_transfers: countFormat
      .nullable()
      .describe('Transfers of all pages. Totals are null except on the first page.'),
    ft_transfers: countFormat.nullable().describe('Fungible token transfers.'),
    nft_transfers: countFormat.nullable().describe('NFT transfers.'),
    fee_count: countFormat.nullable().describe('Transactions paid for.'),
    total_fees: amountFormat.nullable().describe('Fees paid, in FLOW.'),
    tokens: z.array(tokenTotalsSchema).nullable().describe('Totals per fungible token, of all pages.'),
    collections: z.array(collectionTotalsSchema).nullable().describe('Totals per collection, of all pages.'),
    flow_price_usd: amountFormat
      .nullable()
      .describe('Current price of FLOW in US dollars; null without a price from the last 48 hours.'),
    transfers: z.array(taxEntrySchema).describe('Transfers and fees of this page, newest first.'),
  })
  .meta({ id: 'TaxReport' })
export type TaxReport = z.output<typeof taxReportSchema>

interface TaxTotals {
  readonly tokens: readonly FtTotals[]
  readonly collections: readonly NftTotals[]
}

function presentTaxEntry(entry: TaxEntryRow, address: string): TaxEntry {
  return entry.type === 'fee' ? presentAccountFee(entry, address) : presentAccountTransfer(entry, address)
}

/** @param totals only on the first page */
function presentTaxReport(
  address: string,
  days: DayRange,
  totals: TaxTotals | undefined,
  flowPrice: string | null,
  transfers: TaxEntry[],
): TaxReport {
  const count = (rows: readonly { readonly transfer_count: number }[] | undefined): number | null =>
    rows === undefined ? null : rows.reduce((sum, row) => sum + row.transfer_count, 0)
  const [fungible, items] = [count(totals?.tokens), count(totals?.collections)]
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

export interface CsvLimits {
  /** Includes fees. */
  readonly maxRows: number
  readonly maxMs: number
}

export const csvLimits: CsvLimits = { maxRows: 500_000, maxMs: 300_000 }

const columns: ReadonlyArray<readonly [name: string, value: (transfer: TaxEntry) => CsvValue]> = [
  ['timestamp', (transfer) => transfer.timestamp],
  ['type', (transfer) => transfer.type],
  ['direction', (transfer) => transfer.direction],
  ['transfer_type', (transfer) => transfer.transfer_type],
  ['token', (transfer) => (transfer.type === 'nft' ? transfer.nft_type : transfer.token.token)],
  ['name', (transfer) => (transfer.type === 'nft' ? transfer.name : transfer.token.name)],
  ['symbol', (transfer) => (transfer.type === 'nft' ? null : transfer.token.symbol)],
  ['nft_id', (transfer) => (transfer.type === 'nft' ? transfer.nft_id : null)],
  ['amount', (transfer) => (transfer.type === 'nft' ? '1' : transfer.amount)],
  ['sender', (transfer) => transfer.sender],
  ['receiver', (transfer) => transfer.receiver],
  ['approx_usd_price', (transfer) => (transfer.type === 'nft' ? null : transfer.approx_usd_price)],
  ['usd_value', (transfer) => (transfer.type === 'nft' ? null : transfer.usd_value)],
  ['transaction_hash', (transfer) => transfer.transaction_hash],
  ['block_height', (transfer) => transfer.block_height],
  ['event_index', (transfer) => transfer.event_index],
  ['leg', (transfer) => transfer.leg],
]

const batchSize = 500

const incompleteMark = '#incomplete'

/**
 * Newest first. Each batch is a separate query, so a slow client holds no connection or snapshot. A
 * file that exceeds a limit ends with an explanatory line.
 */
export function streamTaxCsv(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  limits = csvLimits,
): Readable {
  return Readable.from(batches(database, bounds, address, limits), { objectMode: false, highWaterMark: 1 })
}

async function* batches(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
  { maxRows, maxMs }: CsvLimits,
): AsyncGenerator<string, void, undefined> {
  const end = performance.now() + maxMs
  yield csvLine(columns.map(([name]) => name))
  let before: TransferKey | undefined
  let lastTime = ''
  for (let left = maxRows; ; left -= batchSize) {
    if (performance.now() > end) {
      yield incompleteLine(`it took longer than ${maxMs / 1000} s`, lastTime)
      return
    }
    const rows = await listAccountEntries(database, bounds, address, before, Math.min(batchSize, left) + 1)
    const entries = rows.slice(0, Math.min(batchSize, left)).map((row) => presentTaxEntry(row, address))
    if (entries.length === 0) return
    yield entries.map((transfer) => csvLine(columns.map(([, value]) => value(transfer)))).join('')
    lastTime = entries.at(-1)?.timestamp ?? lastTime
    const last = rows.at(entries.length - 1)
    if (last === undefined || rows.length === entries.length) return
    if (left <= batchSize) {
      yield incompleteLine(`it has more than ${maxRows} transfers and fees`, lastTime)
      return
    }
    before = transferKeyOf(last)
  }
}

/** @param lastTime time of the last transfer; empty without transfers */
function incompleteLine(why: string, lastTime: string): string {
  const day = lastTime.slice(0, 10)
  const rest = day === '' ? 'Request fewer days.' : `Request the rest with end_date=${day}, which repeats that day.`
  return csvLine([incompleteMark, `This file is incomplete: ${why}. ${rest}`])
}

const csvType = 'text/csv'

const taxReport = defineRoute({
  path: '/flow/account/{address}/tax-report',
  operationId: 'getTaxReport',
  cost: 'high',
  tag: 'Accounts',
  summary: 'Transfers and fees of an account with totals, as JSON or CSV',
  description:
    'Token transfers, NFT transfers and transaction fees, newest first. `format=csv` or `Accept: text/csv` returns ' +
    'all of them, one per line, for any number of days. ' +
    `Reports of more than ${csvLimits.maxRows} transfers, or as many transactions of the account, are rejected with ` +
    '400 `too-many-rows`. A CSV that exceeds ' +
    `this number including fees, or takes longer than ${csvLimits.maxMs / 1000} s to download, ends with a line that ` +
    `starts with \`${incompleteMark}\` and names the \`end_date\` for the rest. ` +
    `JSON reports cover up to ${maxReportDays} days.`,
  params: z.object({ address: accountParameter() }),
  query: z.object({
    start_date: dayParameter('First day, UTC. Default: one year before end_date.'),
    end_date: dayParameter('Last day, UTC, inclusive. Default: one year after start_date, or the newest indexed day.'),
    format: z.enum(['json', 'csv']).optional().describe('Overrides the `Accept` header.'),
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorParameter(transferCursorPattern, transferCursorForm),
  }),
  response: z
    .strictObject({
      data: z.array(taxReportSchema).length(1),
      has_more: z.boolean().describe('Whether there is a next page.'),
      cursor: z.string().describe('Cursor of the next page, for the same days; empty on the last page.'),
      _meta: z.strictObject({ limit: z.int(), count: z.int().describe('Number of transfers and fees in this page.') }),
    })
    .meta({ id: 'TaxReportAnswer' }),
  otherTypes: { [csvType]: 'All transfers and fees, one per line, after a header line.' },
  problems: { 404: 'The account is not indexed.' },
  example: { data: [exampleTaxReport], has_more: false, cursor: '', _meta: { limit: 20, count: 3 } },
  handler: async ({ params: { address }, query, mediaType }, services) => {
    const { database } = services
    const { limit, cursor, format = mediaType === csvType ? 'csv' : 'json' } = query
    const { days, bounds } = await findReport(address, query, format === 'csv' ? Infinity : maxReportDays, services)
    await refuseTooManyTransactions(address, bounds, services)
    if (format === 'csv') {
      await refuseTooManyTransfers(address, bounds, services)
      return {
        body: new AnswerStream(
          `${csvType}; charset=utf-8`,
          streamTaxCsv(database, bounds, address, services.csvLimits),
        ),
        caching: 'never',
        headers: { 'Content-Disposition': `attachment; filename="${address}-${days.from}-${days.to}.csv"` },
      }
    }
    const before = await findTransferKey(database, cursor)
    if (before === undefined) await refuseTooManyTransfers(address, bounds, services)
    // Sequential, to use few connections for expensive calls.
    const rows = await listAccountEntries(database, bounds, address, before, limit + 1)
    const totals = before === undefined ? await readTotals(address, bounds, services) : undefined
    const flowPrice = await readNewestPrice(database, `A.${coreContracts(services.network()).flowToken}.FlowToken`)
    const { data, ...rest } = page(
      rows,
      limit,
      (row) => presentTaxEntry(row, address),
      ({ row }) => transferCursorOf(row),
    )
    return {
      body: {
        data: [presentTaxReport(address, days, totals, flowPrice, data)],
        has_more: rest.has_more,
        cursor: rest.cursor,
        _meta: { limit, count: data.length },
      },
      caching: 'never',
    }
  },
})

async function findReport(
  address: string,
  query: { readonly start_date?: string | undefined; readonly end_date?: string | undefined },
  maxDays: number,
  { database }: Services,
): Promise<{ days: DayRange; bounds: Bounds | undefined }> {
  const [stored, isKnown] = await Promise.all([readBounds(database), isKnownAccount(database, address)])
  const newest = stored === undefined ? undefined : (await readBlockTimes(database, [stored.max])).get(stored.max)
  const days = resolveTaxDays(query, newest, maxDays)
  if (stored === undefined || !isKnown || days === undefined) {
    throw new ApiError(404, 'unknown-account', `Account ${address} is not indexed.`, { field: 'address' })
  }
  const end = new Date(Date.parse(days.to) + 86_400_000).toISOString()
  return { days, bounds: await readHeightsOf(database, stored, { from: `${days.from}T00:00:00.000Z`, to: end }) }
}

/** Bounds the lookups of fees, on every page: a page of an account without fees looks at all transactions. */
async function refuseTooManyTransactions(
  address: string,
  bounds: Bounds | undefined,
  { database, csvLimits: { maxRows } }: Services,
): Promise<void> {
  if ((await countAccountTransactions(database, bounds, address, maxRows)) > maxRows) {
    throw tooLong(maxRows, 'transactions')
  }
}

async function refuseTooManyTransfers(
  address: string,
  bounds: Bounds | undefined,
  { database, csvLimits: { maxRows } }: Services,
): Promise<void> {
  if ((await countAccountTransfers(database, bounds, address, maxRows)) > maxRows) throw tooLong(maxRows, 'transfers')
}

function tooLong(maxRows: number, what: string): ApiError {
  const detail = `Report too long: the account has more than ${maxRows} ${what} in this period. Request fewer days.`
  return new ApiError(400, 'too-many-rows', detail, { field: 'start_date' })
}

async function readTotals(
  address: string,
  bounds: Bounds | undefined,
  { database }: Services,
): Promise<{
  tokens: Awaited<ReturnType<typeof sumFtTransfers>>
  collections: Awaited<ReturnType<typeof countNftTransfers>>
}> {
  if (bounds === undefined) return { tokens: [], collections: [] }
  const tokens = await sumFtTransfers(database, bounds, address)
  const collections = await countNftTransfers(database, bounds, address)
  return { tokens, collections }
}

export const taxReportRoutes = [taxReport]
