import type { ReactNode } from 'react'
import { TimeChart } from '../../../kit/time-chart.tsx'
import { useAnswer } from '../../queries.ts'
import { useSearchValue } from '../../router.ts'
import { formatAmount } from '../../text.ts'

const spans = ['30', '90', '365'] as const

/** What an account had at the end of each day. */
export function BalanceChart({ address }: { readonly address: string }): ReactNode {
  const [chosen, choose] = useSearchValue('days')
  const days = spans.find((span) => span === chosen) ?? '30'
  const { data } = useAnswer('/flow/account/{address}/balance/history', { address, days: Number(days) }, { keepsLast: true })
  const points = (data?.data ?? []).flatMap(({ date, balance }) =>
    balance === null ? [] : [{ date, value: Number(balance), text: `${formatAmount(balance)} FLOW` }],
  )
  // One day is no course of things; what the account has now stands above.
  if (data !== undefined && points.length < 2) return null
  return (
    <section className="panel chart-panel" aria-label="Balance over time">
      <TimeChart label="Balance" points={points} height={150} />
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
    </section>
  )
}
