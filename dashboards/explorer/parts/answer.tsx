import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Failure, Loading, NothingHere } from '../../kit/state.tsx'
import { ApiProblem, failureText, problemText } from '../api.ts'

export interface AnswerProps<Value> {
  readonly query: UseQueryResult<Value>
  /** What is waited for: `the block`. */
  readonly what: string
  readonly rows?: number
  readonly children: (value: Value) => ReactNode
}

/** What was asked for, or words for why it is not there. */
export function Answer<Value>({ query, what, rows = 4, children }: AnswerProps<Value>): ReactNode {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Trouble error={query.error} what={what} onRetry={() => void query.refetch()} />
  return <Loading rows={rows} label={`Loading ${what}`} />
}

/** Says that something is not there, or why it could not be had. */
export function Trouble({
  error,
  what,
  onRetry,
}: {
  readonly error: unknown
  readonly what: string
  readonly onRetry: () => void
}): ReactNode {
  if (error instanceof ApiProblem && error.status === 404) {
    return (
      <NothingHere title={`Nobody here knows ${what}`}>
        {problemText(error)} It may be newer than what is indexed, older than the first block that is kept, or of
        another network.
      </NothingHere>
    )
  }
  if (error instanceof ApiProblem && error.status === 400) {
    return (
      <NothingHere title={`This address does not lead to ${what}`}>
        {problemText(error)} Look whether it was copied whole, or search for it above.
      </NothingHere>
    )
  }
  return <Failure title={`Could not load ${what}`} detail={failureText(error)} onRetry={onRetry} />
}
