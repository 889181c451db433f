import { expect } from 'chai'
import { pino } from 'pino'
import { openSqlRunner } from '../../src/assistant/query/sql/sql-runner.ts'
import type { SqlRunner } from '../../src/assistant/query/sql/sql-runner.ts'
import type { List } from '../../src/explorer/paging/pages.ts'
import { measureNames } from '../../src/measures/measures.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'

interface Metric {
  readonly metric: string
  readonly grains: readonly string[]
  readonly dimension: string | null
  readonly sql: string | null
}

interface Series {
  readonly from: string | null
  readonly to: string | null
  readonly sql: string | null
  readonly points: readonly { readonly timestamp: string; readonly value: string | null }[]
}

type Fields = Readonly<Record<string, unknown>>

describe('metrics', () => {
  let chain: ExploredChain
  let runner: SqlRunner
  let listed: readonly Metric[]
  let keys: Readonly<Record<string, string>>

  before(async () => {
    chain = await exploredChain()
    runner = await openSqlRunner({ target: 'indexer', url: chain.database.url, log: pino({ level: 'silent' }) })
    listed = (await chain.api.json<List<Metric>>('/insights/metrics')).data
    const { rows } = await chain.database.pool.query<{ kind: string; name: string }>(
      `select distinct on (kind) kind, name from app.hourly_activity where kind <> 'contract'
      order by kind, activity_count desc, name`,
    )
    keys = Object.fromEntries(rows.map(({ kind, name }) => [kind, name]))
  })
  after(() => runner.end())

  const series = async (name: string, query = ''): Promise<Series> => {
    const { data } = await chain.api.json<List<Series>>(`/insights/metrics/${name}${query}`)
    return data[0] ?? { from: null, to: null, sql: null, points: [] }
  }
  /** As flowfarm_reader, through the checks of the query service. */
  const fromSql = async (sql: string, name: string): Promise<unknown[]> => {
    const { columns, rows } = await runner.run(sql)
    expect(columns.map((column) => (typeof column === 'string' ? column : column.name))).to.deep.equal(['period', name])
    return rows.map((row) => (row as readonly unknown[])[1] ?? null)
  }
  const keyOf = ({ dimension }: Metric): string => (dimension === null ? '' : `&key=${keys[dimension]}`)

  it('are listed with their definitions', () => {
    expect(listed.map(({ metric }) => metric)).to.deep.equal(measureNames)
  })

  it('have the same values by route and by their SQL, for every length of periods', async () => {
    for (const metric of listed) {
      for (const grain of metric.grains) {
        const name = metric.metric
        const { points, sql } = await series(name, `?from=2026-03-01&grain=${grain}${keyOf(metric)}`)
        expect(points, `${name} by ${grain}`).to.not.be.empty
        expect(await fromSql(sql ?? '', name), `${name} by ${grain}`).to.deep.equal(points.map(({ value }) => value))
      }
    }
  })

  it('of the newest days run as listed', async () => {
    for (const { metric, sql } of listed) {
      if (sql === null) continue
      const { points } = await series(metric, '?from=2026-02-14')
      expect(await fromSql(sql, metric), metric).to.deep.equal(points.map(({ value }) => value))
    }
  })

  it('equal the daily statistics, the trend and the volumes', async () => {
    const { data: daily } = await chain.api.json<List<Fields>>('/insights/daily?from=2026-02-14')
    const { data: months } = await chain.api.json<List<Fields>>('/status/stat/monthly/trend?from=2026-03-01')
    const compared = new Set<string>()
    for (const { metric, grains } of listed) {
      if (Object.hasOwn(daily[0] ?? {}, metric)) {
        const { points } = await series(metric, '?from=2026-02-14')
        const shown = daily.map((day) => [`${String(day['date'])}T00:00:00.000Z`, String(day[metric])])
        expect(points.map(({ timestamp, value }) => [timestamp, value])).to.deep.equal(shown)
        compared.add(metric)
      }
      if (Object.hasOwn(months[0] ?? {}, metric) && grains.includes('month')) {
        const { points } = await series(metric, '?from=2026-03-01&grain=month')
        expect(points.map(({ value }) => value)).to.deep.equal(months.map((month) => String(month[metric])))
      }
    }
    for (const [dimension, path] of [
      ['token', 'ft'],
      ['collection', 'nft'],
    ] as const) {
      const key = keys[dimension]
      const { data } = await chain.api.json<List<Fields>>(`/flow/${path}/${key}/volume?days=3`)
      const transfers = await series(`${dimension}_transfers`, `?from=2026-03-13&key=${key}`)
      expect(transfers.points.map(({ value }) => value)).to.deep.equal(data.map((day) => String(day['transfer_count'])))
      compared.add(`${dimension}_transfers`)
      if (dimension !== 'token') continue
      const volume = await series('token_volume', `?from=2026-03-13&key=${key}`)
      expect(volume.points.map(({ value }) => value)).to.deep.equal(data.map((day) => day['volume']))
      compared.add('token_volume').add('token_usd_volume')
    }
    const { data: epochs } = await chain.api.json<List<Fields>>('/staking/epoch/stats?limit=100')
    const staked = await series('staked', '?from=2026-02-14')
    expect(staked.points.map(({ value }) => value)).to.deep.equal(
      daily.map(
        ({ date }) =>
          epochs.find((each) => String(each['start_time']) <= `${String(date)}T24`)?.['total_staked'] ?? null,
      ),
    )
    expect(staked.points.some(({ value }) => value !== null)).to.equal(true)
    const [token, collection] = await Promise.all(
      [`/flow/ft/${keys['token']}`, `/flow/nft/${keys['collection']}`].map((path) =>
        chain.api.json<List<Fields>>(path),
      ),
    )
    for (const [name, key, shown] of [
      ['token_holders', keys['token'], token],
      ['collection_holders', keys['collection'], collection],
    ] as const) {
      const { points } = await series(name, `?key=${key}`)
      expect(points.map(({ value }) => value)).to.deep.equal([String(shown?.data[0]?.['holder_count'])])
    }
    const { data: tokens } = await chain.api.json<List<Fields>>('/flow/ft?limit=100')
    const volumes = await Promise.all(
      tokens.map(({ id }) => series('token_usd_volume', `?from=2026-02-14&key=${String(id)}`)),
    )
    const cents = (value: string | null | undefined): number => Math.round(Number(value ?? 0) * 100)
    const total = await series('usd_volume', '?from=2026-02-14')
    expect(total.points.map(({ value }) => cents(value))).to.deep.equal(
      total.points.map((_, i) => volumes.reduce((sum, { points }) => sum + cents(points[i]?.value), 0)),
    )
    for (const name of ['staked', 'token_holders', 'collection_holders', 'usd_volume']) compared.add(name)
    const others = measureNames.filter((name) => !compared.has(name))
    expect(others).to.deep.equal(['indexed_days', 'account_days'])
  })

  it('are empty outside of the indexed range', async () => {
    expect(await series('fees', '?from=2026-03-16')).to.deep.include({ from: null, to: null, sql: null, points: [] })
  })

  it('reject unknown names, lengths and keys, and too long ranges', async () => {
    const bad: readonly (readonly [path: string, field: string, words: string])[] = [
      ['nothing', 'metric', 'must be a metric'],
      ['toString', 'metric', 'must be a metric'],
      ['fees?grain=year', 'grain', 'must be one of hour, day, week, month'],
      ['active_accounts?grain=week', 'grain', 'must be one of day for active_accounts'],
      [`fees?key=${keys['token']}`, 'key', 'must be omitted'],
      ['token_volume', 'key', 'must be a token'],
      ["token_volume?key=A.1654653399040a61.Flow'Token", 'key', 'A.<address>.<name>'],
      ['fees?from=2018-12-19&to=2021-12-23', 'from', 'at most 1100 days'],
      ['fees?grain=hour&from=2026-01-01&to=2026-02-01', 'from', 'at most 31 days'],
    ]
    for (const [path, field, words] of bad) {
      await expectProblem(chain.api, `/insights/metrics/${path}`, field, words)
    }
    expect((await series('fees', '?from=2018-12-19&to=2021-12-22')).points).to.have.length(1100)
    expect((await series('fees', '?grain=hour&from=2026-02-13&to=2026-03-15')).points).to.have.length(31 * 24)
  })
})
