import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { hashPattern, amountFormat, heightFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { listOf, page, singleOf, wholeList, keyCursor, keyParts } from '../paging/pages.ts'
import { limitParameter, evmAddressParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { transactionWorkers } from '../transactions/derived-details.ts'
import { describeTransactions } from '../transactions/descriptions.ts'
import { exampleSummary, presentTransactionSummary } from '../transactions/schema.ts'
import { readTransaction } from '../transactions/queries.ts'
import {
  exampleEvmLog,
  exampleEvmTransaction,
  exampleEvmTransfer,
  exampleEvmToken,
  exampleEvmTokenRef,
  evmLogSchema,
  presentEvmLog,
  readStoredLogs,
  evmTransactionDetailSchema,
  evmTransactionSchema,
  partiesOf,
  presentEvmTransaction,
  presentEvmTransactionDetail,
} from './schema.ts'
import {
  describeEvmAddresses,
  findEvmTransaction,
  listEvmTransactions,
  readEvmLogs,
  readEvmTransactions,
  readEvmAddressSpan,
} from './queries.ts'
import type { EvmPlace } from './queries.ts'
import {
  readTransfersOfEvmTransaction,
  evmTransferCursor,
  parseEvmTransferCursor,
  listEvmTokenTransfers,
  listEvmHoldings,
  listEvmItems,
  readEvmToken,
} from './token-queries.ts'
import { standardParameter, standardsOf } from './token-routes.ts'
import {
  evmTokenTransferSchema,
  presentEvmTokenTransfer,
  evmHashFormat,
  evmPartySchema,
  isContract,
  presentEvmParty,
  evmTokenRefSchema,
  evmTokenSchema,
  presentEvmToken,
  presentEvmTokenRef,
  standardName,
} from './token-schema.ts'

const tag = 'EVM'

const evmTransactionList = defineRoute({
  path: '/flow/evm/transaction',
  operationId: 'listEvmTransactions',
  tag,
  summary: 'EVM transactions, latest first',
  description: 'A Flow transaction may execute several.',
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
  summary: 'Logs of an EVM transaction',
  params: hashParameters,
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

/** @throws ApiError 404 */
async function requireEvmTransaction(hash: string, { database }: Services): Promise<EvmPlace> {
  const place = await findEvmTransaction(database, hash.replace(/^0x/i, '').toLowerCase())
  if (place === undefined) throw unknownTransaction(hash)
  return place
}

function unknownTransaction(hash: string): ApiError {
  return new ApiError(404, 'unknown-evm-transaction', `EVM transaction ${hash} is not indexed.`, { field: 'hash' })
}

export const evmTransactionRoutes = [evmTransactionList, evmTransaction, evmTransactionLogs, evmTransactionTransfers]

const addressParameters = z.object({ address: evmAddressParameter() })
const paging = { limit: limitParameter({ default: 20, max: 100 }) }

const evmAddressSchema = evmPartySchema
  .extend({
    is_coa: z.boolean().describe('Whether it is a Cadence-owned account (COA).'),
    token: evmTokenSchema.nullable().describe('Null if it is not a token.'),
    creator: evmPartySchema.nullable().describe('Creator of the contract; null if unknown or not a contract.'),
    creation_transaction_hash: evmHashFormat.nullable(),
    first_height: heightFormat.nullable().describe('First Flow block that refers to it.'),
    last_height: heightFormat.nullable(),
  })
  .meta({ id: 'EvmAddress' })

const evmAddress = defineRoute({
  path: '/flow/evm/address/{address}',
  operationId: 'getEvmAddress',
  tag,
  summary: 'EVM address',
  params: addressParameters,
  response: singleOf(evmAddressSchema, 'EvmAddress'),
  problems: { 404: 'The address is not indexed.' },
  example: {
    data: [
      {
        hash: exampleEvmTokenRef.address,
        name: 'Wrapped Flow',
        is_contract: true,
        flow_address: null,
        is_coa: false,
        token: exampleEvmToken,
        creator: null,
        creation_transaction_hash: null,
        first_height: 88_412_006,
        last_height: 118_542_743,
      },
    ],
  },
  handler: async ({ params: { address } }, { database, network }) => {
    const digits = address.slice(2)
    const [span, [token]] = await Promise.all([readEvmAddressSpan(database, digits), readEvmToken(database, digits)])
    const directory = await describeEvmAddresses(database, [digits, span.creator])
    const facts = directory.get(digits)
    if (facts === undefined || (span.first_height === null && token === undefined && facts.name === null)) {
      throw new ApiError(404, 'unknown-evm-address', `EVM address ${address} is not indexed.`, { field: 'address' })
    }
    return {
      body: {
        data: [
          {
            ...presentEvmParty(digits, directory),
            is_contract: isContract(facts),
            is_coa: facts.is_coa,
            token: token === undefined ? null : presentEvmToken(token, network()),
            creator: presentEvmParty(span.creator, directory),
            creation_transaction_hash: span.creation_hash === null ? null : `0x${span.creation_hash}`,
            first_height: span.first_height ?? token?.first_height ?? null,
            last_height: span.last_height,
          },
        ],
      },
    }
  },
})

const holdingCursor = keyCursor({ address: keyParts.evmAddress, type: /ERC-(?:20|721|1155)/ })
const evmHoldingSchema = z
  .strictObject({
    token: evmTokenRefSchema,
    token_id: z.null().describe('Always null: see the items of the address.'),
    value: amountFormat.describe('ERC-20: raw units. ERC-721: number of items. ERC-1155: sum over all ids.'),
  })
  .meta({ id: 'EvmHolding' })

const evmAddressTokens = defineRoute({
  path: '/flow/evm/address/{address}/token',
  operationId: 'listTokensOfEvmAddress',
  tag,
  summary: 'Token balances of an EVM address',
  params: addressParameters,
  query: z.object({ ...paging, cursor: holdingCursor.parameter, type: standardParameter }),
  response: listOf(evmHoldingSchema, 'EvmHolding'),
  example: {
    data: [{ token: exampleEvmTokenRef, token_id: null, value: '500000000000000000' }],
    has_more: false,
    cursor: '',
    _meta: { limit: 20, count: 1 },
  },
  handler: async ({ params: { address }, query: { limit, cursor, type } }, { database, network }) => {
    const key = holdingCursor.parse(cursor)
    const rows = await listEvmHoldings(
      database,
      address.slice(2),
      standardsOf(type),
      key === undefined
        ? undefined
        : {
            token: key.address.slice(2),
            standard: Number(key.type.slice('ERC-'.length)),
          },
      limit + 1,
    )
    return {
      body: page(
        rows,
        limit,
        (row) => ({ token: presentEvmTokenRef(row, network()), token_id: null, value: row.balance }),
        (row) => holdingCursor.format({ address: `0x${row.token}`, type: standardName(row.standard) }),
      ),
    }
  },
})

const itemCursor = keyCursor({ address: keyParts.evmAddress, type: /ERC-(?:721|1155)/, token_id: /\d{1,78}/ })
const evmItemSchema = z
  .strictObject({
    token: evmTokenRefSchema,
    token_id: amountFormat.describe('Token id.'),
    value: amountFormat.describe('ERC-721: 1. ERC-1155: balance.'),
  })
  .meta({ id: 'EvmItem' })

const evmAddressItems = defineRoute({
  path: '/flow/evm/address/{address}/nft',
  operationId: 'listItemsOfEvmAddress',
  tag,
  summary: 'NFTs of an EVM address',
  params: addressParameters,
  query: z.object({ ...paging, cursor: itemCursor.parameter }),
  response: listOf(evmItemSchema, 'EvmItem'),
  example: {
    data: [
      {
        token: { ...exampleEvmTokenRef, type: 'ERC-721', name: null, symbol: null, decimals: null },
        token_id: '1204',
        value: '1',
      },
    ],
    has_more: false,
    cursor: '',
    _meta: { limit: 20, count: 1 },
  },
  handler: async ({ params: { address }, query: { limit, cursor } }, { database, network }) => {
    const key = itemCursor.parse(cursor)
    const rows = await listEvmItems(
      database,
      address.slice(2),
      key === undefined
        ? undefined
        : {
            token: key.address.slice(2),
            standard: Number(key.type.slice('ERC-'.length)),
            tokenId: key.token_id,
          },
      limit + 1,
    )
    return {
      body: page(
        rows,
        limit,
        (row) => ({ token: presentEvmTokenRef(row, network()), token_id: row.token_id, value: row.balance }),
        (row) =>
          itemCursor.format({
            address: `0x${row.token}`,
            type: standardName(row.standard),
            token_id: row.token_id,
          }),
      ),
    }
  },
})

const evmAddressTransactions = defineRoute({
  path: '/flow/evm/address/{address}/transactions',
  operationId: 'listTransactionsOfEvmAddress',
  tag,
  summary: 'Transactions of an EVM address, latest first',
  params: addressParameters,
  query: z.object({ ...paging, cursor: eventCursor.parameter }),
  response: listOf(evmTransactionSchema, 'EvmTransaction'),
  example: { data: [exampleEvmTransaction], has_more: true, cursor: '118542743:0:2', _meta: { limit: 1, count: 1 } },
  handler: async ({ params: { address }, query: { limit, cursor } }, { database }) => {
    const selection = { address: address.slice(2) }
    const rows = await listEvmTransactions(
      database,
      await readBounds(database),
      selection,
      parseEventCursor(cursor),
      limit + 1,
    )
    const directory = await describeEvmAddresses(database, rows.flatMap(partiesOf))
    return { body: page(rows, limit, (row) => presentEvmTransaction(row, directory), eventCursor.format) }
  },
})

const evmAddressTransfers = defineRoute({
  path: '/flow/evm/address/{address}/token-transfers',
  operationId: 'listTokenTransfersOfEvmAddress',
  tag,
  summary: 'Token transfers of an EVM address, latest first',
  params: addressParameters,
  query: z.object({ ...paging, cursor: evmTransferCursor.parameter }),
  response: listOf(evmTokenTransferSchema, 'EvmTokenTransfer'),
  example: { data: [exampleEvmTransfer], has_more: true, cursor: '118542743:0:2:0:0', _meta: { limit: 1, count: 1 } },
  handler: async ({ params: { address }, query: { limit, cursor } }, { database, network }) => {
    const rows = await listEvmTokenTransfers(
      database,
      await readBounds(database),
      { address: address.slice(2) },
      parseEvmTransferCursor(cursor),
      limit + 1,
    )
    const directory = await describeEvmAddresses(
      database,
      rows.flatMap((row) => [row.from_address, row.to_address]),
    )
    return {
      body: page(rows, limit, (row) => presentEvmTokenTransfer(row, directory, network()), evmTransferCursor.format),
    }
  },
})

export const evmAddressRoutes = [
  evmAddress,
  evmAddressTokens,
  evmAddressItems,
  evmAddressTransactions,
  evmAddressTransfers,
]
