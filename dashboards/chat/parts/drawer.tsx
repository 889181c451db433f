import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'

/** What is beside the page where it is wide: over it where it is narrow. Escape and a click beside it close it. */
export function Drawer({ label, onClose, children }: { readonly label: string; readonly onClose: () => void; readonly children: ReactNode }): ReactNode {
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
    <dialog ref={dialog} className="drawer" aria-label={label} onClose={(event) => { if (event.target === dialog.current) onClose() }}>
      <div className="sidebar">
        <Button look="plain" isIcon aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </Button>
        {children}
      </div>
    </dialog>
  )
}
