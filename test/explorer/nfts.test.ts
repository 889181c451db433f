import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type {
  AccountNftCollection,
  NftCollection,
  NftHolder,
  NftItem,
  NftTransfer,
} from '../../src/explorer/nfts/schema.ts'
import { tokenId } from '../../src/flow/tokens/token-id.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { truthOf } from '../support/recording-annotations.ts'

/** Owned by an account on the chain at the end of the recording. */
interface TrueItem {
  readonly owner: string
  readonly token: string
  readonly id: string
  readonly uuid: string
}

describe('NFT routes on a recorded chain', () => {
  let chain: ExploredChain
  let truth: readonly TrueItem[]

  before(async () => {
    chain = await exploredChain()
    const { accounts } = await truthOf('base')
    truth = Object.entries(accounts).flatMap(([owner, { nfts }]) =>
      nfts.map(({ type, id, uuid }) => ({ owner, token: tokenId(type) ?? type, id, uuid })),
    )
  })

  async function rows<Row extends object>(text: string): Promise<Row[]> {
    return (await chain.database.pool.query<Row>(text)).rows
  }

  /** Reads all pages with a size that leaves a partial last page. */
  async function all<Item>(path: string, limit = 4): Promise<Item[]> {
    const items: Item[] = []
    let cursor = ''
    do {
      const list = await chain.api.json<List<Item>>(
        `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${cursor}`,
      )
      expect(list._meta.count).to.equal(list.data.length)
      if (list.has_more) expect(list.data).to.have.length(limit)
      expect(list.has_more).to.equal(list.cursor !== '')
      items.push(...list.data)
      cursor = list.cursor
    } while (cursor !== '')
    return items
  }

  const tokens = (): string[] => [...new Set(truth.map(({ token }) => token))].toSorted()

  it('list collections with their counts', async () => {
    const collections = await all<NftCollection>('/flow/nft', 1)
    expect(collections.map(({ id }) => id).toSorted()).to.deep.equal(tokens())
    for (const { id, number_of_tokens: items, holder_count: holders, ...shown } of collections) {
      const owned = truth.filter(({ token }) => token === id)
      expect(items, id).to.equal(owned.length)
      expect(holders, id).to.equal(new Set(owned.map(({ owner }) => owner)).size)
      const [moved] = await rows<{ count: string; mints: string; burns: string; first: string }>(`
        select count(*), count(*) filter (where transfer_type = 'mint') as mints,
          count(*) filter (where transfer_type = 'burn') as burns, min(block_height) as first
        from app.nft_transfers where token = '${id}'`)
      const { count, mints, burns, first } = moved ?? {}
      expect([shown.transfer_count, shown.mint_count, shown.burn_count, shown.first_height].map(String)).to.deep.equal([
        count,
        mints,
        burns,
        first,
      ])
      expect(shown).to.include({ nft_type: id, contract_name: id.split('.')[2], address: `0x${id.split('.')[1]}` })
      expect(await chain.api.json(`/flow/nft/${id}`)).to.deep.equal({
        data: [{ id, number_of_tokens: items, holder_count: holders, ...shown }],
      })
    }
  })

  it('sort collections by holders, transfers and age', async () => {
    const ids = async (query: string): Promise<string[]> =>
      (await all<NftCollection>(`/flow/nft${query}`, 1)).map(({ id }) => id)
    for (const [sort, from] of [
      ['holders', 'app.nft_collection_stats order by holder_count desc, token'],
      ['transfers', 'app.nft_collection_totals order by transfer_count desc, token'],
      ['newest', 'app.nft_collections order by first_height desc, token'],
    ] as const) {
      const expected = await rows<{ token: string }>(`select token from ${from}`)
      expect(await ids(`?sort=${sort}`), sort).to.deep.equal(expected.map(({ token }) => token))
    }
    // The recording covers less than a day.
    expect(await ids('?sort=trending')).to.deep.equal(await ids('?sort=transfers'))
    expect(await ids('?search=BOATS')).to.deep.equal(tokens().filter((token) => token.endsWith('.PaperBoats')))
    expect(await ids('?search=%25')).to.deep.equal([])
    expect(await ids('?filter=evm_bridged')).to.deep.equal([])
  })

  it('sum over all collections', async () => {
    const [moved] = await rows<{ count: string }>('select count(*) from app.nft_transfers')
    expect(await chain.api.json('/flow/nft/stats')).to.deep.equal({
      data: { total: tokens().length, total_nfts: truth.length, total_transfers: Number(moved?.count), evm_bridged: 0 },
    })
  })

  it('list items with their owners by id', async () => {
    for (const token of tokens()) {
      const items = await all<NftItem>(`/flow/nft/${token}/item`)
      const numbers = items.map(({ id }) => BigInt(id))
      expect(numbers).to.deep.equal(numbers.toSorted((a, b) => Number(a - b)))
      const [seen] = await rows<{ count: string }>(
        `select count(distinct nft_id) from app.nft_transfers where token = '${token}'`,
      )
      expect(items).to.have.length(Number(seen?.count))
      const owned = items.flatMap(({ owner, nft_type, id, uuid }) =>
        owner === null ? [] : [{ owner, token: nft_type, id, uuid }],
      )
      expect(owned).to.have.deep.members(truth.filter((item) => item.token === token))
      expect(items.filter(({ is_burned: burned }) => burned).map(({ owner }) => owner)).to.satisfy(
        (owners: unknown[]) => owners.every((owner) => owner === null),
      )
      expect(await chain.api.json(`/flow/nft/${token}/item/${items[3]?.id}`)).to.deep.equal({ data: [items[3]] })
    }
  })

  for (const name of ['holding', 'top-account']) {
    it(`list holders with exact shares: ${name}`, async () => {
      for (const token of tokens()) {
        const owned = truth.filter((item) => item.token === token)
        const counts = Map.groupBy(owned, ({ owner }) => owner)
        const expected = [...counts]
          .map(([owner, { length: count }]) => ({
            owner,
            nft_type: token,
            count,
            percentage: count / owned.length,
          }))
          .toSorted((a, b) => b.count - a.count || (a.owner < b.owner ? -1 : 1))
        expect(await all<NftHolder>(`/flow/nft/${token}/${name}`)).to.deep.equal(expected)
      }
    })
  }

  it('list the items of an account', async () => {
    const tokensOf = (one: string): Set<string> =>
      new Set(truth.filter((item) => item.owner === one).map(({ token }) => token))
    const owner = truth.map((item) => item.owner).find((one) => tokensOf(one).size > 1)
    const owned = truth.filter((item) => item.owner === owner)
    const collections = await all<AccountNftCollection>(`/flow/account/${owner}/nft`, 1)
    expect(collections.map(({ id }) => id)).to.deep.equal([...new Set(owned.map(({ token }) => token))].toSorted())
    for (const { id, number_of_tokens: count } of collections) {
      const items = await all<NftItem>(`/flow/account/${owner}/nft/${id}`, 2)
      expect(
        items.map((item) => ({ owner: item.owner, token: item.nft_type, id: item.id, uuid: item.uuid })),
      ).to.have.deep.ordered.members(
        owned.filter(({ token }) => token === id).toSorted((a, b) => Number(a.id) - Number(b.id)),
      )
      expect(count).to.equal(items.length)
    }
    expect(await all(`/flow/account/0x0000000000000001/nft`)).to.deep.equal([])
  })

  const placeOf = ({
    block_height: height,
    tx_index: tx,
    event_index: event,
    leg,
    nft_type: type,
    nft_id: id,
  }: NftTransfer): string => [height, tx, event, leg, type, id].join(':')

  async function places(where: string): Promise<string[]> {
    return (
      await rows<{ place: string }>(`
      select concat_ws(':', block_height, tx_index, event_index, leg, token, nft_id) as place from app.nft_transfers
      where ${where} order by block_height desc, tx_index desc, event_index desc, leg desc`)
    ).map(({ place }) => place)
  }

  it('list and filter transfers, newest first', async () => {
    const [one] = await rows<{ height: string; index: number; hash: string; from: string; token: string; id: string }>(`
      select t.block_height as height, t.tx_index as index, encode(r.id, 'hex') as hash, from_address as from, token, nft_id as id
      from app.nft_transfers t join raw.transactions r using (block_height, tx_index)
      where from_address is not null and to_address is not null order by t.block_height, t.tx_index limit 1`)
    const { height, index, hash, from, token, id } = one ?? {
      height: '',
      index: 0,
      hash: '',
      from: '',
      token: '',
      id: '',
    }
    for (const [query, where] of [
      ['/flow/nft/transfer', 'true'],
      [`/flow/nft/transfer?height=${height}`, `block_height = ${height}`],
      [`/flow/nft/transfer?address=${from}`, `'${from}' in (from_address, to_address)`],
      [`/flow/nft/transfer?nft_type=${token}`, `token = '${token}'`],
      [`/flow/nft/transfer?nft_type=${token}.NFT&nft_id=0${id}`, `token = '${token}' and nft_id = ${id}`],
      [
        `/flow/nft/transfer?address=${from}&nft_type=${token}`,
        `token = '${token}' and '${from}' in (from_address, to_address)`,
      ],
      [`/flow/nft/transfer?transaction_hash=0x${hash}`, `block_height = ${height} and tx_index = ${index}`],
      [`/flow/nft/transfer?transaction_hash=${hash}&height=0`, 'false'],
      [`/flow/nft/transfer?transaction_hash=${'0'.repeat(64)}`, 'false'],
      [`/flow/account/${from}/nft/transfer`, `'${from}' in (from_address, to_address)`],
      [
        `/flow/account/${from}/nft/transfer?height=${height}`,
        `'${from}' in (from_address, to_address) and block_height = ${height}`,
      ],
      [`/flow/nft/${token}/item/${id}/transfer`, `token = '${token}' and nft_id = ${id}`],
    ] as const) {
      expect((await all<NftTransfer>(query, 7)).map(placeOf), query).to.deep.equal(await places(where))
    }
  })

  it('return the current owner with each transfer', async () => {
    const owners = new Map(truth.map(({ token, id, owner }) => [`${token} ${id}`, owner]))
    for (const transfer of await all<NftTransfer>('/flow/nft/transfer', 50)) {
      expect(transfer.current_owner).to.equal(owners.get(`${transfer.nft_type} ${transfer.nft_id}`) ?? null)
      expect(transfer.name).to.equal(`${transfer.nft_type?.split('.')[2]} #${transfer.nft_id}`)
      expect(transfer.direction).to.equal(transfer.transfer_type === 'burn' ? 'withdraw' : 'deposit')
    }
  })

  it('return 404 for unknown and 400 for invalid parameters', async () => {
    const [token = ''] = tokens()
    for (const [path, status, field] of [
      ['/flow/nft/A.0000000000000001.Nothing', 404, 'nft_type'],
      ['/flow/nft/A.0000000000000001.Nothing/item', 404, 'nft_type'],
      ['/flow/nft/A.0000000000000001.Nothing/holding', 404, 'nft_type'],
      [`/flow/nft/${token}/item/18446744073709551616`, 404, 'id'],
      [`/flow/nft/${token}/item/99999999/transfer`, 404, 'id'],
      [`/flow/nft/${token}/item/${'9'.repeat(21)}`, 400, 'id'],
      [`/flow/nft/${token}/item/-1`, 400, 'id'],
      [`/flow/nft/${token}/item/1e3`, 400, 'id'],
      [`/flow/nft/${token}/item?cursor=x`, 400, 'cursor'],
      [`/flow/nft/${token}/item?limit=0`, 400, 'limit'],
      [`/flow/nft/${token}/holding?cursor=5:0x1`, 400, 'cursor'],
      ['/flow/nft/nonsense', 400, 'nft_type'],
      ['/flow/nft?sort=price', 400, 'sort'],
      ['/flow/nft?filter=x', 400, 'filter'],
      ['/flow/nft?search=%00', 400, 'search'],
      ['/flow/nft?cursor=5', 400, 'cursor'],
      ['/flow/nft/transfer?nft_id=1', 400, 'nft_id'],
      ['/flow/nft/transfer?nft_type=x', 400, 'nft_type'],
      ['/flow/nft/transfer?address=x', 400, 'address'],
      ['/flow/nft/transfer?transaction_hash=x', 400, 'transaction_hash'],
      ['/flow/nft/transfer?cursor=1:2:3', 400, 'cursor'],
      [`/flow/nft/transfer?cursor=1:${'0'.repeat(64)}:3`, 400, 'cursor'],
      ['/flow/account/xyz/nft', 400, 'address'],
      ['/flow/account/0x1/nft?cursor=A.1.B', 400, 'cursor'],
    ] as const) {
      const response = await chain.api.get(path)
      expect(response.status, path).to.equal(status)
      expect(await response.json(), path).to.include({ field })
    }
  })
})
