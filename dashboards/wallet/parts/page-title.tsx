import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { usePlace } from '../../kit/router.ts'

/** The heading of a page. It gets the focus when one comes from another page, so that the page is read from its start. */
export function PageTitle({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null)
  const { visits } = usePlace()
  useEffect(() => {
    document.title = `${title} – flowfarm wallet`
    if (visits > 0) heading.current?.focus({ preventScroll: true })
  }, [title, visits])
  return (
    <header className="page-title">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </header>
  )
}
