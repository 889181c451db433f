import type { ReactNode } from 'react'
import { formatCount } from '../../../kit/formats.ts'
import { TimeChart } from '../../../kit/time-chart.tsx'
import type { TimePoint } from '../../../kit/time-chart.tsx'
import type { LiveState } from '../../live-feed.ts'
import { useAnswer } from '../../queries.ts'
import { Waiting } from './waiting.tsx'

const days = 60
const hours = 48

/** How much the chain does: by the day; by the hour or by the block while there are not enough days yet. */
export function TransactionChart({ state }: { readonly state: LiveState }): ReactNode {
  const { data: daily } = useAnswer('/insights/daily')
  const { data: hourly } = useAnswer('/status/stat/{timescale}/trend', { timescale: 'hourly' })
  const byDay = (daily?.data ?? []).toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-days)
  const byHour = (hourly?.data ?? []).toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1)).slice(-hours)
  const [label, points]: [string, TimePoint[]] =
    byDay.length > 2
      ? ['Transactions a day', byDay.map(({ date, tx_count: count }) => point(date, count))]
      : byHour.length > 2
        ? ['Transactions an hour', byHour.map(({ timestamp, tx_count: count }) => point(hourOf(timestamp), count))]
        : [
            'Transactions in each of the latest blocks',
            state.blocks.toReversed().map(({ height, tx_count: count }) => point(`#${height}`, count)),
          ]
  return (
    <section className="panel chart-panel" aria-label={label}>
      {points.length === 0 ? (
        <Waiting state={state} what="transactions to count" />
      ) : (
        <TimeChart label={label} shape="bars" points={points} height={150} />
      )}
    </section>
  )
}

function point(date: string, count: number): TimePoint {
  return { date, value: count, text: formatCount(count, 'transaction') }
}

/** `2026-03-14T09:00:00.000Z` → `03-14 09 h`. */
function hourOf(timestamp: string): string {
  return `${timestamp.slice(5, 10)} ${timestamp.slice(11, 13)} h`
}
