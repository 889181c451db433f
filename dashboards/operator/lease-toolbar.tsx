import type { ReactNode } from 'react'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { formatCount, formatNumber } from '../kit/formats.ts'
import type { Lease, Overview } from './contract.ts'
import type { LeaseAction, LeaseActionKind } from './lease-action.ts'
import { useView } from './view.ts'

export interface LeaseToolbarProps {
  readonly status: 'flagged' | 'failed' | 'skipped'
  readonly overview: Overview
  /** How many match the filter. */
  readonly total: number
  readonly chosen: readonly Lease[]
  readonly isBusy: boolean
  readonly onAct: (kind: LeaseActionKind, leases: readonly Lease[]) => void
  readonly onAsk: (action: LeaseAction) => void
}

/** Filters of the list, and the buttons for many leases at once. */
export function LeaseToolbar({ status, overview, total, chosen, isBusy, onAct, onAsk }: LeaseToolbarProps): ReactNode {
  const [{ worker, code }, change] = useView()
  const concerned = overview.stages.filter((stage) => stage[status].leases > 0 || stage.name === worker)
  const only = concerned.length === 1 ? concerned[0]?.name : worker
  const kinds: readonly LeaseActionKind[] = status === 'skipped' ? [] : ['requeue', 'split', 'skip']
  const askAll = (kind: LeaseActionKind): void => {
    if (only === undefined) return
    const target = { all: { worker: only, statuses: [status], ...(code === undefined ? {} : { code }) } }
    onAsk({
      kind,
      target,
      count: total,
      label: `All ${statusWords[status]} ranges of ${only}${code === undefined ? '' : ` with the error ${code}`}`,
    })
  }
  const buttons = (onClick: (kind: LeaseActionKind) => void, suffix: string): ReactNode =>
    kinds.map((kind) => (
      <Button key={kind} isSmall disabled={isBusy} onClick={() => onClick(kind)}>
        {words[kind]}
        {suffix}
      </Button>
    ))
  return (
    <div className="toolbar">
      <label className="visually-hidden" htmlFor="worker-filter">
        Worker
      </label>
      <select
        id="worker-filter"
        className="input"
        value={worker ?? ''}
        onChange={(event) => change({ worker: event.target.value === '' ? undefined : event.target.value })}
      >
        <option value="">All workers</option>
        {concerned.map((stage) => (
          <option key={stage.name} value={stage.name}>
            {stage.name} ({formatNumber(stage[status].leases)})
          </option>
        ))}
      </select>
      {code !== undefined && (
        <Badge tone="busy" label={`Error code ${code}: remove this filter`} onClick={() => change({ code: undefined })}>
          {code} ×
        </Badge>
      )}
      <span className="soft">{formatCount(total, 'range')}</span>
      <div className="button-row header-end">
        {chosen.length > 0 && (
          <>
            <span>{formatNumber(chosen.length)} ticked</span>
            {buttons((kind) => onAct(kind, chosen), '')}
          </>
        )}
        {chosen.length === 0 &&
          total > 1 &&
          kinds.length > 0 &&
          (only === undefined ? (
            <span className="soft">Choose a worker to act on all of its ranges</span>
          ) : (
            buttons(askAll, ' all')
          ))}
      </div>
    </div>
  )
}

const words: Record<LeaseActionKind, string> = { requeue: 'Requeue', split: 'Split', skip: 'Skip' }
const statusWords = { flagged: 'stuck', failed: 'retrying', skipped: 'skipped' }
