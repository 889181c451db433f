import { useEffect, useRef } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'

export interface Tab<Name extends string> {
  readonly name: Name
  readonly label: ReactNode
}

export interface TabsProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly selected: Name
  readonly panelId: string
  readonly onSelect: (name: Name) => void
}

export function tabId(panelId: string, name: string): string {
  return `${panelId}-tab-${name}`
}

export function Tabs<Name extends string>({ label, tabs, selected, panelId, onSelect }: TabsProps<Name>): ReactNode {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>(`#${CSS.escape(tabId(panelId, selected))}`)
    if (list.current === null || tab === null || tab === undefined) return
    const { scrollLeft, clientWidth } = list.current
    if (tab.offsetLeft < scrollLeft || tab.offsetLeft + tab.offsetWidth > scrollLeft + clientWidth)
      list.current.scrollLeft = tab.offsetLeft
  }, [panelId, selected])
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.name === selected)
    const targets: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    const index = (target + tabs.length) % tabs.length
    const tab = tabs[index]
    if (tab === undefined) return
    onSelect(tab.name)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus()
  }
  return (
    <div ref={list} className="tabs" role="tablist" aria-label={label}>
      {tabs.map((tab) => (
        <button
          key={tab.name}
          type="button"
          role="tab"
          className="tab"
          id={tabId(panelId, tab.name)}
          aria-selected={tab.name === selected}
          aria-controls={panelId}
          tabIndex={tab.name === selected ? 0 : -1}
          onClick={() => onSelect(tab.name)}
          onKeyDown={move}
        >
          {tab.label}
        </button>
      ))}
    </div>
  )
}
