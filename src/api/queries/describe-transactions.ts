import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { DecodedEvent, DecodedTransaction } from '../../chain/decoded-block.ts'
import type { Network } from '../../chain/network.ts'
import { StoredEvent } from '../../chain/stored-event.ts'
import { feeOfTransaction, gasOfTransaction } from '../../chain/transaction-fee.ts'
import { noTemplate } from '../../chain/templates/template.ts'
import { tagsOfTransaction } from '../../chain/transaction-tags.ts'
import type { DescribedTransaction, TransactionRow } from '../presenters/transaction.ts'
import { readScripts } from './read-scripts.ts'
import type { StoredScript } from './read-scripts.ts'

const eventOfPlace = z.object({
  block_height: z.number(), tx_index: z.number(), event_index: z.number(), type: z.string(), payload: z.string().nullable(),
})

/** A transaction is stored together with its script. */
const unknownScript: StoredScript = { text: '', template: noTemplate }

/**
 * Completes transactions by what their scripts and events say of them: tags, fee, gas, template. By the functions by which the
 * workers derive the same, so that lists, the live feed and the derived tables agree. Events are looked up by place.
 */
export async function describeTransactions(
  database: DatabasePool, network: Network, rows: readonly TransactionRow[],
): Promise<DescribedTransaction[]> {
  if (rows.length === 0) return []
  const [events, scripts] = await Promise.all([
    readEvents(database, rows), readScripts(database, network, rows.map((row) => row.script_hash)),
  ])
  return rows.map((row) => {
    const script = scripts.get(row.script_hash) ?? unknownScript
    return describe(row, script, events.get(placeOf(row)) ?? [], network)
  })
}

function describe(
  row: TransactionRow, script: StoredScript, events: readonly DecodedEvent[], network: Network,
): DescribedTransaction {
  const transaction = storedTransaction(row, script.text, events)
  const fee = feeOfTransaction(transaction, network)
  return {
    row, tags: tagsOfTransaction(transaction, network), template: script.template, fee: fee.amount,
    gasUsed: gasOfTransaction(transaction, fee).used,
  }
}

async function readEvents(
  database: DatabasePool, rows: readonly TransactionRow[],
): Promise<Map<string, DecodedEvent[]>> {
  const heights = rows.map((row) => row.block_height)
  const indexes = rows.map((row) => row.tx_index)
  const found = await database.any(sql.type(eventOfPlace)`
    select e.block_height, e.tx_index, e.event_index, e.type, e.payload::text as payload
    from unnest(${sql.array(heights, 'int8')}, ${sql.array(indexes, 'int4')}) as place(height, index)
    join raw.events e on e.block_height = place.height and e.tx_index = place.index
      and e.block_height between ${Math.min(...heights)} and ${Math.max(...heights)}
    order by e.block_height, e.tx_index, e.event_index
  `)
  const byPlace = new Map<string, DecodedEvent[]>()
  for (const row of found) {
    const event = new StoredEvent(row.type, row.event_index, row.payload)
    const ofPlace = byPlace.get(placeOf(row))
    if (ofPlace === undefined) byPlace.set(placeOf(row), [event])
    else ofPlace.push(event)
  }
  return byPlace
}

function placeOf(row: { readonly block_height: number; readonly tx_index: number }): string {
  return `${row.block_height}:${row.tx_index}`
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
