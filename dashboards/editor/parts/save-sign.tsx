import type { ReactNode } from 'react'
import { Icon } from '../../kit/icon.tsx'
import type { SaveState } from '../save/project-saver.ts'

export interface SaveSignProps {
  readonly save: SaveState
  readonly isTouched: boolean
  /** Why the browser keeps nothing. */
  readonly draftProblem: string | undefined
  readonly onConflict: () => void
  readonly onRetry: () => void
}

/** Says always how safe the work is. */
export function SaveSign({ save, isTouched, draftProblem, onConflict, onRetry }: SaveSignProps): ReactNode {
  return (
    <span className="save-sign" role="status" aria-label="Saving">
      {content()}
    </span>
  )

  function content(): ReactNode {
    switch (save.is) {
      case 'saved':
        return (
          <span className="good-text">
            <Icon name="check" size={14} /> Saved
          </span>
        )
      case 'saving':
        return (
          <span className="soft">
            <span className="spinner" /> Saving…
          </span>
        )
      case 'unsaved':
        return <span className="soft">Not saved yet</span>
      case 'read-only':
        return <span className="soft">Read only</span>
      case 'conflict':
        return (
          <button type="button" className="save-problem" onClick={onConflict}>
            <Icon name="alert" size={14} /> Changed elsewhere too: choose
          </button>
        )
      case 'failed':
        return (
          <button type="button" className="save-problem" title={save.reason} onClick={onRetry}>
            <Icon name="alert" size={14} /> <span>Not saved: {save.reason}</span>
          </button>
        )
      case 'local':
        if (draftProblem !== undefined)
          return (
            <span className="bad-text" title={draftProblem}>
              <Icon name="alert" size={14} /> Not kept: {draftProblem}
            </span>
          )
        return <span className="soft">{isTouched ? 'Kept in this browser' : 'Nothing changed yet'}</span>
    }
  }
}
