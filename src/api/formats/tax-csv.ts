import { Readable } from 'node:stream'
import type { DatabasePool } from 'slonik'
import type { Bounds } from '../paging/bounds.ts'
import { csvLine } from './csv.ts'
import type { CsvValue } from './csv.ts'
import { presentAccountTransfer, transferKeyOf } from '../presenters/account-transfer.ts'
import type { AccountTransfer } from '../presenters/account-transfer.ts'
import { listAccountTransfers } from '../queries/account-transfers.ts'
import type { TransferKey } from '../queries/transfer-pages.ts'

const columns: ReadonlyArray<readonly [name: string, value: (transfer: AccountTransfer) => CsvValue]> = [
  ['timestamp', (transfer) => transfer.timestamp],
  ['type', (transfer) => transfer.type],
  ['direction', (transfer) => transfer.direction],
  ['transfer_type', (transfer) => transfer.transfer_type],
  ['token', (transfer) => (transfer.type === 'ft' ? transfer.token.token : transfer.nft_type)],
  ['name', (transfer) => (transfer.type === 'ft' ? transfer.token.name : transfer.name)],
  ['symbol', (transfer) => (transfer.type === 'ft' ? transfer.token.symbol : null)],
  ['nft_id', (transfer) => (transfer.type === 'ft' ? null : transfer.nft_id)],
  ['amount', (transfer) => (transfer.type === 'ft' ? transfer.amount : '1')],
  ['sender', (transfer) => transfer.sender],
  ['receiver', (transfer) => transfer.receiver],
  ['approx_usd_price', (transfer) => (transfer.type === 'ft' ? transfer.approx_usd_price : null)],
  ['usd_value', (transfer) => (transfer.type === 'ft' ? transfer.usd_value : null)],
  ['transaction_hash', (transfer) => transfer.transaction_hash],
  ['block_height', (transfer) => transfer.block_height],
  ['event_index', (transfer) => transfer.event_index],
  ['leg', (transfer) => transfer.leg],
]

/** Transfers that are read, and held, at once. */
const batchSize = 500

/**
 * All transfers of an account within some heights as CSV, newest first, read as fast as they are taken. Each batch is a
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
    const rows = await listAccountTransfers(database, bounds, address, before, batchSize)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => {
      const transfer = presentAccountTransfer(row, address)
      return csvLine(columns.map(([, value]) => value(transfer)))
    }).join('')
    if (rows.length < batchSize) return
    before = transferKeyOf(last)
  }
}
