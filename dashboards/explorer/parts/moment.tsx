import type { ReactNode } from 'react'
import { Ago } from '../../kit/age.tsx'
import { formatTime } from '../../kit/formats.ts'

/** When something was or will be: exact, and how long ago or from now. */
export function Moment({ at }: { readonly at: string | null }): ReactNode {
  if (at === null) return <span className="soft">not known</span>
  return (
    <>
      {formatTime(at)}{' '}
      <span className="soft nowrap">
        (<Ago at={at} />)
      </span>
    </>
  )
}
