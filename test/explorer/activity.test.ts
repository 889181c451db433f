import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { BusyContract, TokenVolume } from '../../src/explorer/stats/activity.ts'
import type { BigTransfer } from '../../src/explorer/stats/big-transfers.ts'
import type { CollectionDay, TokenDay } from '../../src/explorer/stats/routes.ts'
import type { FungibleToken } from '../../src/explorer/tokens/schema.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { chainBlock, storeBlocks, timestampAt } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

/** Excludes fees; bridge transfers count where they cross, not in escrow. */
const counted = "transfer_type not in ('fee', 'escrow')"

async function allBigTransfers(api: RunningApi, query: string): Promise<{ transfers: BigTransfer[]; pages: number[] }> {
  const transfers: BigTransfer[] = []
  const pages: number[] = []
  let cursor = ''
  do {
    const list = await api.json<List<BigTransfer>>(`/insights/big-transfers?${query}&cursor=${cursor}`)
    expect(list.has_more).to.equal(list.cursor !== '')
    transfers.push(...list.data)
    pages.push(list.data.length)
    cursor = list.cursor
  } while (cursor !== '')
  return { transfers, pages }
}

describe('activity rankings of a recorded chain', () => {
  let chain: ExploredChain

  before(async () => {
    chain = await exploredChain()
  })

  // The recording has blocks of two hours: from 22 to 23 of one day, and from 0 to 1 of the next.
  for (const [hours, since] of [
    [1, '2026-03-15T00:00:00Z'],
    [2, '2026-03-14T23:00:00Z'],
    [3, '2026-03-14T22:00:00Z'],
    [720, '2026-02-01'],
  ] as const) {
    it(`list the most used contracts of ${hours} hours`, async () => {
      const { rows } = await chain.database.pool.query(
        `
        select c.contract as contract_identifier, split_part(c.contract, '.', 3) as contract_name,
          '0x' || split_part(c.contract, '.', 2) as address, count(*)::int as tx_count
        from app.tx_contracts c join raw.blocks b on b.height = c.block_height and b.timestamp >= $1
        cross join lateral unnest(c.tx_indexes) as tx_index
        join raw.transactions t on t.block_height = c.block_height and t.tx_index = tx_index.tx_index
        where t.collection_index is not null
        group by c.contract order by count(*) desc, c.contract limit 50`,
        [since],
      )
      const { data } = await chain.api.json<List<BusyContract>>(`/insights/top-contracts?limit=50&hours=${hours}`)
      expect(data).to.deep.equal(rows)
      expect((await chain.api.json<List<BusyContract>>(`/insights/top-contracts?hours=${hours}`)).data).to.deep.equal(
        rows.slice(0, 10),
      )
    })

    it(`list the token volumes of ${hours} hours`, async () => {
      const { rows } = await chain.database.pool.query(
        `
        select t.token, count(*)::int as transfer_count, sum(t.amount)::text as total_amount
        from app.ft_transfers t join raw.blocks b on b.height = t.block_height and b.timestamp >= $1
        where ${counted} group by t.token order by count(*) desc, t.token`,
        [since],
      )
      const { data } = await chain.api.json<List<TokenVolume>>(`/insights/token-volume?hours=${hours}`)
      expect(
        data.map(({ token, transfer_count, total_amount }) => ({ token, transfer_count, total_amount })),
      ).to.deep.equal(rows)
      expect(data.every(({ usd_volume: volume }) => volume === null)).to.equal(true)
    })
  }

  it('list daily volumes of a token and a collection, including days without transfers', async () => {
    const days = async (table: string, column: string, amount: string, name: string): Promise<unknown[]> =>
      (
        await chain.database.pool.query<Record<string, unknown>>(
          `
      select d.day::date::text as date, count(t.*)::int as transfer_count, coalesce(sum(${amount}), 0)::text as volume
      from generate_series('2026-03-13'::date, '2026-03-15'::date, '1 day') as d (day)
      left join (${table} t join raw.blocks b on b.height = t.block_height)
        on (b.timestamp at time zone 'UTC')::date = d.day and t.${column} = $1 and ${counted}
      group by d.day order by d.day`,
          [name],
        )
      ).rows
    const {
      rows: [token],
    } = await chain.database.pool.query<{ token: string }>(
      'select token from app.ft_token_totals order by transfer_count desc limit 1',
    )
    const { data: ofToken } = await chain.api.json<List<TokenDay>>(`/flow/ft/${token?.token}/volume?days=3`)
    expect(ofToken.map(({ date, transfer_count, volume }) => ({ date, transfer_count, volume }))).to.deep.equal(
      await days('app.ft_transfers', 'token', 't.amount', token?.token ?? ''),
    )
    expect(ofToken.map(({ usd_volume: dollars }) => dollars)).to.deep.equal([null, null, null])
    const {
      data: [detail],
    } = await chain.api.json<List<FungibleToken>>(`/flow/ft/${token?.token}`)
    expect(Number(detail?.recent_volume)).to.equal(ofToken.reduce((sum, { volume }) => sum + Number(volume), 0))
    const {
      rows: [collection],
    } = await chain.database.pool.query<{ token: string }>(
      'select token from app.nft_collection_totals order by transfer_count desc limit 1',
    )
    const { data: ofCollection } = await chain.api.json<List<CollectionDay>>(
      `/flow/nft/${collection?.token}/volume?days=3`,
    )
    const counts = await days('app.nft_transfers', 'token', '0', collection?.token ?? '')
    expect(ofCollection.map((day) => ({ ...day, volume: '0' }))).to.deep.equal(counts)
    expect((await chain.api.json<List<CollectionDay>>(`/flow/nft/${collection?.token}/volume`)).data).to.have.length(30)
    expect((await chain.api.get(`/flow/ft/A.${'0'.repeat(16)}.Nothing/volume`)).status).to.equal(404)
    await expectProblem(chain.api, `/flow/nft/${collection?.token}/volume?days=91`, 'days', '90')
  })

  it('list all big transfers without prices, page by page', async () => {
    const { rows } = await chain.database.pool.query(`
      select encode(r.id, 'hex') as tx_id, t.block_height::int as block_height, t.tx_index, t.event_index, t.leg, t.token,
        t.amount::text as amount, t.from_address, t.to_address, t.transfer_type
      from app.ft_transfers t join raw.transactions r using (block_height, tx_index)
      where ${counted} and t.amount >= 1000
      order by t.block_height desc, t.tx_index desc, t.event_index desc, t.leg desc`)
    const { transfers, pages } = await allBigTransfers(chain.api, 'limit=5')
    expect(pages).to.deep.equal([5, 5, 5, 5, 5, 5, 5, 2])
    for (const [i, row] of rows.entries()) expect(transfers[i]).to.deep.include(row as object)
    expect(transfers).to.have.length(rows.length)
    expect((await allBigTransfers(chain.api, 'min_usd=999999999999999&limit=200')).transfers).to.deep.equal(transfers)
    const types = ['mint', 'burn', 'transfer', 'swap', 'bridge', 'staking'] as const
    for (const type of types) {
      const { transfers: some } = await allBigTransfers(chain.api, `type=${type}&limit=3`)
      expect(some).to.deep.equal(transfers.filter((transfer) => transfer.type === type))
    }
    const two = await allBigTransfers(chain.api, 'type=staking,mint')
    expect(two.transfers).to.deep.equal(transfers.filter(({ type }) => ['staking', 'mint'].includes(type)))
    expect(new Set(transfers.map(({ type }) => type))).to.include.keys('mint', 'staking', 'transfer')
  })

  it('reject invalid hours, types and amounts', async () => {
    for (const path of ['/insights/top-contracts', '/insights/token-volume']) {
      await expectProblem(chain.api, `${path}?hours=0`, 'hours', '1 to 720')
      await expectProblem(chain.api, `${path}?hours=721`, 'hours', '1 to 720')
      await expectProblem(chain.api, `${path}?limit=51`, 'limit', '1 to 50')
    }
    await expectProblem(chain.api, '/insights/big-transfers?type=gift', 'type', 'mint, burn')
    await expectProblem(chain.api, '/insights/big-transfers?type=mint,', 'type', 'mint, burn')
    await expectProblem(chain.api, '/insights/big-transfers?min_usd=-1', 'min_usd', 'US dollars')
    await expectProblem(chain.api, '/insights/big-transfers?min_usd=1e400', 'min_usd', 'US dollars')
    await expectProblem(chain.api, '/insights/big-transfers?limit=201', 'limit', '1 to 200')
    await expectProblem(chain.api, `/insights/big-transfers?cursor=148:${'0'.repeat(64)}:3`, 'cursor', 'outdated')
  })
})

describe('activity rankings with prices', () => {
  const flow = 'A.1654653399040a61.FlowToken'
  const [coin, free, priced] = ['A.0000000000000001.Coin', 'A.0000000000000002.Free', 'A.0000000000000004.Priced']
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    const { pool } = database
    // In the first minutes of 2025; one of the first transactions of each block moves a token, with
    // amounts growing by height.
    await storeBlocks(pool, 100, 400)
    for (const table of ['app.ft_transfers', 'app.big_transfers', 'app.defi_events']) {
      await ensurePartitions(pool, table, 150, { from: 100, to: 401 })
    }
    await pool.query(`
      insert into app.big_transfers
      select h, 0, 5, leg, '2025-01-01',
        case h % 3 when 0 then '${flow}' when 1 then '${coin}' else '${free}' end, h * 10
      from generate_series(100, 400) as h, generate_series(0, 1) as leg;
      insert into app.ft_transfers
      select block_height, tx_index, event_index, leg, token, '0x00000000000000a1', null, amount,
        case when leg = 0 then 'transfer' else 'burn' end
      from app.big_transfers;
      insert into app.defi_events (block_height, tx_index, event_index, pair, event_type, day)
      select h, 0, 9, 'A.0000000000000003.Pair', case when h % 10 = 0 then 'Swap' else 'AddLiquidity' end, '2025-01-01'
      from generate_series(300, 309) as h;
      insert into app.prices values
        ('${flow}', 'USD', '${timestampAt(201)}', 2.5, 'FLOW'), ('${flow}', 'USD', '2025-01-01T01:00:00Z', 99, 'FLOW'),
        ('${coin}', 'USD', '${timestampAt(201)}', 0.5, 'COIN'), ('${coin}', 'EUR', '2025-01-01T00:04:00Z', 50, 'COIN'),
        ('${priced}', 'USD', '2024-12-30T23:00:00Z', 0.1, 'PRI'), ('${priced}', 'USD', '2024-12-31T23:00:00Z', 2.5, 'PRI'),
        ('${priced}', 'USD', '2025-01-02T00:00:00Z', 99, 'PRI');
      insert into app.ft_token_metadata (token, symbol, logo) values ('${coin}', 'COIN', 'https://example.org/coin.svg');
      insert into app.hourly_stats
      select day, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9
      from (values (date '2024-12-31'), ('2025-01-01')) as d (day);
      insert into app.hourly_activity
      select 'token', day, hour, token, 1, 100 * (hour + 1)
      from (values (date '2024-12-31', 1), ('2024-12-31', 0), ('2025-01-01', 0)) as h (day, hour),
        (values ('${priced}'), ('${coin}'), ('${free}')) as t (token)`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  function expected(minUsd: number, types: readonly string[] = ['transfer', 'swap', 'burn']): string[] {
    const lines: string[] = []
    for (let height = 400; height >= 100; height--) {
      const price = height <= 200 ? undefined : [2.5, 0.5][height % 3]
      const isListed = height <= 200 || (price !== undefined && height * 10 * price >= minUsd)
      for (const type of ['burn', [300].includes(height) ? 'swap' : 'transfer']) {
        if (isListed && types.includes(type)) {
          lines.push(`${height} ${type} ${price === undefined ? null : (height * 10 * price).toFixed(2)}`)
        }
      }
    }
    return lines
  }

  const line = ({ block_height: height, type, usd_value: usd }: BigTransfer): string => `${height} ${type} ${usd}`

  it('filter by value at the time, and list everything before the first price', async () => {
    for (const [query, minUsd] of [
      ['', 10000],
      ['&min_usd=1500.5', 1500.5],
      ['&min_usd=0', 0],
      ['&min_usd=99999999', 99999999],
    ] as const) {
      const { transfers } = await allBigTransfers(api, `limit=13${query}`)
      expect(transfers.map(line), query).to.deep.equal(expected(minUsd))
    }
    const swaps = await allBigTransfers(api, 'type=swap&min_usd=5')
    expect(swaps.transfers.map(line)).to.deep.equal(expected(5, ['swap']))
    expect(swaps.transfers).to.have.length(1)
  })

  it('show token metadata', async () => {
    const { data } = await api.json<List<BigTransfer>>('/insights/big-transfers?min_usd=1500&limit=200')
    const block = chainBlock(400)
    expect(data[1]).to.deep.equal({
      tx_id: block.transactions[0]?.id,
      block_height: 400,
      tx_index: 0,
      event_index: 5,
      leg: 0,
      timestamp: block.timestamp,
      type: 'transfer',
      transfer_type: 'transfer',
      token: coin,
      token_symbol: 'COIN',
      token_logo: 'https://example.org/coin.svg',
      token_contract_address: '0x0000000000000001',
      contract_name: 'Coin',
      amount: '4000',
      usd_value: '2000.00',
      from_address: '0x00000000000000a1',
      to_address: null,
    })
  })

  it('sum volumes at daily prices, rank them first, and ignore older hours', async () => {
    const volumes = async (hours: number): Promise<(string | null)[][]> => {
      const { data } = await api.json<List<TokenVolume>>(`/insights/token-volume?hours=${hours}`)
      return data.map(({ token, total_amount: amount, usd_volume: usd }) => [token, amount, usd])
    }
    // COIN has no price on the day before, so its dollar volume is unknown once that day counts.
    expect(await volumes(24)).to.deep.equal([
      [priced, '300', '750.00'],
      [coin, '300', null],
      [free, '300', null],
    ])
    expect(await volumes(23)).to.deep.equal([
      [priced, '100', '250.00'],
      [coin, '100', '50.00'],
      [free, '100', null],
    ])
    expect(await volumes(25)).to.deep.equal([
      [priced, '400', '1000.00'],
      [coin, '400', null],
      [free, '400', null],
    ])
  })

  it('agree with the metric of the volume in US dollars', async () => {
    const volumes = async (token: string): Promise<readonly unknown[]> => {
      const path = `/insights/metrics/token_usd_volume?from=2024-12-31&key=${token}`
      const { data } = await api.json<List<{ points: readonly { value: string | null }[] }>>(path)
      return data[0]?.points.map(({ value }) => value) ?? []
    }
    expect(await volumes(priced)).to.deep.equal(['750.00', '250.00'])
    expect(await volumes(coin)).to.deep.equal([null, '50.00'])
    expect(await volumes(free)).to.deep.equal([null, null])
  })

  it('continue after many filtered rows', async () => {
    await ensurePartitions(database.pool, 'app.big_transfers', 150, { from: 250, to: 260 })
    // One block with more worthless transfers than a page examines.
    await database.pool.query(`
      insert into app.big_transfers select 250, 1, i, 0, '2025-01-01', '${free}', 5000 from generate_series(1, 11000) as i;
      insert into app.ft_transfers select block_height, tx_index, event_index, leg, token, null, null, amount, 'transfer'
      from app.big_transfers where tx_index = 1;
      analyze app.big_transfers, app.ft_transfers`)
    const { transfers, pages } = await allBigTransfers(api, 'limit=200&min_usd=2000')
    expect(transfers.map(line)).to.deep.equal(expected(2000))
    expect(pages.length).to.equal(4)
    const found = await allBigTransfers(api, 'limit=200&min_usd=0&type=mint')
    expect(found).to.deep.equal({ transfers: [], pages: [0, 0, 0] })
  })
})
