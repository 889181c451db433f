import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Counterparty } from '../../src/explorer/accounts/counterparties.ts'
import { hashAlgorithmName, signatureAlgorithmName } from '../../src/explorer/accounts/schema.ts'
import type { Account, AccountDetail, Coa, PublicKey } from '../../src/explorer/accounts/schema.ts'
import { routes } from '../../src/explorer/routes.ts'
import type { SearchHit } from '../../src/explorer/search/schema.ts'
import { addressAtIndex } from '../../src/flow/address.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { createTestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { truthOf } from '../support/recording-annotations.ts'
import type { Truth } from '../support/recording-annotations.ts'
import { startRecordedNode } from '../support/replay.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('account routes', () => {
  let database: TestDatabase
  /** No access node responds. */
  let silent: RunningApi
  /** Reads the state at the end of the recording. */
  let live: RunningApi
  let node: ReplayNode
  let truth: Truth

  before(async () => {
    const explored = await exploredChain()
    database = explored.database
    silent = explored.api
    node = await startRecordedNode('base')
    live = await runApi(database.url, { nodes: [node.endpoint], server: { network: () => 'emulator' } })
    truth = await truthOf('base')
  })

  after(async () => {
    await live.stop()
    await node.stop()
  })

  async function pages<Item>(path: string): Promise<Item[]> {
    const items: Item[] = []
    let cursor = ''
    do {
      const list = await silent.json<List<Item>>(
        `${path}${path.includes('?') ? '&' : '?'}limit=3&cursor=${encodeURIComponent(cursor)}`,
      )
      items.push(...list.data)
      cursor = list.cursor
      expect(list.has_more).to.equal(cursor !== '')
    } while (cursor !== '')
    return items
  }

  async function detail(api: RunningApi, address: string): Promise<AccountDetail | undefined> {
    return (await api.json<{ data: AccountDetail[] }>(`/flow/account/${address}`)).data[0]
  }

  it('counts the counterparties of every account', async () => {
    const { rows } = await database.pool.query<{ account: string; address: string; sent: number; received: number }>(`
      with moves as (
        select from_address as sender, to_address as receiver from app.ft_transfers where transfer_type <> 'fee'
        union all select from_address, to_address from app.nft_transfers
      ), sides as (
        select sender as account, receiver as address, 1 as sent, 0 as received from moves
        union all select receiver, sender, 0, 1 from moves
      )
      select account, address, sum(sent)::int as sent, sum(received)::int as received from sides
      where account <> address and length(account) = 18 group by account, address`)
    const expected = Map.groupBy(rows, ({ account }) => account)
    expect(expected.size).to.be.above(5)
    for (const [account, others] of expected) {
      const { data } = await silent.json<List<Counterparty>>(`/flow/account/${account}/counterparty?limit=100`)
      const counts = data.map(({ address, sent_count: sent, received_count: received }) => ({
        account,
        address,
        sent,
        received,
      }))
      const totals = counts.map(({ sent, received }) => sent + received)
      expect(totals, account).to.deep.equal(totals.toSorted((a, b) => b - a))
      expect(counts, account).to.have.deep.members(others)
    }
  })

  it('lists all accounts in every order, page by page', async () => {
    for (const [order, statement] of [
      ['block_height', 'select address from app.accounts order by last_seen_height desc, address'],
      ['first_seen', 'select address from app.accounts order by first_seen_height desc, address'],
      ['tx_count', 'select address from app.address_stats order by tx_count desc, address'],
      [
        'flow_balance',
        `select address from app.ft_holdings where token = 'A.0ae53cb6e3f42a79.FlowToken' and balance > 0 order by balance desc, address`,
      ],
    ]) {
      const { rows } = await database.pool.query<{ address: string }>(statement ?? '')
      const listed = await pages<Account>(`/flow/account?sort_by=${order}`)
      expect(
        listed.map(({ address }) => address),
        order,
      ).to.deep.equal(rows.map(({ address }) => address))
    }
    const usual = await silent.json<List<Account>>('/flow/account?limit=2')
    expect(usual).to.deep.equal(await silent.json('/flow/account?limit=2&sort_by=block_height'))
  })

  it('returns indexed data in lists', async () => {
    const {
      rows: [expected],
    } = await database.pool.query<Record<string, unknown>>(`
      select a.address, s.tx_count::int, a.first_seen_height::int, a.created_height::int, a.last_seen_height::int as height,
        to_char(b.timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp, h.balance::text as flow_balance
      from app.accounts a join app.address_stats s using (address) join raw.blocks b on b.height = a.last_seen_height
      join app.ft_holdings h on h.address = a.address and h.token = 'A.0ae53cb6e3f42a79.FlowToken'
      where a.address = '0x045a1763c93006ca'`)
    const listed = await pages<Account>('/flow/account')
    expect(listed.find(({ address }) => address === '0x045a1763c93006ca')).to.deep.equal({ ...expected, label: null })
  })

  it('rejects unknown orders and cursors of another order', async () => {
    await expectProblem(silent, '/flow/account?sort_by=storage', 'sort_by', 'flow_balance')
    await expectProblem(silent, '/flow/account?cursor=280', 'cursor', '<value>:<address>')
    await expectProblem(silent, '/flow/account?cursor=1.5:0x045a1763c93006ca', 'cursor', 'block_height')
    await expectProblem(
      silent,
      `/flow/account?sort_by=tx_count&cursor=${'9'.repeat(40)}:0x045a1763c93006ca`,
      'cursor',
      'tx_count',
    )
    await expectProblem(silent, '/flow/account?limit=101', 'limit', '100')
    await expectProblem(silent, '/flow/account/0xxyz', 'address', '16 hex digits')
    const high = await silent.json<List<Account>>(
      `/flow/account?sort_by=flow_balance&cursor=${'9'.repeat(60)}:0x045a1763c93006ca&limit=1`,
    )
    expect(high.data[0]?.address).to.equal('0xf8d6e0586b0a20c7')
  })

  it('returns the state of each account on the chain', async () => {
    for (const [address, known] of Object.entries(truth.accounts)) {
      const shown = await detail(live, address)
      expect(shown, address).to.include({
        address,
        balance: known.flow_balance,
        flowBalance: Number(known.flow_balance),
        source: 'chain',
        key_count: known.keys.length,
        contract_count: Object.keys(known.contracts).length,
      })
      expect(shown).to.not.have.property('_rpcUnavailable')
      expect(shown?.contracts).to.deep.equal(Object.keys(known.contracts).toSorted())
      expect(
        shown?.keys.map(({ sequenceNumber: _sequenceNumber, ...key }) => key),
        address,
      ).to.deep.equal(trueKeys(known))
    }
  })

  it('returns indexed data and says so if no access node responds', async () => {
    for (const [address, known] of Object.entries(truth.accounts)) {
      const response = await silent.get(`/flow/account/${address}`)
      const { rowCount } = await database.pool.query('select from app.accounts where address = $1', [address])
      if (rowCount === 0 && response.status === 503) continue
      const [shown] = ((await response.json()) as { data: AccountDetail[] }).data
      expect(shown, address).to.include({
        source: 'index',
        _rpcUnavailable: true,
        as_of_height: 280,
        storage_used: null,
      })
      if (shown?.created_height === null) continue
      expect(shown?.contracts, address).to.deep.equal(Object.keys(known.contracts).toSorted())
      expect(
        shown?.keys.map(({ sequenceNumber: _sequenceNumber, ...key }) => key),
        address,
      ).to.deep.equal(trueKeys(known))
    }
    expect(await detail(silent, '0x045a1763c93006ca')).to.deep.include({
      balance: '1635.97839824',
      flowBalance: 1635.97839824,
      available_balance: null,
      created_height: 3,
      labels: [],
    })
  })

  function trueKeys({ keys }: Truth['accounts'][string]) {
    return keys.map((key) => ({
      index: key.index,
      key: key.public_key,
      signatureAlgorithm: signatureAlgorithmName(key.sign_algo),
      hashAlgorithm: hashAlgorithmName(key.hash_algo),
      weight: key.weight,
      revoked: key.revoked,
    }))
  }

  it('returns the creator and creation time of every account', async () => {
    const shown = await detail(live, '0x179b6b1cb6755e31')
    const {
      data: [creation],
    } = await live.json<{ data: { block_height: number; timestamp: string; events: { type: string }[] }[] }>(
      `/flow/transaction/${shown?.created_by_transaction}`,
    )
    expect(creation?.block_height).to.equal(shown?.created_height)
    expect(creation?.timestamp).to.equal(shown?.created_at)
    expect(creation?.events.map(({ type }) => type)).to.include('flow.AccountCreated')
  })

  it('accepts addresses in any spelling', async () => {
    const expected = await detail(live, '0x0ae53cb6e3f42a79')
    for (const spelling of ['0ae53cb6e3f42a79', 'ae53cb6e3f42a79', '0xAE53CB6E3F42A79']) {
      expect(await detail(live, spelling)).to.deep.equal(expected)
    }
  })

  it('distinguishes nonexistent accounts from an unavailable chain', async () => {
    const unseen = addressAtIndex(4000, 'emulator')
    for (const [api, address, status, code] of [
      [live, unseen, 404, 'unknown-account'],
      [live, '0x0000000000000001', 404, 'unknown-account'],
      [silent, '0x0000000000000001', 404, 'unknown-account'],
      [silent, unseen, 503, 'chain-silent'],
    ] as const) {
      const response = await api.get(`/flow/account/${address}`)
      expect(response.status, address).to.equal(status)
      expect(await response.json(), address).to.include({ code })
      if (status === 503) expect(response.headers.get('retry-after')).to.equal('1')
    }
  })

  it('lists the labels of an account by tag', async () => {
    const list = await silent.json<List<{ tag: string }>>('/flow/account/f8d6e0586b0a20c7/labels')
    expect(list.data[0]).to.deep.equal({ tag: 'burner', label: 'Burner', category: 'service' })
    const tags = list.data.map(({ tag }) => tag)
    expect(tags).to.deep.equal(tags.toSorted()).and.have.length(7)
    expect((await silent.json<List<unknown>>('/flow/account/179b6b1cb6755e31/labels')).data).to.deep.equal([])
    expect((await detail(live, 'f8d6e0586b0a20c7'))?.labels).to.deep.equal(list.data)
    const accounts = await pages<Account>('/flow/account')
    expect(accounts.find(({ address }) => address === '0xf8d6e0586b0a20c7')?.label).to.equal('Burner')
    expect(accounts.find(({ address }) => address === '0x179b6b1cb6755e31')?.label).to.equal(null)
  })

  it('finds the accounts of every key in any spelling', async () => {
    const known = Object.entries(truth.accounts).flatMap(([address, { keys }]) =>
      keys.map((key) => ({ address, ...key })),
    )
    const indexed = await database.pool.query<{ address: string; key_index: number }>(
      'select address, key_index from app.account_keys',
    )
    for (const { address, key_index: index } of indexed.rows) {
      const key = known.find((one) => one.address === address && one.index === index)
      const found = await silent.json<List<PublicKey>>(`/flow/key/${key?.public_key}`)
      expect(found.data.find((one) => one.address === address && one.key_index === index)).to.include({
        public_key: key?.public_key,
        weight: key?.weight,
        revoked: key?.revoked,
        signing_algorithm: signatureAlgorithmName(key?.sign_algo ?? 0),
        hashing_algorithm: hashAlgorithmName(key?.hash_algo ?? 0),
      })
    }
    const digits = known[0]?.public_key ?? ''
    const plain = await silent.json(`/flow/key/${digits}`)
    const der = '3059301306072A8648CE3D020106082a8648ce3d030107034200'
    for (const spelling of [
      `0x${digits}`,
      digits.toUpperCase(),
      `04${digits}`,
      `0X04${digits.toUpperCase()}`,
      `%20${digits}%20`,
      `${der}04${digits}`,
    ]) {
      expect(await silent.json(`/flow/key/${spelling}`), spelling).to.deep.equal(plain)
    }
  })

  it('finds keys of genesis accounts, which no event has, without a request for the account', async () => {
    const { rows } = await database.pool.query<{ address: string }>(
      'select address from app.accounts where created_height is null',
    )
    const genesis = rows.flatMap(({ address }) =>
      (truth.accounts[address]?.keys ?? []).map((key) => ({ address, key })),
    )
    expect(genesis).to.have.length.above(0)
    for (const { address, key } of genesis) {
      for (const path of [`/flow/key/${key.public_key}`, `/flow/search?q=${key.public_key}`]) {
        // Each process reads them for its first lookup.
        const fresh = await runApi(database.url, { nodes: [node.endpoint], server: { network: () => 'emulator' } })
        try {
          expect(await fresh.json(path).then(JSON.stringify), path).to.include(
            path.includes('search') ? key.public_key : address,
          )
        } finally {
          await fresh.stop()
        }
      }
    }
  })

  it('finds accounts by search that are not indexed', async () => {
    const empty = await createTestDatabase()
    const api = await runApi(empty.url, { nodes: [node.endpoint], server: { network: () => 'emulator' } })
    const found = async (q: string): Promise<string[]> =>
      (await api.json<{ data: { hits: SearchHit[] } }>(`/flow/search?q=${q}`)).data.hits.map(({ id }) => id)
    expect(await found('ae53cb6e3f42a79')).to.deep.equal(['0x0ae53cb6e3f42a79'])
    expect(await found(addressAtIndex(4000, 'emulator'))).to.deep.equal([])
    await api.stop()
    await empty.drop()
  })

  it('finds keys by search in the formats of common tools', async () => {
    const {
      rows: [row],
    } = await database.pool.query<{ key: string }>(
      "select encode(public_key, 'hex') as key from app.account_keys where public_key is not null limit 1",
    )
    const digits = row?.key ?? ''
    const lines = [digits.slice(0, 64), digits.slice(64)]
    for (const text of [
      digits,
      `0x${digits.toUpperCase()}`,
      `04${digits}`,
      ` 0x04${digits} `,
      lines.join(' '),
      `04${digits}`.replaceAll(/(..)(?=.)/g, '$1:'),
    ]) {
      const {
        data: { hits },
      } = await silent.json<{ data: { hits: SearchHit[] } }>(`/flow/search?q=${encodeURIComponent(text)}`)
      expect(
        hits.map(({ type, id, path }) => ({ type, id, path })),
        text,
      ).to.deep.equal([{ type: 'public_key', id: digits, path: `/flow/key/${digits}` }])
    }
    expect((await silent.get(`/flow/search?q=${'a'.repeat(300)}`)).status).to.equal(200)
    expect((await silent.get(`/flow/search?q=${'a'.repeat(301)}`)).status).to.equal(400)
  })

  it('finds compressed keys of either curve', async () => {
    const { rows } = await database.pool.query<{ key: Buffer; algorithm: number }>(`
      select distinct on (signing_algorithm) public_key as key, signing_algorithm as algorithm from app.account_keys where length(public_key) = 64`)
    expect(rows.map(({ algorithm }) => algorithm)).to.have.members([2, 3])
    for (const { key } of rows) {
      // SEC 1 §2.3.3: 02 or 03 by the parity of y, then x.
      const compressed = `${(key.at(-1) ?? 0) % 2 === 0 ? '02' : '03'}${key.toString('hex', 0, 32)}`
      const { data } = await silent.json<List<PublicKey>>(`/flow/key/0x${compressed.toUpperCase()}`)
      expect(data.map(({ public_key }) => public_key)).to.include(key.toString('hex'))
    }
  })

  it('finds a key that is not indexed once its account was requested', async () => {
    const { rows } = await database.pool.query<{ address: string }>('select distinct address from app.account_keys')
    const indexed = new Set(rows.map(({ address }) => address))
    const [address, account] =
      Object.entries(truth.accounts).find(([one, { keys }]) => keys.length > 0 && !indexed.has(one)) ?? []
    const [key] = account?.keys ?? []
    await (await live.get(`/flow/account/${address}`)).text()
    const { data } = await live.json<List<PublicKey>>(`/flow/key/${key?.public_key}`)
    expect(data.find((one) => one.address === address)).to.include({ public_key: key?.public_key, added_height: null })
  })

  it('pages through the accounts of a key, active keys first', async () => {
    const {
      rows: [top],
    } = await database.pool.query<{ key: string; count: number }>(`
      select encode(public_key, 'hex') as key, count(*)::int as count from app.account_keys
      group by public_key order by count desc, public_key limit 1`)
    const listed = await pages<PublicKey>(`/flow/key/${top?.key}`)
    expect(listed).to.have.length(top?.count ?? 0)
    const ranks = listed.map(
      ({ revoked, address, key_index: index }) => `${Number(revoked)}${address}${String(index).padStart(5)}`,
    )
    expect(ranks).to.deep.equal(ranks.toSorted())
  })

  it('rejects unknown and invalid keys', async () => {
    const response = await silent.get(`/flow/key/${'ab'.repeat(64)}`)
    expect([response.status, ((await response.json()) as { code: string }).code]).to.deep.equal([404, 'unknown-key'])
    for (const text of ['ab', 'zz'.repeat(64), 'ab'.repeat(65), '0x']) {
      await expectProblem(silent, `/flow/key/${text}`, 'publicKey', '128 hex digits')
    }
    await expectProblem(silent, `/flow/key/${'ab'.repeat(64)}?cursor=2:0x0ae53cb6e3f42a79:1`, 'cursor', '<revoked>')
  })

  it('finds COAs by owner and owners by COA', async () => {
    const known = Object.entries(truth.accounts).flatMap(([address, { coas }]) =>
      coas.map((coa) => [address, `0x${coa.evm_address}`] as const),
    )
    expect(known).to.have.length(4)
    for (const [owner, coaAddress] of known) {
      const byCoa = await silent.get(`/flow/coa/${coaAddress}`)
      const {
        rows: [row],
      } = await database.pool.query<{ flow_address: string | null }>(
        'select flow_address from app.coa_accounts where coa_address = $1',
        [coaAddress],
      )
      if (row === undefined) {
        expect(byCoa.status).to.equal(404)
        continue
      }
      const [mapping] = ((await byCoa.json()) as List<Coa>).data
      expect(mapping?.flow_address).to.be.oneOf([owner, null])
      if (mapping?.flow_address === null) continue
      const byOwner = await silent.json<List<Coa>>(`/flow/coa/${owner.slice(2)}`)
      expect(byOwner.data).to.deep.include(mapping)
      const {
        data: [creation],
      } = await silent.json<{ data: { block_height: number; events: { type: string }[] }[] }>(
        `/flow/transaction/${mapping?.transaction_id}`,
      )
      expect(creation?.block_height).to.equal(mapping?.block_height)
      expect(creation?.events.some(({ type }) => type.endsWith('.EVM.CadenceOwnedAccountCreated'))).to.equal(true)
    }
    for (const address of ['0x0000000000000000000000020000000000000000', '0ae53cb6e3f42a79']) {
      expect((await silent.get(`/flow/coa/${address}`)).status).to.equal(404)
    }
    await expectProblem(silent, '/flow/coa/0x12345678901234567', 'address', '40')
  })

  it('answers for the owner where a route of an account gets its COA', async () => {
    const {
      rows: [{ coa, owner } = { coa: '', owner: '' }],
    } = await database.pool.query<{ coa: string; owner: string }>(
      'select coa_address as coa, flow_address as owner from app.coa_accounts where flow_address is not null limit 1',
    )
    const values = { token: 'A.0ae53cb6e3f42a79.FlowToken', nft_type: 'A.f8d6e0586b0a20c7.ExampleNFT', name: 'EVM' }
    const paths = routes
      .map(({ path }) => path)
      .filter((path) => path.includes('/account/{address}'))
      .map((path) => path.replaceAll(/\{(token|nft_type|name)\}/g, (_, name: keyof typeof values) => values[name]))
    expect(paths).to.have.length.above(20)
    const answer = async (path: string, address: string): Promise<unknown> => {
      const response = await silent.get(path.replace('{address}', address))
      const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>
      return { status: response.status, body }
    }
    for (const path of paths) {
      const expected = await answer(path, owner)
      expect(await answer(path, coa), path).to.deep.equal(expected)
      expect(await answer(path, coa.slice(2).toUpperCase()), path).to.deep.equal(expected)
    }
  })

  it('rejects EVM addresses that are no COA with a known owner', async () => {
    const { rows } = await database.pool.query<{ coa: string }>(
      'select coa_address as coa from app.coa_accounts where flow_address is null limit 1',
    )
    for (const address of ['0x0000000000000000000000020000000000000000', ...rows.map(({ coa }) => coa)]) {
      for (const rest of ['', '/transaction', '/ft', '/tax-report']) {
        const response = await silent.get(`/flow/account/${address}${rest}`)
        const { code, field, detail } = (await response.json()) as Record<string, string>
        expect([response.status, code, field]).to.deep.equal([404, 'unknown-account', 'address'])
        expect(detail).to.include(`/flow/evm/address/${address}`)
      }
    }
    await expectProblem(silent, `/flow/account/0x${'1'.repeat(39)}/ft`, 'address', '16 hex digits')
    await expectProblem(silent, `/flow/account/0x${'1'.repeat(41)}/ft`, 'address', '16 hex digits')
  })
})
