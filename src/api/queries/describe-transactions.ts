import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { DecodedEvent, DecodedTransaction } from '../../chain/decoded-block.ts'
import { importedContracts } from '../../chain/imported-contracts.ts'
import type { Network } from '../../chain/network.ts'
import { feeOfTransaction, gasOfTransaction } from '../../chain/transaction-fee.ts'
import { noTemplate } from '../../chain/templates/template.ts'
import { tagsOfTransaction, transactionTags } from '../../chain/transaction-tags.ts'
import type { TransactionTag } from '../../chain/transaction-tags.ts'
import type { DescribedTransaction, TransactionRow } from '../presenters/transaction.ts'
import { readDecodedEvents } from './events.ts'
import { readScripts } from './read-scripts.ts'
import type { StoredScript } from './read-scripts.ts'
import { markKey, readByPlaces } from './transaction-marks.ts'

const derivedRow = z.object({
  block_height: z.number(), tx_index: z.number(), is_derived: z.boolean(), is_moved: z.boolean(),
  fee: z.string().nullable(), gas_used: z.number().nullable(), has_metrics: z.boolean(),
  tags: z.array(z.enum(transactionTags)),
})
type DerivedRow = z.output<typeof derivedRow>

/** A transaction is stored together with its script. */
const unknownScript: StoredScript = { text: '', template: noTemplate }

/**
 * Completes transactions by what their scripts and events say of them: tags, fee, gas, template, imports. Tags, fee and gas come
 * from the derived tables, so that a transaction of many events costs no more than another; only where a block is not derived yet
 * are its events read, and the functions called by which the workers derive the same.
 */
export async function describeTransactions(
  database: DatabasePool, network: Network, rows: readonly TransactionRow[],
): Promise<DescribedTransaction[]> {
  if (rows.length === 0) return []
  const [derived, scripts] = await Promise.all([
    readDerived(database, rows), readScripts(database, network, rows.map((row) => row.script_hash)),
  ])
  const fresh = rows.filter((row) => derived.get(markKey(row))?.is_derived !== true)
  const events = fresh.length === 0 ? new Map<string, DecodedEvent[]>() : await readEvents(database, fresh)
  return rows.map((row) => {
    const script = scripts.get(row.script_hash) ?? unknownScript
    const transaction = storedTransaction(row, script.text, events.get(markKey(row)) ?? [])
    const known = derived.get(markKey(row))
    const imports = importedContracts(transaction, network)
    const isMoved = known?.is_moved === true
    if (known?.is_derived !== true) return { row, template: script.template, imports, isMoved, ...computed(transaction, network) }
    return { row, template: script.template, imports, isMoved, ...recorded(row, known) }
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
function recorded(row: TransactionRow, known: DerivedRow): Described {
  const gasUsed = known.has_metrics ? known.gas_used : row.gas_used
  return {
    tags: known.tags.length < 2 ? known.tags : inOrder(known.tags),
    fee: known.has_metrics ? known.fee ?? undefined : '0.00000000',
    gasUsed: gasUsed === null ? undefined : BigInt(gasUsed),
  }
}

function inOrder(tags: readonly TransactionTag[]): readonly TransactionTag[] {
  return transactionTags.filter((tag) => tags.includes(tag))
}

/** What the workers have written; by place, each from few partitions. The coverage is of the same moment as the rows. */
async function readDerived(
  database: DatabasePool, rows: readonly TransactionRow[],
): Promise<ReadonlyMap<string, DerivedRow>> {
  const found = await readByPlaces(rows, (ofWindow, low, high) => database.any(sql.prepared('described transactions', derivedRow)`
    with covered as materialized (
      select
        coalesce(range_intersect_agg(covered) filter (where service_name <> 'token_worker'), '{}') as described,
        coalesce(range_agg(covered) filter (where service_name = 'token_worker'), '{}') as moved,
        count(*) filter (where service_name <> 'token_worker') = 2 as are_known
      from app.coverage where service_name in ('tx_contracts_worker', 'tx_metrics_worker', 'token_worker')
    )
    select place.height as block_height, place.index as tx_index,
      covered.are_known and covered.described @> place.height as is_derived, covered.moved @> place.height as is_moved,
      m.fee::text as fee, m.gas_used, m.block_height is not null as has_metrics, array(
        select t.tag from app.tx_tags t
        where t.block_height = place.height and t.block_height between ${low} and ${high}
          and place.index = any (t.tx_indexes)
      ) as tags
    from unnest(
      ${sql.array(ofWindow.map((row) => row.block_height), 'int8')}, ${sql.array(ofWindow.map((row) => row.tx_index), 'int4')}
    ) as place (height, index)
    cross join covered
    left join app.tx_metrics m on m.block_height = place.height and m.tx_index = place.index
      and m.block_height between ${low} and ${high}
  `))
  return new Map(found.map((row) => [markKey(row), row]))
}

async function readEvents(
  database: DatabasePool, rows: readonly TransactionRow[],
): Promise<Map<string, DecodedEvent[]>> {
  const found = Map.groupBy(await readDecodedEvents(database, rows), ({ height, txIndex }) => (
    markKey({ block_height: height, tx_index: txIndex })
  ))
  return new Map([...found].map(([key, placed]) => [key, placed.map(({ event }) => event)]))
}

function storedTransaction(row: TransactionRow, script: string, events: readonly DecodedEvent[]): DecodedTransaction {
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
