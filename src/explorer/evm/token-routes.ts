import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { listOf, page, singleOf, keyCursor, keyParts } from '../paging/pages.ts'
import { exampleEvmReceiver, exampleEvmToken, exampleEvmTransfer } from './schema.ts'
import { listEvmHolders, listEvmInstances, listEvmTokens, readEvmTokens } from './token-queries.ts'
import { evmAddressParameter, limitParameter } from '../parameters.ts'
import {
  evmPartySchema,
  exampleItemMetadata,
  itemMetadataSchema,
  presentItemMetadata,
  presentEvmParty,
  evmTokenTransferSchema,
  evmTokenSchema,
  presentEvmToken,
  presentEvmTokenRef,
  standardName,
  standardNumber,
  tokenStandardFormat,
  tokenStandards,
  wholeAmount,
  wholeAmountFormat,
} from './token-schema.ts'
import type { EvmTokenRow, TokenStandardName } from './token-schema.ts'
import { amountFormat, countFormat } from '../formats.ts'
import { pageOfTransfers, transferListParameters } from './lists.ts'
import { describeEvmAddresses } from './queries.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

const tag = 'EVM'
const standardPattern = /ERC-(?:20|721|1155)/
const tokenCursor = keyCursor({ holders: keyParts.index, address: keyParts.evmAddress, type: standardPattern })
const holderCursor = keyCursor({ balance: keyParts.amount, address: keyParts.evmAddress })

export const standardParameter = tokenStandardFormat.optional().describe('Token standard.')

export function standardsOf(type: TokenStandardName | undefined): readonly number[] {
  return (type === undefined ? tokenStandards : [type]).map(standardNumber)
}

const evmTokenList = defineRoute({
  path: '/flow/evm/token',
  operationId: 'listEvmTokens',
  tag,
  summary: 'EVM tokens, most holders first',
  description:
    'Contracts with ERC-20, ERC-721 or ERC-1155 transfers, and wrapped FLOW. A contract that logs by several ' +
    'standards is listed once per standard.',
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: tokenCursor.parameter,
    type: standardParameter,
  }),
  response: listOf(evmTokenSchema, 'EvmToken'),
  example: {
    data: [exampleEvmToken],
    has_more: true,
    cursor: `2451:${exampleEvmToken.address}:ERC-20`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, type } }, { database, network }) => {
    const key = tokenCursor.parse(cursor)
    const rows = await listEvmTokens(
      database,
      standardsOf(type),
      key === undefined
        ? undefined
        : {
            holderCount: Number(key.holders),
            token: key.address.slice(2),
            standard: Number(key.type.slice('ERC-'.length)),
          },
      limit + 1,
    )
    return {
      body: page(
        rows,
        limit,
        (row) => presentEvmToken(row, network()),
        (row) =>
          tokenCursor.format({
            holders: row.holder_count,
            address: `0x${row.token}`,
            type: standardName(row.standard),
          }),
      ),
    }
  },
})

const tokenParameters = z.object({ address: evmAddressParameter() })
const tokenQuery = {
  type: tokenStandardFormat
    .optional()
    .describe('Standard, for contracts that log by several. Default: the one with most transfers.'),
}
const problems = { 404: 'No transfer of the token is indexed.' }

const evmToken = defineRoute({
  path: '/flow/evm/token/{address}',
  operationId: 'getEvmToken',
  tag,
  summary: 'EVM token',
  params: tokenParameters,
  query: z.object(tokenQuery),
  response: singleOf(evmTokenSchema, 'EvmToken'),
  problems,
  example: { data: [exampleEvmToken] },
  handler: async ({ params: { address }, query: { type } }, services) => ({
    body: { data: [presentEvmToken(await requireEvmToken(address, type, services), services.network())] },
  }),
})

const evmHolderSchema = z
  .strictObject({
    address: evmPartySchema,
    value: amountFormat.describe('ERC-20: raw units. ERC-721: number of items. ERC-1155: sum over all ids.'),
    amount: wholeAmountFormat,
  })
  .meta({ id: 'EvmHolder' })

const evmTokenHolders = defineRoute({
  path: '/flow/evm/token/{address}/holding',
  operationId: 'listHoldersOfEvmToken',
  tag,
  summary: 'Holders of an EVM token, largest balance first',
  params: tokenParameters,
  query: z.object({ ...tokenQuery, limit: limitParameter({ default: 20, max: 100 }), cursor: holderCursor.parameter }),
  response: listOf(evmHolderSchema, 'EvmHolder'),
  problems,
  example: {
    data: [{ address: exampleEvmReceiver, value: '500000000000000000', amount: '0.5' }],
    has_more: false,
    cursor: '',
    _meta: { limit: 20, count: 1 },
  },
  handler: async ({ params: { address }, query: { type, limit, cursor } }, services) => {
    const { database } = services
    const row = await requireEvmToken(address, type, services)
    const { token, standard } = row
    const ref = presentEvmTokenRef(row, services.network())
    const key = holderCursor.parse(cursor)
    const rows = await listEvmHolders(
      database,
      token,
      standard,
      key === undefined
        ? undefined
        : {
            balance: key.balance,
            address: key.address.slice(2),
          },
      limit + 1,
    )
    const directory = await describeEvmAddresses(
      database,
      rows.map((row) => row.address),
    )
    return {
      body: page(
        rows,
        limit,
        ({ address: holder, balance: value }) => ({
          address: presentEvmParty(holder, directory),
          value,
          amount: wholeAmount(value, ref),
        }),
        (row) => holderCursor.format({ balance: row.balance, address: `0x${row.address}` }),
      ),
    }
  },
})

const evmTokenTransfers = defineRoute({
  path: '/flow/evm/token/{address}/token-transfers',
  operationId: 'listTransfersOfEvmToken',
  tag,
  summary: 'Transfers of an EVM token, latest first',
  params: tokenParameters,
  query: z.object({ ...tokenQuery, ...transferListParameters }),
  response: listOf(evmTokenTransferSchema, 'EvmTokenTransfer'),
  problems,
  example: { data: [exampleEvmTransfer], has_more: true, cursor: '118542743:0:2:0:0', _meta: { limit: 1, count: 1 } },
  handler: async ({ params: { address }, query: { type, ...query } }, services) => {
    const { token, standard } = await requireEvmToken(address, type, services)
    return { body: await pageOfTransfers(services, { token, standard }, query) }
  },
})

const instanceCursor = keyCursor({ token_id: /\d{1,78}/ })

const evmInstanceSchema = z
  .strictObject({
    token_id: amountFormat.describe('Token id.'),
    owner: evmPartySchema.nullable().describe('Null if it is burned or has several holders.'),
    holders: countFormat.describe('Addresses with a positive balance; 1,000 means that or more.'),
    ...itemMetadataSchema.shape,
  })
  .meta({ id: 'EvmInstance' })

const evmTokenInstances = defineRoute({
  path: '/flow/evm/token/{address}/instances',
  operationId: 'listInstancesOfEvmToken',
  tag,
  summary: 'Items of an EVM token, by id',
  description: 'Items of ERC-721 and token types of ERC-1155. They appear when their metadata is queried.',
  params: tokenParameters,
  query: z.object({
    ...tokenQuery,
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: instanceCursor.parameter,
  }),
  response: listOf(evmInstanceSchema, 'EvmInstance'),
  problems,
  example: {
    data: [{ token_id: '1204', owner: exampleEvmReceiver, holders: 1, ...exampleItemMetadata }],
    has_more: false,
    cursor: '',
    _meta: { limit: 20, count: 1 },
  },
  handler: async ({ params: { address }, query: { type, limit, cursor } }, services) => {
    const { database } = services
    const { token, standard } = await requireEvmToken(address, type, services)
    const after = instanceCursor.parse(cursor)?.token_id
    const rows = await listEvmInstances(database, token, standard, after, limit + 1)
    const ownerOf = (row: (typeof rows)[number]): string | null => (row.holder_count === 1 ? row.owner : null)
    const directory = await describeEvmAddresses(database, rows.map(ownerOf))
    return {
      body: page(
        rows,
        limit,
        (row) => ({
          token_id: row.token_id,
          owner: presentEvmParty(ownerOf(row), directory),
          holders: row.holder_count,
          ...presentItemMetadata(row.token_uri),
        }),
        instanceCursor.format,
      ),
    }
  },
})

async function requireEvmToken(
  address: string,
  type: TokenStandardName | undefined,
  { database }: Services,
): Promise<EvmTokenRow> {
  const rows = await readEvmTokens(database, [address.slice(2)])
  const row = rows.find(({ standard }) => type === undefined || standard === standardNumber(type))
  if (row === undefined) {
    const what = type === undefined ? 'token' : `${type} token`
    throw new ApiError(404, 'unknown-evm-token', `No transfer of ${what} ${address} is indexed.`, {
      field: 'address',
    })
  }
  return row
}

export const evmTokenRoutes = [evmTokenList, evmToken, evmTokenHolders, evmTokenTransfers, evmTokenInstances]
