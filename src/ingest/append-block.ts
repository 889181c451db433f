import { asError, FlowfarmError } from '../platform/errors.ts'
import { addressText } from '../flow/address.ts'
import { evmTransactionHash } from '../flow/evm/evm-transaction.ts'
import { PayloadError, expansionLimits } from '../flow/payload-value.ts'
import { eventsPerChunk } from '../flow/event-shape.ts'
import type { EventShape } from '../flow/event-shape.ts'
import { writePayloadValues } from '../flow/payload.ts'
import type { EventMessage, FetchedBlock, TransactionMessage, TransactionResultMessage } from '../access/messages.ts'
import type { CopyWriter } from '../platform/db/copy-writer.ts'
import type { Batch, UndecodedInput } from './batch.ts'
import { rawColumns } from './raw-tables.ts'
import { writeArguments, writeSignatures } from './transaction-fields.ts'

const maxInt2 = 2 ** 15 - 1
const maxInt4 = 2 ** 31 - 1
const maxInt8 = 2n ** 63n - 1n
/** Numbers up to here are exact, and faster to write than bigints. */
const maxExact = BigInt(Number.MAX_SAFE_INTEGER)

interface Placed {
  readonly height: number
  readonly txIndex: number
  readonly id: Buffer
  readonly transaction: TransactionMessage
  readonly result: TransactionResultMessage | undefined
  readonly expansion: Expansion
}

/** Applies besides the limit of each event (`expansionLimits`). */
interface Expansion {
  inBlock: number
  inTransaction: number
}

/**
 * Undecodable inputs become entries of `undecoded`, parts that no node had entries of
 * `unavailable`. On failure the batch is unchanged.
 *
 * @returns the stored block; payloads of undecodable events are emptied so that no other code
 *   decodes them
 */
export function appendBlock(batch: Batch, fetched: FetchedBlock): FetchedBlock {
  const { block, transactions, transactionIds, results } = fetched
  const { height } = block
  const undecodedBefore = batch.undecoded.length
  batch.beginBlock(height)
  try {
    let eventCount = 0
    const expansion: Expansion = { inBlock: expansionLimits.blockBytes, inTransaction: 0 }
    for (const [txIndex, transaction] of transactions.entries()) {
      const result = results[txIndex]
      expansion.inTransaction = expansionLimits.transactionBytes
      const id = transactionIds[txIndex] as Buffer
      appendTransaction(batch, fetched, { height, txIndex, id, transaction, result, expansion })
      eventCount += result?.events.length ?? 0
    }
    appendHeader(batch, fetched, eventCount)
    for (const { part, index = -1, reason } of fetched.missing) {
      batch.unavailable.push({ blockHeight: height, part, txIndex: index, reason, endpoint: fetched.endpoint })
    }
    batch.endBlock({ txCount: transactions.length, eventCount, byteLength: fetched.byteLength })
    return withoutPayloads(fetched, batch.undecoded.slice(undecodedBefore))
  } catch (error) {
    batch.dropBlock()
    throw error
  }
}

function withoutPayloads(fetched: FetchedBlock, undecoded: readonly UndecodedInput[]): FetchedBlock {
  if (undecoded.length === 0) return fetched
  const byTransaction = Map.groupBy(undecoded, ({ txIndex }) => txIndex)
  const results = fetched.results.map((result, txIndex) => {
    const inputs = byTransaction.get(txIndex)
    if (result === undefined || inputs === undefined) return result
    const events = [...result.events]
    for (const { eventIndex } of inputs) {
      const event = events[eventIndex]
      if (event !== undefined) events[eventIndex] = { ...event, payload: Buffer.alloc(0) }
    }
    return { ...result, events }
  })
  return { ...fetched, results }
}

function appendHeader(batch: Batch, { block, transactions }: FetchedBlock, eventCount: number): void {
  const rows = batch.rows.blocks
  rows.row(rawColumns.blocks.length)
  rows.int8(block.height)
  rows.bytea(block.id)
  rows.bytea(block.parentId)
  rows.timestamptzUs(block.timestampUs)
  rows.int4(block.collectionIds.length)
  rows.int4(transactions.length)
  rows.int4(eventCount)
  rows.byteaArray(block.collectionIds)
  const lookup = batch.rows.block_lookup
  lookup.row(rawColumns.block_lookup.length)
  lookup.bytea(block.id)
  lookup.int8(block.height)
}

function appendTransaction(batch: Batch, { block }: FetchedBlock, placed: Placed): void {
  const { height, txIndex, id, transaction, result } = placed
  const script = batch.addScript(transaction.script)
  // System transactions have no payer on real nodes; on the emulator the service account pays.
  const hasUsers = !isZero(transaction.payer)
  const collectionIndex = block.collectionIds.findIndex((collection) => result?.collectionId.equals(collection))
  const rows = batch.rows.transactions
  rows.row(rawColumns.transactions.length)
  rows.int8(height)
  int8OrNull(rows, hasUsers ? transaction.proposerSequenceNumber : undefined)
  int8OrNull(rows, transaction.gasLimit)
  int8OrNull(rows, result?.computationUsage)
  rows.int4(txIndex)
  int4OrNull(rows, collectionIndex < 0 ? undefined : collectionIndex)
  int4OrNull(rows, hasUsers ? transaction.proposerKeyId : undefined)
  rows.int4(result?.events.length ?? 0)
  if (result === undefined) rows.null()
  else rows.int2(Math.min(result.statusCode, maxInt2))
  rows.bool(script.importsEvm)
  rows.bytea(id)
  rows.text(result?.status ?? 'UNKNOWN')
  textOrNull(rows, hasUsers ? addressText(transaction.payer) : '')
  textOrNull(rows, hasUsers ? addressText(transaction.proposerAddress) : '')
  rows.textArray(transaction.authorizers.map(addressText))
  if (isZero(transaction.referenceBlockId)) rows.null()
  else rows.bytea(transaction.referenceBlockId)
  rows.bytea(script.hash)
  writeArguments(rows, transaction.arguments)
  textOrNull(rows, result?.errorMessage ?? '')
  writeSignatures(rows, transaction)
  appendEvents(batch, placed)
  if (!isRepeated(transaction, result)) appendLookup(batch, placed)
}

function appendEvents(batch: Batch, placed: Placed): void {
  const events = placed.result?.events ?? []
  for (let first = 0; first < events.length; first += eventsPerChunk) {
    appendChunk(batch, placed, first, events.slice(first, first + eventsPerChunk))
  }
}

function appendChunk(batch: Batch, placed: Placed, first: number, events: readonly EventMessage[]): void {
  const { height, txIndex, expansion } = placed
  const rows = batch.rows.event_chunks
  rows.row(rawColumns.event_chunks.length)
  rows.int8(height)
  rows.int4(txIndex)
  rows.int4(first)
  rows.jsonArrayBegin(events.length)
  const shapes = events.map(({ type, payload }, place): EventShape => {
    const start = rows.out.position
    try {
      rows.jsonBegin()
      const textStart = rows.out.position
      const own = expansionLimits.ownFloor + expansionLimits.ownPerByte * payload.length
      const shared = Math.min(expansion.inTransaction, expansion.inBlock)
      const shape = writePayloadValues(type, payload, rows.out, own + shared)
      const excess = Math.max(0, rows.out.position - textStart - own)
      expansion.inTransaction -= excess
      expansion.inBlock -= excess
      rows.jsonEnd()
      return shape
    } catch (error) {
      rows.out.position = start
      rows.null()
      batch.undecoded.push({
        blockHeight: height,
        txIndex,
        eventIndex: first + place,
        eventType: type,
        rawData: Buffer.from(payload),
        code: error instanceof FlowfarmError ? error.code : 'event-undecodable',
        message: asError(error).message,
      })
      return { type, fields: [] }
    }
  })
  rows.jsonArrayEnd()
  batch.addShapes(shapes)
}

function appendLookup(batch: Batch, { height, txIndex, id, result }: Placed): void {
  const rows = batch.rows.tx_lookup
  rows.row(rawColumns.tx_lookup.length)
  rows.bytea(id)
  rows.int8(height)
  rows.int4(txIndex)
  const evmHash = firstEvmHash(result?.events ?? [])
  if (evmHash === undefined) rows.null()
  else rows.bytea(evmHash)
}

function firstEvmHash(events: readonly EventMessage[]): Buffer | undefined {
  for (const { type, payload } of events) {
    if (!type.endsWith('.EVM.TransactionExecuted')) continue
    try {
      const hash = evmTransactionHash(type, payload)
      if (hash !== undefined) return hash
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error
    }
  }
  return undefined
}

/**
 * System transactions can have the same id in every block. These are in no collection and have no
 * arguments, unlike scheduled transactions. Source: onflow/flow-go `fvm/blueprints`.
 */
function isRepeated(transaction: TransactionMessage, result: TransactionResultMessage | undefined): boolean {
  if (transaction.arguments.length > 0) return false
  const saysCollection = result !== undefined && result.collectionId.length > 0
  return isZero(saysCollection ? result.collectionId : transaction.payer)
}

function isZero(bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}

/** Clamped: no such key exists, and a transaction that names it has failed. */
function int4OrNull(rows: CopyWriter, value: number | undefined): void {
  if (value === undefined) rows.null()
  else rows.int4(Math.min(value, maxInt4))
}

/** Clamped: no such sequence number or limit exists. */
function int8OrNull(rows: CopyWriter, value: bigint | undefined): void {
  if (value === undefined) rows.null()
  else if (value <= maxExact) rows.int8(Number(value))
  else rows.int8(value > maxInt8 ? maxInt8 : value)
}

function textOrNull(rows: CopyWriter, value: string): void {
  if (value === '') rows.null()
  else rows.text(value)
}
