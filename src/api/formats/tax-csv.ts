import { Readable } from 'node:stream'
import type { DatabasePool } from 'slonik'
import type { Bounds } from '../paging/bounds.ts'
import { csvLine } from './csv.ts'
import type { CsvValue } from './csv.ts'
import { transferKeyOf } from '../presenters/account-transfer.ts'
import { presentTaxEntry } from '../presenters/tax-report.ts'
import type { TaxEntry } from '../presenters/tax-report.ts'
import { listAccountEntries } from '../queries/account-transfers.ts'
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

/**
 * All transfers and fees of an account within some heights as CSV, newest first, read as fast as they are taken. Each batch is a
 * query of its own that goes on after the last one, so that a client that takes its time holds no connection and no snapshot
 * of the database, and none but its batch in memory.
 */
export function streamTaxCsv(database: DatabasePool, bounds: Bounds | undefined, address: string): Readable {
  return Readable.from(batches(database, bounds, address), { objectMode: false, highWaterMark: 1 })
}

async function* batches(
  database: DatabasePool, bounds: Bounds | undefined, address: string,
): AsyncGenerator<string, void, undefined> {
  yield csvLine(columns.map(([name]) => name))
  let before: TransferKey | undefined
  for (;;) {
    const rows = await listAccountEntries(database, bounds, address, before, batchSize)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => {
      const transfer = presentTaxEntry(row, address)
      return csvLine(columns.map(([, value]) => value(transfer)))
    }).join('')
    if (rows.length < batchSize) return
    before = transferKeyOf(last)
  }
}
