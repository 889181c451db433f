import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { coreContracts } from '../../chain/core-contracts.ts'
import { AnswerStream } from '../http/answer-stream.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { transferCursorForm, transferCursorPattern } from '../paging/cursors.ts'
import { dayParameter } from '../parameters/day-range.ts'
import type { DayRange } from '../parameters/day-range.ts'
import { page } from '../paging/envelope.ts'
import { exampleTaxReport } from '../examples/account-transfers.ts'
import { accountParameter, cursorParameter, limitParameter } from '../parameters/parameters.ts'
import { presentTaxEntry, presentTaxReport, taxReportSchema } from '../presenters/tax-report.ts'
import {
  countAccountTransfers,
  countNftTransfers,
  listAccountEntries,
  sumFtTransfers,
} from '../queries/account-transfers.ts'
import { isKnownAccount } from '../queries/ft-holdings.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { readNewestPrice } from '../queries/ft-prices.ts'
import { readHeightsOf } from '../queries/heights-at.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { mostReportDays, resolveTaxDays } from '../parameters/tax-days.ts'
import { csvLimits } from '../limits/csv-limits.ts'
import { incompleteMark, streamTaxCsv } from '../formats/tax-csv.ts'
import { findTransferKey, transferCursorOf } from '../paging/transfer-cursor.ts'

const csvType = 'text/csv'

const taxReport = defineRoute({
  path: '/flow/account/{address}/tax-report',
  operationId: 'getTaxReport',
  cost: 'high',
  tag: 'Accounts',
  summary: 'What an account got and gave within some days, with totals, also as CSV',
  description:
    'Transfers of fungible tokens and of items, and the fees that it paid for transactions, together, the newest first. ' +
    'With `format=csv` or `Accept: text/csv` the answer has all of them, one per line, for any number of days. ' +
    `A report of more than ${csvLimits.maxRows} transfers is refused with 400 \`too-many-rows\`. ` +
    'A CSV that exceeds this number with its fees, or that the client ' +
    `takes longer than ${csvLimits.maxMs / 1000} s for, ends with a line that begins with ` +
    `\`${incompleteMark}\` and names the \`end_date\` for ` +
    'the rest. ' +
    `As JSON a report is of ${mostReportDays} days at most, since its totals are of all pages.`,
  params: z.object({ address: accountParameter() }),
  query: z.object({
    start_date: dayParameter('First day, UTC. Default: a year before end_date.'),
    end_date: dayParameter(
      'Last day, UTC, inclusive. Default: a year with start_date, else the newest day that is indexed.',
    ),
    format: z.enum(['json', 'csv']).optional().describe('Goes before the header `Accept`.'),
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorParameter(transferCursorPattern, transferCursorForm),
  }),
  response: z
    .strictObject({
      data: z.array(taxReportSchema).length(1),
      has_more: z.boolean().describe('Whether there are more after this page.'),
      cursor: z
        .string()
        .describe('Ask with this `cursor`, and the same days, for the next page; empty on the last page.'),
      _meta: z.strictObject({ limit: z.int(), count: z.int().describe('Transfers and fees of this page.') }),
    })
    .meta({ id: 'TaxReportAnswer' }),
  otherTypes: { [csvType]: 'All transfers and fees, a line each, after one with the names of the columns.' },
  problems: { 404: 'Nothing is indexed of the account.' },
  example: { data: [exampleTaxReport], has_more: false, cursor: '', _meta: { limit: 20, count: 3 } },
  handler: async ({ params: { address }, query, mediaType }, services) => {
    const { database } = services
    const { limit, cursor, format = mediaType === csvType ? 'csv' : 'json' } = query
    const { days, bounds } = await findReport(address, query, format === 'csv' ? Infinity : mostReportDays, services)
    if (format === 'csv') {
      await refuseTooLong(address, bounds, services)
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
    if (before === undefined) await refuseTooLong(address, bounds, services)
    // One after the other: each call with a slot may use few of the connections of expensive calls.
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

/** The days of a report, and the heights of their blocks, if there are any. */
async function findReport(
  address: string,
  query: { readonly start_date?: string | undefined; readonly end_date?: string | undefined },
  mostDays: number,
  { database }: Services,
): Promise<{ days: DayRange; bounds: Bounds | undefined }> {
  const [stored, isKnown] = await Promise.all([readBounds(database), isKnownAccount(database, address)])
  const newest = stored === undefined ? undefined : (await readBlockTimes(database, [stored.max])).get(stored.max)
  const days = resolveTaxDays(query, newest, mostDays)
  if (stored === undefined || !isKnown || days === undefined) {
    throw new ApiError(404, 'unknown-account', `Nothing is indexed of account ${address}.`, { field: 'address' })
  }
  const end = new Date(Date.parse(days.to) + 86_400_000).toISOString()
  return { days, bounds: await readHeightsOf(database, stored, { from: `${days.from}T00:00:00.000Z`, to: end }) }
}

/** Before the first byte of a CSV, which ends with a line that says so where its fees make it too long; and before totals. */
async function refuseTooLong(
  address: string,
  bounds: Bounds | undefined,
  { database, csvLimits: { maxRows } }: Services,
): Promise<void> {
  if ((await countAccountTransfers(database, bounds, address, maxRows)) <= maxRows) return
  const detail = `The report is not made: the account has more than ${maxRows} transfers on these days. Request fewer days.`
  throw new ApiError(400, 'too-many-rows', detail, { field: 'start_date' })
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

/** Tax reports. */
export const taxReportRoutes = [taxReport]
