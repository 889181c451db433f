import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { hashPattern } from '../formats.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { transactionWorkers } from '../transactions/derived-details.ts'
import { describeTransactions } from '../transactions/descriptions.ts'
import { exampleSummary, presentTransactionSummary } from '../transactions/schema.ts'
import { readTransaction } from '../transactions/queries.ts'
import { readEvmContext } from './context.ts'
import { internalNote, pageOfTransactions, readInternalTransactions, transactionListParameters } from './lists.ts'
import {
  exampleEvmLog,
  exampleInternalTransaction,
  exampleEvmTransaction,
  exampleEvmTransfer,
  evmInternalTransactionSchema,
  evmLogSchema,
  presentEvmLog,
  readStoredLogs,
  evmTransactionDetailSchema,
  evmTransactionSchema,
  presentEvmTransactionDetail,
} from './schema.ts'
import { describeEvmAddresses, findEvmTransaction, readEvmLogs, readEvmTransactions } from './queries.ts'
import type { EvmPlace } from './queries.ts'
import { readTransfersOfEvmTransaction } from './token-queries.ts'
import { evmTokenTransferSchema, presentEvmTokenTransfer } from './token-schema.ts'

const tag = 'EVM'

const evmTransactionList = defineRoute({
  path: '/flow/evm/transaction',
  operationId: 'listEvmTransactions',
  tag,
  summary: 'EVM transactions, latest first',
  description: 'A Flow transaction may execute several.',
  query: z.object(transactionListParameters),
  response: listOf(evmTransactionSchema, 'EvmTransaction'),
  example: { data: [exampleEvmTransaction], has_more: true, cursor: '118542743:0:2', _meta: { limit: 1, count: 1 } },
  handler: async ({ query }, services) => ({ body: await pageOfTransactions(services, {}, query) }),
})

const hashParameters = z.object({
  hash: z
    .string()
    .regex(hashPattern, 'must be an EVM transaction hash: 64 hex digits, with or without 0x')
    .describe('EVM transaction hash; 0x is optional.'),
})
const problems = { 404: 'The EVM transaction is not indexed.' }

const evmTransaction = defineRoute({
  path: '/flow/evm/transaction/{hash}',
  operationId: 'getEvmTransaction',
  tag,
  summary: 'EVM transaction with its Flow transaction',
  params: hashParameters,
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
    const context = await readEvmContext(database, {
      transactions: [row],
      logs,
      addresses: transfers.flatMap(({ from_address: from, to_address: to }) => [from, to]),
    })
    const detail = presentEvmTransactionDetail(row, context, {
      logs: logs.map((log, i) => presentEvmLog(log, i, context)),
      transfers: transfers.map((transfer) => presentEvmTokenTransfer(transfer, context.directory, network())),
      transaction: presentTransactionSummary(described),
    })
    return { body: { data: [detail] }, caching }
  },
})

const evmTransactionLogs = defineRoute({
  path: '/flow/evm/transaction/{hash}/logs',
  operationId: 'listLogsOfEvmTransaction',
  tag,
  summary: 'Logs of an EVM transaction',
  params: hashParameters,
  response: listOf(evmLogSchema, 'EvmLog'),
  problems,
  example: { data: [exampleEvmLog], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async ({ params: { hash } }, services) => {
    const { database } = services
    const logs = readStoredLogs(await readEvmLogs(database, await requireEvmTransaction(hash, services)))
    const context = await readEvmContext(database, { logs })
    return { body: wholeList(logs.map((log, i) => presentEvmLog(log, i, context))) }
  },
})

const evmTransactionTransfers = defineRoute({
  path: '/flow/evm/transaction/{hash}/token-transfers',
  operationId: 'listTokenTransfersOfEvmTransaction',
  tag,
  summary: 'Token transfers of an EVM transaction',
  params: hashParameters,
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

const evmInternalTransactions = defineRoute({
  path: '/flow/evm/transaction/{hash}/internal-transactions',
  operationId: 'listInternalTransactionsOfEvmTransaction',
  tag,
  summary: 'Internal transactions of an EVM transaction, as far as events record them',
  description: internalNote,
  params: hashParameters,
  response: z
    .strictObject({
      data: z.array(evmInternalTransactionSchema),
      has_more: z.literal(false),
      cursor: z.literal(''),
      note: z.string().describe('Calls and transfers that are missing.'),
    })
    .meta({ id: 'EvmInternalTransactionList' }),
  problems,
  example: {
    data: [exampleInternalTransaction],
    has_more: false,
    cursor: '',
    note: internalNote,
  },
  handler: async ({ params: { hash } }, services) => {
    const { database } = services
    const rows = await readEvmTransactions(database, [await requireEvmTransaction(hash, services)])
    const data = await readInternalTransactions(database, rows)
    return { body: { data, has_more: false as const, cursor: '' as const, note: internalNote } }
  },
})

/** @throws ApiError 404 */
async function requireEvmTransaction(hash: string, { database }: Services): Promise<EvmPlace> {
  const place = await findEvmTransaction(database, hash.replace(/^0x/i, '').toLowerCase())
  if (place === undefined) throw unknownTransaction(hash)
  return place
}

function unknownTransaction(hash: string): ApiError {
  return new ApiError(404, 'unknown-evm-transaction', `EVM transaction ${hash} is not indexed.`, { field: 'hash' })
}

export const evmTransactionRoutes = [
  evmTransactionList,
  evmTransaction,
  evmTransactionLogs,
  evmTransactionTransfers,
  evmInternalTransactions,
]
