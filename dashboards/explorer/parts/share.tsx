import type { ReactNode } from 'react'
import { formatPart } from '../text.ts'

/** A part of a whole, 0 to 1, in per cent and as a bar; null where it is not known. */
export function Share({ part }: { readonly part: number | null }): ReactNode {
  if (part === null) return <span className="soft">–</span>
  return (
    <span className="share">
      {formatPart(part)}
      <span className="share-bar" aria-hidden="true">
        <i style={{ width: `${Math.min(100, part * 100)}%` }} />
      </span>
    </span>
  )
}
