import type { ReactNode } from 'react'
import { TimeChart } from '../../../kit/time-chart.tsx'
import { useAnswer } from '../../queries.ts'
import { formatAmount } from '../../text.ts'
import { SpanChoice, useSpan } from '../span-choice.tsx'

/** What an account had at the end of each day. */
export function BalanceChart({ address }: { readonly address: string }): ReactNode {
  const days = useSpan()
  const { data } = useAnswer('/flow/account/{address}/balance/history', { address, days }, { keepsLast: true })
  const points = (data?.data ?? []).flatMap(({ date, balance }) =>
    balance === null ? [] : [{ date, value: Number(balance), text: `${formatAmount(balance)} FLOW` }],
  )
  // One day is no course of things; what the account has now stands above.
  if (data !== undefined && points.length < 2) return null
  return (
    <section className="panel chart-panel" aria-label="Balance over time">
      <TimeChart label="Balance" points={points} height={150} />
      <SpanChoice />
    </section>
  )
}
