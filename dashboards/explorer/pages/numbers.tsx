import type { ReactNode } from 'react'
import { formatNumber } from '../../kit/formats.ts'
import { EmptyState } from '../../kit/state.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { DailyNumbers } from '../answers.gen.ts'
import { Answer, ListPanel } from '../parts/lists.tsx'
import { ContractLink, Amount, TokenName } from '../parts/values.tsx'
import { PageTitle, SpanChoice, useSpan } from '../parts/page.tsx'
import { useAnswer, useList } from '../api.ts'
import { formatAmount, formatDollars } from '../text.ts'

/** The chain day by day. */
export function NumbersPage(): ReactNode {
  const days = useSpan()
  const query = useAnswer('/insights/daily', days > 90 ? { from: dayBefore(days) } : {}, { keepsLast: true })
  return (
    <>
      <PageTitle title="The chain day by day" aside={<SpanChoice />} />
      <Answer query={query} what="the daily numbers" rows={8}>
        {({ data }) => <DayCharts days={data} max={days} />}
      </Answer>
      <div className="two-columns">
        <BusyContracts />
        <MovedTokens />
      </div>
    </>
  )
}

/** Without a first day the API tells the last three months. */
function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

const columns = [{ name: 'Contract' }, { name: 'Transactions', isNumber: true }]

function BusyContracts(): ReactNode {
  return (
    <ListPanel
      list={useList('/insights/top-contracts', { hours: 24, limit: 10 })}
      what="busy contracts"
      header={
        <header>
          <h2>Most used contracts in 24 hours</h2>
        </header>
      }
      columns={columns}
      whenEmpty="No contract was used in the last day."
      renderRow={({ contract_identifier: identifier, tx_count: count }) => (
        <Row key={identifier}>
          <RowName>
            <ContractLink identifier={identifier} />
          </RowName>
          <Cell label="Transactions" className="number">
            {formatNumber(count)}
          </Cell>
        </Row>
      )}
    />
  )
}

type Counted = { [Key in keyof DailyNumbers]: DailyNumbers[Key] extends number ? Key : never }[keyof DailyNumbers]

const charts: readonly { readonly of: Counted; readonly label: string }[] = [
  { of: 'tx_count', label: 'Transactions' },
  { of: 'active_accounts', label: 'Active accounts' },
  { of: 'new_accounts', label: 'New accounts' },
  { of: 'failed_tx_count', label: 'Failed transactions' },
  { of: 'ft_transfers', label: 'Token transfers' },
  { of: 'nft_transfers', label: 'NFT transfers' },
  { of: 'evm_execution_count', label: 'EVM transactions' },
  { of: 'evm_active_addresses', label: 'Active EVM addresses' },
  { of: 'defi_swap_count', label: 'Swaps' },
  { of: 'new_contracts', label: 'New contracts' },
  { of: 'total_gas_used', label: 'Computation' },
]

/** So many days are drawn at least: a bar alone in a wide field tells less than one among empty days. */
const fewestDays = 14

interface DayChartsProps {
  readonly days: readonly DailyNumbers[]
  /** The newest ones of them that are wanted. */
  readonly max: number
}

/** What was counted each day, a chart for each number. */
function DayCharts({ days, max }: DayChartsProps): ReactNode {
  const known = knownDays(days, max)
  if (known.length === 0) {
    return (
      <section className="panel">
        <EmptyState title="No numbers of these days">
          A day is counted when its blocks are indexed. Look at more days, or come back later.
        </EmptyState>
      </section>
    )
  }
  return (
    <div className="chart-grid">
      {charts.map(({ of, label }) => (
        <section key={of} className="panel chart-panel" aria-label={label}>
          <TimeChart
            label={label}
            shape="bars"
            points={known.map((day) => ({ date: day.date, value: day[of], text: formatNumber(day[of]) }))}
          />
        </section>
      ))}
      <section className="panel chart-panel" aria-label="Fees">
        <TimeChart
          label="Fees"
          shape="bars"
          points={known.map(({ date, fees }) => ({ date, value: Number(fees), text: `${formatAmount(fees)} FLOW` }))}
        />
      </section>
    </div>
  )
}

/** The newest days, oldest first, without those before the first block that is indexed. */
function knownDays(days: readonly DailyNumbers[], max: number): readonly DailyNumbers[] {
  const sorted = days.toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-max)
  const first = sorted.findIndex(({ block_count: blocks }) => blocks > 0)
  return first < 0 ? [] : sorted.slice(Math.min(first, Math.max(0, sorted.length - fewestDays)))
}

const tokenColumns = [
  { name: 'Token' },
  { name: 'Transfers', isNumber: true },
  { name: 'Amount', isNumber: true },
  { name: 'Value', isNumber: true },
]

function MovedTokens(): ReactNode {
  return (
    <ListPanel
      list={useList('/insights/token-volume', { hours: 24, limit: 10 })}
      what="moved tokens"
      header={
        <header>
          <h2>Most moved tokens in 24 hours</h2>
        </header>
      }
      columns={tokenColumns}
      whenEmpty="No token was moved in the last day."
      renderRow={({
        token,
        name,
        symbol,
        contract_name: contractName,
        logo,
        transfer_count: count,
        total_amount: amount,
        usd_volume: dollars,
      }) => (
        <Row key={token}>
          <RowName>
            <TokenName id={token} token={{ name: name ?? contractName, symbol, logo }} />
          </RowName>
          <Cell label="Transfers" className="number">
            {formatNumber(count)}
          </Cell>
          <Cell label="Amount" className="number">
            <Amount amount={amount} decimals={2} />
          </Cell>
          <Cell label="Value" className="number">
            {dollars === null ? <span className="soft">–</span> : formatDollars(dollars)}
          </Cell>
        </Row>
      )}
    />
  )
}
