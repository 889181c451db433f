import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import { ApiError } from '../../platform/errors.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { contractParts, countFormat, amountFormat, timestampFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import { listOf, page, singleOf, keyCursor, keyParts } from '../paging/pages.ts'
import { rankAfter } from '../paging/ranked-rows.ts'
import {
  dayFormat,
  integerParameter,
  limitParameter,
  searchParameter,
  accountParameter,
  contractParameter,
} from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Route } from '../route.ts'
import {
  exampleFtHolding,
  exampleFungibleToken,
  exampleVault,
  ftHoldingSchema,
  presentFtHolding,
  fungibleTokenSchema,
  presentFungibleToken,
  tokenFormat,
  presentVault,
  vaultDetailSchema,
  vaultSchema,
} from './schema.ts'
import {
  listFtHoldings,
  readBalanceHistory,
  readBalanceDays,
  isKnownAccount,
  listVaults,
  readVault,
  requireToken,
  tokenParameters,
  unknownToken,
  unknownTokenError,
  fungibleTokenFilters,
  fungibleTokenSorts,
  listFungibleTokens,
  namedFungibleTokens,
  readFtTotals,
  readFungibleToken,
} from './queries.ts'
import { readDailyPrices } from './prices.ts'
import type { TokenPrices } from './prices.ts'
import { listFtTransfers } from './transfers.ts'

const priceFormat = amountFormat.describe('Price in US dollars, as a decimal string.')

const assetPricesSchema = z
  .strictObject({
    current: priceFormat,
    as_of: timestampFormat.describe('Time of the price.'),
    history: z
      .array(z.strictObject({ date: dayFormat, price: priceFormat }))
      .describe('Last price of each day, earliest first. Days without a price are omitted.'),
    identifiers: z
      .array(tokenFormat)
      .describe('Tokens with this symbol. Prices are those of the token with the newest price.'),
  })
  .meta({ id: 'AssetPrices' })

const ftPricesSchema = z.record(z.string(), assetPricesSchema).meta({ id: 'FtPrices' })
export type FtPrices = z.output<typeof ftPricesSchema>

function presentFtPrices(rows: readonly TokenPrices[]): FtPrices {
  const bySymbol = new Map<string, TokenPrices[]>()
  for (const row of rows) {
    const symbol = row.symbol ?? contractParts(row.token).name.toUpperCase()
    bySymbol.set(symbol, [...(bySymbol.get(symbol) ?? []), row])
  }
  return Object.fromEntries(
    [...bySymbol].map(([symbol, tokens]) => {
      const newest = tokens.reduce((best, row) => (row.price_time > best.price_time ? row : best))
      return [
        symbol,
        {
          current: newest.price,
          as_of: newest.price_time,
          history: newest.days.map((date, i) => ({ date, price: newest.prices[i] ?? newest.price })),
          identifiers: tokens.map(({ token }) => token),
        },
      ]
    }),
  )
}

const tokenCursor = keyCursor({ count: keyParts.amount, token: keyParts.contract })

const filterWord = `(?:${fungibleTokenFilters.join('|')})`
const filterPattern = new RegExp(`^${filterWord}(?:,${filterWord})*$`)

const tokenList = defineRoute({
  path: '/flow/ft',
  operationId: 'listFungibleTokens',
  tag: 'Fungible tokens',
  summary: 'Fungible tokens',
  query: z.object({
    // Clients of the Flow explorer API read all names at once.
    limit: limitParameter({ default: 20, max: 500 }),
    cursor: tokenCursor.parameter,
    sort: z
      .enum(fungibleTokenSorts)
      .default('holders')
      .describe(
        'Sort order: `holders`; `trending`, transfers in the last 24 indexed hours, omitting tokens without any; ' +
          '`transfers`, all indexed transfers; `newest`, most recently first seen; `name`, ascending; `volume`, ' +
          'dollars moved in these 24 hours, omitting tokens without a price; `supply`, omitting tokens without any.',
      ),
    filter: z
      .string()
      .regex(filterPattern, `must be a comma-separated list of ${fungibleTokenFilters.join(', ')}`)
      .optional()
      .describe(
        'Comma-separated conditions that must all hold: `has_price`, a price from the last 48 hours; ' +
          '`evm_bridged`, an ERC-20 associated by the bridge; `is_verified`, a labelled contract account.',
      ),
    search: searchParameter('Text contained in the name, symbol or identifier.').optional(),
  }),
  response: listOf(fungibleTokenSchema, 'FungibleToken'),
  example: {
    data: [exampleFungibleToken],
    has_more: true,
    cursor: `${exampleFungibleToken.holder_count}:${exampleFungibleToken.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, sort, filter, search } }, { database }) => {
    const after = tokenCursor.parse(cursor)
    const rows = await listFungibleTokens(database, {
      sort,
      search,
      limit: limit + 1,
      filters: fungibleTokenFilters.filter((word) => filter?.split(',').includes(word)),
      after: rankAfter(sort, namedFungibleTokens, after),
    })
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.created_height),
    )
    return {
      body: page(
        rows,
        limit,
        (row) => presentFungibleToken(row, times),
        ({ count, token }) => tokenCursor.format({ count: sort === 'name' ? 0 : count, token }),
      ),
    }
  },
})

const statistics = defineRoute({
  path: '/flow/ft/stats',
  operationId: 'getFungibleTokenStatistics',
  cost: 'high',
  tag: 'Fungible tokens',
  summary: 'Fungible token statistics',
  response: z.strictObject({
    data: z
      .strictObject({
        total: countFormat.describe('Tokens with an indexed transfer.'),
        with_price: countFormat.describe('Tokens with a price from the last 48 hours.'),
        evm_bridged: countFormat.describe('Tokens with an ERC-20 associated by the bridge.'),
        total_transfers: countFormat.describe('Indexed transfers, excluding fees.'),
        total_holdings: countFormat.describe('Sum of the holders of every token.'),
      })
      .meta({ id: 'FungibleTokenStatistics' }),
  }),
  example: {
    data: { total: 1873, with_price: 31, evm_bridged: 214, total_transfers: 890_115_870, total_holdings: 41_250_312 },
  },
  handler: async (_, { database }) => {
    const { tokens, with_price, evm_bridged, transfers, holdings } = await readFtTotals(database)
    return {
      body: { data: { total: tokens, with_price, evm_bridged, total_transfers: transfers, total_holdings: holdings } },
    }
  },
})

const prices = defineRoute({
  path: '/flow/ft/prices',
  operationId: 'listFungibleTokenPrices',
  cost: 'high',
  tag: 'Fungible tokens',
  summary: 'Current and daily prices of fungible tokens in US dollars',
  description:
    'Keyed by symbol. Includes tokens with a price from the last 48 hours; empty without a configured price feed.',
  query: z.object({ days: integerParameter(1, 365).default(30).describe('Days of history, including today.') }),
  response: z.strictObject({ data: ftPricesSchema }),
  example: {
    data: {
      FLOW: {
        current: '0.3412',
        as_of: '2025-07-01T12:00:00.000Z',
        identifiers: [exampleFungibleToken.id],
        history: [
          { date: '2025-06-30', price: '0.3455' },
          { date: '2025-07-01', price: '0.3412' },
        ],
      },
    },
  },
  handler: async ({ query: { days } }, { database }) => {
    return { body: { data: presentFtPrices(await readDailyPrices(database, days)) }, caching: 'minute' }
  },
})

const token = defineRoute({
  path: '/flow/ft/{token}',
  operationId: 'getFungibleToken',
  tag: 'Fungible tokens',
  summary: 'Fungible token',
  params: tokenParameters,
  response: singleOf(fungibleTokenSchema, 'FungibleToken'),
  problems: unknownToken,
  example: { data: [exampleFungibleToken] },
  handler: async ({ params }, { database }) => {
    const row = await readFungibleToken(database, params.token)
    if (row === undefined) throw unknownTokenError(params.token)
    const times = await readBlockTimes(database, [row.created_height])
    return { body: { data: [presentFungibleToken(row, times)] } }
  },
})

const holderCursor = keyCursor({ balance: keyParts.amount, address: /0x[0-9a-f]{16}/ })

/** The Flow explorer API has both paths. */
const holderLists = (
  [
    ['/flow/ft/{token}/holding', 'listFtHoldings'],
    ['/flow/ft/{token}/top-account', 'listTopFtAccounts'],
  ] as const
).map(([path, operationId]): Route =>
  defineRoute({
    path,
    operationId,
    tag: 'Fungible tokens',
    summary: 'Holders of a fungible token, largest balance first',
    params: tokenParameters,
    query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: holderCursor.parameter }),
    response: listOf(ftHoldingSchema, 'FtHolding'),
    problems: unknownToken,
    example: {
      data: [exampleFtHolding],
      has_more: true,
      cursor: `${exampleFtHolding.balance}:${exampleFtHolding.address}`,
      _meta: { limit: 1, count: 1 },
    },
    handler: async ({ params, query: { limit, cursor } }, { database }) => {
      const after = holderCursor.parse(cursor)
      const [rows] = await Promise.all([
        listFtHoldings(
          database,
          params.token,
          after === undefined ? undefined : { count: after.balance, key: after.address },
          limit + 1,
        ),
        requireToken(database, params.token),
      ])
      return { body: page(rows, limit, (row) => presentFtHolding(params.token, row), holderCursor.format) }
    },
  }),
)

/** Fixed paths precede `/flow/ft/{token}`, which would match them. */
export const fungibleTokenRoutes = [tokenList, statistics, prices, token, ...holderLists]

const vaultCursor = keyCursor({ token: keyParts.contract })

const vaultList = defineRoute({
  path: '/flow/account/{address}/ft',
  operationId: 'listVaultsOfAccount',
  tag: 'Fungible tokens',
  summary: 'Fungible token balances of an account',
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

/** The Flow explorer API has both paths. */
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
    summary: 'Balance of one fungible token of an account',
    params: z.object({ address: accountParameter(), token: contractParameter() }),
    response: singleOf(vaultDetailSchema, 'Vault'),
    problems: { 404: 'The account never held the token.' },
    example: { data: [{ ...exampleVault, block_height: 118_542_743 }] },
    handler: async ({ params: { address, token } }, { database }) => {
      const bounds = await readBounds(database)
      const [row, [last]] = await Promise.all([
        readVault(database, address, token),
        listFtTransfers(database, bounds, { address, token }, undefined, 1),
      ])
      if (row === undefined) {
        throw new ApiError(404, 'unknown-vault', `Account ${address} never held ${token}.`, {
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
      .describe('Tokens at the end of the day, as a decimal string. Null if later blocks are not all indexed.'),
  })
  .meta({ id: 'BalancePoint' })

const balanceHistory = defineRoute({
  path: '/flow/account/{address}/balance/history',
  operationId: 'getBalanceHistory',
  cost: 'high',
  tag: 'Fungible tokens',
  summary: 'Daily balance of a fungible token of an account',
  description:
    'One point per UTC day, earliest first, ending with the newest indexed day. Each balance is the current ' +
    'indexed balance minus later transfers, including fees. For FLOW, the current balance is `indexed_balance` of ' +
    'the account, which may differ from its `balance` on the chain.',
  params: z.object({ address: accountParameter() }),
  query: z.object({
    token: contractParameter().optional().describe('`A.<address>.<name>`. Default: FLOW.'),
    days: integerParameter(1, 365).default(30).describe('Number of days.'),
  }),
  response: z
    .strictObject({
      data: z.array(balancePointSchema),
      has_more: z.literal(false).describe('The list is never paged.'),
      cursor: z.literal(''),
      _meta: z.strictObject({
        token: tokenFormat,
        days: countFormat,
        count: countFormat.describe('Points.'),
        current_balance: amountFormat,
      }),
    })
    .meta({ id: 'BalanceHistory' }),
  problems: { 404: 'The account or the token is not indexed.' },
  example: {
    data: [
      { date: '2025-06-30', balance: '110.00000000' },
      { date: '2025-07-01', balance: '100.00000000' },
    ],
    has_more: false,
    cursor: '',
    _meta: { token: 'A.1654653399040a61.FlowToken', days: 2, count: 2, current_balance: '100.00000000' },
  },
  handler: async ({ params: { address }, query: { token: requestedToken, days: count } }, { database, network }) => {
    const token = requestedToken ?? `A.${coreContracts(network()).flowToken}.FlowToken`
    const [indexed, isKnown] = await Promise.all([
      readBalanceDays(database),
      isKnownAccount(database, address),
      requireToken(database, token),
    ])
    if (!isKnown || indexed === undefined) {
      throw new ApiError(404, 'unknown-account', `Account ${address} is not indexed.`, { field: 'address' })
    }
    const points = await readBalanceHistory(database, address, token, indexed, count)
    return {
      body: {
        data: points.map(({ date, balance }) => ({ date, balance: date < indexed.days.from ? null : balance })),
        has_more: false as const,
        cursor: '' as const,
        _meta: { token, days: count, count, current_balance: points.at(-1)?.balance ?? '0' },
      },
    }
  },
})

export const ftAccountRoutes = [vaultList, ...vaultRoutes, balanceHistory]
