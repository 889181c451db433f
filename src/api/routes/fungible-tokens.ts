import { z } from 'zod'
import { listOf, page, singleOf } from '../paging/envelope.ts'
import { countFormat } from '../formats/formats.ts'
import { exampleFtHolding, exampleFungibleToken } from '../examples/fungible-tokens.ts'
import { requireToken, tokenParameters, unknownToken, unknownTokenError } from '../parameters/ft-token.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import { integerParameter, limitParameter, noParameters, searchParameter } from '../parameters/parameters.ts'
import { ftHoldingSchema, presentFtHolding } from '../presenters/ft-holding.ts'
import { ftPricesSchema, presentFtPrices } from '../presenters/ft-prices.ts'
import { fungibleTokenSchema, presentFungibleToken } from '../presenters/fungible-token.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { listFtHoldings } from '../queries/ft-holdings.ts'
import { readDailyPrices } from '../queries/ft-prices.ts'
import {
  fungibleTokenFilters,
  fungibleTokenSorts,
  listFungibleTokens,
  readFtTotals,
  readFungibleToken,
} from '../queries/fungible-tokens.ts'
import { defineRoute } from '../route.ts'
import type { Route } from '../route.ts'

const tokenCursor = keyCursor({ count: keyParts.id, token: keyParts.contract })

const filterWord = `(?:${fungibleTokenFilters.join('|')})`
const filterPattern = new RegExp(`^${filterWord}(?:,${filterWord})*$`)

const tokenList = defineRoute({
  path: '/flow/ft',
  operationId: 'listFungibleTokens',
  tag: 'Fungible tokens',
  summary: 'Fungible tokens',
  params: noParameters,
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: tokenCursor.parameter,
    sort: z
      .enum(fungibleTokenSorts)
      .default('holders')
      .describe(
        'What comes first: most `holders`; `trending`, most transfers in the last 24 indexed hours, of those that have ' +
          'any; most `transfers` of all that are indexed; `newest`, the last to be seen first.',
      ),
    filter: z
      .string()
      .regex(filterPattern, `must be one or several of ${fungibleTokenFilters.join(', ')}, with commas`)
      .optional()
      .describe(
        'Only tokens for which this holds: `has_price`, a price of the last two days is known; `evm_bridged`, the bridge has ' +
          'associated an ERC-20 with it; `is_verified`, its contract is in a known account. Several with commas between them.',
      ),
    search: searchParameter(
      'Only tokens whose name, symbol, or identifier with its address contains this text.',
    ).optional(),
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
      after: after === undefined ? undefined : { count: after.count, key: after.token },
    })
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.created_height),
    )
    return { body: page(rows, limit, (row) => presentFungibleToken(row, times), tokenCursor.format) }
  },
})

const statistics = defineRoute({
  path: '/flow/ft/stats',
  operationId: 'getFungibleTokenStatistics',
  cost: 'high',
  tag: 'Fungible tokens',
  summary: 'How many fungible tokens, holdings and transfers there are',
  params: noParameters,
  query: noParameters,
  response: z.strictObject({
    data: z
      .strictObject({
        total: countFormat.describe('Tokens that were seen to move.'),
        with_price: countFormat.describe('Those of which a price of the last two days is known.'),
        evm_bridged: countFormat.describe('Those with which the bridge has associated an ERC-20.'),
        total_transfers: countFormat.describe('Transfers that are indexed, fees aside.'),
        total_holdings: countFormat.describe('Holders of all tokens, added up: who has several is counted for each.'),
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
  summary: 'Prices of fungible tokens in US dollars, and how they were day by day',
  description:
    'By the symbol of the token, for those of which a price of the last two days is known. Empty where no price ' +
    'feed is set.',
  params: noParameters,
  query: z.object({ days: integerParameter(1, 365).default(30).describe('How many days of history, today included.') }),
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
  summary: 'One fungible token',
  params: tokenParameters,
  query: noParameters,
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

/** Two paths of the Flow explorer API give the same list. */
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
    summary: 'Accounts with a fungible token, those with most first',
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

/** Fungible tokens and their holders; fixed paths stand before the token that they could be. */
export const fungibleTokenRoutes = [tokenList, statistics, prices, token, ...holderLists]
