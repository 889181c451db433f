import type { ReactNode } from 'react'
import { NothingHere } from '../../../kit/state.tsx'
import { TimeChart } from '../../../kit/time-chart.tsx'
import { useAnswer } from '../../queries.ts'
import { formatDollars } from '../../text.ts'
import { Answer } from '../answer.tsx'

/** @param props.asset the name of the token at the markets; null where it has none */
export function PriceHistory({ asset }: { readonly asset: string | null }): ReactNode {
  const query = useAnswer('/status/price/history', { asset: asset ?? '', limit: 100 }, { isOn: asset !== null })
  const isTold = asset !== null && (query.data === undefined || query.data.data.length > 0)
  if (!isTold) {
    return (
      <section className="panel" aria-label="Price">
        <NothingHere title="No price is known">
          Prices are asked of a market now and then; of this token it has told none.
        </NothingHere>
      </section>
    )
  }
  return (
    <section className="panel chart-panel" aria-label="Price">
      <Answer query={query} what="the prices">
        {({ data }) => (
          <TimeChart
            label={`Price of ${asset}`}
            points={data
              .map(({ price, as_of: time }) => ({
                date: `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`,
                value: Number(price),
                text: formatDollars(price),
              }))
              .toSorted((a, b) => (a.date < b.date ? -1 : 1))}
          />
        )}
      </Answer>
    </section>
  )
}
