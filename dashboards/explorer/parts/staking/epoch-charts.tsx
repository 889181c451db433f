import type { ReactNode } from 'react'
import { TimeChart } from '../../../kit/time-chart.tsx'
import type { TimePoint } from '../../../kit/time-chart.tsx'
import type { EpochStats } from '../../gen/answers.ts'
import { itemsOf, useList } from '../../queries.ts'
import { formatAmount } from '../../text.ts'
import { epochList } from './epoch-list.ts'

/** What was staked and what was paid, epoch by epoch. One epoch is no course of things: then nothing is drawn. */
export function EpochCharts(): ReactNode {
  const epochs = itemsOf(useList(...epochList)).toReversed()
  const staked = pointsOf(epochs, ({ total_staked: total }) => total)
  const paid = pointsOf(epochs, ({ payout_total: total }) => total)
  if (staked.length < 2 && paid.length < 2) return null
  return (
    <div className="chart-grid">
      <section className="panel chart-panel" aria-label="Staked">
        <TimeChart label="Staked in each epoch" points={staked} height={150} />
      </section>
      <section className="panel chart-panel" aria-label="Paid out">
        <TimeChart label="Paid out for each epoch" shape="bars" points={paid} height={150} />
      </section>
    </div>
  )
}

function pointsOf(epochs: readonly EpochStats[], amountOf: (epoch: EpochStats) => string | null): TimePoint[] {
  return epochs.flatMap((epoch) => {
    const amount = amountOf(epoch)
    return amount === null
      ? []
      : [{ date: `Epoch ${epoch.epoch}`, value: Number(amount), text: `${formatAmount(amount)} FLOW` }]
  })
}
