import { z } from 'zod'
import { coreContracts } from '../../chain/core-contracts.ts'
import { ApiError } from '../../base/errors.ts'
import { dayFormat } from '../parameters/day-range.ts'
import { listOf, page, singleOf } from '../paging/envelope.ts'
import { readBounds } from '../paging/bounds.ts'
import { amountFormat, countFormat } from '../formats/formats.ts'
import { exampleVault } from '../examples/fungible-tokens.ts'
import { requireToken } from '../parameters/ft-token.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import {
  accountParameter,
  contractParameter,
  integerParameter,
  limitParameter,
  noParameters,
} from '../parameters/parameters.ts'
import { presentVault, vaultDetailSchema, vaultSchema } from '../presenters/ft-holding.ts'
import { tokenFormat } from '../presenters/fungible-token.ts'
import { readBalanceHistory, readTellableDays } from '../queries/balance-history.ts'
import { isKnownAccount, listVaults, readVault } from '../queries/ft-holdings.ts'
import { listFtTransfers } from '../queries/ft-transfers.ts'
import { defineRoute } from '../route.ts'
import type { Route } from '../route.ts'

const vaultCursor = keyCursor({ token: keyParts.contract })

const vaultList = defineRoute({
  path: '/flow/account/{address}/ft',
  operationId: 'listVaultsOfAccount',
  tag: 'Fungible tokens',
  summary: 'Fungible tokens of an account with their balances, by token',
  params: z.object({ address: accountParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: vaultCursor.parameter }),
  response: listOf(vaultSchema, 'Vault'),
  example: {
    data: [exampleVault],
    has_more: true,
    cursor: 'A.1654653399040a61.FlowToken',
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ params: { address }, query: { limit, cursor } }, { database }) => {
    const rows = await listVaults(database, address, vaultCursor.parse(cursor)?.token, limit + 1)
    return { body: page(rows, limit, (row) => presentVault(address, row), vaultCursor.format) }
  },
})

/** Two paths of the Flow explorer API give the same. */
const vaultRoutes = (
  [
    ['/flow/account/{address}/ft/{token}', 'getVaultOfAccount'],
    ['/flow/ft/{token}/account/{address}', 'getFtHoldingOfAccount'],
  ] as const
).map(([path, operationId]): Route =>
  defineRoute({
    path,
    operationId,
    tag: 'Fungible tokens',
    summary: 'What an account has of a fungible token',
    params: z.object({ address: accountParameter(), token: contractParameter('tokens') }),
    query: noParameters,
    response: singleOf(vaultDetailSchema, 'Vault'),
    problems: { 404: 'The account never had a vault of the token.' },
    example: { data: [{ ...exampleVault, block_height: 118_542_743 }] },
    handler: async ({ params: { address, token } }, { database }) => {
      const bounds = await readBounds(database)
      const [row, [last]] = await Promise.all([
        readVault(database, address, token),
        listFtTransfers(database, bounds, { address, token }, undefined, 1),
      ])
      if (row === undefined) {
        throw new ApiError(404, 'unknown-vault', `Account ${address} never had a vault of ${token}.`, {
          field: 'token',
        })
      }
      return { body: { data: [{ ...presentVault(address, row), block_height: last?.block_height ?? null }] } }
    },
  }),
)

const balancePointSchema = z
  .strictObject({
    date: dayFormat,
    balance: amountFormat
      .nullable()
      .describe('Whole tokens at the end of the day, as decimal text. Null where blocks since then are not indexed.'),
  })
  .meta({ id: 'BalancePoint' })

const balanceHistory = defineRoute({
  path: '/flow/account/{address}/balance/history',
  operationId: 'getBalanceHistory',
  cost: 'high',
  tag: 'Fungible tokens',
  summary: 'What an account had of a fungible token, day by day',
  description:
    'One point for each day of UTC, the earliest first. The last one is the newest day that is indexed. A point ' +
    'is the indexed balance less what came to the account and left it since, fees included. For FLOW that is `indexed_balance` of the ' +
    'account, which may differ from its `balance` on the chain.',
  params: z.object({ address: accountParameter() }),
  query: z.object({
    token: contractParameter('tokens').optional().describe('`A.<address>.<name>`; FLOW where it is left out.'),
    days: integerParameter(1, 365).default(30).describe('How many days.'),
  }),
  response: z
    .strictObject({
      data: z.array(balancePointSchema),
      has_more: z.literal(false).describe('All days that were asked for are here.'),
      cursor: z.literal(''),
      _meta: z.strictObject({
        token: tokenFormat,
        days: countFormat,
        count: countFormat.describe('Points.'),
        current_balance: amountFormat,
      }),
    })
    .meta({ id: 'BalanceHistory' }),
  problems: { 404: 'Nothing is indexed of the account, or the token was not seen to move.' },
  example: {
    data: [
      { date: '2025-06-30', balance: '110.00000000' },
      { date: '2025-07-01', balance: '100.00000000' },
    ],
    has_more: false,
    cursor: '',
    _meta: { token: 'A.1654653399040a61.FlowToken', days: 2, count: 2, current_balance: '100.00000000' },
  },
  handler: async ({ params: { address }, query: { token: asked, days: count } }, { database, network }) => {
    const token = asked ?? `A.${coreContracts(network()).flowToken}.FlowToken`
    const [tellable, isKnown] = await Promise.all([
      readTellableDays(database),
      isKnownAccount(database, address),
      requireToken(database, token),
    ])
    if (!isKnown || tellable === undefined) {
      throw new ApiError(404, 'unknown-account', `Nothing is indexed of account ${address}.`, { field: 'address' })
    }
    const points = await readBalanceHistory(database, address, token, tellable, count)
    return {
      body: {
        data: points.map(({ date, balance }) => ({ date, balance: date < tellable.days.from ? null : balance })),
        has_more: false as const,
        cursor: '' as const,
        _meta: { token, days: count, count, current_balance: points.at(-1)?.balance ?? '0' },
      },
    }
  },
})

/** What accounts have of fungible tokens. */
export const ftAccountRoutes = [vaultList, ...vaultRoutes, balanceHistory]
