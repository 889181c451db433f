import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { formatCount } from '../kit/formats.ts'
import { Failure, Loading, NothingHere } from '../kit/state.tsx'
import { ResultView } from './result-view.tsx'
import type { Task, TaskState, Work } from './task.ts'
import { useElapsed } from '../kit/use-elapsed.ts'

/** What came of the question or of the statement, or how far it is. It comes into sight when it is there. */
export function ResultPanel({ task: { state, start } }: { readonly task: Task }): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const { is } = state
  useEffect(() => {
    if (is === 'done' || is === 'failed') place.current?.scrollIntoView({ block: 'nearest' })
  }, [is])
  return (
    <div ref={place} className="result-place">
      {/* Screen readers tell of changes in what was there before. */}
      <p className="visually-hidden" role="status">
        {announcement(state)}
      </p>
      {is === 'done' ? (
        <ResultView key={state.at} work={state.work} result={state.result} />
      ) : (
        <section className="panel alone" aria-label="Result" aria-busy={is === 'busy'}>
          {is === 'idle' && (
            <NothingHere title="No result yet">
              Ask a question, or write SQL and run it. Nothing can be changed by it.
            </NothingHere>
          )}
          {is === 'written' && <NothingHere title="The SQL is written">Look at it, change it, and run it.</NothingHere>}
          {is === 'cancelled' && <NothingHere title="Cancelled">What was under way was stopped.</NothingHere>}
          {is === 'busy' && <Busy key={state.since} work={state.work} since={state.since} />}
          {is === 'locked' && <NothingHere title="A token is wanted">Enter it, and this goes on.</NothingHere>}
          {is === 'failed' && (
            <Failure
              title={state.title}
              detail={state.detail}
              {...(state.mayPass ? { onRetry: () => start(state.work) } : {})}
            />
          )}
        </section>
      )}
    </div>
  )
}

function announcement(state: TaskState): string {
  if (state.is === 'done') return `The result has ${formatCount(state.result.row_count, 'row')}.`
  return state.is === 'written' ? 'The SQL is written.' : ''
}

function Busy({ work, since }: { readonly work: Work; readonly since: number }): ReactNode {
  const elapsed = useElapsed(since)
  const what = { ask: 'Writing and running the SQL', generate: 'Writing the SQL', run: 'Running the SQL' }[work.kind]
  return (
    <>
      <p className="busy-line">
        {what}…{' '}
        <span className="soft" aria-hidden="true">
          {elapsed} s
        </span>
      </p>
      <Loading rows={4} label={what} />
    </>
  )
}
