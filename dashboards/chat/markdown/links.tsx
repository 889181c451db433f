import type { ReactNode } from 'react'
import { shownText } from '../../kit/cell-text.ts'
import { Icon } from '../../kit/icon.tsx'
import { explorerAddress, explorerPath } from './explorer-path.ts'
import type { IdHint } from './explorer-path.ts'
import { linkAllowed } from './link-rules.ts'
import { usePlaces } from './places.ts'

const longestAddress = 300

/** A link where it may lead; else its words with the address as text, so that one sees where it would have led. */
export function SafeLink({
  href = '',
  text,
  children,
}: {
  readonly href?: string | undefined
  readonly text: string
  readonly children: ReactNode
}): ReactNode {
  const places = usePlaces()
  if (linkAllowed(href, places)) {
    return (
      <a className="outside" href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children}
        <span className="visually-hidden"> (opens a new tab)</span>
      </a>
    )
  }
  return (
    <span>
      {text !== href && <>{children} </>}
      <Address address={href} />
    </span>
  )
}

/** A picture is never loaded: whoever made the answer show it would learn who reads it, and what is in the address. */
export function PictureText({ address, alt }: { readonly address: string; readonly alt: string }): ReactNode {
  return (
    <span className="picture-text" title="Pictures in answers are not loaded">
      <Icon name="picture" size={14} />
      <span>
        {alt === '' ? 'Picture' : shownText(alt)} <Address address={address} />
      </span>
    </span>
  )
}

function Address({ address }: { readonly address: string }): ReactNode {
  const shown = shownText(address.length > longestAddress ? `${address.slice(0, longestAddress)}…` : address)
  return shown === '' ? null : <bdi className="address">{shown}</bdi>
}

/** An address, an id or a height leads to the explorer, where there is one. */
export function IdLink({
  text,
  hint,
  children,
}: {
  readonly text: string
  readonly hint?: IdHint | undefined
  readonly children: ReactNode
}): ReactNode {
  const { explorerUrl } = usePlaces()
  const path = explorerUrl === undefined ? undefined : explorerPath(text, hint)
  if (explorerUrl === undefined || path === undefined) return children
  return (
    <a
      className="id-link"
      href={explorerAddress(explorerUrl, path)}
      target="_blank"
      rel="noopener noreferrer"
      title="Look at it in the explorer"
    >
      {children}
    </a>
  )
}
