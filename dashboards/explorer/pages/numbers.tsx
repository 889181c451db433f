import type { ReactNode } from 'react'
import { formatNumber } from '../../kit/formats.ts'
import { NothingHere } from '../../kit/state.tsx'
import { Cell, Row, RowName } from '../../kit/table.tsx'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { DailyNumbers } from '../gen/answers.ts'
import { Answer } from '../parts/answer.tsx'
import { Amount } from '../parts/amount.tsx'
import { ContractLink } from '../parts/identity.tsx'
import { ListPanel } from '../parts/list-panel.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { TokenName } from '../parts/token-name.tsx'
import { useAnswer, useList } from '../queries.ts'
import { useSearchValue } from '../router.ts'
import { formatAmount, formatDollars } from '../text.ts'

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

const spans = ['30', '90', '365'] as const

/** The chain day by day. */
export function NumbersPage(): ReactNode {
  const [chosen, choose] = useSearchValue('days')
  const days = spans.find((span) => span === chosen) ?? '30'
  const query = useAnswer('/insights/daily', days === '365' ? { from: dayBefore(365) } : {}, { keepsLast: true })
  return (
    <>
      <PageTitle
        title="The chain day by day"
        aside={
          <div className="button-row" role="group" aria-label="Days">
            {spans.map((span) => (
              <button
                key={span}
                type="button"
                className="button small"
                aria-pressed={span === days}
                onClick={() => choose(span === '30' ? '' : span)}
              >
                {span} days
              </button>
            ))}
          </div>
        }
      />
      <Answer query={query} what="the daily numbers" rows={8}>
        {({ data }) => <Charts days={data} most={Number(days)} />}
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

function Charts({ days, most }: { readonly days: readonly DailyNumbers[]; readonly most: number }): ReactNode {
  const sorted = days.toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-most)
  const first = sorted.findIndex(({ block_count: blocks }) => blocks > 0)
  const known = first < 0 ? [] : sorted.slice(Math.min(first, Math.max(0, sorted.length - 14)))
  if (known.length === 0) {
    return (
      <section className="panel">
        <NothingHere title="No numbers of these days">
          A day is counted when its blocks are indexed. Look at more days, or come back later.
        </NothingHere>
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

function BusyContracts(): ReactNode {
  const list = useList('/insights/top-contracts', { hours: 24, limit: 10 })
  return (
    <ListPanel
      list={list}
      what="busy contracts"
      header={
        <header>
          <h2>Most used contracts of a day</h2>
        </header>
      }
      columns={[{ name: 'Contract' }, { name: 'Transactions', isNumber: true }]}
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

function MovedTokens(): ReactNode {
  const list = useList('/insights/token-volume', { hours: 24, limit: 10 })
  return (
    <ListPanel
      list={list}
      what="moved tokens"
      header={
        <header>
          <h2>Most moved tokens of a day</h2>
        </header>
      }
      columns={[{ name: 'Token' }, { name: 'Amount', isNumber: true }, { name: 'Value', isNumber: true }]}
      whenEmpty="No token was moved in the last day."
      renderRow={({ token, symbol, contract_name: name, logo, total_amount: amount, usd_volume: dollars }) => (
        <Row key={token}>
          <RowName>
            <TokenName id={token} token={{ name, symbol, logo }} />
          </RowName>
          <Cell label="Amount" className="number">
            <Amount amount={amount} />
          </Cell>
          <Cell label="Value" className="number">
            {dollars === null ? <span className="soft">–</span> : formatDollars(dollars)}
          </Cell>
        </Row>
      )}
    />
  )
}
