import { expect } from 'chai'
import { maxSearchLength } from '../../src/explorer/parameters.ts'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { AccountNftCollection, NftItem, NftTransfer } from '../../src/explorer/nfts/schema.ts'
import type { TransactionDetail } from '../../src/explorer/transactions/detail-schema.ts'
import { readSearchQuery, searchNftItems } from '../../src/explorer/nfts/search.ts'
import type { NftItemKey } from '../../src/explorer/nfts/queries.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { chainBlock, storeBlocks, timestampAt } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const cats = 'A.0000000000000001.Cats'
const dogs = 'A.0000000000000002.Dogs'
const alice = '0x00000000000000a1'
const bob = '0x00000000000000b0'
/** The largest possible id. */
const largest = '18446744073709551615'

describe('NFT routes on items of all kinds', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    const { pool } = database
    await storeBlocks(pool, 100, 130)
    await ensurePartitions(pool, 'app.nft_transfers', 1000, { from: 0, to: 1000 })
    await pool.query(`
      insert into app.nft_collections values ('${cats}', 101), ('${dogs}', 104);
      insert into app.nft_collection_stats values ('${cats}', 4, 2, 5), ('${dogs}', 2, 1, 2);
      insert into app.nft_collection_totals values ('${cats}', 6, 5, 0), ('${dogs}', 2, 2, 0);
      insert into app.nft_collection_metadata (token, name, square_image, evm_address, socials, status) values
        ('${cats}', 'The Cats', 'https://example.org/cats.png', '0x${'c'.repeat(40)}', '{"x": "https://x.com/cats"}', 'answered');
      insert into app.account_labels values ('0x0000000000000001', 'cats', 'Cats Incorporated', 'nft');
      insert into app.nft_transfers values
        (101, 0, 1, 0, '${cats}', 9, 11, null, '${alice}', 'mint'), (101, 0, 2, 0, '${cats}', 10, 12, null, '${alice}', 'mint'),
        (102, 0, 1, 0, '${cats}', 100, 13, null, '${alice}', 'mint'), (102, 0, 2, 0, '${cats}', ${largest}, 14, null, '${alice}', 'mint'),
        (103, 0, 1, 0, '${cats}', 7, 15, null, '${bob}', 'mint'), (103, 0, 2, 0, '${cats}', 10, 12, '${alice}', '${bob}', 'transfer'),
        (104, 0, 1, 0, '${dogs}', 1, 21, null, '${bob}', 'mint'), (104, 0, 2, 0, '${dogs}', 2, 22, null, '${bob}', 'mint'),
        (110, 0, 3, 0, null, 9, 11, '${alice}', null, 'burn');
      insert into app.nft_ownership values
        ('${cats}', 7, 15, 103, 0, 1, 0, false, '${bob}'), ('${cats}', 9, 11, 110, 0, 3, 0, true, null),
        ('${cats}', 10, 12, 103, 0, 2, 0, false, '${bob}'), ('${cats}', 100, 13, 102, 0, 1, 0, false, '${alice}'),
        ('${cats}', ${largest}, 14, 102, 0, 2, 0, false, '${alice}'),
        ('${dogs}', 1, 21, 104, 0, 1, 0, false, '${bob}'), ('${dogs}', 2, 22, 104, 0, 2, 0, false, '${bob}');
      insert into app.nft_holdings values ('${alice}', '${cats}', 2), ('${bob}', '${cats}', 2), ('${bob}', '${dogs}', 2);
      insert into app.nft_ownership_corrections (token, nft_id, owner, not_in, checked_height) values
        ('${cats}', 100, '${bob}', null, 120), ('${cats}', 50, '${alice}', null, 120), ('${cats}', 10, '${alice}', null, 102),
        ('${dogs}', 1, null, '${bob}', 121);
      insert into app.nft_holder_checks (holder, token, checked_height, held_count, status) values
        ('${alice}', '${cats}', 120, 2, 'answered'), ('${alice}', '${dogs}', 121, 0, 'answered'), ('${bob}', '${dogs}', 121, 1, 'answered');
      insert into app.nft_items (token, nft_id, name, description, thumbnail, serial_number, edition_name, edition_number,
        edition_max, rarity_score, rarity_description, traits, status, asked_at) values
        ('${cats}', 7, 'Sleepy Tomcat #7', 'It purrs, loudly.', 'ipfs://7', 7, 'First', 7, ${largest}, 1.5, 'rare',
         '[{"name": "fur", "value": "red", "displayType": null, "rarity": "legend"}]', 'answered', '2025-01-02T03:04:05Z'),
        ('${cats}', 9, 'Gone', null, 'data:image/svg+xml,x', null, null, null, null, null, null, null, 'answered', '2025-01-02T03:04:05Z'),
        ('${cats}', 10, null, null, null, null, null, null, null, null, null, null, 'none', '2025-01-02T03:04:05Z'),
        ('${cats}', 50, 'Angry tomcat', 'Sleepy? No.', null, null, null, null, null, null, null, null, 'answered', null),
        ('${dogs}', 1, 'スーパー犬 «été»', 'sleepy', null, null, null, null, null, null, null, null, 'answered', null);
      insert into app.nft_items (token, nft_id) values ('${dogs}', 2)`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  const list = async <Item>(path: string): Promise<List<Item>> => api.json<List<Item>>(path)
  const ids = async (path: string): Promise<string[]> => (await list<NftItem>(path)).data.map(({ id }) => id)

  it('appear with name and image in their transactions', async () => {
    const { id } = chainBlock(103).transactions[0] ?? {}
    const { data } = await api.json<{ data: TransactionDetail[] }>(`/flow/transaction/${id}`)
    expect(data[0]?.nft_transfers.map(({ token_id, name, thumbnail }) => [token_id, name, thumbnail])).to.deep.equal([
      ['7', 'Sleepy Tomcat #7', 'ipfs://7'],
      ['10', null, null],
    ])
  })

  it('sort items by id, including items found by chain queries', async () => {
    const all: string[] = []
    let cursor = ''
    do {
      const page = await list<NftItem>(`/flow/nft/${cats}/item?limit=2&cursor=${cursor}`)
      all.push(...page.data.map(({ id }) => id))
      cursor = page.cursor
    } while (cursor !== '')
    expect(all).to.deep.equal(['7', '9', '10', '50', '100', largest])
  })

  it('return the owner by transfers, or by a later chain query', async () => {
    const { data } = await list<NftItem>(`/flow/nft/${cats}/item`)
    expect(
      data.map(
        ({ id, owner, current_owner: current, owner_source: source, is_burned: burned, block_height: height }) => [
          id,
          owner,
          current,
          source,
          burned,
          height,
        ],
      ),
    ).to.deep.equal([
      ['7', bob, bob, 'transfers', false, 103],
      ['9', null, null, 'transfers', true, 110],
      ['10', bob, bob, 'transfers', false, 103],
      ['50', alice, alice, 'chain', false, 120],
      ['100', bob, bob, 'chain', false, 120],
      [largest, alice, alice, 'transfers', false, 102],
    ])
    expect(await ids(`/flow/account/${alice}/nft/${cats}`)).to.deep.equal(['50', largest])
    expect(await ids(`/flow/account/${bob}/nft/${cats}?limit=2`)).to.deep.equal(['7', '10'])
    expect(await ids(`/flow/account/${bob}/nft/${cats}?cursor=10`)).to.deep.equal(['100'])
    expect(await ids(`/flow/account/${bob}/nft/${dogs}`)).to.deep.equal(['2'])
  })

  it('return item metadata', async () => {
    const {
      data: [item],
    } = await list<NftItem>(`/flow/nft/${cats}.NFT/item/07`)
    expect(item).to.deep.equal({
      id: '7',
      nft_id: '7',
      uuid: '15',
      nft_type: cats,
      type: `${cats}.NFT`,
      name: 'Sleepy Tomcat #7',
      description: 'It purrs, loudly.',
      thumbnail: 'ipfs://7',
      external_url: null,
      serial_number: '7',
      edition_name: 'First',
      edition_number: '7',
      edition_max: largest,
      rarity_score: '1.5',
      rarity_description: 'rare',
      traits: [{ name: 'fur', value: 'red', displayType: null, rarity: 'legend' }],
      owner: bob,
      current_owner: bob,
      owner_source: 'transfers',
      is_burned: false,
      block_height: 103,
      timestamp: timestampAt(103),
      updated_at: '2025-01-02T03:04:05.000Z',
    })
    const {
      data: [silent],
    } = await list<NftItem>(`/flow/nft/${cats}/item/${largest}`)
    const {
      data: [drawn],
    } = await list<NftItem>(`/flow/nft/${cats}/item/9`)
    expect(drawn).to.include({ name: 'Gone', thumbnail: 'data:image/svg+xml,x', is_burned: true })
    expect(silent).to.include({ name: `Cats #${largest}`, id: largest, description: null, updated_at: null })
  })

  it('return collection metadata and verification', async () => {
    expect((await list(`/flow/nft/${cats}`)).data[0]).to.deep.include({
      name: 'The Cats',
      display_name: 'The Cats',
      contract_name: 'Cats',
      square_image: 'https://example.org/cats.png',
      evm_address: `0x${'c'.repeat(40)}`,
      evm_bridged: true,
      is_verified: true,
      socials: { x: 'https://x.com/cats' },
      first_height: 101,
      timestamp: timestampAt(101),
    })
    expect((await list(`/flow/nft/${dogs}`)).data[0]).to.deep.include({
      name: 'Dogs',
      evm_bridged: false,
      is_verified: false,
    })
    expect(await ids('/flow/nft?filter=evm_bridged')).to.deep.equal([cats])
    expect(await ids('/flow/nft?search=the%20c')).to.deep.equal([cats])
    expect(await ids('/flow/nft?search=0000000002')).to.deep.equal([dogs])
  })

  it('count items of accounts by transfers and by chain queries', async () => {
    const counts = async (account: string): Promise<unknown> =>
      (await list<AccountNftCollection>(`/flow/account/${account}/nft`)).data.map(
        ({ id, number_of_tokens: count, chain_count: held, chain_height: height }) => [id, count, held, height],
      )
    expect(await counts(alice)).to.deep.equal([[cats, 2, 2, 120]])
    expect(await counts(bob)).to.deep.equal([
      [cats, 2, null, null],
      [dogs, 2, 1, 121],
    ])
  })

  it('return the current owner with a transfer', async () => {
    const { data } = await list<NftTransfer>(`/flow/nft/transfer?nft_type=${cats}`)
    expect(data.map(({ nft_id: id, receiver, current_owner: owner }) => [id, receiver, owner])).to.deep.equal([
      ['10', bob, bob],
      ['7', bob, bob],
      [largest, alice, alice],
      ['100', alice, bob],
      ['10', alice, bob],
      ['9', alice, null],
    ])
  })

  it('return the burn of an item without a collection in its event', async () => {
    const { data } = await list<NftTransfer>(`/flow/nft/${cats}/item/9/transfer`)
    expect(
      data.map(({ block_height: height, transfer_type: type, nft_type: token }) => [height, type, token]),
    ).to.deep.equal([
      [110, 'burn', cats],
      [101, 'mint', cats],
    ])
    const hash = chainBlock(110).transactions[0]?.id
    expect(data[0]).to.deep.include({
      transaction_hash: hash,
      name: 'Gone',
      thumbnail: null,
      current_owner: null,
      collection: { name: 'The Cats', image: 'https://example.org/cats.png', description: null },
    })
    const rest = await list<NftTransfer>(`/flow/nft/${cats}/item/9/transfer?cursor=110:${hash}:3`)
    expect(rest.data).to.deep.equal(data.slice(1))
    expect((await list<NftTransfer>('/flow/nft/transfer?limit=1')).data).to.deep.equal(data.slice(0, 1))
    expect((await list<NftTransfer>(`/flow/account/${alice}/nft/transfer?limit=1`)).data[0]).to.deep.include({
      block_height: 110,
      direction: 'withdraw',
      nft_type: cats,
      address: alice,
    })
  })

  describe('search', () => {
    const found = async (query: string): Promise<string[]> =>
      (await list<NftItem>(`/flow/nft/search?${query}`)).data.map(
        ({ nft_type: token, id }) => `${token.split('.')[2]} ${id}`,
      )

    it('finds words of names and descriptions, prefixes, and parts of words in names', async () => {
      for (const [q, expected] of [
        ['sleepy', ['Cats 7', 'Cats 50', 'Dogs 1']],
        ['SLEEP tom', ['Cats 7', 'Cats 50']],
        ['tomcat #7', ['Cats 7']],
        ['mca', ['Cats 7', 'Cats 50']],
        ['leepy', ['Cats 7']],
        ['purr', ['Cats 7']],
        ['urrs', []],
        ['犬', ['Dogs 1']],
        ['été', ['Dogs 1']],
        ['パー犬', ['Dogs 1']],
        ['スーパー', ['Dogs 1']],
        ['angry sleepy dog', []],
        ['a', []],
        [`tom' | !'x:*`, []],
        [`tomcat' & \\`, ['Cats 7', 'Cats 50']],
      ] as const) {
        expect(await found(`q=${encodeURIComponent(q)}`), q).to.deep.equal(expected)
      }
      expect(await found(`q=sleepy&collection=${dogs}`)).to.deep.equal(['Dogs 1'])
    })

    it('pages by cursor', async () => {
      const first = await list<NftItem>('/flow/nft/search?q=sleepy&limit=2')
      expect(first).to.include({ has_more: true, cursor: `${cats}:50` })
      expect(await found(`q=sleepy&limit=2&cursor=${first.cursor}`)).to.deep.equal(['Dogs 1'])
    })

    it('requires a word', async () => {
      for (const query of [
        '',
        '?q=',
        '?q=%20',
        '?q=%00',
        '?q=--%20%23',
        `?q=${'x'.repeat(maxSearchLength + 1)}`,
        '?q=x&cursor=1',
        '?q=x&collection=1',
      ]) {
        expect((await api.get(`/flow/nft/search${query}`)).status, query).to.equal(400)
      }
    })

    it('finds the same by bounded scans if there are too many matches', async () => {
      const reads = await createReadPool({ url: database.url })
      try {
        const query = (await readSearchQuery(reads, 'sleepy')) ?? ''
        for (const limit of [1, 2, 3, 20]) {
          for (const maxScanned of [1, 2, 3, 5, 100]) {
            const all: string[] = []
            let after: NftItemKey | undefined
            do {
              const search = { query, token: undefined, after, limit }
              const { rows, next } = await searchNftItems(reads, search, { maxMatches: 2, maxScanned })
              expect(rows.length).to.be.at.most(limit)
              all.push(...rows.map(({ token, nft_id: id }) => `${token.split('.')[2]} ${id}`))
              after = next
            } while (after !== undefined)
            expect(all, `${limit} of ${maxScanned}`).to.deep.equal(['Cats 7', 'Cats 50', 'Dogs 1'])
          }
        }
      } finally {
        await reads.end()
      }
    })
  })
})
