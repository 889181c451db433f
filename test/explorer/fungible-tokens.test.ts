import { expect } from 'chai'
import type { FtHolding, Vault, FtTransfer, FungibleToken } from '../../src/explorer/tokens/schema.ts'
import { tokenId } from '../../src/flow/tokens/token-id.ts'
import { ufix64Text, ufix64Units } from '../../src/flow/tokens/ufix64.ts'
import { allPages } from '../support/all-pages.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { truthOf } from '../support/recording-annotations.ts'

interface StoredTransfer {
  readonly height: number
  readonly tx_index: number
  readonly event_index: number
  readonly leg: number
  readonly id: string
  readonly token: string
  readonly sender: string | null
  readonly receiver: string | null
  readonly amount: string
  readonly transfer_type: string
}

const flow = 'A.0ae53cb6e3f42a79.FlowToken'

describe('routes of fungible tokens on a recorded chain', () => {
  let chain: ExploredChain
  let stored: readonly StoredTransfer[]

  before(async () => {
    chain = await exploredChain()
    stored = await rows<StoredTransfer>(`
      select f.block_height as height, f.tx_index, f.event_index, f.leg, encode(t.id, 'hex') as id, token,
        from_address as sender, to_address as receiver, amount::text as amount, transfer_type
      from app.ft_transfers f join raw.transactions t using (block_height, tx_index)
      where transfer_type <> 'fee'
      order by f.block_height desc, f.tx_index desc, f.event_index desc, f.leg desc`)
  })

  async function rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await chain.database.pool.query<Row>(text, [...values])).rows
  }

  const all = <Item>(path: string, limit: number): Promise<Item[]> => allPages<Item>(chain.api, path, limit)

  const reported = (transfers: readonly FtTransfer[]): StoredTransfer[] =>
    transfers.map((transfer) => ({
      height: transfer.block_height,
      tx_index: transfer.tx_index,
      event_index: transfer.event_index,
      leg: transfer.leg,
      id: transfer.transaction_hash,
      token: transfer.token.token.replace(/\.Vault$/, ''),
      sender: transfer.sender,
      receiver: transfer.receiver,
      amount: transfer.amount,
      transfer_type: transfer.transfer_type,
    }))

  const accountsOf = (transfers: readonly StoredTransfer[]): string[] => {
    const parties = transfers.flatMap(({ sender, receiver }) => [sender, receiver])
    return [...new Set(parties)].filter((party) => party !== null)
  }

  const of =
    (address: string) =>
    ({ sender, receiver }: StoredTransfer): boolean =>
      [sender, receiver].includes(address)

  it('list every transfer once, newest first', async () => {
    expect(stored.length).to.be.greaterThan(400)
    expect(reported(await all('/flow/ft/transfer', 100))).to.deep.equal(stored)
    expect(reported(await all('/flow/ft/transfer', 7)).slice(0, 50)).to.deep.equal(stored.slice(0, 50))
  })

  it('list the transfers of Flow and EVM accounts with their direction', async () => {
    const accounts = accountsOf(stored)
    expect(
      accounts.some((account) => account.length === 42),
      'no EVM account has a transfer',
    ).to.equal(true)
    for (const account of accounts) {
      const listed = await all<FtTransfer>(`/flow/ft/transfer?address=${account}`, 30)
      expect(reported(listed), account).to.deep.equal(stored.filter(of(account)))
      for (const { address, direction, sender } of listed) {
        expect(address).to.equal(account)
        expect(direction).to.equal(sender === account ? 'withdraw' : 'deposit')
      }
      if (account.length === 18) {
        expect(await all(`/flow/account/${account.slice(2)}/ft/transfer`, 30)).to.deep.equal(listed)
      }
    }
  })

  it('list the transfers of each token, and of an account in it', async () => {
    for (const token of new Set(stored.map((transfer) => transfer.token))) {
      const ofToken = stored.filter((transfer) => transfer.token === token)
      expect(reported(await all(`/flow/ft/transfer?token=${token}.Vault`, 60))).to.deep.equal(ofToken)
      for (const account of accountsOf(ofToken)) {
        const expected = ofToken.filter(of(account))
        expect(reported(await all(`/flow/ft/transfer?token=${token}&address=${account}`, 30))).to.deep.equal(expected)
        if (account.length > 18) continue
        expect(reported(await all(`/flow/account/${account}/ft/${token}/transfer`, 30))).to.deep.equal(expected)
      }
    }
  })

  it('list the transfers of a block and of a transaction', async () => {
    const crowded = stored.find(({ leg }) => leg > 0)
    const inBlock = stored.filter(({ height }) => height === crowded?.height)
    expect(reported(await all(`/flow/ft/transfer?height=${crowded?.height}`, 1))).to.deep.equal(inBlock)
    const inTransaction = inBlock.filter(({ id }) => id === crowded?.id)
    expect(inTransaction.length).to.be.greaterThan(1)
    expect(reported(await all(`/flow/ft/transfer?transaction_hash=0x${crowded?.id.toUpperCase()}`, 1))).to.deep.equal(
      inTransaction,
    )
    const token = `token=${crowded?.token}&address=${crowded?.sender}`
    expect(reported(await all(`/flow/ft/transfer?transaction_hash=${crowded?.id}&${token}`, 5))).to.deep.equal(
      inTransaction.filter(of(crowded?.sender ?? '')),
    )
    expect(await all(`/flow/ft/transfer?transaction_hash=${crowded?.id}&height=1`, 5)).to.deep.equal([])
    expect(await all(`/flow/ft/transfer?transaction_hash=${'0'.repeat(64)}`, 5)).to.deep.equal([])
    expect(await all('/flow/ft/transfer?height=99999', 5)).to.deep.equal([])
  })

  it('list tokens in every order, each once', async () => {
    const tokens = [...new Set(stored.map(({ token }) => token))].toSorted()
    for (const sort of ['holders', 'transfers', 'newest', 'trending']) {
      const listed = await all<FungibleToken>(`/flow/ft?sort=${sort}`, 1)
      expect(listed.map(({ id }) => id).toSorted()).to.deep.equal(tokens)
      const keys = listed.map(
        ({ holder_count, transfer_count, first_height, recent_transfer_count }) =>
          ({
            holders: holder_count,
            transfers: transfer_count,
            newest: first_height ?? 0,
            trending: recent_transfer_count,
          })[sort] ?? 0,
      )
      expect(keys).to.deep.equal(keys.toSorted((a, b) => b - a))
    }
  })

  it('count holders and transfers like the tables', async () => {
    for (const token of await all<FungibleToken>('/flow/ft', 10)) {
      const [{ holders, minted } = {}] = await rows<{ holders: string; minted: string }>(
        `select count(*) filter (where balance > 0) as holders,
           (select coalesce(sum(amount), 0.00000000)::text from app.ft_transfers where token = $1 and transfer_type = 'mint') as minted
         from app.ft_holdings where token = $1`,
        [token.id],
      )
      expect(token.holder_count).to.equal(Number(holders))
      expect(token.transfer_count).to.equal(stored.filter((transfer) => transfer.token === token.id).length)
      expect(token.minted).to.equal(minted)
      const { data } = await chain.api.json<{ data: FungibleToken[] }>(`/flow/ft/${token.id}`)
      expect(data).to.deep.equal([token])
    }
    const { data } = await chain.api.json<{ data: object }>('/flow/ft/stats')
    const tokens = await all<FungibleToken>('/flow/ft', 10)
    expect(data).to.deep.equal({
      total: tokens.length,
      with_price: 0,
      evm_bridged: 0,
      total_transfers: stored.length,
      total_holdings: tokens.reduce((sum, { holder_count }) => sum + holder_count, 0),
    })
  })

  it('list holders by balance', async () => {
    const expected = await rows<{ address: string; balance: string }>(
      `select address, balance::text from app.ft_holdings where token = $1 and balance > 0 order by ft_holdings.balance desc, address`,
      [flow],
    )
    for (const name of ['holding', 'top-account']) {
      const listed = await all<FtHolding>(`/flow/ft/${flow}/${name}`, 2)
      expect(listed.map(({ address, balance }) => ({ address, balance }))).to.deep.equal(expected)
    }
  })

  it('equal the vaults in account storage on the chain', async () => {
    const { accounts } = await truthOf('base')
    let compared = 0
    for (const [address, { vaults, contracts, other_storage: others }] of Object.entries(accounts)) {
      // Accounts with contracts and other resources may have nested vaults.
      if (Object.keys(contracts).length > 0 || others.some(([, type]) => type.startsWith('A.'))) continue
      const sums = new Map<string, bigint>()
      for (const { type, balance } of vaults) {
        const token = tokenId(type) ?? type
        sums.set(token, (sums.get(token) ?? 0n) + ufix64Units(balance))
      }
      const listed = await all<Vault>(`/flow/account/${address}/ft`, 1)
      for (const vault of listed) {
        const token = vault.id.slice(vault.id.indexOf(':') + 1)
        expect(vault.balance, vault.id).to.equal(ufix64Text(sums.get(token) ?? 0n))
        expect(vault.token).to.equal(`${token}.Vault`)
        for (const path of [`/flow/account/${address}/ft/${token}`, `/flow/ft/${token}/account/${address}`]) {
          const {
            data: [{ block_height: last, ...single } = {}],
          } = await chain.api.json<{ data: { block_height?: number }[] }>(path)
          expect(single).to.deep.equal(vault)
          const newest = stored.find((transfer) => transfer.token === token && of(address)(transfer))
          expect(last ?? undefined).to.equal(newest?.height)
        }
        compared++
      }
    }
    expect(compared).to.be.greaterThan(4)
  })

  it('compute daily balances from later transfers', async () => {
    const [newest] = await rows<{ day: string }>('select max(day)::text as day from app.hourly_stats')
    for (const address of accountsOf(stored).filter((account) => account.length === 18)) {
      const { data, _meta: meta } = await chain.api.json<{
        data: { date: string; balance: string }[]
        _meta: Record<string, unknown>
      }>(`/flow/account/${address}/balance/history?days=4`)
      const [holding] = await rows<{ balance: string }>(
        'select balance::text from app.ft_holdings where address = $1 and token = $2',
        [address, flow],
      )
      expect(meta).to.deep.equal({ token: flow, days: 4, count: 4, current_balance: holding?.balance ?? '0.00000000' })
      expect(data.at(-1)).to.deep.equal({ date: newest?.day, balance: holding?.balance ?? '0.00000000' })
      for (const { date, balance } of data) {
        const [moved] = await rows<{ since: string }>(
          `select coalesce(sum(case when to_address = $1 then amount else 0 end - case when from_address = $1 then amount else 0 end), 0)::text as since
           from app.ft_transfers f join raw.blocks b on b.height = f.block_height
           where token = $2 and $1 in (from_address, to_address) and (b.timestamp at time zone 'UTC')::date > $3::date`,
          [address, flow, date],
        )
        const since = moved?.since ?? ''
        const change = ufix64Units(since.replace('-', '')) * (since.startsWith('-') ? -1n : 1n)
        expect(ufix64Units(balance), `${address} ${date}`).to.equal(ufix64Units(holding?.balance ?? '0') - change)
      }
    }
  })

  const refused: ReadonlyArray<readonly [path: string, status: number, field: string]> = [
    ['/flow/ft/A.0000000000000001.Nothing', 404, 'token'],
    ['/flow/ft/A.0000000000000001.Nothing/holding', 404, 'token'],
    ['/flow/ft/x', 400, 'token'],
    ['/flow/ft?sort=x', 400, 'sort'],
    ['/flow/ft?filter=has_price,x', 400, 'filter'],
    ['/flow/ft?cursor=x', 400, 'cursor'],
    ['/flow/ft/transfer?address=0x12345678901234567', 400, 'address'],
    ['/flow/ft/transfer?token=FlowToken', 400, 'token'],
    ['/flow/ft/transfer?transaction_hash=12', 400, 'transaction_hash'],
    ['/flow/ft/transfer?cursor=1:2:3', 400, 'cursor'],
    [`/flow/ft/transfer?cursor=200:${'0'.repeat(64)}:3`, 400, 'cursor'],
    ['/flow/ft/transfer?limit=101', 400, 'limit'],
    ['/flow/ft/transfer?offset=501', 400, 'offset'],
    ['/flow/ft/transfer?offset=x', 400, 'offset'],
    ['/flow/ft?limit=501', 400, 'limit'],
    ['/flow/account/0xzz/ft', 400, 'address'],
    ['/flow/account/0x00000000000000ff/balance/history', 404, 'address'],
    ['/flow/account/0xf8d6e0586b0a20c7/balance/history?token=A.01.X', 404, 'token'],
    ['/flow/account/0xf8d6e0586b0a20c7/balance/history?days=366', 400, 'days'],
    ['/flow/account/0xf8d6e0586b0a20c7/ft/A.01.X', 404, 'token'],
    ['/flow/ft/prices?days=0', 400, 'days'],
  ]

  for (const [path, status, field] of refused) {
    it(`return ${status} for ${path}`, async () => {
      const response = await chain.api.get(path)
      const body = (await response.json()) as { field?: string; detail: string }
      expect(response.status, body.detail).to.equal(status)
      expect(body.field).to.equal(field)
    })
  }
})
