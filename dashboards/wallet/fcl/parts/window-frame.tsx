import type { ReactNode } from 'react'
import { Brand } from '../../../kit/brand.tsx'
import { Icon } from '../../../kit/icon.tsx'

export interface WindowFrameProps {
  /** Of the application, as the browser says; what it says of itself is shown nowhere. */
  readonly origin?: string | undefined
  /** It sent another request after the one that is shown. */
  readonly hasMore?: boolean
  readonly children: ReactNode
}

/** A small window beside an application: above all who asks, and then what. */
export function WindowFrame({ origin, hasMore = false, children }: WindowFrameProps): ReactNode {
  return (
    <div className="fcl">
      <header className="fcl-top">
        <Brand />
      </header>
      {origin !== undefined && (
        <p className="fcl-origin">
          <Icon name="globe" size={20} />
          <span>
            <span className="soft small">This page asks you</span>
            <b>{origin}</b>
          </span>
        </p>
      )}
      {hasMore && (
        <p className="banner" role="status">
          The page sent another request meanwhile. Nobody looked at it: what you see here is the first one.
        </p>
      )}
      <main id="main" className="fcl-main">
        {children}
      </main>
    </div>
  )
}
