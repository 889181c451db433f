import { useState } from 'react'
import type { ReactNode } from 'react'
import { Button, Form, Icon } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { navigate, useLocation } from '../../kit/router.tsx'
import { DataTable } from '../../kit/table.tsx'
import type { Column } from '../../kit/table.tsx'
import type { TaxReport } from '../answers.gen.ts'
import { apiUrl, useApi } from '../api.ts'
import { QueryResult } from '../parts/lists.tsx'
import { KeyNumber, KeyNumbers, PageTitle } from '../parts/page.tsx'
import { AccountLink, Amount, TokenName } from '../parts/values.tsx'

interface Period {
  readonly address: string
  /** Days, UTC. */
  readonly from: string
  readonly to: string
}

/** Limit of JSON reports. */
const maxSummaryDays = 366
const dayMs = 86_400_000

export function TaxReportPage(): ReactNode {
  const { search } = useLocation()
  const values = new URLSearchParams(search)
  const [year] = useState(() => new Date().getUTCFullYear())
  const period: Period = {
    address: values.get('address') ?? '',
    from: values.get('from') ?? `${year - 1}-01-01`,
    to: values.get('to') ?? `${year - 1}-12-31`,
  }
  return (
    <>
      <PageTitle title="Tax report" />
      <p className="lead">
        All token transfers, NFT transfers and transaction fees of an account in a period, with the price in US dollars
        at the time of each transfer where it is known. The file opens in spreadsheets and tax programs. It is a record
        of indexed transfers, not tax advice.
      </p>
      <section className="panel" aria-label="Account and period">
        <PeriodForm key={search} period={period} year={year} />
      </section>
      {period.address !== '' && values.has('from') && <Report period={period} />}
    </>
  )
}

function PeriodForm({ period, year }: { readonly period: Period; readonly year: number }): ReactNode {
  const [{ address, from, to }, change] = useState(period)
  const set = (changes: Partial<Period>): void => change((old) => ({ ...old, ...changes }))
  const submit = (): void => {
    const values = new URLSearchParams({ address: address.trim(), from, to })
    navigate(`/tax-report?${values.toString()}`, { isReplacing: true })
  }
  return (
    <Form className="search-form" onSubmit={submit}>
      <label className="field">
        <span>Account</span>
        <input
          className="input"
          value={address}
          placeholder="0x and 16 hex digits"
          pattern={String.raw`\s*(0[xX])?[0-9a-fA-F]{1,16}\s*`}
          title="An address: 0x and 16 hex digits"
          required
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => set({ address: target.value })}
        />
      </label>
      <div className="two-fields">
        <label className="field">
          <span>First day (UTC)</span>
          <input
            className="input"
            type="date"
            required
            max={to}
            value={from}
            onChange={({ target }) => set({ from: target.value })}
          />
        </label>
        <label className="field">
          <span>Last day (UTC)</span>
          <input
            className="input"
            type="date"
            required
            min={from}
            value={to}
            onChange={({ target }) => set({ to: target.value })}
          />
        </label>
      </div>
      <div className="button-row">
        <Button type="submit" look="strong">
          Create report
        </Button>
        {[year, year - 1, year - 2].map((each) => (
          <Button key={each} isSmall onClick={() => set({ from: `${each}-01-01`, to: `${each}-12-31` })}>
            {each}
          </Button>
        ))}
      </div>
    </Form>
  )
}

type Token = NonNullable<TaxReport['tokens']>[number]

const tokenColumns: readonly Column<Token>[] = [
  { name: 'Token', cell: (token) => <TokenName id={token.token} token={{ ...token, logo: null }} /> },
  { name: 'Received', cell: ({ received }) => <Amount amount={received} />, isNumber: true },
  { name: 'Sent', cell: ({ sent }) => <Amount amount={sent} />, isNumber: true },
  { name: 'Fees', cell: ({ fees }) => <Amount amount={fees} />, isNumber: true },
  { name: 'Net', cell: ({ net }) => <Amount amount={net} />, isNumber: true },
]

function Report({ period: { address, from, to } }: { readonly period: Period }): ReactNode {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  const hasSummary = days <= maxSummaryDays
  const parameters = { address, start_date: from, end_date: to }
  const query = useApi('/flow/account/{address}/tax-report', { ...parameters, limit: 1 }, { isEnabled: hasSummary })
  return (
    <section className="stack" aria-label="Report">
      <div className="panel list-tools">
        <a
          className="button strong"
          href={apiUrl('/flow/account/{address}/tax-report', { ...parameters, format: 'csv' })}
        >
          <Icon name="save" size={14} /> Download CSV
        </a>
        <span className="soft">
          <AccountLink address={address} />, {from} to {to}
        </span>
      </div>
      {hasSummary ? (
        <QueryResult query={query} what="the summary">
          {({ data: [report] }) => report !== undefined && <Summary report={report} />}
        </QueryResult>
      ) : (
        <p className="soft">Periods of more than {maxSummaryDays} days have no summary here. The file is complete.</p>
      )}
    </section>
  )
}

function Summary({ report }: { readonly report: TaxReport }): ReactNode {
  const tokens = report.tokens ?? []
  return (
    <>
      <KeyNumbers>
        <KeyNumber name="Token transfers">{formatNumber(report.ft_transfers ?? 0)}</KeyNumber>
        <KeyNumber name="NFT transfers">{formatNumber(report.nft_transfers ?? 0)}</KeyNumber>
        <KeyNumber name="Paid transactions">{formatNumber(report.fee_count ?? 0)}</KeyNumber>
        <KeyNumber name="Fees">
          <Amount amount={report.total_fees} unit="FLOW" />
        </KeyNumber>
      </KeyNumbers>
      {tokens.length > 0 && (
        <section className="panel list" aria-label="Tokens">
          <DataTable label="Tokens" columns={tokenColumns} items={tokens} itemKey={({ token }) => token} />
        </section>
      )}
    </>
  )
}
