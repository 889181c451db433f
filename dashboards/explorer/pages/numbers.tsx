import type { ReactNode } from 'react'
import { Answer } from '../parts/answer.tsx'
import { BusyContracts } from '../parts/numbers/busy-contracts.tsx'
import { DayCharts } from '../parts/numbers/day-charts.tsx'
import { MovedTokens } from '../parts/numbers/moved-tokens.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { SpanChoice, useSpan } from '../parts/span-choice.tsx'
import { useAnswer } from '../queries.ts'

/** The chain day by day. */
export function NumbersPage(): ReactNode {
  const days = useSpan()
  const query = useAnswer('/insights/daily', days > 90 ? { from: dayBefore(days) } : {}, { keepsLast: true })
  return (
    <>
      <PageTitle title="The chain day by day" aside={<SpanChoice />} />
      <Answer query={query} what="the daily numbers" rows={8}>
        {({ data }) => <DayCharts days={data} most={days} />}
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
