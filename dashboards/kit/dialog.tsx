import { useEffect, useId, useRef } from 'react'
import type { ReactNode, RefObject } from 'react'
import { Button, FieldError, Form, Icon } from './controls.tsx'

interface DialogProps {
  readonly title: string
  readonly action: string
  readonly isDangerous?: boolean
  readonly isBusy?: boolean
  readonly error?: string | undefined
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

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
  const dialog = useModalDialog()
  const titleId = useId()
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <Form onSubmit={onSubmit}>
        <h2 id={titleId}>{title}</h2>
        <div className="body">{children}</div>
        <FieldError>{error}</FieldError>
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={isDangerous ? 'danger' : 'strong'} disabled={isBusy}>
            {action}
          </Button>
        </footer>
      </Form>
    </dialog>
  )
}

interface ModalProps {
  readonly title: string
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Modal({ title, isWide = false, onClose, children }: ModalProps): ReactNode {
  const dialog = useModalDialog()
  const titleId = useId()
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

/** Restores the focus on unmount, which browsers do only after `close()`. */
function useModalDialog(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (element === null || element.open) return
    const previousFocus = document.activeElement
    element.showModal()
    return () => {
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus()
    }
  }, [])
  return dialog
}
