import { expect } from 'chai'
import type { DefiAsset, DefiEventItem, DefiPair } from '../../src/explorer/defi/schema.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { allPages } from '../support/all-pages.ts'
import { createTestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { truthOf } from '../support/recording-annotations.ts'
import { runApi } from '../support/running-api.ts'

describe('DeFi routes on a recorded chain', () => {
  let chain: ExploredChain

  before(async () => {
    chain = await exploredChain()
  })

  async function rows<Row extends object>(text: string): Promise<Row[]> {
    return (await chain.database.pool.query<Row>(text)).rows
  }

  async function thePair(): Promise<DefiPair> {
    const [pair, ...others] = await allPages<DefiPair>(chain.api, '/defi/pair', 1)
    expect(others).to.deep.equal([])
    if (pair === undefined) throw new Error('the recording has a pair')
    return pair
  }

  it('return reserves equal to the chain at its end', async () => {
    const { swap_pair_reserves: reserves } = (await truthOf('base')) as unknown as { swap_pair_reserves: string[] }
    const { reserves_asset0: reserve0, reserves_asset1: reserve1, ...pair } = await thePair()
    expect([reserve0, reserve1]).to.deep.equal(reserves)
    const [last] = await rows<{ height: number; price: string; timestamp: Date }>(`
      select block_height::int as height, price::text, b.timestamp from app.defi_events
      join raw.blocks b on b.height = block_height where event_type = 'Swap'
      order by block_height desc, tx_index desc, event_index desc limit 1`)
    expect(pair).to.deep.include({
      dex_key: 'incrementfi',
      price: last?.price,
      last_height: last?.height,
      updated_at: last?.timestamp.toISOString(),
      address: `0x${pair.id.split('.')[1]}`,
    })
  })

  it('sum swaps of the last seven days with swaps', async () => {
    const pair = await thePair()
    const [reported] = await rows<object>(`
      select count(*)::int as swap_count_7d,
        sum(coalesce(asset0_in, 0) + coalesce(asset0_out, 0))::text as volume_asset0_7d,
        sum(coalesce(asset1_in, 0) + coalesce(asset1_out, 0))::text as volume_asset1_7d
      from app.defi_events where event_type = 'Swap'`)
    expect(pair).to.include(reported)
    expect(pair.swap_count_7d).to.be.greaterThan(5)
  })

  it('filter pairs by exchange and token', async () => {
    const { id, asset0_id: asset0, asset1_id: asset1 } = await thePair()
    for (const filter of ['dex=incrementfi', `asset=${asset0}`, `asset=${asset1}`, `dex=incrementfi&asset=${asset1}`]) {
      expect(
        (await allPages<DefiPair>(chain.api, `/defi/pair?${filter}`, 1)).map((pair) => pair.id),
        filter,
      ).to.deep.equal([id])
    }
    for (const filter of ['dex=metapier', `asset=${id}`, `dex=bloctoswap&asset=${asset0}`]) {
      expect(await allPages(chain.api, `/defi/pair?${filter}`, 1), filter).to.deep.equal([])
    }
    expect((await allPages<DefiAsset>(chain.api, '/defi/asset', 1)).map((asset) => asset.id)).to.deep.equal([
      asset0,
      asset1,
    ])
  })

  it('list events with their transactions, filtered by type and pair', async () => {
    const { id } = await thePair()
    for (const [filter, condition] of [
      ['', 'true'],
      [`pair_id=${id}`, 'true'],
      ['event_type=Swap', "event_type = 'Swap'"],
      ['event_type=AddLiquidity', "event_type = 'AddLiquidity'"],
      ['event_type=Flashloan', 'false'],
      [`pair_id=${id}&event_type=AddLiquidity`, "event_type = 'AddLiquidity'"],
      [`pair_id=${id}&event_type=Swap`, "event_type = 'Swap'"],
      [`pair_id=${id}2`, 'false'],
    ] as const) {
      const shown = await allPages<DefiEventItem>(chain.api, `/defi/events?${filter}`, 3)
      const expected = await rows<{ place: string }>(`
        select concat_ws(' ', e.block_height, e.tx_index, e.event_index, encode(t.id, 'hex'), event_type, maker,
          asset0_in::text, asset0_out::text, asset1_in::text, asset1_out::text, price::text) as place
        from app.defi_events e join raw.transactions t using (block_height, tx_index) where ${condition}
        order by e.block_height desc, e.tx_index desc, e.event_index desc`)
      const places = shown.map((event) =>
        [
          event.block_height,
          event.transaction_index,
          event.event_index,
          event.transaction_id,
          event.event_type,
          event.maker,
          event.asset0_in,
          event.asset0_out,
          event.asset1_in,
          event.asset1_out,
          event.price_native,
        ]
          .filter((value) => value !== null)
          .join(' '),
      )
      expect(places, filter).to.deep.equal(expected.map(({ place }) => place))
    }
  })

  it('return the direction of swaps', async () => {
    const swaps = await allPages<DefiEventItem>(chain.api, '/defi/events?event_type=Swap', 50)
    expect(new Set(swaps.map(({ direction }) => direction))).to.deep.equal(
      new Set(['asset0_to_asset1', 'asset1_to_asset0']),
    )
    for (const { direction, ...swap } of swaps) {
      const given =
        direction === 'asset0_to_asset1' ? [swap.asset0_in, swap.asset1_out] : [swap.asset1_in, swap.asset0_out]
      expect(given.every((amount) => Number(amount) > 0)).to.equal(true)
    }
  })

  it('return the latest swap, or 404', async () => {
    const { id } = await thePair()
    const [newest] = await allPages<DefiEventItem>(chain.api, '/defi/events?event_type=Swap', 50)
    for (const path of ['/defi/latest-swap', `/defi/latest-swap?pair_id=${id}`]) {
      expect(await chain.api.json(path)).to.deep.equal({ data: [newest] })
    }
    const response = await chain.api.get('/defi/latest-swap?pair_id=A.0000000000000001.SwapPair')
    expect([response.status, ((await response.json()) as { code: string }).code]).to.deep.equal([404, 'unknown-pair'])
  })

  it('reject invalid parameters', async () => {
    await expectProblem(chain.api, '/defi/pair?dex=uniswap', 'dex', 'incrementfi')
    await expectProblem(chain.api, '/defi/pair?asset=FLOW', 'asset', 'A.<address>.<name>')
    await expectProblem(chain.api, '/defi/events?event_type=swap', 'event_type', 'Swap')
    await expectProblem(chain.api, '/defi/events?cursor=1:2', 'cursor', '<block_height>:<tx_index>:<event_index>')
    await expectProblem(chain.api, '/defi/latest-swap?pair_id=1', 'pair_id', 'A.<address>.<name>')
  })
})

describe('pairs in accounts with several vaults', () => {
  it('use the vault of their last event, or no reserve if it is ambiguous', async () => {
    const database = await createTestDatabase()
    const [flow, usd, moss] = ['A.0000000000000002.Flow', 'A.0000000000000003.Usd', 'A.0000000000000004.Moss']
    await ensurePartitions(database.pool, 'app.ft_vault_balances', 1000, { from: 0, to: 100 })
    await database.pool.query(`
      insert into app.defi_pairs values
        ('A.00000000000000a1.SwapPair', 'incrementfi', '0x00000000000000a1', '${flow}', '${usd}', false, 0.003, 5, 0, 2, 10, 0, 0),
        ('A.00000000000000a1.MossSwapPair', 'bloctoswap', '0x00000000000000a1', '${moss}', '${usd}', null, null, null, null, 2, 20, 0, 0);
      insert into app.ft_vault_balances (block_height, vault_uuid, nth, token, owner, balance) values
        (3, 1, 0, '${flow}', decode('00000000000000a1', 'hex'), 7), (10, 2, 0, '${flow}', decode('00000000000000a1', 'hex'), 100.5),
        (12, 2, 0, '${flow}', decode('00000000000000a1', 'hex'), 101.5), (10, 3, 0, '${usd}', decode('00000000000000a1', 'hex'), 50),
        (20, 3, 0, '${usd}', decode('00000000000000a1', 'hex'), 51), (20, 4, 0, '${usd}', decode('00000000000000a1', 'hex'), 9),
        (20, 5, 0, '${moss}', decode('00000000000000b2', 'hex'), 1000);
      insert into app.ft_token_metadata (token, symbol) values ('${flow}', 'FLOW');
      insert into app.defi_pair_days
      select 'A.00000000000000a1.SwapPair', day, 10, 1.5, 0.00000001
      from generate_series(date '2026-03-01', date '2026-03-20', '1 day') as day`)
    const api = await runApi(database.url)
    try {
      const pairs = await allPages<DefiPair>(api, '/defi/pair', 1)
      expect(pairs.map((pair) => [pair.id, pair.reserves_asset0, pair.reserves_asset1])).to.deep.equal([
        ['A.00000000000000a1.MossSwapPair', null, null],
        ['A.00000000000000a1.SwapPair', '101.5', '51'],
      ])
      expect(pairs.map((pair) => [pair.swap_count_7d, pair.volume_asset0_7d, pair.volume_asset1_7d])).to.deep.equal([
        [0, '0', '0'],
        [70, '10.5', '0.00000007'],
      ])
      expect(pairs[1]).to.deep.include({ fee_bps: 30, asset0_symbol: 'FLOW', asset1_symbol: null, is_stable: false })
      expect(await allPages<DefiAsset>(api, '/defi/asset', 2)).to.have.length(3)
    } finally {
      await api.stop()
      await database.drop()
    }
  })
})
