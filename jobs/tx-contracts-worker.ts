import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedBlock, DecodedTransaction } from '../src/flow/decoded-block.ts'
import type { HeightTable, SumFold, Worker } from './worker.ts'
import { importedContracts } from '../src/flow/code/script-imports.ts'
import { tagsOfTransaction } from '../src/flow/transactions/transaction-tags.ts'

const eventTypesOfBlocks: HeightTable = {
  name: 'app.block_event_types',
  columns: ['block_height', 'types', 'event_counts'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/** Must equal the piece length in `src/explorer/transactions/events.ts`. */
export const heightsPerPiece = 100

const ofRange = `
  from app.block_event_types b cross join lateral unnest(b.types, b.event_counts) as t (type, event_count)
  where b.block_height >= $1 and b.block_height < $2`

const eventTypeFolds: readonly SumFold[] = [
  {
    kind: 'sum',
    name: 'app.event_types',
    key: [{ column: 'type', type: 'text' }],
    sums: [{ column: 'event_count', type: 'bigint' }],
    presence: 'event_count',
    of: eventTypesOfBlocks.name,
    touched: `select distinct t.type ${ofRange}`,
    counted: `select t.type, sum(t.event_count)::bigint as event_count ${ofRange} group by t.type`,
  },
  {
    kind: 'sum',
    name: 'app.event_type_pieces',
    key: [
      { column: 'type', type: 'text' },
      { column: 'piece', type: 'bigint' },
    ],
    sums: [{ column: 'block_count', type: 'bigint' }],
    presence: 'block_count',
    of: eventTypesOfBlocks.name,
    touched: `select distinct t.type, b.block_height / ${heightsPerPiece} as piece ${ofRange}`,
    counted: `
      select t.type, b.block_height / ${heightsPerPiece} as piece, count(*) as block_count ${ofRange}
      group by t.type, b.block_height / ${heightsPerPiece}`,
  },
]

function writeEventTypes(rows: RowWriter, { height, transactions }: DecodedBlock): void {
  const counts = new Map<string, number>()
  for (const { events } of transactions) for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1)
  if (counts.size === 0) return
  const types = [...counts.keys()].toSorted()
  rows.row(eventTypesOfBlocks.columns.length)
  rows.int8(height)
  rows.textArray(types)
  rows.int4Array(types.map((type) => counts.get(type) ?? 0))
}

const contracts: HeightTable = {
  name: 'app.tx_contracts',
  columns: ['contract', 'block_height', 'tx_indexes'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

const tags: HeightTable = {
  name: 'app.tx_tags',
  columns: ['tag', 'block_height', 'tx_indexes'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

export const txContractsWorker: Worker = {
  name: 'tx_contracts_worker',
  description: 'Contracts imported by scripts, transaction tags, event types',
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

class Places {
  readonly #byWord = new Map<string, { readonly height: number; readonly indexes: number[] }[]>()

  /** In chain order. */
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
