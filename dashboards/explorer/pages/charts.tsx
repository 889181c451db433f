import type { ReactNode } from 'react'
import { formatNumber } from '../../kit/formats.ts'
import { EmptyState } from '../../kit/state.tsx'
import type { Column } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { DailyNumbers } from '../answers.gen.ts'
import { useApi, useList } from '../api.ts'
import type { ItemOf } from '../api.ts'
import { QueryResult, TableList } from '../parts/lists.tsx'
import { PageTitle, DaysButtons, useDays } from '../parts/page.tsx'
import { ContractLink, Amount, NoValue, TokenName } from '../parts/values.tsx'
import { formatAmount, formatDollars } from '../text.ts'

/** Without `from` the API returns 90 days. */
const defaultDays = 90

export function ChartsPage(): ReactNode {
  const days = useDays()
  const query = useApi('/insights/daily', days > defaultDays ? { from: dateBefore(days) } : {}, {
    keepsPrevious: true,
  })
  return (
    <>
      <PageTitle title="Daily statistics" aside={<DaysButtons />} />
      <QueryResult query={query} what="the daily statistics" rows={8}>
        {({ data }) => <DayCharts days={data} maxDays={days} />}
      </QueryResult>
      <div className="two-columns">
        <TopContracts />
        <TopTokens />
      </div>
    </>
  )
}

function dateBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

const contractColumns: readonly Column<ItemOf<'/insights/top-contracts'>>[] = [
  { name: 'Contract', cell: ({ contract_identifier: identifier }) => <ContractLink identifier={identifier} /> },
  { name: 'Transactions', cell: ({ tx_count: count }) => formatNumber(count), isNumber: true },
]

function TopContracts(): ReactNode {
  return (
    <TableList
      list={useList('/insights/top-contracts', { hours: 24, limit: 10 })}
      what="top contracts"
      header={
        <header>
          <h2>Top contracts (24 hours)</h2>
        </header>
      }
      columns={contractColumns}
      itemKey={({ contract_identifier: identifier }) => identifier}
      emptyText="No contract was used in the last 24 hours."
    />
  )
}

type CountField = { [Key in keyof DailyNumbers]: DailyNumbers[Key] extends number ? Key : never }[keyof DailyNumbers]

const charts: readonly { readonly field: CountField; readonly label: string }[] = [
  { field: 'tx_count', label: 'Transactions' },
  { field: 'active_accounts', label: 'Active accounts' },
  { field: 'new_accounts', label: 'New accounts' },
  { field: 'failed_tx_count', label: 'Failed transactions' },
  { field: 'ft_transfers', label: 'Token transfers' },
  { field: 'nft_transfers', label: 'NFT transfers' },
  { field: 'evm_execution_count', label: 'EVM transactions' },
  { field: 'evm_active_addresses', label: 'Active EVM addresses' },
  { field: 'defi_swap_count', label: 'Swaps' },
  { field: 'new_contracts', label: 'New contracts' },
  { field: 'total_gas_used', label: 'Computation' },
]

interface DayChartsProps {
  readonly days: readonly DailyNumbers[]
  readonly maxDays: number
}

function DayCharts({ days, maxDays }: DayChartsProps): ReactNode {
  const shown = indexedDays(days, maxDays)
  if (shown.length === 0) {
    return (
      <section className="panel">
        <EmptyState title="No daily statistics yet">
          A day appears here when its blocks are indexed. Select a longer period.
        </EmptyState>
      </section>
    )
  }
  return (
    <div className="chart-grid">
      {charts.map(({ field, label }) => (
        <section key={field} className="panel chart-panel" aria-label={label}>
          <TimeChart
            label={label}
            shape="bars"
            isLastPartial
            points={shown.map((day) => ({ date: day.date, value: day[field], text: formatNumber(day[field]) }))}
          />
        </section>
      ))}
      <section className="panel chart-panel" aria-label="Fees">
        <TimeChart
          label="Fees"
          shape="bars"
          isLastPartial
          points={shown.map(({ date, fees }) => ({ date, value: Number(fees), text: `${formatAmount(fees)} FLOW` }))}
        />
      </section>
      <MetricChart metric="usd_volume" label="Token volume" days={shown} isSum format={formatDollars} />
      <MetricChart metric="staked" label="Staked" days={shown} format={(value) => `${formatAmount(value)} FLOW`} />
    </div>
  )
}

interface MetricChartProps extends Pick<DayChartsProps, 'days'> {
  readonly metric: string
  readonly label: string
  /** The last day may be incomplete. */
  readonly isSum?: boolean
  readonly format: (value: string) => string
}

/** Nothing while no value of the days is known. */
function MetricChart({ metric, label, days, isSum = false, format }: MetricChartProps): ReactNode {
  const [first, last] = [days[0]?.date, days.at(-1)?.date]
  const { data } = useApi('/insights/metrics/{metric}', { metric, from: first, to: last }, { keepsPrevious: true })
  const points = (data?.data[0]?.points ?? []).flatMap(({ timestamp, value }) =>
    value === null ? [] : [{ date: timestamp.slice(0, 10), value: Number(value), text: format(value) }],
  )
  if (points.every(({ value }) => value === 0)) return null
  return (
    <section className="panel chart-panel" aria-label={label}>
      <TimeChart label={label} shape="bars" isLastPartial={isSum} points={points} />
    </section>
  )
}

const minDays = 14

/** Oldest first, without days before the first indexed block. */
function indexedDays(days: readonly DailyNumbers[], maxDays: number): readonly DailyNumbers[] {
  const sorted = days.toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-maxDays)
  const first = sorted.findIndex(({ block_count: blocks }) => blocks > 0)
  return first < 0 ? [] : sorted.slice(Math.min(first, Math.max(0, sorted.length - minDays)))
}

const tokenColumns: readonly Column<ItemOf<'/insights/token-volume'>>[] = [
  {
    name: 'Token',
    cell: ({ token, name, symbol, contract_name: contract, logo }) => (
      <TokenName id={token} token={{ name: name ?? contract, symbol, logo }} />
    ),
  },
  { name: 'Transfers', cell: ({ transfer_count: count }) => formatNumber(count), isNumber: true },
  { name: 'Amount', cell: ({ total_amount: amount }) => <Amount amount={amount} decimals={2} />, isNumber: true },
  {
    name: 'Value',
    cell: ({ usd_volume: dollars }) => (dollars === null ? <NoValue /> : formatDollars(dollars)),
    isNumber: true,
  },
]

function TopTokens(): ReactNode {
  return (
    <TableList
      list={useList('/insights/token-volume', { hours: 24, limit: 10 })}
      what="top tokens"
      header={
        <header>
          <h2>Top tokens (24 hours)</h2>
        </header>
      }
      columns={tokenColumns}
      itemKey={({ token }) => token}
      emptyText="No token was transferred in the last 24 hours."
    />
  )
}
