import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { keccak256 } from '../../flow/evm/keccak256.ts'
import { amountFormat, countFormat, heightFormat, multiplyDecimals } from '../formats.ts'
import { listOf, page, singleOf, keyCursor, keyParts } from '../paging/pages.ts'
import { limitParameter, evmAddressParameter } from '../parameters.ts'
import { chainProblems, fromChain, resultOrUnavailable } from '../present-chain.ts'
import { findCoaOwner } from '../accounts/coa-owner.ts'
import { defineRoute } from '../route.ts'
import { attoflow, maxCodeBytes, readEvmAccountState } from './account-state.ts'
import {
  directionParameter,
  internalListParameters,
  internalNote,
  pageOfInternalTransactions,
  pageOfTransactions,
  pageOfTransfers,
  transactionListParameters,
  transferListParameters,
} from './lists.ts'
import {
  exampleEvmTransaction,
  exampleEvmTransfer,
  exampleEvmToken,
  exampleEvmTokenRef,
  exampleInternalTransaction,
  evmInternalTransactionSchema,
  evmTransactionSchema,
} from './schema.ts'
import { describeEvmAddresses, readEvmAddressSpan } from './queries.ts'
import { listEvmHoldings, listEvmItems, readEvmTokens } from './token-queries.ts'
import { standardParameter, standardsOf } from './token-routes.ts'
import {
  evmTokenTransferSchema,
  evmHashFormat,
  evmPartySchema,
  exampleItemMetadata,
  itemMetadataSchema,
  presentItemMetadata,
  isContract,
  presentEvmParty,
  evmTokenRefSchema,
  evmTokenSchema,
  presentEvmToken,
  presentEvmTokenRef,
  standardName,
  wholeAmount,
  wholeAmountFormat,
} from './token-schema.ts'

const tag = 'EVM'

const addressParameters = z.object({ address: evmAddressParameter() })
const paging = { limit: limitParameter({ default: 20, max: 100 }) }

const current = 'Current; null if no access node responds.'

const evmAddressSchema = evmPartySchema
  .extend({
    is_coa: z.boolean().describe('Whether it is a Cadence-owned account (COA).'),
    is_verified: z.boolean().describe('Whether the source of the contract is verified.'),
    token: evmTokenSchema.nullable().describe('Null if it is not a token.'),
    creator: evmPartySchema.nullable().describe('Creator of the contract; null if unknown or not a contract.'),
    creation_transaction_hash: evmHashFormat.nullable(),
    first_height: heightFormat.nullable().describe('First Flow block that refers to it.'),
    last_height: heightFormat.nullable(),
    coin_balance: amountFormat.nullable().describe(`FLOW balance in attoflow, 10^-18 FLOW. ${current}`),
    flow_balance: amountFormat.nullable().describe(`FLOW balance in FLOW. ${current}`),
    nonce: amountFormat.nullable().describe(`Transactions sent; for contracts also contracts created. ${current}`),
    code_size: countFormat.nullable().describe(`Bytes of code; 0 for accounts without code. ${current}`),
    state_height: heightFormat.nullable().describe('Flow block of the balance, nonce and code.'),
  })
  .meta({ id: 'EvmAddress' })

const evmAddress = defineRoute({
  path: '/flow/evm/address/{address}',
  operationId: 'getEvmAddress',
  tag,
  summary: 'EVM address',
  params: addressParameters,
  response: singleOf(evmAddressSchema, 'EvmAddress'),
  problems: { 404: 'The address is not indexed, and no access node responds.' },
  example: {
    data: [
      {
        hash: exampleEvmTokenRef.address,
        name: 'Wrapped Flow',
        is_contract: true,
        flow_address: null,
        is_coa: false,
        is_verified: true,
        token: exampleEvmToken,
        creator: null,
        creation_transaction_hash: null,
        first_height: 88_412_006,
        last_height: 118_542_743,
        coin_balance: '2811904500000000000000000',
        flow_balance: '2811904.5',
        nonce: '1',
        code_size: 3124,
        state_height: 118_542_743,
      },
    ],
  },
  handler: async ({ params: { address } }, { database, network, chain }) => {
    const digits = address.slice(2)
    const [span, [token], answer, owner] = await Promise.all([
      readEvmAddressSpan(database, digits),
      readEvmTokens(database, [digits]),
      resultOrUnavailable(readEvmAccountState(chain, digits, 0)),
      findCoaOwner({ database, chain }, address),
    ])
    const state = 'value' in answer ? answer.value : undefined
    const directory = await describeEvmAddresses(database, [digits, span.creator])
    const facts = directory.get(digits)
    const isIndexed = span.first_height !== null || token !== undefined || typeof facts?.name === 'string'
    if (facts === undefined || !(isIndexed || state !== undefined)) {
      throw new ApiError(404, 'unknown-evm-address', `EVM address ${address} is not indexed.`, { field: 'address' })
    }
    return {
      body: {
        data: [
          {
            ...presentEvmParty(digits, directory),
            flow_address: owner,
            is_contract: state === undefined ? isContract(facts) : facts.is_coa || state.codeSize > 0,
            is_coa: facts.is_coa,
            is_verified: facts.is_verified,
            token: token === undefined ? null : presentEvmToken(token, network()),
            creator: presentEvmParty(span.creator, directory),
            creation_transaction_hash: span.creation_hash === null ? null : `0x${span.creation_hash}`,
            first_height: span.first_height ?? token?.first_height ?? null,
            last_height: span.last_height,
            coin_balance: state?.balance ?? null,
            flow_balance: state === undefined ? null : multiplyDecimals(state.balance, attoflow),
            nonce: state?.nonce ?? null,
            code_size: state?.codeSize ?? null,
            state_height: state?.height ?? null,
          },
        ],
      },
    }
  },
})

const evmCodeSchema = z
  .strictObject({
    hash: evmPartySchema.shape.hash,
    size: countFormat.describe('Bytes.'),
    code_hash: evmHashFormat.nullable().describe('Keccak-256 of the code; null without code.'),
    bytecode: z
      .string()
      .regex(/^0x([0-9a-f]{2})*$/)
      .nullable()
      .describe(`Code of the contract; null above ${maxCodeBytes} bytes.`),
  })
  .meta({ id: 'EvmCode' })

const evmAddressCode = defineRoute({
  path: '/flow/evm/address/{address}/code',
  operationId: 'getCodeOfEvmAddress',
  tag,
  summary: 'Current code of an EVM address',
  params: addressParameters,
  response: singleOf(evmCodeSchema, 'EvmCode'),
  problems: chainProblems,
  example: {
    data: [
      {
        hash: exampleEvmTokenRef.address,
        size: 5,
        code_hash: '0xbdd908ab2d53e71b0a73ddd0ab4bf1c62dc2cb3db15ccb3d1a1a5ba7e1e5b2a4',
        bytecode: '0x6080604052',
      },
    ],
  },
  handler: async ({ params: { address } }, { chain }) => {
    const { code, codeSize } = await fromChain(readEvmAccountState(chain, address.slice(2), maxCodeBytes))
    const isWhole = code.length === 2 * codeSize
    const hash = isWhole && codeSize > 0 ? `0x${keccak256(Buffer.from(code, 'hex')).toString('hex')}` : null
    return {
      body: { data: [{ hash: address, size: codeSize, code_hash: hash, bytecode: isWhole ? `0x${code}` : null }] },
    }
  },
})

const holdingCursor = keyCursor({ address: keyParts.evmAddress, type: /ERC-(?:20|721|1155)/ })
const evmHoldingSchema = z
  .strictObject({
    token: evmTokenRefSchema,
    token_id: z.null().describe('Always null: see the items of the address.'),
    value: amountFormat.describe('ERC-20: raw units. ERC-721: number of items. ERC-1155: sum over all ids.'),
    amount: wholeAmountFormat,
    usd_value: amountFormat.nullable().describe('In US dollars at the current price; null if unknown.'),
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
    data: [
      { token: exampleEvmTokenRef, token_id: null, value: '500000000000000000', amount: '0.5', usd_value: '0.1756' },
    ],
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
        (row) => {
          const token = presentEvmTokenRef(row, network())
          const amount = wholeAmount(row.balance, token)
          const usdValue = amount === null || row.price === null ? null : multiplyDecimals(amount, row.price)
          return { token, token_id: null, value: row.balance, amount, usd_value: usdValue }
        },
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
    ...itemMetadataSchema.shape,
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
        ...exampleItemMetadata,
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
        (row) => {
          const token = presentEvmTokenRef(row, network())
          return { token, token_id: row.token_id, value: row.balance, ...presentItemMetadata(row.token_uri) }
        },
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
  query: z.object({ ...transactionListParameters, direction: directionParameter }),
  response: listOf(evmTransactionSchema, 'EvmTransaction'),
  example: { data: [exampleEvmTransaction], has_more: true, cursor: '118542743:0:2', _meta: { limit: 1, count: 1 } },
  handler: async ({ params: { address }, query: { direction, ...query } }, services) => ({
    body: await pageOfTransactions(services, { address: address.slice(2), direction }, query),
  }),
})

const evmAddressTransfers = defineRoute({
  path: '/flow/evm/address/{address}/token-transfers',
  operationId: 'listTokenTransfersOfEvmAddress',
  tag,
  summary: 'Token transfers of an EVM address, latest first',
  params: addressParameters,
  query: z.object({ ...transferListParameters, direction: directionParameter }),
  response: listOf(evmTokenTransferSchema, 'EvmTokenTransfer'),
  example: { data: [exampleEvmTransfer], has_more: true, cursor: '118542743:0:2:0:0', _meta: { limit: 1, count: 1 } },
  handler: async ({ params: { address }, query: { direction, ...query } }, services) => ({
    body: await pageOfTransfers(services, { address: address.slice(2), direction }, query),
  }),
})

const evmAddressInternals = defineRoute({
  path: '/flow/evm/address/{address}/internal-transactions',
  operationId: 'listInternalTransactionsOfEvmAddress',
  tag,
  summary: 'Internal transactions of the transactions of an EVM address, latest first',
  description: `${internalNote} A page has those of up to \`limit\` transactions, often none.`,
  params: addressParameters,
  query: z.object({ ...internalListParameters, direction: directionParameter }),
  response: listOf(evmInternalTransactionSchema, 'EvmInternalTransactionOfAddress'),
  example: {
    data: [exampleInternalTransaction],
    has_more: true,
    cursor: '118542743:0:2',
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ params: { address }, query: { direction, ...query } }, services) => ({
    body: await pageOfInternalTransactions(services, { address: address.slice(2), direction }, query),
  }),
})

export const evmAddressRoutes = [
  evmAddress,
  evmAddressTokens,
  evmAddressItems,
  evmAddressTransactions,
  evmAddressTransfers,
  evmAddressInternals,
  evmAddressCode,
]
