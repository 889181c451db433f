import type { ReactNode } from 'react'
import { Loading, NothingHere } from '../../../kit/state.tsx'
import type { LiveState } from '../../live-feed.ts'

/** In place of what the live feed has not told yet. */
export function Waiting({ state, what }: { readonly state: LiveState; readonly what: string }): ReactNode {
  if (state.link === 'live' && state.isCaughtUp) {
    return <NothingHere title={`No ${what} so far`}>They show up here by themselves as soon as they are indexed.</NothingHere>
  }
  return <Loading rows={6} label={`Loading ${what}`} />
}
