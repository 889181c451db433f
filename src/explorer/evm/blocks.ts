import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import { ApiError } from '../../platform/errors.ts'
import { amountFormat, countFormat, heightFormat, timestampFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import type { EventKey } from '../paging/event-pages.ts'
import { listOf, page, pageUpTo, singleOf, keyCursor, keyParts } from '../paging/pages.ts'
import { heightParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { searchEvents } from '../transactions/events.ts'
import type { PlacedEventRow } from '../transactions/events.ts'
import { readEvmContext } from './context.ts'
import { placeRow, readEvmTransactions } from './queries.ts'
import { evmTransactionSchema, exampleEvmTransaction, presentEvmTransaction } from './schema.ts'
import { evmHashFormat } from './token-schema.ts'

const tag = 'EVM'

const evmBlockSchema = z
  .strictObject({
    number: heightFormat,
    hash: evmHashFormat,
    parent_hash: evmHashFormat,
    block_height: heightFormat.describe('Flow block that executed it.'),
    timestamp: timestampFormat.nullable().describe('Null in blocks of early versions.'),
    transaction_count: countFormat,
    gas_used: amountFormat.nullable().describe('Null in blocks of early versions.'),
    total_supply: amountFormat.describe('FLOW in the EVM after the block, in attoflow.'),
    receipt_root: evmHashFormat.nullable(),
    transactions_root: evmHashFormat.nullable(),
    prevrandao: evmHashFormat.nullable().describe('Null in blocks of early versions.'),
  })
  .meta({ id: 'EvmBlock' })
type EvmBlock = z.output<typeof evmBlockSchema>

const hash = z
  .string()
  .regex(/^(0x)?[0-9a-f]{64}$/i)
  .transform((text) => `0x${text.slice(-64).toLowerCase()}`)
const number = z.string().regex(/^\d{1,15}$/)
/** `EVM.BlockExecuted`. Early versions lack some fields. */
const executed = z.object({
  height: number.transform(Number),
  hash,
  parentHash: hash,
  timestamp: z
    .string()
    .regex(/^\d{1,11}$/)
    .transform((seconds) => new Date(Number(seconds) * 1000).toISOString())
    .optional(),
  totalSupply: amountFormat,
  totalGasUsed: amountFormat.optional(),
  receiptRoot: hash.optional().catch(undefined),
  transactionHashRoot: hash.optional().catch(undefined),
  prevrandao: hash.optional().catch(undefined),
})

interface ExecutedBlock extends z.output<typeof executed> {
  readonly place: EventKey
}

/** Undecodable events are omitted. */
function executedBlocks(rows: readonly PlacedEventRow[]): readonly ExecutedBlock[] {
  return rows.flatMap(({ block_height: height, tx_index: txIndex, event_index: eventIndex, payload }) => {
    const { data } = executed.safeParse(payload)
    return data === undefined ? [] : [{ ...data, place: { height, txIndex, eventIndex } }]
  })
}

const blockExecuted = (network: Network): string => `A.${coreContracts(network).service}.EVM.BlockExecuted`

async function listBlocks(
  { database, network }: Services,
  before: EventKey | undefined,
  count: number,
): Promise<readonly ExecutedBlock[]> {
  return executedBlocks(await searchEvents(database, [blockExecuted(network())], before, count))
}

const countRow = z.object({ number: z.number(), count: z.number() })

/** An EVM block has the transactions of its Flow block. */
async function presentBlocks(database: DatabasePool, blocks: readonly ExecutedBlock[]): Promise<EvmBlock[]> {
  const heights = sql.array(
    blocks.map(({ place }) => place.height),
    'int8',
  )
  const rows = await database.any(sql.type(countRow)`
    select evm_block_height as number, count(*) from app.evm_transactions
    where block_height = any (${heights}) group by evm_block_height
  `)
  const counts = new Map(rows.map((row) => [row.number, row.count]))
  return blocks.map((block) => ({
    number: block.height,
    hash: block.hash,
    parent_hash: block.parentHash,
    block_height: block.place.height,
    timestamp: block.timestamp ?? null,
    transaction_count: counts.get(block.height) ?? 0,
    gas_used: block.totalGasUsed ?? null,
    total_supply: block.totalSupply,
    receipt_root: block.receiptRoot ?? null,
    transactions_root: block.transactionHashRoot ?? null,
    prevrandao: block.prevrandao ?? null,
  }))
}

/** Blocks of early versions in one Flow block. */
const maxInFlowBlock = 100

/**
 * Numbers rise with Flow heights, mostly by one for each. So the height is guessed by interpolation,
 * and every second step halves the range.
 */
export async function findEvmBlock(services: Services, wanted: number): Promise<ExecutedBlock | undefined> {
  const bounds = await readBounds(services.database)
  const [newest] = await listBlocks(services, undefined, 1)
  if (bounds === undefined || newest === undefined || newest.height < wanted) return undefined
  let [low, high, above] = [bounds.min, newest.place.height, newest]
  let below: ExecutedBlock | undefined
  for (let step = 0; low <= high; step++) {
    const guess = step % 2 === 0 ? interpolate(below, above, wanted) : Math.floor((low + high) / 2)
    const middle = Math.min(Math.max(guess, low), high)
    const [found] = await listBlocks(services, { height: middle + 1, txIndex: 0, eventIndex: 0 }, 1)
    if (found?.height === wanted) return found
    if (found === undefined || found.height < wanted) [below, low] = [found, middle + 1]
    else [above, high] = [found, found.place.height - 1]
  }
  const others = await listBlocks(services, above.place, Math.min(above.height - wanted, maxInFlowBlock))
  return others.find(({ height }) => height === wanted)
}

function interpolate(below: ExecutedBlock | undefined, above: ExecutedBlock, wanted: number): number {
  const { height, place } = above
  const heightsPerBlock = below === undefined ? 1 : (place.height - below.place.height) / (height - below.height)
  return Math.round(place.height - (height - wanted) * heightsPerBlock)
}

/** @throws ApiError 404 */
async function requireBlock(services: Services, wanted: number): Promise<ExecutedBlock> {
  const block = await findEvmBlock(services, wanted)
  if (block !== undefined) return block
  throw new ApiError(404, 'unknown-evm-block', `EVM block ${wanted} is not indexed.`, { field: 'number' })
}

const exampleBlock: EvmBlock = {
  number: exampleEvmTransaction.block_number,
  hash: '0x8f3c1e5d2b7a4960c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738',
  parent_hash: '0x1e5d2b7a4960c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f4051627388f3c',
  block_height: exampleEvmTransaction.block_height,
  timestamp: exampleEvmTransaction.timestamp,
  transaction_count: 1,
  gas_used: exampleEvmTransaction.gas_used,
  total_supply: '48291003000000000000000000',
  receipt_root: '0x2b7a4960c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f4051627388f3c1e5d',
  transactions_root: '0x4960c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f4051627388f3c1e5d2b7a',
  prevrandao: '0x60c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f4051627388f3c1e5d2b7a49',
}

const evmBlockList = defineRoute({
  path: '/flow/evm/block',
  operationId: 'listEvmBlocks',
  cost: 'high',
  tag,
  summary: 'EVM blocks, latest first',
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: eventCursor.parameter }),
  response: listOf(evmBlockSchema, 'EvmBlock'),
  example: { data: [exampleBlock], has_more: true, cursor: '118542743:4:0', _meta: { limit: 1, count: 1 } },
  handler: async ({ query: { limit, cursor } }, { database, network }) => {
    const rows = await searchEvents(database, [blockExecuted(network())], parseEventCursor(cursor), limit + 1)
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const next = rows.length > limit && last !== undefined ? eventCursor.format(last) : ''
    return { body: pageUpTo(await presentBlocks(database, executedBlocks(shown)), limit, next) }
  },
})

const blockParameters = z.object({ number: heightParameter().describe('EVM block number.') })
const problems = { 404: 'The EVM block is not indexed.' }

const evmBlock = defineRoute({
  path: '/flow/evm/block/{number}',
  operationId: 'getEvmBlock',
  cost: 'high',
  tag,
  summary: 'EVM block',
  params: blockParameters,
  response: singleOf(evmBlockSchema, 'EvmBlock'),
  problems,
  example: { data: [exampleBlock] },
  handler: async ({ params: { number: wanted } }, services) => ({
    body: { data: await presentBlocks(services.database, [await requireBlock(services, wanted)]) },
  }),
})

const placeCursor = keyCursor({ tx_index: keyParts.index, event_index: keyParts.index })

const evmBlockTransactions = defineRoute({
  path: '/flow/evm/block/{number}/transactions',
  operationId: 'listTransactionsOfEvmBlock',
  cost: 'high',
  tag,
  summary: 'Transactions of an EVM block, by position',
  params: blockParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: placeCursor.parameter }),
  response: listOf(evmTransactionSchema, 'EvmTransaction'),
  problems,
  example: { data: [exampleEvmTransaction], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { number: wanted }, query: { limit, cursor } }, services) => {
    const { database } = services
    const { place } = await requireBlock(services, wanted)
    const after = placeCursor.parse(cursor)
    const places = await database.any(sql.type(placeRow)`
      select block_height, tx_index, event_index from app.evm_transactions
      where block_height = ${place.height} and evm_block_height = ${wanted}
        and (tx_index, event_index) > (${Number(after?.tx_index ?? -1)}, ${Number(after?.event_index ?? -1)})
      order by tx_index, event_index limit ${limit + 1}
    `)
    const rows = await readEvmTransactions(database, places)
    const context = await readEvmContext(database, { transactions: rows })
    return { body: page(rows, limit, (row) => presentEvmTransaction(row, context), placeCursor.format) }
  },
})

export const evmBlockRoutes = [evmBlockList, evmBlock, evmBlockTransactions]
