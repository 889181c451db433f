import { useEffect, useId, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'

/** A window over the page, for what is more than a question. Open for as long as it is rendered; Escape and its cross close it. */
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
