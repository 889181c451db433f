import { Readable } from 'node:stream'
import type { DatabasePool } from 'slonik'
import type { Bounds } from '../paging/bounds.ts'
import { csvLine } from './csv.ts'
import type { CsvValue } from './csv.ts'
import { transferKeyOf } from '../presenters/account-transfer.ts'
import { presentTaxEntry } from '../presenters/tax-report.ts'
import type { TaxEntry } from '../presenters/tax-report.ts'
import { listAccountEntries } from '../queries/account-transfers.ts'
import { csvLimits } from '../limits/csv-limits.ts'
import type { CsvLimits } from '../limits/csv-limits.ts'
import type { TransferKey } from '../queries/transfer-pages.ts'

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

/** Transfers that are read, and held, at once. */
const batchSize = 500

/** The first column of the last line of a file that does not have all transfers. */
export const incompleteMark = '#incomplete'

/**
 * Transfers and fees of an account within some heights as CSV, newest first, read as fast as the client takes them.
 * Each batch is a query of its own that resumes after the last one: a slow client holds one batch in memory, but no
 * connection and no snapshot of the database. A file that exceeds a limit ends with a line that says so.
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
    // One more tells whether the file is complete.
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

/** @param lastTime of the last transfer in the file; empty where it has none */
function incompleteLine(why: string, lastTime: string): string {
  const day = lastTime.slice(0, 10)
  const rest = day === '' ? 'Request fewer days.' : `Request the rest with end_date=${day}, which repeats that day.`
  return csvLine([incompleteMark, `This file is incomplete: ${why}. ${rest}`])
}
