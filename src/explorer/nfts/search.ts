import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { listOf, keyCursor, keyParts } from '../paging/pages.ts'
import { contractParameter, limitParameter, searchParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { exampleNftItem, nftItemRow, nftIdPart, nftItemSchema, presentNftItem } from './schema.ts'
import { completedItems } from './queries.ts'
import type { NftItemRow } from './schema.ts'

/** An item, as a place in the order of a search: by collection, and in it by number. */
export interface NftItemKey {
  readonly token: string
  readonly nft_id: string
}

/** A page of what a search found. */
interface FoundNftItems {
  readonly rows: readonly NftItemRow[]
  /** Where the next page begins; undefined at the end. */
  readonly next: NftItemKey | undefined
}

interface NftSearch {
  /** As `readSearchQuery` gives it. */
  readonly query: string
  /** Only items of this collection. */
  readonly token: string | undefined
  readonly after: NftItemKey | undefined
  readonly limit: number
}

interface SearchBounds {
  /** Up to so many matches are read by the index of words, and put in order. */
  readonly maxMatches: number
  /** Of words that more items have, so many items are looked through in the order of the list. */
  readonly longestWalk: number
}

/** Either takes some 15 ms. */
const usualBounds: SearchBounds = { maxMatches: 10_000, longestWalk: 20_000 }

/** The words to look for, for `searchNftItems`; undefined where there is none in the text. */
export async function readSearchQuery(database: DatabasePool, text: string): Promise<string | undefined> {
  const query = await database.oneFirst(sql.type(z.object({ query: z.string().nullable() }))`
    select app.search_query(${text})::text as query
  `)
  return query ?? undefined
}

/**
 * The items whose name and description have all words: exact and complete, and with a bound to what a page costs. Words
 * that few items have are found by their index, which knows no order: all matches are read, and the page is cut from
 * them. Words that more items have are looked for along the list, where the next is not far; a page ends early where it
 * is.
 */
export async function searchNftItems(
  database: DatabasePool,
  search: NftSearch,
  { maxMatches, longestWalk } = usualBounds,
): Promise<FoundNftItems> {
  const keys = (await cutFromMatches(database, search, maxMatches)) ?? (await walk(database, search, longestWalk))
  const shown = keys.slice(0, search.limit).filter(({ is_found }) => is_found)
  const last = keys.at(-1)
  return {
    rows: await readItems(database, shown),
    next: keys.length > search.limit ? shown.at(-1) : last?.is_end === true ? last : undefined,
  }
}

const foundKey = z.object({
  token: z.string(),
  nft_id: z.string(),
  is_found: z.boolean(),
  /** The walk ended here, and not the list. */
  is_end: z.boolean(),
})
type FoundKey = z.output<typeof foundKey>

const matchesRow = z.object({ match_count: z.number(), token: z.string().nullable(), nft_id: z.string().nullable() })

/** @returns undefined where there are too many to be read */
async function cutFromMatches(
  database: DatabasePool,
  { query, token, after, limit }: NftSearch,
  maxMatches: number,
): Promise<readonly FoundKey[] | undefined> {
  const rows = await database.any(sql.type(matchesRow)`
    with matches as materialized (
      select token, nft_id from app.nft_items
      where status <> 'new' and search @@ ${query}::tsquery and ${ofCollection(token)}
      limit ${maxMatches + 1}
    )
    select c.match_count, k.token, k.nft_id::text as nft_id
    from (select count(*) as match_count from matches) c
    left join lateral (
      select token, nft_id from matches where ${isAfter(after)} order by token, nft_id limit ${limit + 1}
    ) k on true
    order by k.token, k.nft_id
  `)
  if (rows.some((row) => row.match_count > maxMatches)) return undefined
  return rows.flatMap(({ token: found, nft_id }) =>
    found === null || nft_id === null ? [] : [{ token: found, nft_id, is_found: true, is_end: false }],
  )
}

/** The last key is that of the item where the walk ended, if it did before the page was full: it may lack the words. */
async function walk(
  database: DatabasePool,
  { query, token, after, limit }: NftSearch,
  longestWalk: number,
): Promise<readonly FoundKey[]> {
  return database.any(sql.type(foundKey)`
    select token, nft_id::text as nft_id, is_found, place = ${longestWalk} as is_end
    from (
      select token, nft_id, status <> 'new' and search @@ ${query}::tsquery as is_found,
        row_number() over (order by token, nft_id) as place
      from app.nft_items
      where ${ofCollection(token)} and ${isAfter(after)}
      order by token, nft_id
      limit ${longestWalk}
    ) w
    where is_found or place = ${longestWalk}
    order by token, w.nft_id
    limit ${limit + 1}
  `)
}

async function readItems(database: DatabasePool, keys: readonly NftItemKey[]): Promise<readonly NftItemRow[]> {
  if (keys.length === 0) return []
  return database.any(
    sql.type(nftItemRow)`${completedItems(sql.fragment`
    select token, nft_id from ${sql.unnest(
      keys.map(({ token, nft_id }) => [token, nft_id]),
      ['text', 'numeric'],
    )}
      as k (token, nft_id)
  `)}`,
  )
}

function ofCollection(token: string | undefined): FragmentSqlToken {
  return token === undefined ? sql.fragment`true` : sql.fragment`token = ${token}`
}

function isAfter(key: NftItemKey | undefined): FragmentSqlToken {
  return key === undefined ? sql.fragment`true` : sql.fragment`(token, nft_id) > (${key.token}, ${key.nft_id}::numeric)`
}

const cursorOfItem = keyCursor({ nft_type: keyParts.contract, nft_id: nftIdPart })

const nftSearch = defineRoute({
  path: '/flow/nft/search',
  operationId: 'searchNftItems',
  cost: 'high',
  tag: 'NFTs',
  summary: 'Items by words of their name and description',
  description:
    'Finds items that have all words, in any case and order; the beginning of a word is enough, and of a word of ' +
    'the name any part from three characters on. By collection, and in it by number. Where items with very common ' +
    'words are ' +
    'far apart, a page may have fewer than `limit` items and yet not be the last: `has_more` says so.',
  query: z.object({
    q: searchParameter('The words.'),
    collection: contractParameter('collections')
      .optional()
      .describe('Only items of this collection: `A.<address>.<name>`.'),
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorOfItem.parameter,
  }),
  response: listOf(nftItemSchema, 'NftItem'),
  example: {
    data: [exampleNftItem],
    has_more: true,
    cursor: `${exampleNftItem.nft_type}:${exampleNftItem.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { q, collection, limit, cursor } }, { database }) => {
    const query = await readSearchQuery(database, q)
    if (query === undefined) {
      throw new ApiError(400, 'invalid-parameter', 'Parameter "q" has no word: give letters or digits.', { field: 'q' })
    }
    const after = cursorOfItem.parse(cursor)
    const { rows, next } = await searchNftItems(database, {
      query,
      token: collection,
      limit,
      after: after === undefined ? undefined : { token: after.nft_type, nft_id: after.nft_id },
    })
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.block_height),
    )
    return {
      body: {
        data: rows.map((row) => presentNftItem(row, times)),
        has_more: next !== undefined,
        cursor: next === undefined ? '' : cursorOfItem.format({ nft_type: next.token, nft_id: next.nft_id }),
        _meta: { limit, count: rows.length },
      },
    }
  },
})

/** The search for items: its path comes before `/flow/nft/{nft_type}`. */
export const nftSearchRoutes = [nftSearch]
