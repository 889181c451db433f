import { useState } from 'react'
import type { ReactNode } from 'react'
import { Dialog } from '../../kit/dialog.tsx'

export interface NameDialogProps {
  readonly title: string
  readonly label: string
  readonly action: string
  readonly first: string
  readonly hint?: string
  /** Says what is wrong with a name; undefined for a good one. */
  readonly check: (name: string) => string | undefined
  readonly onName: (name: string) => void
  readonly onClose: () => void
}

/** Asks for a name or a path, and says why one cannot be taken. */
export function NameDialog({ title, label, action, first, hint, check, onName, onClose }: NameDialogProps): ReactNode {
  const [name, setName] = useState(first)
  const [isTried, setIsTried] = useState(false)
  const problem = check(name.trim())
  return (
    <Dialog
      title={title}
      action={action}
      error={isTried ? problem : undefined}
      onClose={onClose}
      onSubmit={() => {
        setIsTried(true)
        if (problem === undefined) onName(name.trim())
      }}
    >
      <label className="field">
        <span>{label}</span>
        <input
          className="input mono"
          value={name}
          autoFocus
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          aria-invalid={isTried && problem !== undefined}
          onFocus={({ target }) => {
            const { value } = target
            // Who comes back to what they typed goes on where they are.
            if (value !== first) return
            const dot = value.lastIndexOf('.')
            target.setSelectionRange(value.lastIndexOf('/') + 1, dot > value.lastIndexOf('/') ? dot : value.length)
          }}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {hint !== undefined && <p className="soft small">{hint}</p>}
    </Dialog>
  )
}
