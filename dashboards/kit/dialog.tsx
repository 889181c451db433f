import { useEffect, useId, useRef } from 'react'
import type { DialogHTMLAttributes, ReactNode, RefAttributes } from 'react'
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
  const modal = useModal(onClose)
  const titleId = useId()
  return (
    <dialog {...modal} className="dialog" aria-labelledby={titleId}>
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
  const modal = useModal(onClose)
  const titleId = useId()
  return (
    <dialog {...modal} className={`dialog modal${isWide ? ' wide' : ''}`} aria-labelledby={titleId}>
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

type ModalAttributes = RefAttributes<HTMLDialogElement> &
  Pick<DialogHTMLAttributes<HTMLDialogElement>, 'onCancel' | 'onClose'>

/**
 * Restores the focus on unmount, which browsers do only after `close()`. Escape unmounts the dialog
 * at once: the `close` event of the browser can follow a key that opens the dialog again.
 */
function useModal(onClose: () => void): ModalAttributes {
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
  return {
    ref: dialog,
    onClose,
    onCancel: (event) => {
      // File inputs in the dialog have the same event.
      if (event.target !== event.currentTarget) return
      event.preventDefault()
      onClose()
    },
  }
}
