import type { RowWriter } from '../src/platform/row-writer.ts'
import { createdCoas } from '../src/flow/accounts/created-coas.ts'
import type { DecodedTransaction } from '../src/flow/decoded-block.ts'
import type { Network } from '../src/flow/network.ts'
import { accounts, addressStats } from './accounts/account-folds.ts'
import { AddressTransactions, addressTransactions } from './accounts/address-transactions.ts'
import type { DeriveOutput, HeightTable, Worker } from './worker.ts'

/** One row for each EVM account that Cadence owns, by the event that created it. */
const coaAccounts: HeightTable = {
  name: 'app.coa_accounts',
  columns: ['block_height', 'tx_index', 'event_index', 'coa_address', 'flow_address', 'owner_evidence'],
  heightColumn: 'block_height',
  partitionHeights: undefined,
}

/** Accounts by what they did: paid, proposed, authorized, or were created; and the EVM accounts that they own. */
export const accountsWorker: Worker = {
  name: 'accounts_worker',
  description: 'Accounts: their transactions, when they were created, seen first and seen last; their EVM accounts',
  phase: 1,
  follows: [],
  tables: [addressTransactions, coaAccounts],
  folds: [accounts, addressStats],
  derive({ blocks }, output, { network }) {
    const parts = new AddressTransactions()
    const coaRows = output.rows(coaAccounts.name)
    for (const { height, transactions } of blocks) {
      for (const transaction of transactions) {
        parts.add(height, transaction, output)
        writeCoas(coaRows, height, transaction, network, output)
      }
    }
    parts.write(output.rows(addressTransactions.name))
  },
}

function writeCoas(
  rows: RowWriter,
  blockHeight: number,
  transaction: DecodedTransaction,
  network: Network,
  output: DeriveOutput,
): void {
  const { coas, problems } = createdCoas(transaction, network)
  for (const { eventIndex, coaAddress, owner } of coas) {
    rows.row(coaAccounts.columns.length)
    rows.int8(blockHeight)
    rows.int4(transaction.index)
    rows.int4(eventIndex)
    rows.text(coaAddress)
    if (owner === undefined) {
      rows.null()
      rows.null()
    } else {
      rows.text(owner.address)
      rows.text(owner.evidence)
    }
  }
  for (const problem of problems) {
    output.problem({ blockHeight, txIndex: transaction.index, code: 'coa-event-shape', ...problem })
  }
}
