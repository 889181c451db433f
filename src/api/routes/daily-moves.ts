import { z } from 'zod'
import { listOf, wholeList } from '../paging/envelope.ts'
import { requireToken, tokenParameters, unknownToken } from '../parameters/ft-token.ts'
import { nftTypeParameters, requireNftCollection, unknownNftCollection } from '../parameters/nft-type.ts'
import { integerParameter } from '../parameters/parameters.ts'
import {
  collectionDaySchema,
  presentCollectionDay,
  presentTokenDay,
  tokenDaySchema,
} from '../presenters/daily-moves.ts'
import { listDailyMoves } from '../queries/daily-moves.ts'
import { defineRoute } from '../route.ts'

const daysParameter = z.object({
  days: integerParameter(1, 90).default(30).describe('How many days, up to the last that is indexed.'),
})
const description = 'Days of UTC, the oldest first; those on which nothing moved are among them.'

const ofToken = defineRoute({
  path: '/flow/ft/{token}/volume',
  operationId: 'listFungibleTokenDays',
  cost: 'high',
  tag: 'Fungible tokens',
  summary: 'How much of a fungible token moved, day by day',
  description,
  params: tokenParameters,
  query: daysParameter,
  response: listOf(tokenDaySchema, 'FungibleTokenDay'),
  problems: unknownToken,
  example: {
    data: [{ date: '2025-07-01', transfer_count: 210_415, volume: '8120044.19325012', usd_volume: '2770559.08' }],
    has_more: false,
    cursor: '',
    _meta: { count: 1 },
  },
  handler: async ({ params: { token }, query: { days } }, { database }) => {
    await requireToken(database, token)
    return { body: wholeList((await listDailyMoves(database, 'token', token, days)).map(presentTokenDay)) }
  },
})

const ofCollection = defineRoute({
  path: '/flow/nft/{nft_type}/volume',
  operationId: 'listNftCollectionDays',
  cost: 'high',
  tag: 'NFTs',
  summary: 'How often items of a collection moved, day by day',
  description,
  params: nftTypeParameters,
  query: daysParameter,
  response: listOf(collectionDaySchema, 'NftCollectionDay'),
  problems: unknownNftCollection,
  example: { data: [{ date: '2025-07-01', transfer_count: 1204 }], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async ({ params: { nft_type: type }, query: { days } }, { database }) => {
    await requireNftCollection(database, type)
    return { body: wholeList((await listDailyMoves(database, 'collection', type, days)).map(presentCollectionDay)) }
  },
})

/** What moved of a token or of a collection, day by day. */
export const dailyMoveRoutes = [ofToken, ofCollection]
