import { useEffect, useRef } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'

export interface TabMenuPlace {
  readonly path: string
  readonly x: number
  readonly y: number
}

interface TabMenuProps {
  readonly place: TabMenuPlace
  readonly items: readonly { readonly name: string; readonly act: () => void }[]
  readonly onClose: () => void
}

/** Browsers open it at a right click, and for Shift+F10 or the menu key on a tab. */
export function TabMenu({ place: { path, x, y }, items, onClose }: TabMenuProps): ReactNode {
  const menu = useRef<HTMLDivElement>(null)
  const latest = useRef(onClose)
  useEffect(() => {
    const previousFocus = document.activeElement
    const element = menu.current
    // An automatic popover would close when the button of the mouse is released.
    element?.showPopover()
    element?.querySelector('button')?.focus()
    const close = ({ target }: Event): void => {
      if (!(target instanceof Node && element?.contains(target) === true)) latest.current()
    }
    document.addEventListener('pointerdown', close)
    document.addEventListener('focusin', close)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('focusin', close)
      if (previousFocus instanceof HTMLElement && document.activeElement === document.body) previousFocus.focus()
    }
  }, [])
  const press = (event: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else if (move !== undefined) {
      const buttons = [...(menu.current?.querySelectorAll('button') ?? [])]
      const at = buttons.findIndex((button) => button === document.activeElement)
      buttons[(at + move + buttons.length) % buttons.length]?.focus()
    } else return
    event.preventDefault()
  }
  return (
    <div
      ref={menu}
      className="tab-menu"
      role="menu"
      tabIndex={-1}
      aria-label={path}
      popover="manual"
      style={{ left: `min(${x}px, 100vw - 12rem)`, top: `min(${y}px, 100vh - 8rem)` }}
      onKeyDown={press}
    >
      {items.map(({ name, act }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            onClose()
            act()
          }}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
