import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedBlock, DecodedTransaction } from '../src/flow/decoded-block.ts'
import { importedContracts } from '../src/flow/code/script-imports.ts'
import { tagsOfTransaction } from '../src/flow/transactions/transaction-tags.ts'
import { eventTypeFolds, eventTypesOfBlocks, writeEventTypes } from './event-types.ts'
import type { HeightTable, Worker } from './worker.ts'

/** One row for each contract that scripts of a block import. */
const contracts: HeightTable = {
  name: 'app.tx_contracts',
  columns: ['contract', 'block_height', 'tx_indexes'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/** One row for each word that says what transactions of a block did. */
const tags: HeightTable = {
  name: 'app.tx_tags',
  columns: ['tag', 'block_height', 'tx_indexes'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/** By what transactions are found: contracts that scripts import, what they did, as tags, and types of events. */
export const txContractsWorker: Worker = {
  name: 'tx_contracts_worker',
  description: 'Contracts that scripts import, tags of transactions, types of events',
  phase: 1,
  follows: [],
  tables: [contracts, tags, eventTypesOfBlocks],
  folds: eventTypeFolds,
  derive({ blocks }, output, { network }) {
    const byContract = new Places()
    const byTag = new Places()
    for (const block of blocks) {
      writeEventTypes(output.rows(eventTypesOfBlocks.name), block)
      for (const transaction of block.transactions) {
        for (const contract of importedContracts(transaction, network)) byContract.add(contract, block, transaction)
        for (const tag of tagsOfTransaction(transaction, network)) byTag.add(tag, block, transaction)
      }
    }
    byContract.write(output.rows(contracts.name))
    byTag.write(output.rows(tags.name))
  },
}

/** Transactions by a word, block by block. */
class Places {
  readonly #byWord = new Map<string, { readonly height: number; readonly indexes: number[] }[]>()

  /** Transactions come in the order of the chain. */
  add(word: string, { height }: DecodedBlock, { index }: DecodedTransaction): void {
    let ofWord = this.#byWord.get(word)
    if (ofWord === undefined) this.#byWord.set(word, (ofWord = []))
    const last = ofWord.at(-1)
    if (last?.height === height) last.indexes.push(index)
    else ofWord.push({ height, indexes: [index] })
  }

  write(rows: RowWriter): void {
    for (const word of [...this.#byWord.keys()].toSorted()) {
      for (const { height, indexes } of this.#byWord.get(word) ?? []) {
        rows.row(3)
        rows.text(word)
        rows.int8(height)
        rows.int4Array(indexes)
      }
    }
  }
}
