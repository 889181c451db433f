import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Price, PriceAt, Prices, PriceSample } from '../../src/explorer/tokens/prices.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const flow = 'A.1654653399040a61.FlowToken'
const [dollar, otherDollar, coin] = [
  'A.0000000000000001.Dollar',
  'A.0000000000000002.Dollar2',
  'A.0000000000000003.Coin',
]

describe('prices', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    // FLOW every 20 minutes for ten days, except from 3 to 5 on the last day.
    await database.pool.query(`
      insert into app.prices
      select '${flow}', 'USD', t, (extract(epoch from t) / 1200)::bigint % 1000 * 0.001, 'FLOW'
      from generate_series('2026-01-01T00:10:00Z'::timestamptz, '2026-01-10T12:10:00Z', '20 minutes') as t
      where not (t >= '2026-01-10T03:00:00Z' and t < '2026-01-10T05:00:00Z');
      insert into app.prices values
        ('${flow}', 'EUR', '2026-01-10T12:20:00Z', 99, 'FLOW'),
        ('${dollar}', 'USD', now() - interval '3 hours', 1.0000000000000001, 'USDX'),
        ('${otherDollar}', 'USD', now() - interval '1 hour', 0.99, 'USDX'),
        ('${coin}', 'USD', now() - interval '2 hours', 5, null),
        ('A.0000000000000004.Gone', 'USD', now() - interval '49 hours', 5, 'GONE');
      insert into app.ft_token_metadata (token, symbol, total_supply) values ('${coin}', 'coin', 10.5);
      insert into app.network_state (subject, total_supply) values ('network', 1600000000.5)`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  async function price(query: string): Promise<Price | undefined> {
    return (await api.json<List<Price>>(`/status/price${query}`)).data[0]
  }

  async function priceAt(query: string): Promise<PriceAt | undefined> {
    return (await api.json<List<PriceAt>>(`/status/price/at?${query}`)).data[0]
  }

  function history(query: string): Promise<List<PriceSample>> {
    return api.json<List<PriceSample>>(`/status/price/history?${query}`)
  }

  it('default to FLOW, with daily change and market cap', async () => {
    const seconds = Date.parse('2026-01-10T12:10:00Z') / 1200_000
    const [now, dayBefore] = [Math.round(seconds) % 1000, Math.round(seconds - 72) % 1000]
    expect(await price('')).to.deep.equal({
      asset: 'FLOW',
      token: flow,
      currency: 'USD',
      price: String(now / 1000),
      price_change_24h: Math.round((now / dayBefore - 1) * 10_000) / 100,
      market_cap: ((now / 1000) * 1600000000.5).toFixed(2),
      source: 'price_feed',
      as_of: '2026-01-10T12:10:00.000Z',
    })
    expect(await price(`?asset=${flow}`)).to.deep.equal(await price(''))
    expect(await price('?asset=flow')).to.deep.equal(await price(''))
  })

  it('are found by symbol of the feed or contract; the newest wins', async () => {
    expect(await price('?asset=USDX')).to.include({
      token: otherDollar,
      price: '0.99',
      price_change_24h: null,
      market_cap: null,
    })
    expect(await price('?asset=Coin')).to.include({ asset: 'COIN', token: coin, price: '5', market_cap: '52.50' })
    expect(await price(`?asset=${dollar}`)).to.include({ asset: 'USDX', price: '1.0000000000000001' })
    expect(await price('?asset=NONE')).to.equal(undefined)
    expect(await price('?asset=A.00000000000000ff.None')).to.equal(undefined)
  })

  it('are the nearest ones to a time', async () => {
    const at = async (ts: string): Promise<string | null | undefined> => (await priceAt(`ts=${ts}`))?.as_of
    expect(await at('2026-01-05T10:19:00Z')).to.equal('2026-01-05T10:10:00.000Z')
    expect(await at('2026-01-05T10:21:00Z')).to.equal('2026-01-05T10:30:00.000Z')
    expect(await at('2026-01-05T10:20:00Z')).to.equal('2026-01-05T10:10:00.000Z')
    expect(await at('2026-01-05T12:20:00%2B02:00')).to.equal('2026-01-05T10:10:00.000Z')
    expect(await at('2026-01-05')).to.equal('2026-01-04T23:50:00.000Z')
    expect(await at('2026-01-10T03:40:00Z')).to.equal('2026-01-10T02:50:00.000Z')
  })

  it('are not found beyond 48 hours', async () => {
    expect(await priceAt('ts=2026-01-12T12:10:00Z')).to.deep.include({ found: true, as_of: '2026-01-10T12:10:00.000Z' })
    expect(await priceAt('ts=2026-01-12T12:10:01Z')).to.deep.equal({
      asset: 'FLOW',
      token: flow,
      currency: 'USD',
      ts: '2026-01-12T12:10:01.000Z',
      found: false,
      price: null,
      as_of: null,
    })
    expect(await priceAt('ts=2025-12-30T00:10:00Z')).to.include({ found: true })
    expect(await priceAt('ts=2025-12-30T00:09:59.999Z')).to.include({ found: false })
    expect(await priceAt('ts=2026-01-05&asset=NONE')).to.deep.include({ asset: 'NONE', token: null, found: false })
  })

  it('are paged by hour', async () => {
    const { rows } = await database.pool.query<{ as_of: Date; price: string }>(`
      select distinct on (date_trunc('hour', price_time)) price_time as as_of, trim_scale(price)::text as price
      from app.prices where token = '${flow}' and currency = 'USD' order by date_trunc('hour', price_time), price_time desc`)
    const expected = rows.map(({ as_of, price: value }) => ({ price: value, as_of: as_of.toISOString() }))
    expect(expected).to.have.length(9 * 24 + 11)
    const whole = await history('limit=8760')
    expect(whole).to.deep.include({ data: expected, has_more: false, cursor: '' })
    expect((await history('')).data).to.deep.equal(expected.slice(-168))
    const pages: PriceSample[] = []
    let cursor = ''
    do {
      const list = await history(`limit=50&cursor=${cursor}`)
      expect(list.has_more).to.equal(list.cursor !== '')
      pages.unshift(...list.data)
      cursor = list.cursor
    } while (cursor !== '')
    expect(pages).to.deep.equal(expected)
    const within = (from: string, to: string): PriceSample[] =>
      expected.filter(({ as_of }) => as_of >= from && as_of < to)
    expect((await history('from=2026-01-03&to=2026-01-04')).data).to.deep.equal(within('2026-01-03', '2026-01-04'))
    const limited = await history('from=2026-01-03&to=2026-01-04&limit=20')
    expect(limited.data).to.deep.equal(within('2026-01-03', '2026-01-04').slice(-20))
    expect((await history(`from=2026-01-03&to=2026-01-04&limit=20&cursor=${limited.cursor}`)).data).to.deep.equal(
      within('2026-01-03', '2026-01-04').slice(0, 4),
    )
    expect((await history('asset=NONE')).data).to.deep.equal([])
  })

  it('are listed by symbol, contract and token, without outdated ones', async () => {
    const {
      data: [prices],
    } = await api.json<List<Prices>>('/status/prices')
    expect(prices?.prices).to.deep.equal({ USDX: '0.99', COIN: '5' })
    expect(prices?.token_map).to.deep.equal({ Dollar: 'USDX', Dollar2: 'USDX', Coin: 'COIN' })
    expect(Object.keys(prices?.tokens ?? {})).to.deep.equal([dollar, otherDollar, coin])
    expect(prices?.tokens[dollar]).to.include({ symbol: 'USDX', price: '1.0000000000000001' })
  })

  it('reject invalid times, assets and cursors', async () => {
    const bad: readonly (readonly [path: string, field: string, words: string])[] = [
      ['/status/price/at', 'ts', 'is missing'],
      ['/status/price/at?ts=', 'ts', '2026-01-31T12:00:00Z'],
      ['/status/price/at?ts=2026-02-30', 'ts', '2026-01-31'],
      ['/status/price/at?ts=0000-02-30', 'ts', '2026-01-31'],
      ['/status/price/at?ts=2026-01-01T25:00:00Z', 'ts', '2026-01-31'],
      ['/status/price/at?ts=1751371200', 'ts', '2026-01-31'],
      ['/status/price/at?ts=2026-01-01T00:00:00', 'ts', '2026-01-31'],
      ['/status/price?asset=', 'asset', 'symbol such as FLOW'],
      ["/status/price?asset='--", 'asset', 'symbol such as FLOW'],
      ['/status/price/history?cursor=x', 'cursor', '<hour>'],
      ['/status/price/history?limit=8761', 'limit', '1 to 8760'],
      ['/status/price/history?from=2026-01-02&to=2026-01-02', 'from', 'must be before'],
    ]
    for (const [path, field, words] of bad) await expectProblem(api, path, field, words)
    expect((await history('cursor=99999999999')).data).to.have.length(168)
    expect((await history('cursor=0')).data).to.deep.equal([])
    expect(await priceAt('ts=9999-12-31')).to.include({ found: false })
    // RFC 3339 has a year 0, PostgreSQL does not.
    for (const ts of ['0001-01-01', '0000-01-01', '0001-01-01T00:00:00%2B01:00']) {
      expect(await priceAt(`ts=${ts}`)).to.include({ found: false, ts: '0001-01-01T00:00:00.000Z' })
    }
  })

  it('are empty without a feed', async () => {
    const chain = await exploredChain()
    for (const path of ['/status/price', '/status/prices', '/status/price/history']) {
      expect((await chain.api.json<List<unknown>>(path)).data, path).to.deep.equal([])
    }
    expect((await chain.api.json<List<PriceAt>>('/status/price/at?ts=2026-03-14')).data).to.deep.equal([
      {
        asset: 'FLOW',
        token: 'A.0ae53cb6e3f42a79.FlowToken',
        currency: 'USD',
        ts: '2026-03-14T00:00:00.000Z',
        found: false,
        price: null,
        as_of: null,
      },
    ])
  })
})
