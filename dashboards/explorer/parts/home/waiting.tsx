import type { ReactNode } from 'react'
import { Loading, NothingHere } from '../../../kit/state.tsx'
import type { LiveState } from '../../live-feed.ts'

export interface WaitingProps {
  readonly state: LiveState
  readonly what: string
  /** How many will be there, so that nothing moves when they come. */
  readonly rows?: number
}

/** In place of what the live feed has not told yet. */
export function Waiting({ state, what, rows = 0 }: WaitingProps): ReactNode {
  if (state.link === 'live' && state.isCaughtUp) {
    return (
      <NothingHere title={`No ${what} so far`}>
        They show up here by themselves as soon as they are indexed.
      </NothingHere>
    )
  }
  return <Loading rows={rows} label={`Loading ${what}`} />
}
