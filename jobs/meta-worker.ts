import { accountKeys } from './meta/account-key-fold.ts'
import { accountKeyChangeRows, writeAccountKeyChanges } from './meta/account-keys.ts'
import { contractVersions, smartContracts, writeContractChanges } from './meta/contracts.ts'
import type { Worker } from './worker.ts'

/** What accounts have besides assets: their keys and their contracts, with the history of both. */
export const metaWorker: Worker = {
  name: 'meta_worker',
  description: 'Keys and contracts of accounts',
  phase: 1,
  follows: [],
  tables: [accountKeyChangeRows, contractVersions],
  folds: [accountKeys, smartContracts],
  derive({ blocks }, output) {
    const keyRows = output.rows(accountKeyChangeRows.name)
    const contractRows = output.rows(contractVersions.name)
    for (const { height, transactions } of blocks) {
      for (const transaction of transactions) {
        writeAccountKeyChanges(keyRows, height, transaction, output)
        writeContractChanges(contractRows, height, transaction, output)
      }
    }
  },
}
