import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { isZeroAddress } from '../chain/address.ts'
import type { DecodedEvent, DecodedTransaction } from '../chain/decoded-block.ts'
import { importedContracts } from '../chain/imported-contracts.ts'
import type { Network } from '../chain/network.ts'
import { tokenMovesOf } from '../chain/tokens/token-moves-of.ts'
import { tagsOfTransaction } from '../chain/transaction-tags.ts'
import { presentNewBlock } from './presenters/block.ts'
import type { FeedBlock, FeedTransaction } from './presenters/feed.ts'
import { presentTransactionSummary } from './presenters/transaction.ts'
import type { TransactionRow } from './presenters/transaction.ts'
import { readBlocks } from './queries/blocks.ts'
import { storedTransaction, unknownScript } from './queries/describe-transactions.ts'
import { readDecodedEvents } from './queries/events.ts'
import { readScripts } from './queries/read-scripts.ts'
import type { StoredScript } from './queries/read-scripts.ts'
import { markKey } from './queries/transaction-marks.ts'
import { readTransactions } from './queries/transactions.ts'

/** Reads what the live feed tells, in the same form as the API shows it. */
export interface BlockReader {
  /** The stored blocks of a range of heights, `to` not among them, the lowest first. */
  read(from: number, to: number): Promise<readonly FeedBlock[]>
  /** Their ids by height. */
  ids(from: number, to: number): Promise<ReadonlyMap<number, string>>
  /** One above the highest height that the forward ingester has stored; undefined while it has stored nothing. */
  head(): Promise<number | undefined>
}

/**
 * Reads the raw tables alone, and waits for no worker: tags and accounts are found in the events by the functions by which the
 * workers derive them, so that a block that is told late is told as it was when it was new.
 *
 * What is read is of one moment, as far as forks are concerned: where one took the place of another meanwhile, it is read again.
 * @param network decides which accounts hold the core contracts
 */
export function createFeedReader(database: DatabasePool, network: () => Network): BlockReader {
  const ids = async (from: number, to: number): Promise<Map<number, string>> => {
    const rows = await database.any(sql.type(z.object({ height: z.number(), id: z.string() }))`
      select height, encode(id, 'hex') as id from raw.blocks where height >= ${from} and height < ${to}
    `)
    return new Map(rows.map(({ height, id }) => [height, id]))
  }
  const readOnce = async (from: number, to: number): Promise<FeedBlock[]> => {
    const blocks = await readBlocks(database, from, to - 1)
    const rows = await readTransactions(database, from, to - 1)
    const transactions = Map.groupBy(await completeTransactions(database, network(), rows), ({ summary }) => summary.block_height)
    return blocks.map((row) => ({ block: presentNewBlock(row), transactions: transactions.get(row.height) ?? [] }))
  }
  return {
    ids,
    read: async (from, to) => {
      for (;;) {
        const blocks = await readOnce(from, to)
        const after = await ids(from, to)
        if (after.size === blocks.length && blocks.every(({ block }) => after.get(block.height) === block.id)) return blocks
      }
    },
    head: async () => {
      const row = await database.maybeOne(sql.type(z.object({ head: z.number().nullable() }))`
        select upper(covered) as head from app.indexing_checkpoints where service_name = 'main_ingester'
      `)
      return row?.head ?? undefined
    },
  }
}

async function completeTransactions(
  database: DatabasePool, network: Network, rows: readonly TransactionRow[],
): Promise<FeedTransaction[]> {
  if (rows.length === 0) return []
  const [scripts, placed] = await Promise.all([
    readScripts(database, network, rows.map((row) => row.script_hash)),
    readDecodedEvents(database, rows.filter((row) => row.event_count > 0)),
  ])
  const events = Map.groupBy(placed, ({ height, txIndex }) => markKey({ block_height: height, tx_index: txIndex }))
  return rows.map((row) => {
    const script = scripts.get(row.script_hash) ?? unknownScript
    return completeTransaction(network, row, script, (events.get(markKey(row)) ?? []).map(({ event }) => event))
  })
}

function completeTransaction(
  network: Network, row: TransactionRow, { text, template }: StoredScript, events: readonly DecodedEvent[],
): FeedTransaction {
  const transaction = storedTransaction(row, text, events)
  const tags = tagsOfTransaction(transaction, network)
  return {
    summary: presentTransactionSummary({ row, tags, template }),
    accounts: accountsOf(transaction, network),
    contracts: contractsOf(transaction, network),
  }
}

function accountsOf(transaction: DecodedTransaction, network: Network): string[] {
  const { isSystem, payer, proposer, authorizers, events } = transaction
  const accounts = new Set<string | undefined>(isSystem ? [] : [payer, proposer, ...authorizers])
  for (const { type, fields } of events) {
    const created = type === 'flow.AccountCreated' ? fields?.['address'] : undefined
    if (typeof created === 'string') accounts.add(created)
  }
  const { fungible, nonFungible } = tokenMovesOf(transaction, network)
  for (const { type, from, to } of [...fungible, ...nonFungible]) {
    accounts.add(from)
    // The account that gets all fees takes part in everything, which says nothing.
    if (type !== 'fee') accounts.add(to)
  }
  return [...accounts].filter((account) => account !== undefined && !isZeroAddress(account)) as string[]
}

function contractsOf(transaction: DecodedTransaction, network: Network): string[] {
  const contracts = new Set(importedContracts(transaction, network))
  for (const { type } of transaction.events) {
    const contract = /^A\.[0-9a-f]{16}\.[^.]+/.exec(type)?.[0]
    if (contract !== undefined) contracts.add(contract)
  }
  return [...contracts]
}
