import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { DailyNumbers } from '../../src/explorer/stats/insights.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { expectProblem } from '../support/expect-problem.ts'

const service = 'A.f8d6e0586b0a20c7'

/**
 * Daily statistics computed from raw tables, except for transfers, which token_worker assembles.
 */
const expectedDays = `
  with blocks as (
    select height, (timestamp at time zone 'UTC')::date as day from raw.blocks
  ), transactions as (
    select b.day, t.*, t.collection_index is null as is_system
    from raw.transactions t join blocks b on b.height = t.block_height
  ), events as (
    select b.day, e.* from raw.events e join blocks b on b.height = e.block_height
  ), accounts as (
    select day, count(distinct address) as count
    from transactions cross join lateral unnest(authorizers || payer_address || proposer_address) as address
    where not is_system and address <> '0x0000000000000000'
    group by day
  ), counted as (
    select day, count(*) filter (where type = 'flow.AccountCreated') as new_accounts,
      count(*) filter (where type = 'flow.AccountContractAdded') as new_contracts,
      count(*) filter (where type = 'flow.AccountContractUpdated') as contract_updates,
      count(*) filter (where type = '${service}.EVM.CadenceOwnedAccountCreated') as coa_new_accounts,
      count(distinct (block_height, tx_index)) filter (where type = '${service}.EVM.TransactionExecuted') as evm_tx_count,
      count(*) filter (where type = '${service}.EVM.TransactionExecuted') as evm_execution_count,
      count(*) filter (where type = '${service}.EVM.TransactionExecuted' and payload->>'errorCode' <> '0') as evm_failed_count,
      coalesce(sum((payload->>'gasConsumed')::bigint) filter (where type = '${service}.EVM.TransactionExecuted'), 0)::bigint
        as evm_gas_used,
      count(*) filter (where type like '%.SwapPair.Swap') as defi_swap_count,
      count(distinct (block_height, tx_index)) filter (where type = '${service}.EVM.FLOWTokensDeposited') as bridge_to_evm_txs,
      count(distinct (block_height, tx_index)) filter (where type = '${service}.EVM.FLOWTokensWithdrawn') as bridge_from_evm_txs,
      coalesce(sum((payload->>'total')::numeric) filter (where type like '%.EpochTotalRewardsPaid'), 0.00000000)::text
        as epoch_payout_total,
      count(*) as event_count,
      coalesce(sum((payload->>'amount')::numeric) filter (where type like '%.FlowFees.FeesDeducted'), 0.00000000)::text as fees,
      coalesce(sum((payload->>'executionEffort')::numeric * 100000000) filter (where type like '%.FlowFees.FeesDeducted'), 0)::bigint
        as total_gas_used
    from events group by day
  ), traders as (
    select e.day, count(distinct t.authorizers[1]) as count
    from events e join transactions t on t.block_height = e.block_height and t.tx_index = e.tx_index
    where e.type like '%.SwapPair.Swap' group by e.day
  ), moves as (
    select day, sum(ft)::int as ft_transfers, sum(nft)::int as nft_transfers from (
      select block_height, 1 as ft, 0 as nft from app.ft_transfers where transfer_type <> 'fee'
      union all select block_height, 0, 1 from app.nft_transfers
    ) as m join blocks b on b.height = m.block_height group by day
  ), executed as (
    select day, count(distinct address) as count
    from app.evm_tx_hashes h join blocks b on b.height = h.block_height
    cross join lateral (values (h.evm_from), (h.evm_to)) as a (address)
    where address is not null group by day
  )
  select d.day::text as date, d.block_count, d.tx_count, d.system_tx_count, d.failed_tx_count, c.event_count,
    c.total_gas_used, c.fees, m.ft_transfers, m.nft_transfers, a.count as active_accounts, c.new_accounts,
    c.coa_new_accounts, c.evm_tx_count, c.evm_execution_count, c.evm_failed_count, c.evm_gas_used,
    x.count as evm_active_addresses, c.defi_swap_count, t.count as defi_unique_traders, c.epoch_payout_total,
    c.bridge_to_evm_txs, c.bridge_from_evm_txs, c.new_contracts, c.contract_updates
  from (
    select b.day, count(distinct b.height) as block_count, count(t.id) as tx_count,
      count(t.id) filter (where t.is_system) as system_tx_count,
      count(t.id) filter (where t.status_code = 1 and not t.is_system) as failed_tx_count
    from blocks b left join transactions t on t.block_height = b.height group by b.day
  ) d join counted c using (day) join accounts a using (day) join traders t using (day) join moves m using (day)
  join executed x using (day)
  order by 1`

describe('daily statistics', () => {
  let chain: ExploredChain

  before(async () => {
    chain = await exploredChain()
  })

  async function expected(): Promise<Record<string, unknown>[]> {
    const { rows } = await chain.database.pool.query<Record<string, unknown>>(expectedDays)
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) =>
          // int8 counts are strings.
          [name, typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value],
        ),
      ),
    )
  }

  async function days(query = ''): Promise<DailyNumbers[]> {
    return (await chain.api.json<List<DailyNumbers>>(`/insights/daily${query}`)).data
  }

  it('equal sums over the raw tables', async () => {
    const rows = await expected()
    expect(rows).to.have.length(2)
    const shown = await days('?from=2026-03-14')
    expect(shown).to.have.length(2)
    for (const [i, row] of rows.entries()) expect(shown[i]).to.deep.include(row)
    const [first] = shown
    expect(first).to.deep.include({ cadence_tx_count: 850, error_rate: 7.92, avg_gas_per_tx: 15.42, epoch: 3 })
  })

  it('have a row for every day between the first and the last', async () => {
    const all = await days('?from=2018-01-01&to=2018-12-31')
    expect(all.map(({ date }) => date)).to.deep.equal([
      '2018-12-19',
      '2018-12-20',
      '2018-12-21',
      '2018-12-22',
      '2018-12-23',
      '2018-12-24',
      '2018-12-25',
      '2018-12-26',
      '2018-12-27',
      '2018-12-28',
      '2018-12-29',
      '2018-12-30',
      '2018-12-31',
    ])
    expect(all[0]).to.include({ block_count: 1, tx_count: 0, epoch: null })
    expect(all[1]).to.include({
      block_count: 0,
      tx_count: 0,
      error_rate: 0,
      avg_gas_per_tx: 0,
      fees: '0.00000000',
      epoch: null,
    })
    const newest = await days()
    expect(newest).to.have.length(90)
    expect(newest[0]?.date).to.equal('2025-12-16')
    expect(newest.at(-1)?.date).to.equal('2026-03-15')
    const fewer = await days('?to=2026-03-14')
    expect([fewer.length, fewer.at(-1)?.date]).to.deep.equal([90, '2026-03-14'])
  })

  it('are empty outside of the indexed range', async () => {
    for (const query of ['?from=2026-03-16', '?to=2018-12-18', '?from=9999-12-31&to=9999-12-31', '?to=0000-01-01']) {
      expect(await days(query), query).to.deep.equal([])
    }
  })

  it('are cacheable for a minute', async () => {
    const response = await chain.api.get('/insights/daily')
    expect(response.headers.get('cache-control')).to.equal('public, max-age=60')
  })

  it('are available per module', async () => {
    const whole = await days('?from=2026-03-14')
    const fields: Record<string, readonly (keyof DailyNumbers)[]> = {
      accounts: ['active_accounts', 'new_accounts', 'coa_new_accounts'],
      evm: ['evm_tx_count', 'evm_execution_count', 'evm_failed_count', 'evm_gas_used', 'evm_active_addresses'],
      defi: ['defi_swap_count', 'defi_unique_traders'],
      epoch: ['epoch', 'epoch_payout_total'],
      bridge: ['bridge_to_evm_txs', 'bridge_from_evm_txs'],
      contracts: ['new_contracts', 'contract_updates'],
    }
    for (const [module, names] of Object.entries(fields)) {
      const { data } = await chain.api.json<List<unknown>>(`/insights/daily/module/${module}?from=2026-03-14`)
      expect(data, module).to.deep.equal(
        whole.map((day) => Object.fromEntries((['date', ...names] as const).map((name) => [name, day[name]]))),
      )
    }
    await expectProblem(
      chain.api,
      '/insights/daily/module/blocks',
      'module',
      'accounts, evm, defi, epoch, bridge, contracts',
    )
  })

  it('are available for transfers', async () => {
    const { data } = await chain.api.json<List<unknown>>('/insights/transfers/daily?from=2026-03-13')
    const whole = await days('?from=2026-03-13')
    expect(data).to.deep.equal(
      whole.map(({ date, ft_transfers, nft_transfers }) => ({ date, ft_transfers, nft_transfers })),
    )
    expect(data).to.have.length(3)
  })

  it('reject invalid days and too long ranges', async () => {
    const bad: readonly (readonly [query: string, field: string, words: string])[] = [
      ['from=2026-02-30', 'from', 'calendar day'],
      ['to=yesterday', 'to', 'YYYY-MM-DD'],
      ['from=', 'from', 'YYYY-MM-DD'],
      ['to=2026-3-1', 'to', 'YYYY-MM-DD'],
      ['from=2026-03-15&to=2026-03-14', 'from', 'must not be after'],
      ['from=2018-12-19', 'from', 'at most 1100 days'],
      ['from=2018-12-19&to=2021-12-23', 'from', 'at most 1100 days'],
      ['from=0000-01-01&to=9999-12-31', 'from', 'at most 1100 days'],
    ]
    for (const path of ['/insights/daily', '/insights/daily/module/evm', '/insights/transfers/daily']) {
      for (const [query, field, words] of bad) await expectProblem(chain.api, `${path}?${query}`, field, words)
    }
    expect(await days('?from=2018-12-19&to=2021-12-22')).to.have.length(1100)
  })
})
