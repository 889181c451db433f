import { asError, FlowfarmError } from '../base/errors.ts'
import { addressText } from '../chain/address.ts'
import { writePayloadJson } from '../chain/payload.ts'
import { importsEvm, scriptHash } from '../chain/script.ts'
import { evmTransactionHash } from '../chain/evm-transaction-hash.ts'
import type { EventMessage, FetchedBlock, TransactionMessage, TransactionResultMessage } from '../access/messages.ts'
import type { Batch } from './batch.ts'
import { writeArguments } from './write-arguments.ts'
import { writeSignatures } from './write-signatures.ts'

/** The columns of each table, in the order in which the rows below are written. */
export const rawColumns = {
  blocks: ['height', 'id', 'parent_id', 'timestamp', 'collection_count', 'tx_count', 'event_count', 'collection_ids'],
  transactions: [
    'block_height', 'tx_index', 'id', 'collection_index', 'status', 'status_code', 'is_evm', 'payer_address', 'proposer_address',
    'proposer_key_index', 'proposer_sequence_number', 'authorizers', 'reference_block_id', 'script_hash', 'arguments', 'gas_limit',
    'gas_used', 'event_count', 'error_message', 'signatures',
  ],
  events: ['block_height', 'tx_index', 'event_index', 'type', 'payload'],
  tx_lookup: ['id', 'block_height', 'tx_index', 'evm_hash'],
  block_lookup: ['id', 'height'],
} as const

const maxInt8 = 2n ** 63n - 1n

/**
 * Adds the rows of one block to a batch. Nothing of the block is left out: what cannot be decoded gets a row without
 * it and an entry in `undecoded`, what no node had an entry in `unavailable`.
 */
export function appendBlock(batch: Batch, fetched: FetchedBlock): void {
  const { block, transactions, results } = fetched
  let eventCount = 0
  for (const [txIndex, transaction] of transactions.entries()) {
    const result = results[txIndex]
    appendTransaction(batch, fetched, txIndex, transaction, result)
    eventCount += result?.events.length ?? 0
  }
  const { blocks, blockLookup } = batch
  blocks.row(rawColumns.blocks.length)
  blocks.int8(block.height)
  blocks.bytea(block.id)
  blocks.bytea(block.parentId)
  blocks.timestamptzUs(block.timestampUs)
  blocks.int4(block.collectionIds.length)
  blocks.int4(transactions.length)
  blocks.int4(eventCount)
  blocks.byteaArray(block.collectionIds)
  blockLookup.row(rawColumns.block_lookup.length)
  blockLookup.bytea(block.id)
  blockLookup.int8(block.height)
  for (const part of fetched.missing) {
    batch.unavailable.push({
      blockHeight: block.height, part: part.part, txIndex: part.index ?? -1, reason: part.reason, endpoint: fetched.endpoint,
    })
  }
  batch.lowest = Math.min(batch.lowest, block.height)
  batch.highest = Math.max(batch.highest, block.height)
  batch.blockCount++
  batch.txCount += transactions.length
  batch.eventCount += eventCount
  batch.byteLength += fetched.byteLength
}

function appendTransaction(
  batch: Batch, fetched: FetchedBlock, txIndex: number, transaction: TransactionMessage, result: TransactionResultMessage | undefined,
): void {
  const height = fetched.block.height
  const id = fetched.transactionIds[txIndex] as Buffer
  const hash = scriptHash(transaction.script)
  batch.addScript(hash, transaction.script)
  const rows = batch.transactions
  rows.row(rawColumns.transactions.length)
  rows.int8(height)
  rows.int4(txIndex)
  rows.bytea(id)
  const collectionIndex = result === undefined ? -1 : fetched.block.collectionIds.findIndex((c) => c.equals(result.collectionId))
  if (collectionIndex < 0) rows.null()
  else rows.int4(collectionIndex)
  rows.text(result?.status ?? 'UNKNOWN')
  if (result === undefined) rows.null()
  else rows.int2(result.statusCode)
  rows.bool(importsEvm(transaction.script))
  // System transactions on real nodes have nobody; on the emulator the service account pays for them.
  if (isZero(transaction.payer)) {
    for (let i = 0; i < 4; i++) rows.null()
  } else {
    rows.text(addressText(transaction.payer))
    rows.text(addressText(transaction.proposerAddress))
    rows.int4(transaction.proposerKeyId)
    rows.int8(clampInt8(transaction.proposerSequenceNumber))
  }
  rows.textArray(transaction.authorizers.map(addressText))
  if (isZero(transaction.referenceBlockId)) rows.null()
  else rows.bytea(transaction.referenceBlockId)
  rows.bytea(hash)
  writeArguments(rows, transaction.arguments)
  rows.int8(clampInt8(transaction.gasLimit))
  if (result === undefined) rows.null()
  else rows.int8(clampInt8(result.computationUsage))
  rows.int4(result?.events.length ?? 0)
  if (result === undefined || result.errorMessage === '') rows.null()
  else rows.text(result.errorMessage)
  writeSignatures(rows, transaction)

  let evmHash: Buffer | undefined
  for (const event of result?.events ?? []) {
    appendEvent(batch, height, txIndex, event)
    if (evmHash === undefined && isEvmTransaction(event.type)) evmHash = evmTransactionHash(event.type, event.payload)
  }
  if (isRepeated(transaction, result)) return
  const lookup = batch.txLookup
  lookup.row(rawColumns.tx_lookup.length)
  lookup.bytea(id)
  lookup.int8(height)
  lookup.int4(txIndex)
  if (evmHash === undefined) lookup.null()
  else lookup.bytea(evmHash)
}

function appendEvent(batch: Batch, height: number, txIndex: number, event: EventMessage): void {
  const rows = batch.events
  rows.row(rawColumns.events.length)
  rows.int8(height)
  rows.int4(txIndex)
  rows.int4(event.eventIndex)
  rows.text(event.type)
  const start = rows.out.position
  try {
    rows.jsonbBegin()
    writePayloadJson(event.type, event.payload, rows.out)
    rows.jsonbEnd()
  } catch (error) {
    rows.out.position = start
    rows.null()
    batch.undecoded.push({
      blockHeight: height, txIndex, eventIndex: event.eventIndex, eventType: event.type, rawData: Buffer.from(event.payload),
      code: error instanceof FlowfarmError ? error.code : 'event-undecodable', message: asError(error).message,
    })
  }
}

/**
 * Whether the transaction is one of those that end every block and have the same id in each, so that an id says nothing
 * about a height. They are in no collection and take no arguments; a scheduled transaction that came due is in none
 * either, and has the number of its schedule as argument. Source: onflow/flow-go `fvm/blueprints`.
 */
function isRepeated(transaction: TransactionMessage, result: TransactionResultMessage | undefined): boolean {
  if (transaction.arguments.length > 0) return false
  const isInCollection = result === undefined || result.collectionId.length === 0 ? !isZero(transaction.payer) : !isZero(result.collectionId)
  return !isInCollection
}

function isEvmTransaction(type: string): boolean {
  return type.endsWith('.EVM.TransactionExecuted')
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0)
}

/** Values above PostgreSQL's bigint cannot come from a transaction that was run; the column keeps the largest. */
function clampInt8(value: bigint): bigint {
  return value > maxInt8 ? maxInt8 : value
}
