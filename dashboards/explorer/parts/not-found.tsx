import type { ReactNode } from 'react'
import { Link } from '../../kit/link.tsx'
import { PageTitle } from './page-title.tsx'

/** There is no such part of the page. */
export function NotFound(): ReactNode {
  return (
    <section className="panel alone-panel">
      <PageTitle title="There is no such page" />
      <p>
        Nothing of the explorer has the address <code>{decodeQuietly(location.pathname)}</code>. A letter may be
        missing, or it was moved.
      </p>
      <p className="button-row">
        <Link to="/" className="button strong">
          To the start
        </Link>
        <Link to="/blocks" className="button">
          Latest blocks
        </Link>
        <Link to="/transactions" className="button">
          Latest transactions
        </Link>
      </p>
      <p className="soft">Or search above for a height, an id, an address or a name: the key / leads there.</p>
    </section>
  )
}

function decodeQuietly(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
