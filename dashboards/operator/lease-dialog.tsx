import { useState } from 'react'
import type { ReactNode } from 'react'
import { Dialog } from '../kit/dialog.tsx'
import { formatCount } from '../kit/formats.ts'
import type { ConfirmedAction, LeaseAction } from './lease-action.ts'

export interface LeaseDialogProps {
  readonly action: LeaseAction
  readonly isBusy: boolean
  readonly error: string | undefined
  readonly onConfirm: (action: ConfirmedAction) => void
  readonly onClose: () => void
}

/** Asks before leases are changed: for the reason of a skip, the pieces of a split, and whether all are really meant. */
export function LeaseDialog({ action, isBusy, error, onConfirm, onClose }: LeaseDialogProps): ReactNode {
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
      text: 'Each piece is run for itself, so that one bad block no longer holds up its neighbours. Ranges of one block stay as they are.',
    },
    skip: {
      title: `Skip ${ranges}?`,
      action: 'Skip',
      text: `${isOne ? 'Its' : 'Their'} rows will be missing until somebody has ${isOne ? 'it' : 'them'} derived again. What is skipped stays listed with your reason, and the workers that follow go on without it.`,
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
