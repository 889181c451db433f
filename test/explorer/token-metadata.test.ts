import { expect } from 'chai'
import type { Vault, FtTransfer, FungibleToken } from '../../src/explorer/tokens/schema.ts'
import type { FtPrices } from '../../src/explorer/tokens/routes.ts'
import { multiplyDecimals } from '../../src/explorer/formats.ts'
import type { TransactionDetail } from '../../src/explorer/transactions/detail-schema.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { allPages } from '../support/all-pages.ts'
import { chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const flow = 'A.1654653399040a61.FlowToken'
const bridged = 'A.1e4aa0b87d10b141.EVMVMBridgedToken_2f6f'
const plain = 'A.0000000000000abc.PlainCoin'
const twoKinds = 'A.0000000000000abc.PlainCoin.OtherVault'
const holder = '0x00000000000000b0'

/** Inserts what enrichment workers would have written. */
describe('token metadata and prices', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    const { pool } = database
    await storeBlocks(pool, 100, 120)
    await ensurePartitions(pool, 'app.ft_transfers', 1_000_000, { from: 100, to: 121 })
    await pool.query(`
      update raw.blocks set timestamp = now() - (120 - height) * interval '6 hours';
      insert into app.ft_transfers values
        (120, 0, 3, 0, '${flow}', '${holder}', '0x00000000000000b1', 1.50000000, 'transfer'),
        (119, 0, 3, 0, '${flow}', null, '${holder}', 4.00000000, 'reward'),
        (110, 0, 3, 0, '${flow}', '${holder}', null, 0.00000001, 'burn'),
        (101, 0, 3, 0, '${flow}', '${holder}', '0x00000000000000b1', 7.00000000, 'transfer'),
        (118, 0, 4, 0, '${bridged}', '0x${'e'.repeat(40)}', '${holder}', 2.00000000, 'bridge'),
        (117, 0, 4, 0, '${twoKinds}', null, '${holder}', 9.00000000, 'mint');
      insert into app.ft_tokens values ('${flow}', 100), ('${bridged}', 118), ('${plain}', 105), ('${twoKinds}', 117);
      insert into app.ft_token_totals values
        ('${flow}', 4, 0, 0.00000001), ('${bridged}', 1, 0, 0), ('${plain}', 9, 0, 0), ('${twoKinds}', 1, 9, 0);
      insert into app.ft_token_holders values ('${flow}', 7), ('${bridged}', 7), ('${plain}', 1);
      insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows) values
        ('${holder}', '${flow}', 12.50000000, 2, 3, 0, 3), ('${holder}', '${bridged}', 0.00000000, 1, 1, 0, 1),
        ('${holder}', '${plain}', 0.00000000, 0, 1, 0, 1), ('0x00000000000000b1', '${flow}', 12.50000000, 1, 1, 0, 1),
        ('0x00000000000000b2', '${flow}', 0.00000000, 0, 0, 3.00000000, 1), ('0x00000000000000b3', '${flow}', 12.50000000, 1, 1, 0, 1);
      insert into app.ft_token_metadata
        (token, name, symbol, description, logo, vault_path, evm_address, total_supply, socials, status, asked_at) values
        ('${flow}', 'Flow Network Token', 'FLOW', 'Of the chain.', 'https://flow.example/logo.svg', '/storage/flowTokenVault', null,
         50, '{"x": "https://x.example/flow"}', 'answered', '2026-01-01T00:00:00Z'),
        ('${bridged}', 'Wrapped = Ether', 'WETH', null, null, null, '0x${'2f'.repeat(20)}', null, null, 'answered', now());
      insert into app.prices values
        ('${flow}', 'USD', now() - interval '1 hour', 0.40, 'FLOW'), ('${flow}', 'USD', now() - interval '25 hours', 0.50, 'FLOW'),
        ('${flow}', 'EUR', now(), 9, 'FLOW'), ('${flow}', 'USD', now() - interval '100 hours', 0.30, 'FLOW'),
        ('${bridged}', 'USD', now() - interval '50 hours', 3000, null);
      insert into app.account_labels values ('0x1654653399040a61', 'flow-token', 'FlowToken', 'service', true)`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  const ids = async (query: string): Promise<string[]> =>
    (await allPages<FungibleToken>(api, `/flow/ft?${query}`, 2)).map(({ id }) => id)

  it('are returned with each token', async () => {
    const {
      data: [token],
    } = await api.json<{ data: [FungibleToken] }>(`/flow/ft/${flow}`)
    expect(token).to.deep.include({
      name: 'Flow Network Token',
      symbol: 'FLOW',
      decimals: 8,
      description: 'Of the chain.',
      icon: 'https://flow.example/logo.svg',
      logo: 'https://flow.example/logo.svg',
      vault_path: '/storage/flowTokenVault',
      total_supply: '50',
      is_verified: true,
      evm_bridged: false,
      holder_count: 7,
      transfer_count: 4,
      burned: '0.00000001',
      market_symbol: 'FLOW',
      current_price: '0.40',
      price_change_24h: -20,
      updated_at: '2026-01-01T00:00:00.000Z',
      socials: { x: 'https://x.example/flow' },
    })
    const {
      data: [other],
    } = await api.json<{ data: [FungibleToken] }>(`/flow/ft/${plain}.Vault`)
    expect(other).to.deep.include({
      id: plain,
      address: '0x0000000000000abc',
      contract_name: 'PlainCoin',
      name: 'PlainCoin',
      symbol: null,
      is_verified: false,
      current_price: null,
      market_symbol: null,
      price_change_24h: null,
    })
  })

  it('sort, filter and search the list', async () => {
    expect(await ids('')).to.deep.equal([flow, bridged, plain, twoKinds])
    expect(await ids('sort=transfers')).to.deep.equal([plain, flow, twoKinds, bridged])
    expect(await ids('sort=newest')).to.deep.equal([bridged, twoKinds, plain, flow])
    expect(await ids('filter=evm_bridged')).to.deep.equal([bridged])
    expect(await ids('filter=has_price')).to.deep.equal([flow])
    expect(await ids('filter=is_verified,has_price')).to.deep.equal([flow])
    expect(await ids('filter=is_verified,evm_bridged')).to.deep.equal([])
    expect(await ids('search=network')).to.deep.equal([flow])
    expect(await ids('search=weth')).to.deep.equal([bridged])
    expect(await ids('search=0abc')).to.deep.equal([plain, twoKinds])
    expect(await ids('search=%25')).to.deep.equal([])
    expect(await ids('search=_')).to.deep.equal([bridged])
  })

  it('price transfers by the last price within 48 hours', async () => {
    const listed = await allPages<FtTransfer>(api, '/flow/ft/transfer', 2)
    expect(
      listed.map(({ block_height, approx_usd_price, usd_value, token }) => [
        block_height,
        approx_usd_price,
        usd_value,
        token.token,
        token.name,
      ]),
    ).to.deep.equal([
      [120, '0.40', '0.6', `${flow}.Vault`, 'Flow Network Token'],
      [119, '0.50', '2', `${flow}.Vault`, 'Flow Network Token'],
      [118, '3000', '6000', `${bridged}.Vault`, 'Wrapped = Ether'],
      [117, null, null, twoKinds, 'PlainCoin'],
      [110, '0.30', '0.000000003', `${flow}.Vault`, 'Flow Network Token'],
      [101, null, null, `${flow}.Vault`, 'Flow Network Token'],
    ])
    expect(listed.map(({ direction }) => direction)).to.deep.equal([
      'deposit',
      'deposit',
      'deposit',
      'deposit',
      'withdraw',
      'deposit',
    ])
    expect(listed[2]?.sender).to.equal(`0x${'e'.repeat(40)}`)
    const ofEvm = await allPages<FtTransfer>(api, `/flow/ft/transfer?address=${'E'.repeat(40)}`, 2)
    expect(ofEvm.map(({ block_height, direction }) => [block_height, direction])).to.deep.equal([[118, 'withdraw']])
  })

  it('price a transaction at its time', async () => {
    const detailOf = async (height: number): Promise<TransactionDetail | undefined> => {
      const { id } = chainBlock(height).transactions[0] ?? {}
      return (await api.json<{ data: TransactionDetail[] }>(`/flow/transaction/${id}`)).data[0]
    }
    const prices = await database.pool.query<{ time: Date }>(
      `select price_time as time from app.prices where token = '${flow}' and currency = 'USD' order by 1 desc`,
    )
    const [latest, dayBefore] = prices.rows.map(({ time }) => time.toISOString())
    for (const [height, price, value, time] of [
      [120, '0.40', '0.6', latest],
      [119, '0.50', '2', dayBefore],
      [101, null, null, null],
    ] as const) {
      const detail = await detailOf(height)
      const [move] = detail?.ft_transfers ?? []
      expect([move?.approx_usd_price, move?.usd_value, move?.usd_as_of]).to.deep.equal([price, value, time])
      expect(detail?.fee_usd_as_of).to.equal(time)
      expect(detail?.fee_usd).to.equal(price === null ? null : multiplyDecimals(detail?.fee ?? '', price))
    }
  })

  it('price balances and return the share of the supply', async () => {
    const vaults = await allPages<Vault>(api, `/flow/account/${holder}/ft`, 1)
    expect(
      vaults.map(({ token, balance, usd_price, usd_value, vault_count }) => [
        token,
        balance,
        usd_price,
        usd_value,
        vault_count,
      ]),
    ).to.deep.equal([
      [`${flow}.Vault`, '12.50000000', '0.40', '5', 2],
      [`${bridged}.Vault`, '0.00000000', null, null, 1],
    ])
    const holders = await allPages<{ address: string; percentage: number; is_complete: boolean }>(
      api,
      `/flow/ft/${flow}/holding`,
      1,
    )
    expect(
      holders.map(({ address, percentage, is_complete }) => [address.slice(-2), percentage, is_complete]),
    ).to.deep.equal([
      ['b0', 0.25, true],
      ['b1', 0.25, true],
      ['b3', 0.25, true],
      ['b2', 0.06, false],
    ])
  })

  it('list prices by symbol and day', async () => {
    const { data } = await api.json<{ data: FtPrices }>('/flow/ft/prices?days=7')
    expect(Object.keys(data)).to.deep.equal(['FLOW'])
    expect(data['FLOW']).to.deep.include({ current: '0.40', identifiers: [flow] })
    const { rows } = await database.pool.query<{ date: string; price: string }>(`
      select distinct on (1) (price_time at time zone 'UTC')::date::text as date, price::text as price
      from app.prices where token = '${flow}' and currency = 'USD' order by 1, price_time desc`)
    expect(data['FLOW']?.history).to.deep.equal(rows)
    expect((await api.json<{ data: object }>('/flow/ft/stats')).data).to.deep.equal({
      total: 4,
      with_price: 1,
      evm_bridged: 1,
      total_transfers: 15,
      total_holdings: 15,
    })
  })
})
