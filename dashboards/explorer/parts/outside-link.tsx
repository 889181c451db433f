import type { ReactNode } from 'react'
import { Icon } from '../../kit/icon.tsx'

/** A link that somebody else wrote: only to the web, and it is told nothing of this page. */
export function OutsideLink({ to }: { readonly to: string }): ReactNode {
  const isWeb = URL.canParse(to) && ['https:', 'http:'].includes(new URL(to).protocol)
  if (!isWeb) return <span className="wrap">{to}</span>
  return (
    <a className="outside" href={to} target="_blank" rel="noreferrer noopener nofollow ugc">
      {to} <Icon name="external" size={13} />
      <span className="visually-hidden"> (opens a new tab)</span>
    </a>
  )
}
