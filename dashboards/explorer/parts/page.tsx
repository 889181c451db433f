import { useEffect, useRef, useId } from 'react'
import type { ReactNode } from 'react'
import { useLocation, useSearchValue } from '../../kit/router.tsx'
import { Tabs, tabId } from '../../kit/tabs.tsx'

interface PageTitleProps {
  readonly title: string
  readonly kind?: string
  readonly children?: ReactNode
  readonly aside?: ReactNode
}

/** Focused after navigation, so that screen readers start there. */
export function PageTitle({ title, kind, children, aside }: PageTitleProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null)
  const { navigations } = useLocation()
  useEffect(() => {
    document.title = `${kind === undefined ? '' : `${kind} `}${title} – flowfarm`
  }, [title, kind])
  useEffect(() => {
    if (navigations > 0) heading.current?.focus({ preventScroll: true })
  }, [navigations])
  return (
    <header className="page-title">
      <h1 ref={heading} tabIndex={-1}>
        {kind !== undefined && <span className="kind">{kind} </span>}
        {children ?? title}
      </h1>
      {aside}
    </header>
  )
}

export function DetailList({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="details">{children}</dl>
}

interface DetailPanelProps {
  readonly label: string
  readonly children: ReactNode
}

export function DetailPanel({ label, children }: DetailPanelProps): ReactNode {
  return (
    <section className="panel" aria-label={label}>
      <DetailList>{children}</DetailList>
    </section>
  )
}

export function Detail({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function KeyNumbers({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="panel key-numbers">{children}</dl>
}

interface KeyNumberProps {
  readonly name: string
  readonly note?: ReactNode
  readonly children: ReactNode
}

export function KeyNumber({ name, note, children }: KeyNumberProps): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="value">{children}</span>
        {note !== undefined && <span className="note">{note}</span>}
      </dd>
    </div>
  )
}

interface UrlTab {
  readonly name: string
  readonly label: ReactNode
  readonly render: () => ReactNode
}

interface UrlTabsProps {
  readonly label: string
  readonly tabs: readonly UrlTab[]
}

export function UrlTabs({ label, tabs }: UrlTabsProps): ReactNode {
  const [chosen, choose] = useSearchValue('tab')
  const panelId = useId()
  const selected = tabs.find(({ name }) => name === chosen) ?? tabs[0]
  if (selected === undefined) return null
  return (
    <>
      <Tabs
        label={label}
        tabs={tabs}
        selected={selected.name}
        panelId={panelId}
        onSelect={(name) => choose(name === tabs[0]?.name ? '' : name)}
      />
      <div id={panelId} role="tabpanel" aria-labelledby={tabId(panelId, selected.name)} className="tab-panel">
        {selected.render()}
      </div>
    </>
  )
}

const dayRanges = [30, 90, 365] as const

export function useDays(): number {
  const [chosen] = useSearchValue('days')
  return dayRanges.find((days) => String(days) === chosen) ?? dayRanges[0]
}

export function DaysButtons(): ReactNode {
  const [, choose] = useSearchValue('days')
  const selected = useDays()
  return (
    <div className="button-row" role="group" aria-label="Days">
      {dayRanges.map((days) => (
        <button
          key={days}
          type="button"
          className="button small"
          aria-pressed={days === selected}
          onClick={() => choose(days === dayRanges[0] ? '' : String(days))}
        >
          {days} days
        </button>
      ))}
    </div>
  )
}
