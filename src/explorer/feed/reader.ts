import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { isZeroAddress } from '../../flow/address.ts'
import type { DecodedEvent, DecodedTransaction } from '../../flow/decoded-block.ts'
import { importedContracts } from '../../flow/code/script-imports.ts'
import type { Network } from '../../flow/network.ts'
import { tokenMovesOf } from '../../flow/tokens/read-token-moves.ts'
import { tagsOfTransaction } from '../../flow/transactions/transaction-tags.ts'
import { TimeSlices } from './time-slices.ts'
import { readBlocks } from '../blocks/queries.ts'
import { presentNewBlock } from '../blocks/schema.ts'
import type { NewBlock } from '../blocks/schema.ts'
import { storedTransaction, unknownScript } from '../transactions/descriptions.ts'
import { readEventsWithin } from '../transactions/event-batches.ts'
import { markKey } from '../transactions/events.ts'
import { readRawTransactions } from '../transactions/queries.ts'
import { presentTransactionSummary } from '../transactions/schema.ts'
import type { RawTransactionRow, TransactionSummary } from '../transactions/schema.ts'
import { readScripts } from '../transactions/scripts.ts'
import type { StoredScript } from '../transactions/scripts.ts'

interface BlockReader {
  /** Lowest first; `to` is exclusive. */
  read(from: number, to: number): Promise<readonly FeedBlock[]>
  ids(from: number, to: number): Promise<ReadonlyMap<number, string>>
  /** Height after the highest block of the forward ingester. */
  head(): Promise<number | undefined>
  /**
   * The first height that may match; lower ones are stored, derived and do not. `from` if unknown.
   */
  nextFor(selections: readonly TransactionSelection[], from: number, to: number): Promise<number>
}

export interface TransactionSelection {
  readonly kind: 'addresses' | 'tags'
  readonly words: readonly string[]
}

const heightsPerLookUp = 2000

/** Shared: concurrent reads leave as much time for other work as one. */
const slices = new TimeSlices()

const indexWorkers = ['accounts_worker', 'token_worker', 'tx_contracts_worker'] as const

const idRow = z.object({ height: z.number(), id: z.string() })
const headRow = z.object({ head: z.number().nullable() })

/**
 * Reads raw tables only and waits for no worker; replayed blocks equal live ones. Reads are
 * repeated if a reorg happened in between.
 *
 * @param network selects the core contracts
 */
export function createFeedReader(database: DatabasePool, network: () => Network): BlockReader {
  const ids = async (from: number, to: number): Promise<Map<number, string>> => {
    const rows = await database.any(sql.type(idRow)`
      select height, encode(id, 'hex') as id from raw.blocks where height >= ${from} and height < ${to}
    `)
    return new Map(rows.map(({ height, id }) => [height, id]))
  }
  const readOnce = async (from: number, to: number): Promise<FeedBlock[]> => {
    const blocks = await readBlocks(database, from, to - 1)
    const rows = await readRawTransactions(database, from, to - 1)
    const transactions = Map.groupBy(
      await completeTransactions(database, network(), rows),
      ({ summary }) => summary.block_height,
    )
    return blocks.map((row) => ({ block: presentNewBlock(row), transactions: transactions.get(row.height) ?? [] }))
  }
  return {
    ids,
    read: async (from, to) => {
      for (;;) {
        const blocks = await readOnce(from, to)
        const after = await ids(from, to)
        if (after.size === blocks.length && blocks.every(({ block }) => after.get(block.height) === block.id))
          return blocks
      }
    },
    nextFor: (selections, from, to) => findNext(database, selections, from, to),
    head: async () => {
      const row = await database.maybeOne(sql.type(headRow)`
        select upper(covered) as head from app.indexing_checkpoints where service_name = 'main_ingester'
      `)
      return row?.head ?? undefined
    },
  }
}

const nextRow = z.object({ is_whole: z.boolean().nullable(), to: z.number().nullable(), found: z.number().nullable() })

/** One statement, so that coverage and rows are consistent. */
async function findNext(
  database: DatabasePool,
  selections: readonly TransactionSelection[],
  from: number,
  to: number,
): Promise<number> {
  const wordsOf = (kind: TransactionSelection['kind']): readonly string[] => [
    ...new Set(selections.flatMap((selection) => (selection.kind === kind ? selection.words : []))),
  ]
  const limit = Math.min(to, from + heightsPerLookUp)
  const here = sql.fragment`block_height >= ${from} and block_height < ${limit}`
  const first = (table: string, column: string): FragmentSqlToken => sql.fragment`(
    select min(block_height) as height from ${sql.identifier(['app', table])}
    where ${sql.identifier([column])} = word and ${here}
  )`
  const {
    is_whole: isWhole,
    to: end,
    found,
  } = await database.one(sql.type(nextRow)`
    with done as (
      select case when count(*) = ${indexWorkers.length} then range_intersect_agg(covered) end as covered
      from app.coverage where service_name = any (${sql.array([...indexWorkers], 'text')})
    ), span as (
      select least(upper(range), ${limit}) as to from done, unnest(covered) as range where range @> ${from}::int8
    )
    select (select count(*) from raw.blocks where height >=
    ${from} and height < span.to) = span.to - ${from} as is_whole, span.to, (
      select min(height) from (
        select f.height from unnest(${sql.array(wordsOf('addresses'), 'text')}) as word cross join lateral (
          ${first('address_transactions', 'address')}
          union all ${first('ft_transfers', 'from_address')} union all ${first('ft_transfers', 'to_address')}
          union all ${first('nft_transfers', 'from_address')} union all ${first('nft_transfers', 'to_address')}
        ) as f
        union all
        select f.height from unnest(${sql.array(wordsOf('tags'), 'text')}) as word
        cross join lateral ${first('tx_tags', 'tag')} as f
      ) as places
    ) as found
    from (select) as one left join span on true
  `)
  if (isWhole !== true || end === null) return from
  return Math.min(found ?? end, end)
}

async function completeTransactions(
  database: DatabasePool,
  network: Network,
  rows: readonly RawTransactionRow[],
): Promise<FeedTransaction[]> {
  if (rows.length === 0) return []
  const scripts = await readScripts(
    database,
    network,
    rows.map((row) => row.script_hash),
  )
  const complete: FeedTransaction[] = []
  while (complete.length < rows.length) {
    const waiting = rows.slice(complete.length)
    const { events, places } = await readEventsWithin(database, waiting)
    for (const row of waiting.slice(0, places)) {
      // Decoding the events is expensive.
      await slices.take()
      const script = scripts.get(row.script_hash) ?? unknownScript
      complete.push(completeTransaction(network, row, script, events.get(markKey(row)) ?? []))
    }
  }
  return complete
}

function completeTransaction(
  network: Network,
  row: RawTransactionRow,
  { text, template }: StoredScript,
  events: readonly DecodedEvent[],
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
    // The account that collects all fees would match everything.
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

interface FeedTransaction {
  readonly summary: TransactionSummary
  /**
   * Payer, proposer, authorizers, created accounts, and both sides of transfers; only the payer of
   * fees.
   */
  readonly accounts: readonly string[]
  /** Imported by the script, or emitted its events. */
  readonly contracts: readonly string[]
}

export interface FeedBlock {
  readonly block: NewBlock
  readonly transactions: readonly FeedTransaction[]
}
