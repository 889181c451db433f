import type { DatabasePool } from 'slonik'
import type { DecodedEvent, DecodedTransaction } from '../../chain/decoded-block.ts'
import { importedContracts } from '../../chain/imported-contracts.ts'
import type { Network } from '../../chain/network.ts'
import { feeOfTransaction, gasOfTransaction } from '../../chain/transaction-fee.ts'
import { noTemplate } from '../../chain/templates/template.ts'
import { tagsOfTransaction, transactionTags } from '../../chain/transaction-tags.ts'
import type { TransactionTag } from '../../chain/transaction-tags.ts'
import type { DescribedTransaction, TransactionRow } from '../presenters/transaction.ts'
import { readDerivedDetails } from './derived-details.ts'
import type { DerivedDetails, TransferView } from './derived-details.ts'
import { readDecodedEvents } from './events.ts'
import { readScripts } from './read-scripts.ts'
import type { StoredScript } from './read-scripts.ts'
import { markKey } from './transaction-marks.ts'

/** A transaction is stored together with its script. */
export const unknownScript: StoredScript = { text: '', template: noTemplate }

/**
 * Completes transactions by what their scripts and events say of them: tags, fee, gas, template, imports. Tags, fee and gas come
 * from the derived tables, so that a transaction of many events costs no more than another; only where a block is not derived yet
 * are its events read, and the functions called by which the workers derive the same.
 */
export async function describeTransactions(
  database: DatabasePool,
  network: Network,
  rows: readonly TransactionRow[],
): Promise<DescribedTransaction[]> {
  return (await describeWithDetails(database, network, rows, 'none')).map(({ described }) => described)
}

/** The same, with what else is derived of each. */
export async function describeWithDetails(
  database: DatabasePool,
  network: Network,
  rows: readonly TransactionRow[],
  transfers: TransferView,
): Promise<{ readonly described: DescribedTransaction; readonly details: DerivedDetails | undefined }[]> {
  if (rows.length === 0) return []
  const [derived, scripts] = await Promise.all([
    readDerivedDetails(database, rows, transfers),
    readScripts(
      database,
      network,
      rows.map((row) => row.script_hash),
    ),
  ])
  const fresh = rows.filter((row) => derived.get(markKey(row))?.isDerived !== true)
  const events = fresh.length === 0 ? new Map<string, DecodedEvent[]>() : await readEvents(database, fresh)
  return rows.map((row) => {
    const key = markKey(row)
    const { template, text } = scripts.get(row.script_hash) ?? unknownScript
    const transaction = storedTransaction(row, text, events.get(key) ?? [])
    const details = derived.get(key)
    const said = details?.isDerived === true ? recorded(row, details) : computed(transaction, network)
    const imports = importedContracts(transaction, network)
    return { described: { row, template, imports, isMoved: details?.isMoved === true, ...said }, details }
  })
}

type Described = Pick<DescribedTransaction, 'tags' | 'fee' | 'gasUsed'>

function computed(transaction: DecodedTransaction, network: Network): Described {
  const fee = feeOfTransaction(transaction, network)
  return {
    tags: tagsOfTransaction(transaction, network),
    fee: transaction.statusCode === undefined ? undefined : fee.amount,
    gasUsed: gasOfTransaction(transaction, fee).used,
  }
}

/** Transactions of the chain itself that paid nothing have no metrics. */
function recorded(row: TransactionRow, { metrics, tags }: DerivedDetails): Described {
  const gasUsed = metrics === undefined ? row.gas_used : metrics.gasUsed
  return {
    tags: tags.length < 2 ? tags : inOrder(tags),
    fee: metrics === undefined ? '0.00000000' : (metrics.fee ?? undefined),
    gasUsed: gasUsed === null ? undefined : BigInt(gasUsed),
  }
}

function inOrder(tags: readonly TransactionTag[]): readonly TransactionTag[] {
  return transactionTags.filter((tag) => tags.includes(tag))
}

async function readEvents(
  database: DatabasePool,
  rows: readonly TransactionRow[],
): Promise<Map<string, DecodedEvent[]>> {
  const found = Map.groupBy(await readDecodedEvents(database, rows), ({ height, txIndex }) =>
    markKey({ block_height: height, tx_index: txIndex }),
  )
  return new Map([...found].map(([key, placed]) => [key, placed.map(({ event }) => event)]))
}

/** A stored transaction as workers see it. */
export function storedTransaction(
  row: TransactionRow,
  script: string,
  events: readonly DecodedEvent[],
): DecodedTransaction {
  return {
    index: row.tx_index,
    id: Buffer.from(row.id, 'hex'),
    isSystem: row.is_system,
    payer: row.payer_address ?? undefined,
    proposer: row.proposer_address ?? undefined,
    authorizers: row.authorizers,
    scriptHash: Buffer.from(row.script_hash, 'hex'),
    script,
    statusCode: row.status_code ?? undefined,
    isEvm: row.is_evm,
    gasUsed: row.gas_used === null ? undefined : BigInt(row.gas_used),
    events,
  }
}
