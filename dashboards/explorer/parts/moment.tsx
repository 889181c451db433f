import type { ReactNode } from 'react'
import { Age } from '../../kit/age.tsx'
import { formatTime } from '../../kit/formats.ts'

/** When something was: exact, and how long ago. */
export function Moment({ at }: { readonly at: string | null }): ReactNode {
  if (at === null) return <span className="soft">not known</span>
  return (
    <>
      {formatTime(at)}{' '}
      <span className="soft">
        (<Age since={at} />)
      </span>
    </>
  )
}
