import { once } from 'node:events'
import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import type { AccountTransfer } from '../../src/explorer/accounts/transfers.ts'
import { streamTaxCsv } from '../../src/explorer/accounts/tax-report.ts'
import type { TaxEntry, TaxReport, CsvLimits } from '../../src/explorer/accounts/tax-report.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { allPages } from '../support/all-pages.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { ufix64Text, ufix64Units } from '../../src/flow/tokens/ufix64.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { truthOf } from '../support/recording-annotations.ts'
import { queryPlans } from '../support/query-plans.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'

interface Report {
  readonly data: [TaxReport]
  readonly has_more: boolean
  readonly cursor: string
}

const account = '0x00000000000000b0'
/** Authorizes transactions that others pay for. */
const busy = '0x00000000000000d0'
const flow = 'A.1654653399040a61.FlowToken'
/** Receives fees, and pays those of every second transaction. */
const fees = '0x00000000000000fe'
const hostile = 'A.0000000000000abc.Evil'
const collection = 'A.0b2a3299cc857e29.TopShot'
/** Number of fungible transfers in each of the blocks 100 to 199. */
const perBlock = 40

describe('tax reports', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    const { pool } = database
    await storeBlocks(pool, 100, 199)
    await ensurePartitions(pool, 'app.ft_transfers', 1_000_000, { from: 0, to: 200 })
    await ensurePartitions(pool, 'app.nft_transfers', 5_000_000, { from: 0, to: 200 })
    await ensurePartitions(pool, 'app.address_transactions', 1_000_000, { from: 0, to: 200 })
    await pool.query(`
      update raw.blocks set timestamp = '2024-12-31T00:00:00Z'::timestamptz + (height - 100) * interval '6 hours';
      insert into app.ft_transfers
      select h, 0, i, 0, case when i % 10 = 0 then '${hostile}' else '${flow}' end,
        case when i % 3 < 2 then '${account}' else '0x00000000000000c0' end,
        case when i % 3 > 0 then '${account}' else '0x00000000000000c0' end, i + 0.00000001, 'transfer'
      from generate_series(100, 199) as h, generate_series(0, ${perBlock - 1}) as i;
      insert into app.ft_transfers select h, 0, 99, 0, '${flow}', '${account}', '${fees}', round(h / 100000.0, 8), 'fee' from generate_series(100, 199) as h;
      insert into app.ft_transfers select h, 1, 99, 0, '${flow}', '${fees}', '${account}', 5, 'fee' from generate_series(100, 199) as h;
      insert into app.address_transactions select h, case tx when 0 then 1 end, tx, tx = 0, true, true, false, '${account}'
      from generate_series(100, 199) as h, generate_series(0, 1) as tx;
      insert into app.address_transactions select h, null, tx, false, false, true, false, '${busy}'
      from generate_series(100, 199) as h, generate_series(2, 4) as tx;
      insert into app.nft_transfers
      select h, 1, 2, 0, '${collection}', h, h, '${account}', '0x00000000000000c0', 'transfer' from generate_series(100, 199, 2) as h;
      insert into app.nft_transfers
      select h, 0, 500, 0, '${collection}', h, h, null, '${account}', 'mint' from generate_series(100, 199, 5) as h;
      insert into app.ft_token_metadata (token, name, symbol, status) values ('${hostile}', '=HYPERLINK("http://x"),', '+1', 'answered');
      insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
      values ('${account}', '${flow}', 1, 1, 1, 0, 1), ('${busy}', '${flow}', 1, 1, 1, 0, 1)`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  const path = `/flow/account/${account}/tax-report`

  async function allReports(query: string): Promise<TaxReport[]> {
    const reports: TaxReport[] = []
    let cursor = ''
    do {
      const {
        data: [report],
        has_more: hasMore,
        cursor: next,
      } = await api.json<Report>(`${path}?${query}&limit=97&cursor=${cursor}`)
      expect(hasMore).to.equal(next !== '')
      reports.push(report)
      cursor = next
    } while (cursor !== '')
    return reports
  }

  async function keysOf(where: string): Promise<string[]> {
    const { rows } = await database.pool.query<{ key: string }>(`
      select type || ' ' || concat_ws(':', block_height, tx_index, event_index) as key from (
        select case transfer_type when 'fee' then 'fee' else 'ft' end as type, block_height, tx_index, event_index, from_address,
          case when transfer_type <> 'fee' then to_address end as to_address
        from app.ft_transfers
        union all select 'nft', block_height, tx_index, event_index, from_address, to_address from app.nft_transfers
      ) t join raw.blocks b on b.height = t.block_height
      where '${account}' in (from_address, to_address) and ${where}
      order by block_height desc, tx_index desc, event_index desc`)
    return rows.map(({ key }) => key)
  }

  const keys = (transfers: readonly TaxEntry[]): string[] =>
    transfers.map(
      (transfer) => `${transfer.type} ${transfer.block_height}:${transfer.tx_index}:${transfer.event_index}`,
    )

  it('contain all transfers and fees of the period over all pages', async () => {
    const reports = await allReports('start_date=2025-01-02&end_date=2025-01-10')
    const expected = await keysOf("timestamp >= '2025-01-02T00:00:00Z' and timestamp < '2025-01-11T00:00:00Z'")
    expect(keys(reports.flatMap(({ transfers }) => transfers))).to.deep.equal(expected)
    expect(expected.length).to.be.greaterThan(9 * 4 * perBlock)
    expect(expected.filter((key) => key.startsWith('fee'))).to.have.length(9 * 4)
    const { type: _type, ...last } =
      reports.flatMap(({ transfers }) => transfers).find(({ type }) => type === 'fee') ?? {}
    expect(last).to.include({
      transfer_type: 'fee',
      direction: 'withdraw',
      sender: account,
      receiver: fees,
      amount: '0.00143000',
      block_height: 143,
      timestamp: '2025-01-10T18:00:00.000Z',
    })
  })

  it('have exact totals per token on the first page', async () => {
    const [first, ...others] = await allReports('start_date=2025-01-01&end_date=2025-01-05')
    const { rows } = await database.pool.query<object>(`
      with t as (
        select token, amount, transfer_type = 'fee' as is_fee, to_address = '${account}' and transfer_type <> 'fee' as is_in,
          from_address = '${account}' as is_out
        from app.ft_transfers join raw.blocks on height = block_height
        where (timestamp at time zone 'UTC')::date between '2025-01-01' and '2025-01-05'
      )
      select token, coalesce(sum(amount) filter (where is_in), 0)::text as received,
        coalesce(sum(amount) filter (where is_out and not is_fee), 0)::text as sent,
        coalesce(sum(amount) filter (where is_out and is_fee), 0.00000000)::text as fees,
        sum(case when is_in then amount else 0 end - case when is_out then amount else 0 end)::text as net,
        (count(*) filter (where is_in))::integer as received_count,
        (count(*) filter (where is_out and not is_fee))::integer as sent_count,
        (count(*) filter (where is_out and is_fee))::integer as fee_count
      from t group by token order by count(*) filter (where not is_fee) desc, token`)
    expect(first?.tokens?.map(({ name: _name, symbol: _symbol, ...totals }) => totals)).to.deep.equal(rows)
    expect(first?.tokens?.map(({ name }) => name)).to.deep.equal(['FlowToken', '=HYPERLINK("http://x"),'])
    expect(first?.collections).to.deep.equal([{ nft_type: collection, received_count: 4, sent_count: 10 }])
    expect(first).to.deep.include({
      total_transfers: 20 * perBlock + 14,
      ft_transfers: 20 * perBlock,
      nft_transfers: 14,
    })
    expect(first).to.deep.include({ fee_count: 20, total_fees: '0.02270000' })
    expect(others.every(({ tokens, total_transfers: total }) => tokens === null && total === null)).to.equal(true)
  })

  it('default to the year up to the newest day', async () => {
    const {
      data: [report],
    } = await api.json<Report>(path)
    expect([report.start_date, report.end_date]).to.deep.equal(['2024-01-25', '2025-01-24'])
    expect((report.total_transfers ?? 0) + (report.fee_count ?? 0)).to.equal((await keysOf('true')).length)
    const {
      data: [empty],
    } = await api.json<Report>(`${path}?end_date=2024-12-30`)
    expect([empty.total_transfers, empty.transfers]).to.deep.equal([0, []])
  })

  it('are available as CSV without spreadsheet formulas', async () => {
    const reports = await allReports('start_date=2025-01-02&end_date=2025-01-20')
    const transfers = reports.flatMap(({ transfers: some }) => some)
    expect(transfers.length).to.be.greaterThan(2000)
    for (const init of [{ headers: { accept: 'text/csv' } }, {}]) {
      const format = 'headers' in init ? '' : '&format=csv'
      const response = await api.get(`${path}?start_date=2025-01-02&end_date=2025-01-20${format}`, init)
      expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
      expect(response.headers.get('content-disposition')).to.equal(
        `attachment; filename="${account}-2025-01-02-2025-01-20.csv"`,
      )
      expect(response.headers.get('vary')?.toLowerCase()).to.include('accept')
      const lines = (await response.text()).split('\r\n')
      expect(lines.pop()).to.equal('')
      expect(lines.shift()?.split(',').slice(0, 5)).to.deep.equal([
        'timestamp',
        'type',
        'direction',
        'transfer_type',
        'token',
      ])
      const reported = lines.map((line) =>
        line
          .split(',')
          .slice(-3)
          .concat(line.split(',')[1] ?? ''),
      )
      expect(reported.map(([height, event, leg, type]) => `${type} ${height} ${event} ${leg}`)).to.deep.equal(
        transfers.map(({ type, block_height: height, event_index: event, leg }) => `${type} ${height} ${event} ${leg}`),
      )
      const risky = lines.filter((line) => line.includes(hostile))
      expect(risky.length).to.be.greaterThan(0)
      expect(risky.every((line) => line.includes(`"'=HYPERLINK(""http://x""),",+1,`))).to.equal(true)
    }
    const json = await api.get(`${path}?format=json`, { headers: { accept: 'text/csv' } })
    expect(json.headers.get('content-type')).to.equal('application/json; charset=utf-8')
  })

  const refused: ReadonlyArray<readonly [query: string, field: string]> = [
    ['start_date=2025-02-30', 'start_date'],
    ['end_date=yesterday', 'end_date'],
    ['start_date=2025-1-1', 'start_date'],
    ['start_date=2025-01-02&end_date=2025-01-01', 'end_date'],
    ['start_date=2023-01-01&end_date=2024-01-02', 'end_date'],
    ['format=xml', 'format'],
    ['cursor=1', 'cursor'],
    ['limit=0', 'limit'],
  ]

  for (const [query, field] of refused) {
    it(`reject ${query}`, async () => {
      const response = await api.get(`${path}?${query}`)
      expect(response.status).to.equal(400)
      expect(((await response.json()) as { field: string }).field).to.equal(field)
    })
  }

  it('may cover any period as CSV', async () => {
    const query = 'start_date=2015-01-01&end_date=2035-12-31'
    expect((await api.get(`${path}?${query}`)).status).to.equal(400)
    const response = await api.get(`${path}?${query}&format=csv`)
    expect(response.headers.get('content-disposition')).to.include('2015-01-01-2035-12-31')
    expect((await response.text()).split('\r\n')).to.have.length((await keysOf('true')).length + 2)
  })

  it('cover a leap year, and return 404 for unknown accounts', async () => {
    expect((await api.get(`${path}?start_date=2024-01-01&end_date=2024-12-31`)).status).to.equal(200)
    for (const query of ['', '?format=csv']) {
      expect((await api.get(`/flow/account/0x00000000000000ff/tax-report${query}`)).status).to.equal(404)
    }
  })

  describe('as CSV with limits', () => {
    const query = 'start_date=2015-01-01&end_date=2035-12-31&format=csv'

    async function linesOf(limits: CsvLimits): Promise<string[]> {
      let text = ''
      for await (const chunk of streamTaxCsv(reads, { min: 100, max: 199 }, account, limits)) text += String(chunk)
      expect(text.endsWith('\r\n')).to.equal(true)
      return text.trimEnd().split('\r\n').slice(1)
    }

    let reads: DatabasePool

    before(async () => {
      reads = await createReadPool({ url: database.url })
    })

    after(async () => {
      await reads.end()
    })

    it('are complete at the row limit, and marked as incomplete above', async () => {
      const all = await linesOf({ maxRows: 1_000_000, maxMs: 600_000 })
      expect(all.length).to.equal((await keysOf('true')).length)
      expect(await linesOf({ maxRows: all.length, maxMs: 600_000 })).to.deep.equal(all)
      for (const maxRows of [1, 499, 500, 501, 1000, all.length - 1]) {
        const lines = await linesOf({ maxRows, maxMs: 600_000 })
        const last = lines.pop()
        expect(lines, String(maxRows)).to.deep.equal(all.slice(0, maxRows))
        const day = lines.at(-1)?.slice(0, 10) ?? ''
        expect(last)
          .to.match(/^#incomplete,/)
          .and.to.include(`more than ${maxRows} transfers and fees`)
          .and.to.include(`end_date=${day}`)
      }
    })

    it('are marked as incomplete after the time limit', async () => {
      const lines = await linesOf({ maxRows: 1_000_000, maxMs: -1 })
      expect(lines).to.have.length(1)
      expect(lines[0]).to.match(/^#incomplete,.*it took longer than/)
    })

    it('are rejected before the first byte if there are too many transfers', async () => {
      const {
        rows: [counted],
      } = await database.pool.query<{ count: number }>(`
        select ((select count(*) from app.ft_transfers where '${account}' in (from_address, to_address) and transfer_type <> 'fee')
          + (select count(*) from app.nft_transfers where '${account}' in (from_address, to_address)))::int as count`)
      const count = counted?.count ?? 0
      for (const [maxRows, status] of [
        [count, 200],
        [count - 1, 400],
      ] as const) {
        const limited = await runApi(database.url, { server: { csvLimits: { maxRows, maxMs: 600_000 } } })
        try {
          const response = await limited.get(`${path}?${query}`)
          expect(response.status).to.equal(status)
          const text = await response.text()
          // Its fees exceed the limit.
          if (status === 200) expect(text.trimEnd().split('\r\n').at(-1)).to.match(/^#incomplete,/)
          else expect(JSON.parse(text)).to.include({ code: 'too-many-rows', field: 'start_date' })
          expect((await limited.get(path)).status, 'totals').to.equal(status)
        } finally {
          await limited.stop()
        }
      }
    })
  })

  it('are rejected if the account has too many transactions, which all may be looked up for fees', async () => {
    const { cursor } = await api.json<Report>(`${path}?limit=1`)
    for (const [maxRows, status] of [
      [300, 200],
      [299, 400],
    ] as const) {
      const limited = await runApi(database.url, { server: { csvLimits: { maxRows, maxMs: 600_000 } } })
      try {
        for (const query of ['', '?format=csv', `?cursor=${cursor}`]) {
          const response = await limited.get(`/flow/account/${busy}/tax-report${query}`)
          expect(response.status, query).to.equal(status)
          const text = await response.text()
          if (status === 400) expect(text).to.include('too-many-rows').and.include('more than 299 transactions')
        }
      } finally {
        await limited.stop()
      }
    }
  })

  it('are read at the pace of the client and stop on disconnect', async () => {
    const plans = await queryPlans(database)
    const bounds = { min: 100, max: 199 }
    const whole = await plans.of(async (pool) => {
      let length = 0
      for await (const chunk of streamTaxCsv(pool, bounds, account)) length += String(chunk).length
      expect(length).to.be.greaterThan(500_000)
    })
    const opening = await plans.of(async (pool) => {
      const stream = streamTaxCsv(pool, bounds, account)
      for (let chunks = 0; chunks < 2; chunks++) await once(stream, 'readable').then(() => stream.read() as unknown)
      stream.destroy()
      await once(stream, 'close')
    })
    await plans.end()
    // Three per batch: one batch is consumed, one may be buffered.
    expect(whole.statements.length).to.be.greaterThan(18)
    expect(opening.statements.length).to.be.within(3, 6)
  })
})

describe('tax reports of a recorded chain', () => {
  it('sum to the balances of accounts that started empty, and to all fees', async () => {
    const { api, database } = await exploredChain()
    const { accounts } = await truthOf('base')
    const { rows } = await database.pool.query<{ address: string; fees: string }>(`
      select address, (select sum(fee)::text from app.address_transactions t join app.tx_metrics using (block_height, tx_index)
        where t.address = a.address and is_payer) as fees
      from app.accounts a where created_height is not null and address not in (select address from app.smart_contracts) order by 1`)
    let fees = 0
    for (const { address, fees: paid } of rows) {
      const {
        data: [report],
      } = await api.json<Report>(`/flow/account/${address}/tax-report`)
      const vaults = Map.groupBy(accounts[address]?.vaults ?? [], ({ type }) => type.replace(/\.Vault$/, ''))
      for (const { token, net } of report.tokens ?? []) {
        const sum = (vaults.get(token) ?? []).reduce((total, { balance }) => total + ufix64Units(balance), 0n)
        expect(net, `${address} ${token}`).to.equal(ufix64Text(sum))
      }
      expect(
        report.tokens?.map(({ token }) => token),
        address,
      ).to.include.members([...vaults.keys()])
      expect(report.total_fees, address).to.equal(paid ?? '0.00000000')
      fees += report.fee_count ?? 0
    }
    expect(rows.length).to.be.greaterThan(5)
    expect(fees).to.be.greaterThan(300)
  })
})

describe('combined transfers of an account', () => {
  it('equal both kinds, by time', async () => {
    const { api, database } = await exploredChain()
    const { rows } = await database.pool.query<{ address: string }>(`
      select distinct to_address as address from app.nft_transfers where length(to_address) = 18 order by 1`)
    expect(rows.length).to.be.greaterThan(2)
    for (const { address } of rows) {
      const merged = await allPages<AccountTransfer>(api, `/flow/account/${address}/transfer`, 40)
      for (const type of ['ft', 'nft'] as const) {
        const own = await allPages<object>(api, `/flow/account/${address}/${type}/transfer`, 100)
        expect(
          merged.filter((transfer) => transfer.type === type).map(({ type: _type, ...rest }) => rest),
        ).to.deep.equal(own)
      }
      const places = merged.map(({ block_height: height, tx_index: tx, event_index: event, leg }) => [
        height,
        tx,
        event,
        leg,
      ])
      expect(places).to.deep.equal(places.toSorted(descending))
    }
  })
})

function descending(a: readonly number[], b: readonly number[]): number {
  return a.map((value, i) => (b[i] ?? 0) - value).find((difference) => difference !== 0) ?? 0
}
