import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { usePlace } from '../../kit/router.ts'

export interface PageTitleProps {
  /** Names the page in the browser and in its heading. */
  readonly title: string
  /** What it is one of. */
  readonly kind?: string
  /** What stands in the heading in place of the title. */
  readonly children?: ReactNode
  /** Behind the heading. */
  readonly aside?: ReactNode
}

/** The heading of a page. It gets the focus when one comes from another page, so that the page is read from its start. */
export function PageTitle({ title, kind, children, aside }: PageTitleProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null)
  const { visits } = usePlace()
  useEffect(() => {
    document.title = `${kind === undefined ? '' : `${kind} `}${title} – flowfarm`
  }, [title, kind])
  useEffect(() => {
    if (visits > 0) heading.current?.focus({ preventScroll: true })
  }, [visits])
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
