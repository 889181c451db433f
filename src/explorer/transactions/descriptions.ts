import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import type { DecodedEvent, DecodedTransaction } from '../../flow/decoded-block.ts'
import type { Network } from '../../flow/network.ts'
import { noTemplate } from '../../flow/code/template-rules.ts'
import { feeOfTransaction, gasOfTransaction } from '../../flow/transactions/transaction-fee.ts'
import { tagsOfTransaction } from '../../flow/transactions/transaction-tags.ts'
import { readRecent } from '../paging/bounds.ts'
import { areTransfersDerived, isDerived, tagsInOrder } from './derived-details.ts'
import { readEventsWithin } from './event-batches.ts'
import type { EventsOfPlaces } from './event-batches.ts'
import { markKey } from './events.ts'
import { priceKey, readPricesAt } from './prices.ts'
import { readTransactions } from './queries.ts'
import { presentTransactionSummary, presentTransferSummary } from './schema.ts'
import type {
  AssetNames,
  CompleteTransaction,
  DescribedTransaction,
  RawTransactionRow,
  SummaryRow,
  TransactionRow,
  TransactionSummary,
} from './schema.ts'
import { readScripts } from './scripts.ts'
import type { StoredScript } from './scripts.ts'

const noEvents: EventsOfPlaces = { events: new Map(), places: 0 }

export const unknownScript: StoredScript = { text: '', template: noTemplate, imports: [] }

/**
 * Tags, fee and gas come from derived tables, or for blocks not yet derived from the events, as in
 * the workers.
 */
export async function describeTransactions(
  database: DatabasePool,
  network: Network,
  rows: readonly TransactionRow[],
): Promise<DescribedTransaction[]> {
  if (rows.length === 0) return []
  const notDerived = rows.filter(({ derived }) => !isDerived(derived))
  const [scripts, { events }] = await Promise.all([
    readScripts(
      database,
      network,
      rows.map((row) => row.script_hash),
    ),
    notDerived.length === 0 ? noEvents : readEventsWithin(database, notDerived),
  ])
  return rows.map((row) => {
    const known = scripts.get(row.script_hash)
    const { template, text, imports } = known ?? unknownScript
    const output = isDerived(row.derived)
      ? recorded(row)
      : computed(storedTransaction(row, text, events.get(markKey(row)) ?? []), network)
    return { row, template, script: known?.text, imports: row.is_system ? [] : imports, ...output }
  })
}

/** Of one block. */
export async function summarizeTransactions(
  database: DatabasePool,
  network: Network,
  { height, timestamp }: { readonly height: number; readonly timestamp: string },
  rows: readonly SummaryRow[],
): Promise<TransactionSummary[]> {
  if (!rows.every(({ derived }) => isDerived(derived))) {
    const whole = await readTransactions(database, height, height, 'none')
    return (await describeTransactions(database, network, whole)).map(presentTransactionSummary)
  }
  const scripts = await readScripts(
    database,
    network,
    rows.map((row) => row.script_hash),
  )
  return rows.map((row) => {
    const { template } = scripts.get(row.script_hash) ?? unknownScript
    return presentTransactionSummary({ row: { ...row, timestamp }, tags: tagsInOrder(row.derived), template })
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

/** System transactions without a fee have no metrics. */
function recorded(row: TransactionRow): Described {
  const [fee, gasUsed] = row.derived[2] ?? ['0.00000000', row.gas_used]
  return {
    tags: tagsInOrder(row.derived),
    fee: fee ?? undefined,
    gasUsed: gasUsed === null ? undefined : BigInt(gasUsed),
  }
}

export function storedTransaction(
  row: RawTransactionRow,
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

export async function completeTransactions(
  database: DatabasePool,
  network: Network,
  rows: readonly TransactionRow[],
): Promise<CompleteTransaction[]> {
  const flow = `A.${coreContracts(network).flowToken}.FlowToken`
  const [described, names, prices] = await Promise.all([
    describeTransactions(database, network, rows),
    readAssetNames(
      database,
      rows.flatMap(({ derived }) => derived[3]?.map(([token]) => token) ?? []),
      rows.flatMap(({ derived }) => derived[4]?.flatMap(([token]) => token ?? []) ?? []),
    ),
    readPricesAt(
      database,
      rows.map(({ timestamp }) => priceKey(flow, timestamp)),
    ),
  ])
  return described.map((one) => {
    const { derived, timestamp } = one.row
    const summary = areTransfersDerived(derived)
      ? presentTransferSummary(derived[3] ?? [], derived[4] ?? [], names)
      : undefined
    return { ...one, summary, flowPrice: prices.get(priceKey(flow, timestamp)) }
  })
}

const tokenRow = z.object({
  token: z.string(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  logo: z.string().nullable(),
  decimals: z.number().nullable(),
  price: z.string().nullable(),
})

const collectionRow = z.object({
  token: z.string(),
  name: z.string().nullable(),
  logo: z.string().nullable(),
  banner: z.string().nullable(),
})

/** Omits unknown assets. */
export async function readAssetNames(
  database: DatabasePool,
  tokens: readonly string[],
  collections: readonly string[],
): Promise<AssetNames> {
  const [ofTokens, ofCollections] = await Promise.all([
    readRecent(database, 'token', tokens, async (missing) => {
      return new Map((await readTokens(database, missing)).map((row) => [row.token, row]))
    }),
    readRecent(database, 'collection', collections, async (missing) => {
      return new Map((await readCollections(database, missing)).map((row) => [row.token, row]))
    }),
  ])
  return { tokens: ofTokens, collections: ofCollections }
}

async function readTokens(
  database: DatabasePool,
  tokens: readonly string[],
): Promise<readonly z.output<typeof tokenRow>[]> {
  return database.any(sql.prepared('names of tokens', tokenRow)`
    select wanted.token, m.name, m.symbol, m.logo, m.decimals, (
      select p.price::text from app.prices p
      where p.token = wanted.token and p.currency = 'USD' order by p.price_time desc limit 1
    ) as price
    from unnest(${sql.array(tokens, 'text')}) as wanted (token)
    left join app.ft_token_metadata m on m.token = wanted.token
  `)
}

async function readCollections(
  database: DatabasePool,
  collections: readonly string[],
): Promise<readonly z.output<typeof collectionRow>[]> {
  return database.any(sql.prepared('names of collections', collectionRow)`
    select token, name, square_image as logo, banner_image as banner
    from app.nft_collection_metadata where token = any (${sql.array(collections, 'text')})
  `)
}
