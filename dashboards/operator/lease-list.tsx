import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Dialog } from '../kit/dialog.tsx'
import { formatNumber, formatRange, formatCount } from '../kit/formats.ts'
import { ErrorState, SuccessState, Loading } from '../kit/state.tsx'
import { ColumnName, Table, TableBody, TableHead } from '../kit/table.tsx'
import { useToast } from '../kit/toast.tsx'
import { api } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { Lease, Overview } from './answers.gen.ts'
import { useLeaseAction, LeaseRow } from './lease-row.tsx'
import type { LeaseAction, LeaseActionKind, ConfirmedAction } from './lease-row.tsx'
import { RederiveDialog } from './rederive-dialog.tsx'
import { ShowMore, useLimit } from './parts.tsx'
import { useView } from './use-view.ts'
import { Badge, Button } from '../kit/controls.tsx'

interface LeaseListProps {
  readonly status: 'flagged' | 'failed' | 'skipped'
  readonly overview: Overview
  readonly count: number
}

const refreshMs = 10_000
const emptyTexts = {
  flagged: { title: 'No stuck ranges', text: 'Ranges that used all their retries appear here.' },
  failed: { title: 'No retrying ranges', text: 'Ranges that failed and will be retried appear here.' },
  skipped: { title: 'No skipped ranges', text: 'Ranges that an operator skipped appear here.' },
}

export function LeaseList({ status, overview, count }: LeaseListProps): ReactNode {
  const [{ worker, code }] = useView()
  const [limit, showMore] = useLimit()
  const leases = useQuery({
    // A change of the count reloads the list.
    queryKey: ['leases', status, worker, code, limit, count],
    queryFn: ({ signal }) => api.leases(status, { worker, code, limit }, signal),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  const showToast = useToast()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [confirming, setConfirming] = useState<LeaseAction>()
  const [rederived, setRederived] = useState<Lease>()
  const act = useLeaseAction(() => {
    setConfirming(undefined)
    setSelected(new Set())
    // The pressed button usually disappears with its row.
    document.getElementById('attention-list')?.focus({ preventScroll: true })
  })
  const rows = leases.data?.data ?? []
  const chosen = rows.filter((lease) => selected.has(keyOf(lease)))
  const select = (keys: readonly string[], isSelected: boolean): void => {
    const next = new Set(selected)
    for (const key of keys) {
      if (isSelected) next.add(key)
      else next.delete(key)
    }
    setSelected(next)
  }
  const actOn = (kind: LeaseActionKind, targets: readonly Lease[]): void => {
    const [first] = targets
    if (first === undefined) return
    const label =
      targets.length === 1 ? `${first.worker} ${formatRange(first)}` : `${formatNumber(targets.length)} selected ranges`
    const action = {
      kind,
      label,
      count: targets.length,
      target: { leases: targets.map(({ worker, from }) => ({ worker, from })) },
    }
    if (kind === 'requeue' && targets.length === 1)
      act.mutate({ ...action, pieces: 2, reason: '' }, { onError: (error) => showToast(problemText(error), 'bad') })
    else setConfirming(action)
  }

  if (leases.data === undefined) {
    return leases.isError ? (
      <ErrorState
        title="Could not load the ranges"
        detail={problemText(leases.error)}
        onRetry={() => void leases.refetch()}
      />
    ) : (
      <Loading rows={Math.min(4, Math.max(1, count))} label="Loading ranges…" />
    )
  }
  if (rows.length === 0 && worker === undefined && code === undefined) {
    return <SuccessState title={emptyTexts[status].title}>{emptyTexts[status].text}</SuccessState>
  }
  return (
    <>
      <LeaseToolbar
        status={status}
        overview={overview}
        total={leases.data.total}
        chosen={chosen}
        isBusy={act.isPending}
        onAct={actOn}
        onConfirm={setConfirming}
      />
      {rows.length === 0 ? (
        <SuccessState title="No matching ranges">Change or remove the filter.</SuccessState>
      ) : (
        <Table className="leases" aria-label={`${status} ranges`}>
          <TableHead>
            {status !== 'skipped' && (
              <ColumnName className="tick">
                <input
                  type="checkbox"
                  className="check"
                  aria-label="Select all listed ranges"
                  checked={chosen.length === rows.length}
                  ref={(box) => {
                    if (box !== null) box.indeterminate = chosen.length > 0 && chosen.length < rows.length
                  }}
                  onChange={(event) => select(rows.map(keyOf), event.target.checked)}
                />
              </ColumnName>
            )}
            <ColumnName>Worker</ColumnName>
            <ColumnName>Heights</ColumnName>
            <ColumnName>{status === 'skipped' ? 'Reason' : 'Error'}</ColumnName>
            <ColumnName className="number">Attempts</ColumnName>
            <ColumnName className="number">{status === 'failed' ? 'Next attempt' : 'Since'}</ColumnName>
            <ColumnName>
              <span className="visually-hidden">Actions</span>
            </ColumnName>
          </TableHead>
          <TableBody>
            {rows.map((lease) => (
              <LeaseRow
                key={keyOf(lease)}
                lease={lease}
                isSelected={selected.has(keyOf(lease))}
                isBusy={act.isPending}
                onSelect={(isSelected) => select([keyOf(lease)], isSelected)}
                onAct={(kind) => actOn(kind, [lease])}
                onRederive={() => setRederived(lease)}
              />
            ))}
          </TableBody>
        </Table>
      )}
      <ShowMore shown={rows.length} total={leases.data.total} limit={limit} onMore={showMore} />
      {rederived !== undefined && (
        <RederiveDialog
          overview={overview}
          range={rederived}
          worker={rederived.worker}
          onClose={() => setRederived(undefined)}
        />
      )}
      {confirming !== undefined && (
        <LeaseDialog
          action={confirming}
          isBusy={act.isPending}
          error={act.error === null ? undefined : problemText(act.error)}
          onConfirm={act.mutate}
          onClose={() => {
            setConfirming(undefined)
            act.reset()
          }}
        />
      )}
    </>
  )
}

function keyOf({ worker, from }: Lease): string {
  return `${worker}:${from}`
}

interface LeaseDialogProps {
  readonly action: LeaseAction
  readonly isBusy: boolean
  readonly error: string | undefined
  readonly onConfirm: (action: ConfirmedAction) => void
  readonly onClose: () => void
}

function LeaseDialog({ action, isBusy, error, onConfirm, onClose }: LeaseDialogProps): ReactNode {
  const [pieces, setPieces] = useState(2)
  const [reason, setReason] = useState('')
  const { kind, count, label } = action
  const ranges = formatCount(count, 'range')
  const isOne = count === 1
  const texts = {
    requeue: {
      title: `Requeue ${ranges}?`,
      action: 'Requeue',
      text: isOne
        ? 'The range is queued now and gets its full number of retries.'
        : 'The ranges are queued now and get their full number of retries.',
    },
    split: {
      title: `Split ${ranges}?`,
      action: 'Split',
      text:
        'Each piece runs separately, so a failing block no longer blocks its neighbours. Ranges of one block ' +
        'are not split.',
    },
    skip: {
      title: `Skip ${ranges}?`,
      action: 'Skip',
      text:
        `Rows of ${isOne ? 'this range' : 'these ranges'} will be missing until you re-derive ` +
        `${isOne ? 'it' : 'them'}. Skipped ranges stay listed with your reason. Downstream workers continue ` +
        'without them.',
    },
  }[kind]
  return (
    <Dialog
      title={texts.title}
      action={texts.action}
      isDangerous={kind === 'skip'}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onSubmit={() => onConfirm({ ...action, pieces, reason: reason.trim() })}
    >
      <p className="dialog-subject">{label}</p>
      <p className="soft">{texts.text}</p>
      {kind === 'split' && (
        <label className="field">
          <span>Pieces</span>
          <input
            className="input"
            type="number"
            min={2}
            max={1000}
            required
            value={Number.isNaN(pieces) ? '' : pieces}
            onChange={(event) => setPieces(event.target.valueAsNumber)}
          />
        </label>
      )}
      {kind === 'skip' && (
        <label className="field">
          <span>Reason</span>
          <textarea
            className="input"
            required
            autoFocus
            maxLength={1000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
      )}
    </Dialog>
  )
}

interface LeaseToolbarProps {
  readonly status: 'flagged' | 'failed' | 'skipped'
  readonly overview: Overview
  readonly total: number
  readonly chosen: readonly Lease[]
  readonly isBusy: boolean
  readonly onAct: (kind: LeaseActionKind, leases: readonly Lease[]) => void
  readonly onConfirm: (action: LeaseAction) => void
}

function LeaseToolbar({ status, overview, total, chosen, isBusy, onAct, onConfirm }: LeaseToolbarProps): ReactNode {
  const [{ worker, code }, change] = useView()
  const affected = overview.stages.filter((stage) => stage[status].leases > 0 || stage.name === worker)
  const only = affected.length === 1 ? affected[0]?.name : worker
  const kinds: readonly LeaseActionKind[] = status === 'skipped' ? [] : ['requeue', 'split', 'skip']
  const confirmAll = (kind: LeaseActionKind): void => {
    if (only === undefined || status === 'skipped') return
    const target = { all: { worker: only, statuses: [status], ...(code === undefined ? {} : { code }) } }
    onConfirm({
      kind,
      target,
      count: total,
      label: `All ${statusLabels[status]} ranges of ${only}${code === undefined ? '' : ` with error ${code}`}`,
    })
  }
  const buttons = (onClick: (kind: LeaseActionKind) => void, suffix: string): ReactNode =>
    kinds.map((kind) => (
      <Button key={kind} isSmall disabled={isBusy} onClick={() => onClick(kind)}>
        {actionLabels[kind]}
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
        {affected.map((stage) => (
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
            <span>{formatNumber(chosen.length)} selected</span>
            {buttons((kind) => onAct(kind, chosen), '')}
          </>
        )}
        {chosen.length === 0 &&
          total > 1 &&
          kinds.length > 0 &&
          (only === undefined ? (
            <span className="soft">Filter by worker to act on all its ranges</span>
          ) : (
            buttons(confirmAll, ' all')
          ))}
      </div>
    </div>
  )
}

const actionLabels: Record<LeaseActionKind, string> = { requeue: 'Requeue', split: 'Split', skip: 'Skip' }
const statusLabels = { flagged: 'stuck', failed: 'retrying', skipped: 'skipped' }
