import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { listNftCollectionsOfAccount, listNftHolders } from '../../src/explorer/nfts/routes.ts'
import {
  listNftCollections,
  listNftItems,
  listNftItemsOfAccount,
  readNftItem,
} from '../../src/explorer/nfts/queries.ts'
import { readSearchQuery, searchNftItems } from '../../src/explorer/nfts/search.ts'
import type { NftItemKey } from '../../src/explorer/nfts/queries.ts'
import { listNftTransfers } from '../../src/explorer/nfts/transfers.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'

const large = 'A.0000000000000001.Large'
const small = 'A.0000000000000002.Small'
/** Owns half of the large collection. */
const whale = '0x00000000000000aa'
const items = 30_000
const holders = 15_000
const named = 6000
const count = 21

const collectionOf = (i: number): string => `A.${(i + 16).toString(16).padStart(16, '0')}.Other`

describe('query plans of NFTs', () => {
  let database: TestDatabase
  let reads: DatabasePool
  let plans: QueryPlans

  before(async () => {
    database = await createTestDatabase()
    const { pool } = database
    await storeBlocks(pool, 100, 400, { partitionStep: 50 })
    await ensurePartitions(pool, 'app.nft_transfers', 50, { from: 100, to: 401 })
    const other = `'A.' || lpad(to_hex(i + 16), 16, '0') || '.Other'`
    await pool.query(`
      insert into app.nft_ownership
      select '${large}', i, i, 101, 0, 1, 0, i % 7 = 0, case
        when i % 7 = 0 then null when i % 2 = 0 then '${whale}' else '0x5' || lpad(to_hex(i / 2), 15, '0')
      end from generate_series(1, ${items}) i;
      insert into app.nft_ownership_corrections (token, nft_id, owner, not_in, checked_height)
      select '${large}', i, null, '${whale}', 200 from generate_series(100, ${items}, 100) i;
      insert into app.nft_ownership_corrections (token, nft_id, owner, not_in, checked_height)
      select '${small}', i, '${whale}', null, 200 from generate_series(1, 5000) i;
      insert into app.nft_holdings select '0x5' || lpad(to_hex(i), 15, '0'), '${large}', 1 from generate_series(1, ${holders}) i;
      insert into app.nft_holdings select '0x6' || lpad(to_hex(i), 15, '0'), '${small}', i % 3 + 1 from generate_series(1, ${holders}) i;
      insert into app.nft_holdings select '${whale}', ${other}, 1 from generate_series(1, 2000) i;
      insert into app.nft_holdings values ('${whale}', '${large}', ${items / 2});
      insert into app.nft_collections select ${other}, 100 + i / 100 from generate_series(1, 3000) i;
      insert into app.nft_collections values ('${large}', 100), ('${small}', 100);
      insert into app.nft_collection_stats select ${other}, 1, 1, 1 from generate_series(1, 3000) i;
      insert into app.nft_collection_stats values ('${large}', ${items}, ${holders}, ${items}), ('${small}', 9, 9, 9);
      insert into app.nft_collection_totals select ${other}, 5, 1, 0 from generate_series(1, 3000) i;
      insert into app.hourly_stats select '2025-01-01'::date + h / 24, h % 24, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0
      from generate_series(0, 731) h;
      insert into app.hourly_activity select 'collection', '2025-01-01'::date + h / 24, h % 24, ${other}, 1, 0
      from generate_series(0, 731) h, generate_series(1, 50) i;
      insert into app.nft_transfers
      select 100 + i, 0, j, 0, '${large}', (i + j) % 300, (i + j) % 300, '${whale}', '0x5' || lpad(to_hex(i), 15, '0'), 'transfer'
      from generate_series(0, 300) i, generate_series(0, 39) j;
      insert into app.nft_items (token, nft_id, name, description, status)
      select '${large}', i, 'Moment ' || (array['Dunk', 'Layup', 'Assist'])[i % 3 + 1], 'word' || i % 500, 'answered'
      from generate_series(1, ${named}) i;
      analyze`)
    reads = await createReadPool({ url: database.url })
    plans = await queryPlans(database)
  })

  after(async () => {
    await plans.end()
    await reads.end()
    await database.drop()
  })

  const sorted = { search: undefined, isBridged: false, limit: count }
  type Case = readonly [name: string, maxRows: number, query: (pool: DatabasePool) => Promise<unknown>]
  const lists: readonly Case[] = [
    [
      'collections by holders',
      count * 32,
      (pool) => listNftCollections(pool, { ...sorted, sort: 'holders', after: undefined }),
    ],
    [
      'collections that share their number of holders',
      count * 32,
      (pool) =>
        listNftCollections(pool, {
          ...sorted,
          sort: 'holders',
          after: { count: 1, key: collectionOf(2000) },
        }),
    ],
    [
      'collections that share their number of transfers',
      count * 32,
      (pool) =>
        listNftCollections(pool, {
          ...sorted,
          sort: 'transfers',
          after: { count: 5, key: collectionOf(2000) },
        }),
    ],
    [
      'collections by recent transfers',
      24 * 50 * 2 + count * 32,
      (pool) =>
        listNftCollections(pool, {
          ...sorted,
          sort: 'trending',
          after: { count: 24, key: collectionOf(20) },
        }),
    ],
    [
      'the newest collections',
      count * 32,
      (pool) => listNftCollections(pool, { ...sorted, sort: 'newest', after: undefined }),
    ],
    [
      'old collections',
      count * 32,
      (pool) =>
        listNftCollections(pool, {
          ...sorted,
          sort: 'newest',
          after: { count: 103, key: collectionOf(310) },
        }),
    ],
    ['the first items', count * 6, (pool) => listNftItems(pool, large, undefined, count)],
    ['items in the middle', count * 6, (pool) => listNftItems(pool, large, '15000', count)],
    ['the last items', count * 6, (pool) => listNftItems(pool, large, String(items - 5), count)],
    ['one item', 4, (pool) => readNftItem(pool, large, '15000')],
    ['the first holders', count * 3, (pool) => listNftHolders(pool, large, undefined, count)],
    [
      'holders that have one item as most do',
      count * 3,
      (pool) => listNftHolders(pool, large, { count: 1, key: `0x5${(9000).toString(16).padStart(15, '0')}` }, count),
    ],
    [
      'the last holders of some items',
      count * 4,
      (pool) => listNftHolders(pool, small, { count: 2, key: `0x6${(14_000).toString(16).padStart(15, '0')}` }, count),
    ],
    [
      'collections of an account',
      count * 5,
      (pool) => listNftCollectionsOfAccount(pool, whale, collectionOf(1000), count),
    ],
    ['items of an account', count * 8, (pool) => listNftItemsOfAccount(pool, whale, large, undefined, count)],
    [
      'items of an account in the middle',
      count * 8,
      (pool) => listNftItemsOfAccount(pool, whale, large, '15000', count),
    ],
    ['items without an owner', 1, (pool) => listNftItemsOfAccount(pool, '0x00000000000000bb', large, undefined, count)],
  ]

  for (const [name, max, query] of lists) {
    it(`read few rows for ${name}`, async () => {
      const plan = await plans.of(query)
      expect(plan.rowsTouched).to.be.at.most(max)
      expect(Math.max(0, ...plan.rowsSorted)).to.be.at.most(50)
    })
  }

  it('read few rows for the transfers of an item', async () => {
    const item = { token: large, nftId: '17', nftUuid: '17' }
    const plan = await plans.of((pool) => listNftTransfers(pool, { min: 100, max: 400 }, item, undefined, count))
    // The few blocks here are read completely.
    expect(plan.rowsTouched).to.be.at.most(count * 8 + 301)
  })

  async function search(pool: DatabasePool, words: string, after?: NftItemKey): Promise<unknown> {
    const query = (await readSearchQuery(pool, words)) ?? ''
    return searchNftItems(pool, { query, token: undefined, after, limit: count }, { maxMatches: 100, maxScanned: 400 })
  }

  it('use the text index for rare words', async () => {
    const plan = await plans.of((pool) => search(pool, 'dunk word123'))
    expect(plan.nodes.map((node) => node['Index Name'])).to.include('nft_items_search')
    expect(plan.rowsTouched).to.be.at.most(100)
  })

  it('scan a bounded part of the list for frequent words', async () => {
    const found = await plans.of((pool) => search(pool, 'oment', { token: large, nft_id: '3000' }))
    expect(found.rowsTouched).to.be.at.most(101 * 2 + count * 6)
    const walked = await plans.of((pool) => search(pool, 'ayup', { token: large, nft_id: '3000' }))
    expect(walked.rowsTouched).to.be.at.most(101 * 3 + 400 + count * 6)
  })
})
