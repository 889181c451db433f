import type { ReactNode } from 'react'
import { formatCompact, formatDuration, formatNumber, formatRate } from '../kit/formats.ts'
import { Icon } from '../kit/icon.tsx'
import type { Overview } from './contract.ts'
import type { Summary } from './summary.ts'

/** The state of everything in one sentence, and the numbers that are asked for first. */
export function SummaryPanel({
  overview,
  summary,
}: {
  readonly overview: Overview
  readonly summary: Summary
}): ReactNode {
  const { head, stored } = overview
  return (
    <section className={`panel summary ${summary.tone}`} aria-label="Summary">
      <div className="verdict">
        <span className="sign">
          <Icon name={signs[summary.tone]} size={18} />
        </span>
        <div>
          <p className="title" role="status">
            {summary.verdict}
          </p>
          <p className="soft">{summary.detail}</p>
        </div>
      </div>
      <dl>
        <Figure name="Head" value={head === null ? '–' : formatNumber(head)} note={lagNote(summary.lag)} />
        <Figure
          name="Stored"
          value={stored === null ? 'nothing' : formatCompact(stored.to - stored.from)}
          note={stored === null ? '' : `from ${formatNumber(stored.from)}`}
        />
        <Figure name="Owed" value={formatCompact(summary.owed)} note="heights" />
        <Figure name="In flight" value={formatNumber(summary.activeLeases)} note="ranges" />
        <Figure name="Pace" value={formatRate(summary.rate)} note="heights / s" />
        <Figure name="Done in" value={etaText(summary)} note="slowest worker" />
      </dl>
    </section>
  )
}

const signs = { good: 'check', busy: 'wait', neutral: 'wait', warn: 'alert', bad: 'alert' } as const

function Figure({
  name,
  value,
  note,
}: {
  readonly name: string
  readonly value: string
  readonly note: string
}): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="value">{value}</span>
        <span className="note">{note}</span>
      </dd>
    </div>
  )
}

function lagNote(lag: number | undefined): string {
  if (lag === undefined) return 'nothing is stored yet'
  return lag === 0 ? 'all stored' : `${formatNumber(lag)} not yet stored`
}

function etaText({ owed, etaSeconds }: Summary): string {
  if (owed === 0) return etaSeconds === undefined ? '–' : 'now'
  return etaSeconds === undefined ? '–' : formatDuration(etaSeconds)
}
