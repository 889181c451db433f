import type { ReactNode } from 'react'
import { formatNumber } from '../../kit/formats.ts'
import { TimeChart } from '../../kit/time-chart.tsx'
import type { FungibleToken } from '../gen/answers.ts'
import { useAnswer } from '../queries.ts'
import { contractNameOf, formatAmount, formatDollars, sayName } from '../text.ts'
import { Answer } from './answer.tsx'

const days = 30

/** How much of a token moved, day by day. */
export function TokenVolume({ token }: { readonly token: FungibleToken }): ReactNode {
  const query = useAnswer('/flow/ft/{token}/volume', { token: token.id, days })
  const unit = sayName(token.symbol ?? contractNameOf(token.id))
  return (
    <section className="panel chart-panel" aria-label="Volume">
      <Answer query={query} what="the volume">
        {({ data }) => (
          <>
            <TimeChart
              label={`${unit} moved each day`}
              shape="bars"
              points={data.map(({ date, volume, usd_volume: dollars }) => ({
                date,
                value: Number(volume),
                text: `${formatAmount(volume)} ${unit}${dollars === null ? '' : `, ${formatDollars(dollars)}`}`,
              }))}
            />
            <TransferChart days={data} />
          </>
        )}
      </Answer>
    </section>
  )
}

/** How often items of a collection moved, day by day. */
export function CollectionVolume({ type }: { readonly type: string }): ReactNode {
  const query = useAnswer('/flow/nft/{nft_type}/volume', { nft_type: type, days })
  return (
    <section className="panel chart-panel" aria-label="Volume">
      <Answer query={query} what="the volume">
        {({ data }) => <TransferChart days={data} />}
      </Answer>
    </section>
  )
}

interface TransferChartProps {
  readonly days: readonly { readonly date: string; readonly transfer_count: number }[]
}

function TransferChart({ days: told }: TransferChartProps): ReactNode {
  const points = told.map(({ date, transfer_count: count }) => ({
    date,
    value: count,
    text: `${formatNumber(count)} transfers`,
  }))
  return <TimeChart label="Transfers each day" shape="bars" points={points} />
}
