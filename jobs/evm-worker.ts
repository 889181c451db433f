import type { SqlColumn, SumFold, DeriveContext, DeriveOutput, HeightTable, Worker } from './worker.ts'
import { numericOrNull, textOrNull } from '../src/platform/row-writer.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedEvent, DecodedTransaction } from '../src/flow/decoded-block.ts'
import { FieldShapeError } from '../src/flow/event-fields.ts'
import { evmTokenTransfers } from '../src/flow/evm/evm-token-transfers.ts'
import type { EvmTokenTransfer } from '../src/flow/evm/evm-token-transfers.ts'
import { evmTransactionExecuted, evmTransactionOf } from '../src/flow/evm/evm-transaction.ts'
import type { EvmTransaction } from '../src/flow/evm/evm-transaction.ts'
import { selectorOfInput } from '../src/flow/evm/known-abi.ts'

const address: SqlColumn = { column: 'address', type: 'text' }
const token: SqlColumn = { column: 'token', type: 'text' }
const standard: SqlColumn = { column: 'standard', type: 'smallint' }
const holdingsTable = 'app.evm_token_holdings'

/** Sums, so independent of the order of derivation. */
function evmTokenFolds(transfers: string): readonly SumFold[] {
  return [holdings(transfers), items(transfers), tokens(transfers)]
}

const inRange = 't.block_height >= $1 and t.block_height < $2'

/** Null for the zero address. */
const sides = (transfers: string): string => `
  from ${transfers} t
  cross join lateral (values (t.from_address, -t.amount), (t.to_address, t.amount)) as s (address, change)
  where ${inRange} and s.address is not null`

/** `balance` is also the presence column. */
function holdings(transfers: string): SumFold {
  return {
    kind: 'sum',
    name: holdingsTable,
    key: [address, token, standard],
    sums: [{ column: 'balance', type: 'numeric' }],
    presence: 'balance',
    of: transfers,
    touched: `select distinct s.address, t.token, t.standard ${sides(transfers)}`,
    counted: `select s.address, t.token, t.standard, s.change as balance ${sides(transfers)}`,
  }
}

/** ERC-721 items and ERC-1155 token types. */
function items(transfers: string): SumFold {
  const ofItems = `${sides(transfers)} and t.token_id is not null`
  return {
    kind: 'sum',
    name: 'app.evm_token_items',
    key: [token, standard, { column: 'token_id', type: 'numeric' }, address],
    sums: [{ column: 'balance', type: 'numeric' }],
    presence: 'balance',
    of: transfers,
    touched: `select distinct t.token, t.standard, t.token_id, s.address ${ofItems}`,
    counted: `select t.token, t.standard, t.token_id, s.address, s.change as balance ${ofItems}`,
  }
}

/**
 * Holdings are folded before and include the range. The first transfer is in the range if none
 * precedes it; without the range it would be the next one, or none (0).
 */
function tokens(transfers: string): SumFold {
  return {
    kind: 'sum',
    name: 'app.evm_tokens',
    key: [token, standard],
    sums: [
      { column: 'first_height', type: 'bigint' },
      { column: 'transfer_count', type: 'bigint' },
      { column: 'holder_count', type: 'bigint' },
      { column: 'short_count', type: 'bigint' },
    ],
    presence: 'transfer_count',
    of: transfers,
    touched: `select distinct t.token, t.standard from ${transfers} t where ${inRange}`,
    counted: `
      with changes as (
        select s.address, t.token, t.standard, sum(s.change) as change ${sides(transfers)} group by 1, 2, 3
      ), balances as (
        select c.token, c.standard, coalesce(h.balance, 0) as balance, coalesce(h.balance, 0) - c.change as otherwise
        from changes c left join lateral (
          select h.balance from ${holdingsTable} h
          where h.address = c.address and h.token = c.token and h.standard = c.standard limit 1
        ) h on true
      ), ranged as (
        select t.token, t.standard, min(t.block_height) as first_height, count(*) as transfer_count
        from ${transfers} t where ${inRange} group by 1, 2
      )
      select r.token, r.standard, r.transfer_count, 0::bigint as holder_count, 0::bigint as short_count,
        case when b.is_before then 0 else r.first_height - coalesce(n.block_height, 0) end as first_height
      from ranged r
      left join lateral (
        select true as is_before from ${transfers} t
        where t.token = r.token and t.standard = r.standard and t.block_height < $1 order by t.block_height limit 1
      ) b on true
      left join lateral (
        select t.block_height from ${transfers} t
        where t.token = r.token and t.standard = r.standard and t.block_height >= $2 order by t.block_height limit 1
      ) n on true
      union all
      select token, standard, 0, (balance > 0)::int - (otherwise > 0)::int, (balance < 0)::int - (otherwise < 0)::int, 0
      from balances`,
  }
}

const heightColumn = 'block_height'
const position = [heightColumn, 'tx_index', 'event_index'] as const
const partitionHeights = 5_000_000

const hashes: HeightTable = {
  name: 'app.evm_tx_hashes',
  columns: [...position, 'tx_id', 'evm_hash', 'evm_from', 'evm_to', 'evm_value', 'evm_gas_used', 'evm_status'],
  heightColumn,
  partitionHeights,
}

const transactions: HeightTable = {
  name: 'app.evm_transactions',
  columns: [
    ...position,
    'evm_block_height',
    'evm_tx_index',
    'error_code',
    'tx_type',
    'call_type',
    'nonce',
    'gas_limit',
    'gas_price',
    'max_fee_per_gas',
    'max_priority_fee_per_gas',
    'contract_address',
    'error_message',
    'method_id',
  ],
  heightColumn,
  partitionHeights,
}

/** One row for each token, item or token type that a log moves. */
const tokenTransfers: HeightTable = {
  name: 'app.evm_token_transfers',
  columns: [
    ...position,
    'log_index',
    'batch_index',
    'standard',
    'token',
    'from_address',
    'to_address',
    'token_id',
    'amount',
  ],
  heightColumn,
  partitionHeights,
}

/** Includes system transactions, because scheduled transactions can use the EVM. */
export const evmWorker: Worker = {
  name: 'evm_worker',
  description: 'EVM transactions and their token transfers',
  phase: 1,
  follows: [],
  tables: [hashes, transactions, tokenTransfers],
  folds: evmTokenFolds(tokenTransfers.name),
  derive({ blocks }, output, context) {
    const type = evmTransactionExecuted(context.network)
    for (const { height, transactions: ofBlock } of blocks) {
      for (const transaction of ofBlock) {
        for (const event of transaction.events) {
          if (event.type === type) deriveEvent(event, { height, transaction }, output, context)
        }
      }
    }
  },
}

interface Place {
  readonly height: number
  readonly transaction: DecodedTransaction
}

function deriveEvent(event: DecodedEvent, place: Place, output: DeriveOutput, { network }: DeriveContext): void {
  const problem = (code: string, message: string): void => {
    const {
      height,
      transaction: { index: txIndex },
    } = place
    output.problem({ blockHeight: height, txIndex, eventIndex: event.index, eventType: event.type, code, message })
  }
  let executed: EvmTransaction | undefined
  try {
    executed = evmTransactionOf(event)
  } catch (error) {
    if (!(error instanceof FieldShapeError)) throw error
    problem('evm-event-shape', error.message)
    return
  }
  if (executed === undefined) return
  for (const { code, message } of executed.problems) problem(code, message)
  writeHash(output.rows(hashes.name), event, place, executed)
  writeTransaction(output.rows(transactions.name), event, place, executed)
  const moved = evmTokenTransfers(executed.logs, network)
  if (moved.length > 0) writeTransfers(output.rows(tokenTransfers.name), event, place, moved)
}

function writeHash(rows: RowWriter, event: DecodedEvent, place: Place, executed: EvmTransaction): void {
  beginRow(rows, hashes, event, place)
  rows.text(place.transaction.id.toString('hex'))
  rows.text(executed.hash)
  textOrNull(rows, executed.from)
  textOrNull(rows, executed.to)
  numericOrNull(rows, executed.payload?.value)
  rows.int8(executed.gasUsed)
  rows.int2(executed.status)
}

function writeTransaction(rows: RowWriter, event: DecodedEvent, place: Place, executed: EvmTransaction): void {
  const { payload } = executed
  beginRow(rows, transactions, event, place)
  rows.int8(executed.blockHeight)
  rows.int4(executed.index)
  rows.int4(executed.errorCode)
  rows.int2(executed.type)
  textOrNull(rows, payload?.callType)
  numericOrNull(rows, payload?.nonce)
  numericOrNull(rows, payload?.gasLimit)
  numericOrNull(rows, payload?.gasPrice)
  numericOrNull(rows, payload?.maxFeePerGas)
  numericOrNull(rows, payload?.maxPriorityFeePerGas)
  textOrNull(rows, executed.contractAddress)
  textOrNull(rows, executed.errorMessage)
  const isCall = payload?.to !== undefined && payload.callType !== 'deploy'
  textOrNull(rows, isCall ? selectorOfInput(payload.input) : undefined)
}

function writeTransfers(rows: RowWriter, event: DecodedEvent, place: Place, moved: readonly EvmTokenTransfer[]): void {
  for (const { logIndex, batchIndex, standard, token, from, to, tokenId, amount } of moved) {
    beginRow(rows, tokenTransfers, event, place)
    rows.int4(logIndex)
    rows.int4(batchIndex)
    rows.int2(standard)
    rows.text(token)
    textOrNull(rows, from)
    textOrNull(rows, to)
    numericOrNull(rows, tokenId)
    rows.numeric(amount)
  }
}

function beginRow(rows: RowWriter, table: HeightTable, event: DecodedEvent, { height, transaction }: Place): void {
  rows.row(table.columns.length)
  rows.int8(height)
  rows.int4(transaction.index)
  rows.int4(event.index)
}
