import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { listOf, keyCursor, keyParts } from '../paging/pages.ts'
import { contractParameter, limitParameter, searchParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { exampleNftItem, nftIdPart, nftItemSchema, presentNftItem } from './schema.ts'
import { readNftItems } from './queries.ts'
import type { NftItemKey } from './queries.ts'
import type { NftItemRow } from './schema.ts'

interface FoundNftItems {
  readonly rows: readonly NftItemRow[]
  /** Undefined at the end. */
  readonly next: NftItemKey | undefined
}

interface NftSearch {
  /** From `readSearchQuery`. */
  readonly query: string
  readonly token: string | undefined
  readonly after: NftItemKey | undefined
  readonly limit: number
}

interface SearchBounds {
  /** Matches that are read and sorted. */
  readonly maxMatches: number
  /** Items scanned in list order when there are more matches. */
  readonly maxScanned: number
}

/** About 15 ms each. */
const defaultBounds: SearchBounds = { maxMatches: 10_000, maxScanned: 20_000 }

const queryRow = z.object({ query: z.string().nullable() })

/** Undefined without words. */
export async function readSearchQuery(database: DatabasePool, text: string): Promise<string | undefined> {
  const query = await database.oneFirst(sql.type(queryRow)`
    select app.search_query(${text})::text as query
  `)
  return query ?? undefined
}

/**
 * Rare words are found by the text index, which is unordered, so all matches are read and sorted.
 * Frequent words are found by scanning in list order; a page ends early after `maxScanned` items.
 */
export async function searchNftItems(
  database: DatabasePool,
  search: NftSearch,
  { maxMatches, maxScanned } = defaultBounds,
): Promise<FoundNftItems> {
  const keys = (await pageOfMatches(database, search, maxMatches)) ?? (await scanPage(database, search, maxScanned))
  const shown = keys.slice(0, search.limit).filter(({ is_found }) => is_found)
  const last = keys.at(-1)
  return {
    rows: await readNftItems(database, shown),
    next: keys.length > search.limit ? shown.at(-1) : last?.is_end === true ? last : undefined,
  }
}

const foundKey = z.object({
  token: z.string(),
  nft_id: z.string(),
  is_found: z.boolean(),
  /** The scan stopped before the end of the list. */
  is_end: z.boolean(),
})
type FoundKey = z.output<typeof foundKey>

const matchesRow = z.object({ match_count: z.number(), token: z.string().nullable(), nft_id: z.string().nullable() })

/** Undefined if there are too many matches. */
async function pageOfMatches(
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

/** The last key may be a non-match at which the scan stopped. */
async function scanPage(
  database: DatabasePool,
  { query, token, after, limit }: NftSearch,
  maxScanned: number,
): Promise<readonly FoundKey[]> {
  return database.any(sql.type(foundKey)`
    select token, nft_id::text as nft_id, is_found, place = ${maxScanned} as is_end
    from (
      select token, nft_id, status <> 'new' and search @@ ${query}::tsquery as is_found,
        row_number() over (order by token, nft_id) as place
      from app.nft_items
      where ${ofCollection(token)} and ${isAfter(after)}
      order by token, nft_id
      limit ${maxScanned}
    ) w
    where is_found or place = ${maxScanned}
    order by token, w.nft_id
    limit ${limit + 1}
  `)
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
  summary: 'Search NFT items by name and description',
  description:
    'Finds items that contain all words, in any case and order. Words match by prefix; in names, also by any part ' +
    'of at least three characters. Sorted by collection and id. With frequent words a page may have fewer than ' +
    '`limit` items without being the last one: check `has_more`.',
  query: z.object({
    q: searchParameter('Search words.'),
    collection: contractParameter().optional().describe('Collection, `A.<address>.<name>`.'),
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
      throw new ApiError(400, 'invalid-parameter', 'Parameter "q" must contain letters or digits.', { field: 'q' })
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

/** Precedes `/flow/nft/{nft_type}`, which would match. */
export const nftSearchRoutes = [nftSearch]
