import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UseMutationResult } from '@tanstack/react-query'
import { Age, useNow } from '../kit/time.tsx'
import { Badge, Button, Icon } from '../kit/controls.tsx'
import { formatCount, formatDuration, formatNumber, formatRange, formatTime } from '../kit/formats.ts'
import { Cell, Row, RowName } from '../kit/table.tsx'
import { useToast } from '../kit/toast.tsx'
import type { Lease } from './answers.gen.ts'
import type { LeaseTarget } from './api.ts'
import { useView } from './use-view.ts'
import { api } from './api.ts'

interface LeaseRowProps {
  readonly lease: Lease
  readonly isSelected: boolean
  readonly isBusy: boolean
  readonly onSelect: (isSelected: boolean) => void
  readonly onAct: (kind: LeaseActionKind) => void
  readonly onRederive: () => void
}

export function LeaseRow({ lease, isSelected, isBusy, onSelect, onAct, onRederive }: LeaseRowProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const [, change] = useView()
  const detailsId = useId()
  const { worker, from, to, status, attempt, expiries, code, error, reason, updatedAt } = lease
  const name = `${worker} ${formatRange(lease)}`
  const isSkipped = status === 'skipped'
  return (
    <>
      <Row className={isOpen ? 'open' : ''}>
        {!isSkipped && (
          <Cell className="tick">
            <input
              type="checkbox"
              className="check"
              aria-label={`Select ${name}`}
              checked={isSelected}
              onChange={(event) => onSelect(event.target.checked)}
            />
          </Cell>
        )}
        <RowName className="lease-worker">{worker}</RowName>
        <Cell className="lease-heights">
          <span className="nowrap">{formatRange(lease)}</span>{' '}
          {to - from > 1 && <span className="note">{formatCount(to - from, 'height')}</span>}
        </Cell>
        <Cell className="lease-error">
          <div>
            {!isSkipped && code !== null && (
              <Badge
                tone={status === 'flagged' ? 'bad' : 'warn'}
                label={`Show only the error ${code}`}
                onClick={() => change({ code })}
              >
                {code}
              </Badge>
            )}
            <span className="message" title={(isSkipped ? reason : error) ?? undefined}>
              {isSkipped ? (reason ?? 'no reason given') : (error ?? 'the process did not renew its lease')}
            </span>
          </div>
        </Cell>
        <Cell
          className="number"
          label="Attempts"
          title={expiries > 0 ? `Lease expired ${formatCount(expiries, 'time')}` : undefined}
        >
          {formatNumber(attempt)}
        </Cell>
        <Cell className="number" label={status === 'failed' ? 'Next attempt' : 'Since'}>
          {status === 'failed' && lease.notBefore !== null ? (
            <Countdown until={lease.notBefore} />
          ) : (
            <Age since={updatedAt} />
          )}
        </Cell>
        <Cell className="lease-actions">
          {isSkipped && (
            <Button isSmall aria-label={`Re-derive ${name}`} onClick={onRederive}>
              Re-derive…
            </Button>
          )}
          {!isSkipped && (
            <Button isSmall disabled={isBusy} aria-label={`Requeue ${name}`} onClick={() => onAct('requeue')}>
              Requeue
            </Button>
          )}
          {!isSkipped && (
            <Button
              isSmall
              disabled={isBusy || to - from < 2}
              title={to - from < 2 ? 'A single block cannot be split' : undefined}
              aria-label={`Split ${name}`}
              onClick={() => onAct('split')}
            >
              Split
            </Button>
          )}
          {!isSkipped && (
            <Button isSmall disabled={isBusy} aria-label={`Skip ${name}`} onClick={() => onAct('skip')}>
              Skip
            </Button>
          )}
          <Button
            look="plain"
            isSmall
            isIcon
            aria-label={`Details of ${name}`}
            aria-expanded={isOpen}
            aria-controls={detailsId}
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name="chevron" size={14} />
          </Button>
        </Cell>
      </Row>
      {isOpen && (
        <Row className="details">
          <Cell id={detailsId} colSpan={isSkipped ? 6 : 7}>
            <LeaseDetails lease={lease} />
          </Cell>
        </Row>
      )}
    </>
  )
}

function Countdown({ until }: { readonly until: string }): ReactNode {
  const seconds = (Date.parse(until) - useNow()) / 1000
  return <>{seconds <= 0 ? 'now' : `in ${formatDuration(seconds)}`}</>
}

function LeaseDetails({ lease }: { readonly lease: Lease }): ReactNode {
  const showToast = useToast()
  const { error, stack, reason, leasedBy, notBefore, createdAt, updatedAt, attempt, expiries } = lease
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(JSON.stringify(lease, null, 2))
      showToast('Copied.')
    } catch (failure) {
      showToast(
        failure instanceof DOMException ? 'Could not copy: the browser blocked clipboard access.' : String(failure),
        'bad',
      )
    }
  }
  return (
    <div className="lease-details">
      {reason !== null && (
        <p>
          <strong>Reason:</strong> {reason}
        </p>
      )}
      {error !== null && stack?.includes(error) !== true && <p className="full-error">{error}</p>}
      {stack !== null && (
        <pre tabIndex={0} aria-label="Stack">
          {stack}
        </pre>
      )}
      <dl className="facts">
        <div>
          <dt>Attempts</dt>
          <dd>
            {formatNumber(attempt)}
            {expiries > 0 && `, ${formatCount(expiries, 'lease')} expired`}
          </dd>
        </div>
        {leasedBy !== null && (
          <div>
            <dt>Last process</dt>
            <dd>
              <code>{leasedBy}</code>
            </dd>
          </div>
        )}
        {notBefore !== null && (
          <div>
            <dt>Not before</dt>
            <dd>{formatTime(notBefore)}</dd>
          </div>
        )}
        <div>
          <dt>Created</dt>
          <dd>{formatTime(createdAt)}</dd>
        </div>
        <div>
          <dt>Last change</dt>
          <dd>
            {formatTime(updatedAt)} (<Age since={updatedAt} />)
          </dd>
        </div>
      </dl>
      <Button isSmall onClick={() => void copy()}>
        <Icon name="copy" size={14} />
        Copy as JSON
      </Button>
    </div>
  )
}

export type LeaseActionKind = 'requeue' | 'split' | 'skip'

export interface LeaseAction {
  readonly kind: LeaseActionKind
  readonly target: LeaseTarget
  readonly count: number
  readonly label: string
}

export interface ConfirmedAction extends LeaseAction {
  readonly pieces: number
  readonly reason: string
}

const results: Record<LeaseActionKind, string> = { requeue: 'requeued', split: 'split', skip: 'skipped' }

export function useLeaseAction(onDone: () => void): UseMutationResult<{ changed: number }, Error, ConfirmedAction> {
  const queryClient = useQueryClient()
  const showToast = useToast()
  return useMutation({
    mutationFn: ({ kind, target, pieces, reason }: ConfirmedAction) => {
      if (kind === 'requeue') return api.requeue(target)
      return kind === 'split' ? api.split(target, pieces) : api.skip(target, reason)
    },
    onSuccess: async ({ changed }, { kind }) => {
      showToast(
        changed === 0
          ? 'Nothing changed: the ranges are no longer in this state.'
          : `${formatCount(changed, 'range')} ${results[kind]}.`,
      )
      onDone()
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['leases'] }),
        queryClient.invalidateQueries({ queryKey: ['coverage'] }),
      ])
    },
  })
}
