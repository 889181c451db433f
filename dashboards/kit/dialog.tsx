import { useEffect, useId, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button, Icon } from './controls.tsx'

interface DialogProps {
  readonly title: string
  /** The label of the button that does it. */
  readonly action: string
  readonly isDangerous?: boolean
  readonly isBusy?: boolean
  /** What went wrong at the last try. */
  readonly error?: string | undefined
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A question before something is done. Open for as long as it is rendered; Escape and Cancel close it. */
export function Dialog({
  title,
  action,
  isDangerous = false,
  isBusy = false,
  error,
  onSubmit,
  onClose,
  children,
}: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current
    if (element === null || element.open) return
    const cameFrom = document.activeElement
    element.showModal()
    // A dialog that is taken out of the page, as React does, gives the focus back to nobody.
    return () => {
      if (cameFrom instanceof HTMLElement && cameFrom.isConnected) cameFrom.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <h2 id={titleId}>{title}</h2>
        <div className="body">{children}</div>
        {error !== undefined && (
          <p className="field-error" role="alert">
            {error}
          </p>
        )}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={isDangerous ? 'danger' : 'strong'} disabled={isBusy}>
            {action}
          </Button>
        </footer>
      </form>
    </dialog>
  )
}

/** A modal window, open while it is rendered; Escape and the cross close it. */
export function Modal({
  title,
  isWide = false,
  onClose,
  children,
}: {
  readonly title: string
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current
    if (element === null || element.open) return
    const cameFrom = document.activeElement
    element.showModal()
    return () => {
      if (cameFrom instanceof HTMLElement && cameFrom.isConnected) cameFrom.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} className={`dialog modal${isWide ? ' wide' : ''}`} aria-labelledby={titleId} onClose={onClose}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <Button look="plain" isIcon isSmall aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </Button>
      </header>
      {children}
    </dialog>
  )
}
