import { coreContractAddress } from '../src/chain/core-contracts.ts'
import type { DecodedEvent, DecodedTransaction } from '../src/chain/decoded-block.ts'
import type { Network } from '../src/chain/network.ts'
import { scriptImports } from '../src/chain/script-imports.ts'
import { describeTransaction, isTagEvent } from '../src/chain/transaction-tags.ts'
import type { TagEvent, TransactionTag } from '../src/chain/transaction-tags.ts'
import type { HeightTable, Worker } from './worker.ts'

/** One row for each contract that a transaction's script imports. */
const contracts: HeightTable = {
  name: 'app.tx_contracts',
  columns: ['block_height', 'tx_index', 'contract'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/** One row for each word that says what a transaction did. */
const tags: HeightTable = {
  name: 'app.tx_tags',
  columns: ['block_height', 'tx_index', 'tag'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/** Scripts repeat: a few thousand make up nearly all transactions. */
const maxKnownScripts = 10_000
const knownScripts = new Map<string, readonly string[]>()

/** Which contracts a transaction's script imports, and what it did, as tags. */
export const txContractsWorker: Worker = {
  name: 'tx_contracts_worker',
  description: 'Contracts that scripts import, and tags of transactions',
  phase: 1,
  follows: [],
  tables: [contracts, tags],
  folds: [],
  derive({ blocks }, output, { network }) {
    const contractRows = output.rows(contracts.name)
    const tagRows = output.rows(tags.name)
    for (const { height, transactions } of blocks) {
      for (const transaction of transactions) {
        for (const contract of importedContracts(transaction, network)) {
          contractRows.row(contracts.columns.length)
          contractRows.int8(height)
          contractRows.int4(transaction.index)
          contractRows.text(contract)
        }
        for (const tag of tagsOf(transaction)) {
          tagRows.row(tags.columns.length)
          tagRows.int8(height)
          tagRows.int4(transaction.index)
          tagRows.text(tag)
        }
      }
    }
  },
}

/** `A.<address>.<name>` each, sorted. The chain's own scripts are the same in every block and say nothing. */
function importedContracts(transaction: DecodedTransaction, network: Network): readonly string[] {
  if (transaction.isSystem) return []
  const key = `${network} ${transaction.scriptHash.toString('latin1')}`
  let imported = knownScripts.get(key)
  if (imported !== undefined) return imported
  if (knownScripts.size >= maxKnownScripts) knownScripts.clear()
  const names = new Set<string>()
  for (const { name, address = coreContractAddress(name, network) } of scriptImports(transaction.script)) {
    // Names without a place are resolved before a script is sent, or else it fails; but for those that the chain knows.
    if (address !== undefined) names.add(`A.${address}.${name}`)
  }
  imported = [...names].toSorted()
  knownScripts.set(key, imported)
  return imported
}

function tagsOf({ isEvm, events }: DecodedTransaction): readonly TransactionTag[] {
  const tagEvents: TagEvent[] = []
  for (const event of events) if (isTagEvent(event.type)) tagEvents.push(new EventOfTransaction(event))
  if (!isEvm && tagEvents.length === 0) return []
  return describeTransaction(isEvm, tagEvents).tags.toSorted()
}

/** Decodes only when asked. */
class EventOfTransaction implements TagEvent {
  readonly type: string
  readonly #event: DecodedEvent

  constructor(event: DecodedEvent) {
    this.type = event.type
    this.#event = event
  }

  get amount(): string | null {
    return this.#text('amount')
  }

  get to(): string | null {
    return this.#text('to')
  }

  #text(name: string): string | null {
    const value = this.#event.fields?.[name]
    return typeof value === 'string' ? value : null
  }
}
