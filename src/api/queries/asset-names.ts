import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { readRecent } from '../kept/recent-reads.ts'
import type { AssetNames } from '../presenters/transfer-summary.ts'

const tokenRow = z.object({
  token: z.string(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  logo: z.string().nullable(),
  decimals: z.number().nullable(),
  price: z.string().nullable(),
})

const collectionRow = z.object({
  token: z.string(),
  name: z.string().nullable(),
  logo: z.string().nullable(),
  banner: z.string().nullable(),
})

/** What tokens and collections call themselves, and the latest price of each token. Leaves out what nothing is known of. */
export async function readAssetNames(
  database: DatabasePool,
  tokens: readonly string[],
  collections: readonly string[],
): Promise<AssetNames> {
  const [ofTokens, ofCollections] = await Promise.all([
    readRecent(database, 'token', tokens, async (missing) => {
      return new Map((await readTokens(database, missing)).map((row) => [row.token, row]))
    }),
    readRecent(database, 'collection', collections, async (missing) => {
      return new Map((await readCollections(database, missing)).map((row) => [row.token, row]))
    }),
  ])
  return { tokens: ofTokens, collections: ofCollections }
}

async function readTokens(
  database: DatabasePool,
  tokens: readonly string[],
): Promise<readonly z.output<typeof tokenRow>[]> {
  return database.any(sql.prepared('names of tokens', tokenRow)`
    select wanted.token, m.name, m.symbol, m.logo, m.decimals, (
      select p.price::text from app.prices p
      where p.token = wanted.token and p.currency = 'USD' order by p.price_time desc limit 1
    ) as price
    from unnest(${sql.array(tokens, 'text')}) as wanted (token)
    left join app.ft_token_metadata m on m.token = wanted.token
  `)
}

async function readCollections(
  database: DatabasePool,
  collections: readonly string[],
): Promise<readonly z.output<typeof collectionRow>[]> {
  return database.any(sql.prepared('names of collections', collectionRow)`
    select token, name, square_image as logo, banner_image as banner
    from app.nft_collection_metadata where token = any (${sql.array(collections, 'text')})
  `)
}
