import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'

export interface DrawerProps {
  readonly label: string
  /** From the left, or from below. */
  readonly look: 'drawer' | 'sheet'
  readonly onClose: () => void
  readonly children: ReactNode
}

/** What is beside the page where it is wide: over it where it is narrow. Escape and a click beside it close it. */
export function Drawer({ label, look, onClose, children }: DrawerProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (element === null || element.open) return
    const cameFrom = document.activeElement
    element.showModal()
    const click = (event: MouseEvent): void => {
      if (event.target === element) element.close()
    }
    element.addEventListener('click', click)
    return () => {
      element.removeEventListener('click', click)
      if (cameFrom instanceof HTMLElement && cameFrom.isConnected) cameFrom.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={look}
      aria-label={label}
      onClose={(event) => {
        // Dialogs within it tell of their own end too.
        if (event.target === dialog.current) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
