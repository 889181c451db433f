import { expect } from 'chai'
import { maxSearchLength } from '../../src/explorer/parameters.ts'
import type { SearchPreview } from '../../src/explorer/search/preview.ts'
import type { SearchExample, SearchResult } from '../../src/explorer/search/schema.ts'
import { createTestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { runApi } from '../support/running-api.ts'
import { truthOf } from '../support/recording-annotations.ts'
import type { Truth } from '../support/recording-annotations.ts'

describe('the search', () => {
  let chain: ExploredChain
  let accounts: Truth['accounts']

  before(async () => {
    chain = await exploredChain()
    accounts = (await truthOf('base')).accounts
  })

  async function first<Row extends object>(text: string): Promise<Row> {
    const {
      rows: [row],
    } = await chain.database.pool.query<Row>(text)
    if (row === undefined) throw new Error(`nothing for ${text}`)
    return row
  }

  async function search(q: string): Promise<SearchResult> {
    return (await chain.api.json<{ data: SearchResult }>(`/flow/search?q=${encodeURIComponent(q)}&limit=20`)).data
  }

  async function preview(query: string): Promise<SearchPreview> {
    return (await chain.api.json<{ data: SearchPreview }>(`/flow/search/preview?${query}`)).data
  }

  it('finds contracts, tokens and collections by partial names', async () => {
    const part = 'OinT'
    const contracts = Object.entries(accounts).flatMap(([address, account]) =>
      Object.keys(account.contracts).map((name) => `A.${address.slice(2)}.${name}`),
    )
    const found = await search(part)
    const named = contracts.filter((contract) => contract.toLowerCase().includes('oint'))
    const { rows: deployed } = await chain.database.pool.query<{ contract: string }>(
      'select contract from app.contracts',
    )
    const indexed = new Set(deployed.map(({ contract }) => contract))
    expect(found.contracts.map(({ id }) => id)).to.have.members(named.filter((contract) => indexed.has(contract)))
    expect(found.tokens.map(({ contract_name: name }) => name)).to.deep.equal(['MossPoints'])
    expect(found.nft_collections).to.deep.equal([])
    expect((await search('paperboats')).nft_collections).to.have.deep.ordered.members([
      {
        id: 'A.179b6b1cb6755e31.PaperBoats',
        address: '0x179b6b1cb6755e31',
        contract_name: 'PaperBoats',
        name: 'PaperBoats',
        item_count: Object.values(accounts)
          .flatMap(({ nfts }) => nfts)
          .filter(({ type }) => type.includes('.PaperBoats.')).length,
        square_image: null,
        is_verified: false,
        match: 'exact',
      },
    ])
    expect((await search('mOsSp')).contracts.map(({ name }) => name)).to.deep.equal(['MossPoints'])
    expect((await search('%')).contracts).to.deep.equal([])
  })

  it('finds names despite typing errors', async () => {
    const { nft_collections: collections, contracts } = await search('paprebaots')
    expect(collections.map(({ name, match }) => [name, match])).to.deep.equal([['PaperBoats', 'similar']])
    expect(contracts.map(({ name }) => name)).to.deep.equal(['PaperBoats'])
  })

  it('finds contracts by identifier and account', async () => {
    const id = 'A.179b6b1cb6755e31.PaperBoats'
    for (const q of [id, `${id}.NFT`, id.toUpperCase().replace('.PAPERBOATS', '.PaperBoats'), `0x${id.slice(2)}`]) {
      const { contracts, nft_collections: collections } = await search(q)
      expect(
        contracts.map((one) => [one.id, one.match]),
        q,
      ).to.deep.equal([[id, 'exact']])
      expect(
        collections.map((one) => [one.id, one.match]),
        q,
      ).to.deep.equal([[id, 'exact']])
    }
    const { hits, contracts } = await search('0x179b6b1cb6755e31')
    expect(hits.map(({ type }) => type)).to.deep.equal(['account'])
    expect(contracts.map((one) => one.id)).to.include(id)
    expect(await search(`https://www.flowscan.io/contract/${id}`)).to.deep.include({ nft_collections: [], hits: [] })
  })

  it('finds event types by type and name', async () => {
    const { type } = await first<{ type: string }>(`
      select type from app.event_types join app.contracts on starts_with(type, contract || '.') order by type limit 1`)
    const [, , contract = '', name = ''] = type.split('.')
    for (const q of [type, `${contract}.${name}`, `${contract}.${name}`.toLowerCase()]) {
      const { event_types: types } = await search(q)
      expect(types[0], q).to.deep.include({ type, match: 'exact' })
    }
    expect((await search(type)).contracts.map((found) => found.name)).to.deep.equal([contract])
    const deposits = (await search('tokensdeposited')).event_types.filter(({ match }) => match === 'exact')
    expect(deposits.length).to.be.above(1)
    expect(deposits.every((found) => found.type.endsWith('.TokensDeposited'))).to.equal(true)
  })

  it('finds NFTs by id and by name', async () => {
    const item = await first<{ token: string; id: string }>(`
      select token, nft_id::text as id from app.nft_ownership where token like '%.PaperBoats' order by nft_id limit 1`)
    const expected = { nft_type: item.token, id: item.id, match: 'exact' }
    for (const q of [`PaperBoats #${item.id}`, `paper boats ${item.id}`, `${item.token}.NFT-${item.id}`]) {
      expect((await search(q)).nft_items[0], q).to.deep.include(expected)
    }
    const link = await search(`https://www.flowscan.io/nft/${item.token}.NFT/${item.id}`)
    expect(link.nft_items).to.have.length(1)
    expect(link).to.deep.include({ nft_collections: [], contracts: [], hits: [] })
  })

  it('finds accounts by label', async () => {
    const { address, label } = await first<{ address: string; label: string }>(
      'select * from app.account_labels order by label limit 1',
    )
    expect((await search(label.toUpperCase())).accounts.map((account) => account.address)).to.include(address)
  })

  it('finds blocks by height and id', async () => {
    const { id } = await first<{ id: string }>(`select encode(id, 'hex') as id from raw.blocks where height = 250`)
    const hit = { type: 'block', id, block_height: 250, path: '/flow/block/250' }
    for (const q of ['250', ` 0250 `, '#250', '0,250', 'block 250', id, `0x${id}`, id.toUpperCase(), `/block/250`])
      expect((await search(q)).hits, q).to.deep.equal([hit])
    expect((await search('999999999999999')).hits).to.deep.equal([])
  })

  it('finds the blocks of a day and of a time', async () => {
    const blocks = await chain.database.pool.query<{ height: string; at: Date }>(
      'select height, timestamp as at from raw.blocks order by height',
    )
    const day = blocks.rows.at(-1)?.at.toISOString().slice(0, 10) ?? ''
    const ofDay = blocks.rows.filter(({ at }) => at.toISOString().startsWith(day))
    const { hits } = await search(day)
    expect(hits[0]).to.deep.include({ type: 'day', id: day, path: `/flow/block?from=${day}&to=${day}` })
    expect(hits.slice(1).map(({ block_height: height }) => height)).to.deep.equal([
      Number(ofDay[0]?.height),
      Number(ofDay.at(-1)?.height),
    ])
    for (const { height, at } of blocks.rows.filter((_, i) => i % 40 === 0)) {
      const found = (await search(at.toISOString())).hits
      expect(
        found.map(({ block_height: block }) => block),
        at.toISOString(),
      ).to.deep.equal([Number(height)])
    }
    expect((await search('9999-12-31')).hits).to.deep.equal([])
    expect((await search('2001-01-01')).hits).to.deep.equal([])
  })

  it('finds shortened ids', async () => {
    const { rows } = await chain.database.pool.query<{ type: string; id: string }>(`
      (select 'account' as type, address as id from app.accounts order by address limit 5)
      union all (select 'block', encode(id, 'hex') from raw.block_lookup order by height limit 5)
      union all (select 'transaction', encode(id, 'hex') from raw.tx_lookup order by block_height desc limit 5)
      union all (select 'evm_transaction', '0x' || evm_hash from app.evm_tx_hashes order by block_height desc limit 5)
      union all (select 'evm_token', '0x' || token from app.evm_tokens order by token limit 5)
      union all (select 'evm_address', '0x' || address from app.evm_token_holdings order by address limit 5)
      union all (select 'public_key', encode(public_key, 'hex') from app.account_keys where public_key is not null limit 5)
      union all (select 'node', node_id from app.staking_nodes limit 5)`)
    for (const { type, id } of rows) {
      const { hits } = await search(`${id.slice(0, 9)}…${id.slice(-6)}`)
      expect(
        hits.map((hit) => `${hit.type} ${hit.id}`),
        id,
      ).to.include(`${type} ${id}`)
      expect(hits.length).to.be.at.most(20)
    }
    expect((await search('0xffff…fffe')).hits).to.deep.equal([])
  })

  it('finds EVM blocks by number', async () => {
    const { number, height } = await first<{ number: string; height: string }>(
      'select evm_block_height as number, block_height as height from app.evm_transactions order by block_height desc limit 1',
    )
    const hit = { type: 'evm_block', id: number, block_height: Number(height), path: `/flow/evm/block/${number}` }
    for (const q of [`evm block ${number}`, `https://evm.flowscan.io/block/${number}`, `/evm/block/${number}`])
      expect((await search(q)).hits, q).to.deep.equal([hit])
    expect((await search('evm block 999999999')).hits).to.deep.equal([])
  })

  it('finds EVM tokens by name and symbol, with one row for a contract of two standards', async () => {
    const database = await createTestDatabase()
    await database.pool.query(`
      insert into app.evm_tokens (token, standard, first_height, transfer_count, holder_count, short_count) values
        ('${'ab'.repeat(20)}', 20, 1, 1, 7, 0), ('${'cd'.repeat(20)}', 721, 1, 9, 3, 0), ('${'cd'.repeat(20)}', 1155, 1, 2, 1, 0);
      insert into app.evm_token_metadata (token, name, symbol, standard, status) values
        ('${'ab'.repeat(20)}', 'Wrapped Pebbles', 'WPEB', 20, 'answered'),
        ('${'cd'.repeat(20)}', 'Pebble Art', 'ART', 721, 'answered')`)
    const api = await runApi(database.url)
    const found = async (q: string): Promise<string[]> => {
      const { data } = await api.json<{ data: SearchResult }>(`/flow/search?q=${q}`)
      return data.evm_tokens.map(({ address, type, match }) => `${address.slice(0, 4)} ${type} ${match}`)
    }
    expect(await found('pebble')).to.deep.equal(['0xcd ERC-721 start', '0xab ERC-20 word'])
    expect(await found('wpeb')).to.deep.equal(['0xab ERC-20 exact'])
    expect(await found('peblbe+art')).to.deep.equal(['0xcd ERC-721 similar'])
    await api.stop()
    await database.drop()
  })

  it('finds NFTs by the words of their names, whole names first', async () => {
    const database = await createTestDatabase()
    const token = 'A.0b2a3299cc857e29.TopShot'
    await database.pool.query(`
      insert into app.nft_items (token, nft_id, name, description, status) values
        ('${token}', 1, 'Dunk of the Year', null, 'answered'), ('${token}', 2, 'Dunk', null, 'answered'),
        ('${token}', 3, 'Layup', 'Not a dunk', 'answered');
      insert into app.nft_ownership (token, nft_id, owner, is_burned, block_height, tx_index, event_index, leg)
        select '${token}', n, '0x0b2a3299cc857e29', false, 1, 0, n, 0 from generate_series(1, 3) as n;
      insert into app.nft_collections values ('${token}', 1)`)
    const api = await runApi(database.url)
    const found = async (q: string): Promise<string[]> => {
      const { data } = await api.json<{ data: SearchResult }>(`/flow/search?q=${q}`)
      return data.nft_items.map(({ id, match }) => `${id} ${match}`)
    }
    expect(await found('dunk')).to.deep.equal(['2 exact', '1 start', '3 part'])
    expect(await found('year+dunk')).to.deep.equal(['1 part'])
    expect(await found('TopShto+%233')).to.deep.equal(['3 exact'])
    expect(await found('TopShot+%239')).to.deep.equal([])
    await api.stop()
    await database.drop()
  })

  it('returns only the kind that a link names', async () => {
    const { hits } = await search('https://www.flowscan.io/block/1')
    expect(hits.map(({ type }) => type)).to.deep.equal(['block'])
    expect((await search('scheduled 1')).hits.map(({ type }) => type)).to.not.include('block')
  })

  it('lists examples that each find something', async () => {
    const { data } = await chain.api.json<{ data: SearchExample[] }>('/flow/search/examples')
    expect(data.map(({ kind }) => kind)).to.include.members([
      'block',
      'day',
      'transaction',
      'account',
      'token',
      'contract',
    ])
    for (const { text } of data) {
      const found = await search(text)
      expect(Object.values(found).flat(), text).to.not.be.empty
    }
  })

  it('finds transactions by id, and system transactions in the newest block', async () => {
    const { id, height } = await first<{ id: string; height: string }>(
      `select encode(id, 'hex') as id, block_height as height from raw.tx_lookup order by block_height, tx_index limit 1`,
    )
    expect((await search(id)).hits).to.deep.equal([
      { type: 'transaction', id, block_height: Number(height), path: `/flow/transaction/${id}` },
    ])
    const system = await first<{ id: string; height: string }>(`
      select encode(id, 'hex') as id, block_height as height from raw.transactions where payer_address is null
      order by block_height desc, tx_index desc limit 1`)
    expect((await search(system.id)).hits).to.deep.equal([
      {
        type: 'transaction',
        id: system.id,
        block_height: Number(system.height),
        path: `/flow/transaction/${system.id}?height=${system.height}`,
      },
    ])
    expect((await search('f'.repeat(64))).hits).to.deep.equal([])
  })

  it('finds EVM transactions by hash', async () => {
    const { rows } = await chain.database.pool.query<{ hash: string; height: string }>(
      'select distinct on (evm_hash) evm_hash as hash, block_height as height from app.evm_tx_hashes where evm_status = 1 limit 5',
    )
    for (const { hash, height } of rows) {
      const path = `/flow/evm/transaction/0x${hash}`
      expect((await search(hash)).hits).to.deep.equal([
        { type: 'evm_transaction', id: `0x${hash}`, block_height: Number(height), path },
      ])
      expect((await chain.api.get(path)).status).to.equal(200)
    }
  })

  it('finds Flow and EVM accounts by address', async () => {
    let unknown = 0
    for (const [address, { coas }] of Object.entries(accounts).filter((entry) => entry[1].coas.length > 0)) {
      for (const q of [address, address.slice(2), address.toUpperCase().replace('0X', '0x')]) {
        expect((await search(q)).hits, q).to.deep.equal([
          { type: 'account', id: address, block_height: null, path: `/flow/account/${address}` },
        ])
      }
      for (const { evm_address: evm } of coas) {
        const coa = `0x${evm.replace(/^0x/, '')}`
        const path = `/flow/evm/address/${coa}`
        // The service account is older than the first block and may have no transactions.
        const isKnown = (await chain.api.get(path)).status === 200
        expect((await search(coa)).hits).to.deep.equal(
          isKnown ? [{ type: 'evm_address', id: coa, block_height: null, path }] : [],
        )
        unknown += isKnown ? 0 : 1
      }
    }
    expect(unknown).to.be.at.most(1)
    expect((await search('0x00000000000000ff')).hits).to.deep.equal([])
    expect((await search(`0x${'e'.repeat(40)}`)).hits).to.deep.equal([])
  })

  it('returns paths that exist', async () => {
    const { id } = await first<{ id: string }>(
      'select scheduled_id::text as id from app.scheduled_transactions limit 1',
    )
    const { hits } = await search(id)
    expect(hits.map(({ type }) => type)).to.include.members(['block', 'scheduled_transaction'])
    for (const { path } of hits) expect((await chain.api.get(path)).status, path).to.equal(200)
  })

  it('previews both sides of a transaction by either id', async () => {
    const { id, hash } = await first<{ id: string; hash: string }>(
      'select tx_id as id, evm_hash as hash from app.evm_tx_hashes order by block_height desc, tx_index desc, event_index desc limit 1',
    )
    for (const q of [hash, `0x${hash}`]) {
      expect(await preview(`q=${q}&type=tx`)).to.deep.include({
        query: q,
        type: 'tx',
        link: { cadence_tx_id: id, evm_hash: `0x${hash}` },
      })
    }
    const shown = await preview(`q=${id}`)
    expect(shown.cadence).to.deep.include({ id })
    expect(shown.evm).to.deep.include({ transaction_id: id })
    expect(await preview(`q=${'f'.repeat(64)}`)).to.deep.equal({
      query: 'f'.repeat(64),
      type: 'tx',
      cadence: null,
      evm: null,
      link: null,
      scheduled: null,
    })
  })

  it('previews scheduled transactions', async () => {
    const { id, tx, owner } = await first<{ id: string; tx: string; owner: string }>(`
      select s.scheduled_id::text as id, encode(r.id, 'hex') as tx, s.handler_owner as owner from app.scheduled_transactions s
      join raw.transactions r on r.block_height = s.ended_height and r.tx_index = s.ended_tx_index
      where s.status = 'executed' order by s.scheduled_id limit 1`)
    expect(((await preview(`q=${tx}`)) as { scheduled: unknown }).scheduled).to.deep.include({
      id,
      status: 'executed',
      handler_owner: owner,
    })
  })

  it('previews both sides of an address', async () => {
    const { coa, owner } = await first<{ coa: string; owner: string }>(`
      select coa_address as coa, flow_address as owner from app.coa_accounts where flow_address is not null
      order by block_height, tx_index, event_index limit 1`)
    for (const q of [coa, owner]) {
      const shown = await preview(`q=${q}`)
      expect(shown).to.deep.include({ type: 'address', link: { flow_address: owner, coa_address: coa } })
      expect(shown.cadence).to.deep.include({
        address: owner,
        contract_count: Object.keys(accounts[owner]?.contracts ?? {}).length,
        has_active_keys: accounts[owner]?.keys.some(({ revoked }) => !revoked),
      })
      expect(shown.evm).to.deep.include({ hash: coa, flow_address: owner })
    }
    expect(await preview('q=0x00000000000000ff')).to.deep.include({ cadence: null, evm: null, link: null })
  })

  it('returns 400 for invalid input', async () => {
    for (const path of [
      '/flow/search',
      '/flow/search?q=',
      '/flow/search?q=%00',
      `/flow/search?q=${'x'.repeat(maxSearchLength + 1)}`,
      '/flow/search?q=x&limit=21',
      '/flow/search/preview',
      '/flow/search/preview?q=hello',
      '/flow/search/preview?q=0x1&type=tx',
      `/flow/search/preview?q=${'a'.repeat(64)}&type=address`,
      '/flow/search/preview?q=0x1&type=block',
    ]) {
      expect((await chain.api.get(path)).status, path).to.equal(400)
    }
  })
})
