import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { readBounds } from '../paging/bounds.ts'
import { listOf, page, singleOf, wholeList } from '../paging/envelope.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { exampleEvmLog, exampleEvmTransaction, exampleEvmTransfer } from '../examples/evm.ts'
import { exampleSummary } from '../examples/transactions.ts'
import { hashPattern } from '../formats/formats.ts'
import { limitParameter, noParameters } from '../parameters/parameters.ts'
import { evmLogSchema, presentEvmLog, readStoredLogs } from '../presenters/evm-log.ts'
import { evmTokenTransferSchema, presentEvmTokenTransfer } from '../presenters/evm-token-transfer.ts'
import {
  evmTransactionDetailSchema,
  evmTransactionSchema,
  partiesOf,
  presentEvmTransaction,
  presentEvmTransactionDetail,
} from '../presenters/evm-transaction.ts'
import { presentTransactionSummary } from '../presenters/transaction.ts'
import { transactionWorkers } from '../queries/derived-details.ts'
import { describeTransactions } from '../queries/describe-transactions.ts'
import { describeEvmAddresses } from '../queries/evm-addresses.ts'
import { readTransfersOfEvmTransaction } from '../queries/evm-token-transfers.ts'
import {
  findEvmTransaction,
  listEvmTransactions,
  readEvmLogs,
  readEvmTransactions,
} from '../queries/evm-transactions.ts'
import type { EvmPlace } from '../queries/evm-transactions.ts'
import { readTransaction } from '../queries/transactions.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

const tag = 'EVM'

const evmTransactionList = defineRoute({
  path: '/flow/evm/transaction',
  operationId: 'listEvmTransactions',
  tag,
  summary: 'Transactions of the EVM, the latest first',
  description: 'One transaction of Flow may execute many.',
  params: noParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: eventCursor.parameter }),
  response: listOf(evmTransactionSchema, 'EvmTransaction'),
  example: { data: [exampleEvmTransaction], has_more: true, cursor: '118542743:0:2', _meta: { limit: 1, count: 1 } },
  handler: async ({ query: { limit, cursor } }, { database }) => {
    const rows = await listEvmTransactions(
      database,
      await readBounds(database),
      {},
      parseEventCursor(cursor),
      limit + 1,
    )
    const directory = await describeEvmAddresses(database, rows.flatMap(partiesOf))
    return { body: page(rows, limit, (row) => presentEvmTransaction(row, directory), eventCursor.format) }
  },
})

const hashParameters = z.object({
  hash: z
    .string()
    .regex(hashPattern, 'must be the hash of an EVM transaction: 64 hex digits, with or without 0x')
    .describe('Hash of the EVM transaction, with or without 0x.'),
})
const problems = { 404: 'No transaction of the EVM with this hash is indexed.' }

const evmTransaction = defineRoute({
  path: '/flow/evm/transaction/{hash}',
  operationId: 'getEvmTransaction',
  tag,
  summary: 'One transaction of the EVM, with the Flow transaction that executed it',
  params: hashParameters,
  query: noParameters,
  response: singleOf(evmTransactionDetailSchema, 'EvmTransaction'),
  problems,
  example: {
    data: [
      {
        ...exampleEvmTransaction,
        logs: [exampleEvmLog],
        token_transfers: [exampleEvmTransfer],
        transaction: exampleSummary,
      },
    ],
  },
  derivedBy: [...transactionWorkers, 'evm_worker', 'accounts_worker'],
  handler: async ({ params: { hash }, cachingAt }, services) => {
    const { database, network } = services
    const place = await requireEvmTransaction(hash, services)
    const caching = await cachingAt(place.block_height)
    const [[row], storedLogs, transfers, transaction] = await Promise.all([
      readEvmTransactions(database, [place]),
      readEvmLogs(database, place),
      readTransfersOfEvmTransaction(database, place),
      readTransaction(database, { height: place.block_height, index: place.tx_index }),
    ])
    const [described] = await describeTransactions(database, network(), transaction === undefined ? [] : [transaction])
    if (row === undefined || described === undefined) throw unknownTransaction(hash)
    const logs = readStoredLogs(storedLogs)
    const directory = await describeEvmAddresses(database, [
      ...partiesOf(row),
      ...logs.map(({ address }) => address),
      ...transfers.flatMap(({ from_address: from, to_address: to }) => [from, to]),
    ])
    const detail = presentEvmTransactionDetail(row, directory, {
      logs: logs.map((log, i) => presentEvmLog(log, i, directory)),
      transfers: transfers.map((transfer) => presentEvmTokenTransfer(transfer, directory, network())),
      transaction: presentTransactionSummary(described),
    })
    return { body: { data: [detail] }, caching }
  },
})

const evmTransactionLogs = defineRoute({
  path: '/flow/evm/transaction/{hash}/logs',
  operationId: 'listLogsOfEvmTransaction',
  tag,
  summary: 'All logs of a transaction of the EVM, in order',
  params: hashParameters,
  query: noParameters,
  response: listOf(evmLogSchema, 'EvmLog'),
  problems,
  example: { data: [exampleEvmLog], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async ({ params: { hash } }, services) => {
    const { database } = services
    const logs = readStoredLogs(await readEvmLogs(database, await requireEvmTransaction(hash, services)))
    const directory = await describeEvmAddresses(
      database,
      logs.map(({ address }) => address),
    )
    return { body: wholeList(logs.map((log, i) => presentEvmLog(log, i, directory))) }
  },
})

const evmTransactionTransfers = defineRoute({
  path: '/flow/evm/transaction/{hash}/token-transfers',
  operationId: 'listTokenTransfersOfEvmTransaction',
  tag,
  summary: 'All token transfers of a transaction of the EVM, in order',
  params: hashParameters,
  query: noParameters,
  response: listOf(evmTokenTransferSchema, 'EvmTokenTransfer'),
  problems,
  example: { data: [exampleEvmTransfer], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async ({ params: { hash } }, services) => {
    const { database, network } = services
    const rows = await readTransfersOfEvmTransaction(database, await requireEvmTransaction(hash, services))
    const directory = await describeEvmAddresses(
      database,
      rows.flatMap((row) => [row.from_address, row.to_address]),
    )
    return { body: wholeList(rows.map((row) => presentEvmTokenTransfer(row, directory, network()))) }
  },
})

/** @throws ApiError 404 `unknown-evm-transaction` */
async function requireEvmTransaction(hash: string, { database }: Services): Promise<EvmPlace> {
  const place = await findEvmTransaction(database, hash.replace(/^0x/i, '').toLowerCase())
  if (place === undefined) throw unknownTransaction(hash)
  return place
}

function unknownTransaction(hash: string): ApiError {
  return new ApiError(404, 'unknown-evm-transaction', `EVM transaction ${hash} is not indexed.`, { field: 'hash' })
}

/** Transactions of the EVM. */
export const evmTransactionRoutes = [evmTransactionList, evmTransaction, evmTransactionLogs, evmTransactionTransfers]
