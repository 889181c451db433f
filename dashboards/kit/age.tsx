import type { ReactNode } from 'react'
import { formatAge, formatAgo, formatTime } from './formats.ts'
import { useNow } from './use-now.ts'

/** How long ago something was, kept current; the exact time on hover. */
export function Age({ since }: { readonly since: string }): ReactNode {
  const now = useNow()
  return (
    <time className="nowrap" dateTime={since} title={formatTime(since)}>
      {formatAge(since, now)}
    </time>
  )
}

/** The same in a sentence: `4 min ago`, `in 3 h`. */
export function Ago({ at }: { readonly at: string }): ReactNode {
  const now = useNow()
  return (
    <time className="nowrap" dateTime={at} title={formatTime(at)}>
      {formatAgo(at, now)}
    </time>
  )
}
