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
import type { Lease, Overview } from './contract.ts'
import { useLeaseAction, LeaseRow } from './lease-row.tsx'
import type { LeaseAction, LeaseActionKind, ConfirmedAction } from './lease-row.tsx'
import { RederiveDialog } from './rederive-dialog.tsx'
import { ShowMore, useLimit } from './parts.tsx'
import { useView } from './use-view.ts'
import { Badge, Button } from '../kit/controls.tsx'

interface LeaseListProps {
  readonly status: 'flagged' | 'failed' | 'skipped'
  readonly overview: Overview
  /** How many there are, as the overview has it: the list is read again when that changes. */
  readonly count: number
}

const refreshMs = 10_000
const emptyWords = {
  flagged: { title: 'Nothing needs you', text: 'No range has used up its retries.' },
  failed: { title: 'Nothing is being retried', text: 'Every range succeeded at its last run.' },
  skipped: { title: 'Nothing was skipped', text: 'No height has been given up.' },
}

/** The leases of a state, with what can be done about them: one by one, those that are ticked, or all of a worker. */
export function LeaseList({ status, overview, count }: LeaseListProps): ReactNode {
  const [{ worker, code }] = useView()
  const [limit, showMore] = useLimit()
  const leases = useQuery({
    // The count is part of the name, so that the list is read again when it changes.
    queryKey: ['leases', status, worker, code, limit, count],
    queryFn: ({ signal }) => api.leases(status, { worker, code, limit }, signal),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  const say = useToast()
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState<LeaseAction>()
  const [reopened, setReopened] = useState<Lease>()
  const act = useLeaseAction(() => {
    setAsked(undefined)
    setTicked(new Set())
    // The button that was pressed is likely gone with its row.
    document.getElementById('needs-you-list')?.focus({ preventScroll: true })
  })
  const rows = leases.data?.data ?? []
  const chosen = rows.filter((lease) => ticked.has(keyOf(lease)))
  const tick = (keys: readonly string[], isTicked: boolean): void => {
    const next = new Set(ticked)
    for (const key of keys) {
      if (isTicked) next.add(key)
      else next.delete(key)
    }
    setTicked(next)
  }
  const actOn = (kind: LeaseActionKind, targets: readonly Lease[]): void => {
    const [first] = targets
    if (first === undefined) return
    const label =
      targets.length === 1 ? `${first.worker} ${formatRange(first)}` : `${formatNumber(targets.length)} ticked ranges`
    const action = {
      kind,
      label,
      count: targets.length,
      target: { leases: targets.map(({ worker, from }) => ({ worker, from })) },
    }
    if (kind === 'requeue' && targets.length === 1)
      act.mutate({ ...action, pieces: 2, reason: '' }, { onError: (error) => say(problemText(error), 'bad') })
    else setAsked(action)
  }

  if (leases.data === undefined) {
    return leases.isError ? (
      <ErrorState
        title="The list cannot be read"
        detail={problemText(leases.error)}
        onRetry={() => void leases.refetch()}
      />
    ) : (
      <Loading rows={Math.min(4, Math.max(1, count))} label="Reading the list" />
    )
  }
  if (rows.length === 0 && worker === undefined && code === undefined) {
    return <SuccessState title={emptyWords[status].title}>{emptyWords[status].text}</SuccessState>
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
        onAsk={setAsked}
      />
      {rows.length === 0 ? (
        <SuccessState title="Nothing here">No range matches the filter.</SuccessState>
      ) : (
        <Table className="leases" aria-label={`${status} ranges`}>
          <TableHead>
            {status !== 'skipped' && (
              <ColumnName className="tick">
                <input
                  type="checkbox"
                  className="check"
                  aria-label="Tick all that are listed"
                  checked={chosen.length === rows.length}
                  ref={(box) => {
                    if (box !== null) box.indeterminate = chosen.length > 0 && chosen.length < rows.length
                  }}
                  onChange={(event) => tick(rows.map(keyOf), event.target.checked)}
                />
              </ColumnName>
            )}
            <ColumnName>Worker</ColumnName>
            <ColumnName>Heights</ColumnName>
            <ColumnName>{status === 'skipped' ? 'Reason' : 'Error'}</ColumnName>
            <ColumnName className="number">Runs</ColumnName>
            <ColumnName className="number">{status === 'failed' ? 'Next run' : 'Since'}</ColumnName>
            <ColumnName>
              <span className="visually-hidden">Actions</span>
            </ColumnName>
          </TableHead>
          <TableBody>
            {rows.map((lease) => (
              <LeaseRow
                key={keyOf(lease)}
                lease={lease}
                isTicked={ticked.has(keyOf(lease))}
                isBusy={act.isPending}
                onTick={(isTicked) => tick([keyOf(lease)], isTicked)}
                onAct={(kind) => actOn(kind, [lease])}
                onRederive={() => setReopened(lease)}
              />
            ))}
          </TableBody>
        </Table>
      )}
      <ShowMore shown={rows.length} total={leases.data.total} limit={limit} onMore={showMore} />
      {reopened !== undefined && (
        <RederiveDialog
          overview={overview}
          range={reopened}
          worker={reopened.worker}
          onClose={() => setReopened(undefined)}
        />
      )}
      {asked !== undefined && (
        <LeaseDialog
          action={asked}
          isBusy={act.isPending}
          error={act.error === null ? undefined : problemText(act.error)}
          onConfirm={act.mutate}
          onClose={() => {
            setAsked(undefined)
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

/** Confirms a change of leases: the reason of a skip, the pieces of a split, and the extent. */
function LeaseDialog({ action, isBusy, error, onConfirm, onClose }: LeaseDialogProps): ReactNode {
  const [pieces, setPieces] = useState(2)
  const [reason, setReason] = useState('')
  const { kind, count, label } = action
  const ranges = formatCount(count, 'range')
  const isOne = count === 1
  const words = {
    requeue: {
      title: `Requeue ${ranges}?`,
      action: 'Requeue',
      text: isOne
        ? 'It is run again at once, with all its retries.'
        : 'They are run again at once, with all their retries.',
    },
    split: {
      title: `Split ${ranges}?`,
      action: 'Split',
      text:
        'Each piece is run for itself, so that one bad block no longer holds up its neighbours. Ranges of one ' +
        'block stay as they are.',
    },
    skip: {
      title: `Skip ${ranges}?`,
      action: 'Skip',
      text:
        `${isOne ? 'Its' : 'Their'} rows will be missing until somebody has ${isOne ? 'it' : 'them'} derived ` +
        'again. What is skipped stays listed with your reason, and the workers that follow go on without it.',
    },
  }[kind]
  return (
    <Dialog
      title={words.title}
      action={words.action}
      isDangerous={kind === 'skip'}
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onSubmit={() => onConfirm({ ...action, pieces, reason: reason.trim() })}
    >
      <p className="dialog-subject">{label}</p>
      <p className="soft">{words.text}</p>
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
  /** How many match the filter. */
  readonly total: number
  readonly chosen: readonly Lease[]
  readonly isBusy: boolean
  readonly onAct: (kind: LeaseActionKind, leases: readonly Lease[]) => void
  readonly onAsk: (action: LeaseAction) => void
}

/** Filters of the list, and the buttons for many leases at once. */
function LeaseToolbar({ status, overview, total, chosen, isBusy, onAct, onAsk }: LeaseToolbarProps): ReactNode {
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
