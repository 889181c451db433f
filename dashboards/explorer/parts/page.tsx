import { useEffect, useRef, useId } from 'react'
import type { ReactNode } from 'react'
import { useLocation, useSearchValue } from '../../kit/router.tsx'
import { Tabs, tabId } from '../../kit/tabs.tsx'

interface PageTitleProps {
  /** Names the page in the browser and in its heading. */
  readonly title: string
  /** What it is one of. */
  readonly kind?: string
  /** What stands in the heading in place of the title. */
  readonly children?: ReactNode
  /** Behind the heading. */
  readonly aside?: ReactNode
}

/** Page heading; receives the focus after navigation, so that reading starts there. */
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

/** Names and values of one thing. */
export function DetailList({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="details">{children}</dl>
}

export function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A few numbers that tell most. */
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

interface AddressTab {
  readonly name: string
  readonly label: ReactNode
  readonly render: () => ReactNode
}

/** Tabs whose choice is in the address, so that a link shows the same to somebody else. The first is the usual one. */
export function AddressTabs({
  label,
  tabs,
}: {
  readonly label: string
  readonly tabs: readonly AddressTab[]
}): ReactNode {
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

const spans = [30, 90, 365] as const
const usual = spans[0]

/** How many days the charts of a page show, as the address has it. */
export function useSpan(): number {
  const [chosen] = useSearchValue('days')
  return spans.find((span) => String(span) === chosen) ?? usual
}

export function SpanChoice(): ReactNode {
  const [, choose] = useSearchValue('days')
  const chosen = useSpan()
  return (
    <div className="button-row" role="group" aria-label="Days">
      {spans.map((span) => (
        <button
          key={span}
          type="button"
          className="button small"
          aria-pressed={span === chosen}
          onClick={() => choose(span === usual ? '' : String(span))}
        >
          {span} days
        </button>
      ))}
    </div>
  )
}
