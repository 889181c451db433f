import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { TimeChart } from '../../../kit/time-chart.tsx'
import type { Answers } from '../../gen/answers.ts'
import { useAnswer } from '../../queries.ts'
import { formatAmount } from '../../text.ts'
import { Trouble } from '../answer.tsx'
import { SpanChoice, useSpan } from '../span-choice.tsx'

/** What an account had at the end of each day, for as many days as the address of the page says. */
export function useBalanceHistory(address: string): UseQueryResult<Answers['/flow/account/{address}/balance/history']> {
  const days = useSpan()
  return useAnswer('/flow/account/{address}/balance/history', { address, days }, { keepsLast: true })
}

/** How the balance of an account went. */
export function BalanceChart({ address }: { readonly address: string }): ReactNode {
  const query = useBalanceHistory(address)
  if (query.isError) {
    return (
      <section className="panel" aria-label="Balance over time">
        <Trouble error={query.error} what="the balance over time" onRetry={() => void query.refetch()} />
      </section>
    )
  }
  const points = (query.data?.data ?? []).flatMap(({ date, balance }) =>
    balance === null ? [] : [{ date, value: Number(balance), text: `${formatAmount(balance)} FLOW` }],
  )
  // One day is no course of things; what the account has now stands above.
  if (points.length < 2) return null
  return (
    <section className="panel chart-panel" aria-label="Balance over time">
      <TimeChart label="Balance" points={points} height={150} />
      <p className="soft small">
        At the end of each day, of all vaults, as indexed events say. It can differ from the balance on the chain above:
        by newer blocks, by other vaults, and by what the account had before the first indexed block.
      </p>
      <SpanChoice />
    </section>
  )
}
