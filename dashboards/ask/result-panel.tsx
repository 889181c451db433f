import type { ReactNode } from 'react'
import { Failure, Loading, NothingHere } from '../kit/state.tsx'
import { ResultView } from './result-view.tsx'
import type { Task, Work } from './task.ts'
import { useElapsed } from './use-elapsed.ts'

/** What came of the question or of the statement, or how far it is. */
export function ResultPanel({ task: { state, start } }: { readonly task: Task }): ReactNode {
  if (state.is === 'done') return <ResultView key={state.result.sql + state.result.duration_ms} work={state.work} result={state.result} />
  return (
    <section className="panel alone" aria-label="Result" aria-busy={state.is === 'busy'}>
      {state.is === 'idle' && (
        <NothingHere title="No result yet">Ask a question, or write SQL and run it. Nothing can be changed by it.</NothingHere>
      )}
      {state.is === 'written' && <NothingHere title="The SQL is written">Look at it, change it, and run it.</NothingHere>}
      {state.is === 'cancelled' && <NothingHere title="Cancelled">The statement was stopped.</NothingHere>}
      {state.is === 'busy' && <Busy work={state.work} since={state.since} />}
      {state.is === 'locked' && (
        <Failure title="This service wants a token" detail="Enter it above, then try again." onRetry={() => start(state.work)} />
      )}
      {state.is === 'failed' && (
        <Failure title={state.title} detail={state.detail} onRetry={() => start(state.work)} />
      )}
    </section>
  )
}

function Busy({ work, since }: { readonly work: Work; readonly since: number }): ReactNode {
  const elapsed = useElapsed(since)
  const what = work.kind === 'run' ? 'Running the SQL' : 'Writing the SQL'
  return (
    <>
      <p className="busy-line">
        {what}… <span className="soft" aria-hidden="true">{elapsed} s</span>
      </p>
      <Loading rows={4} label={what} />
    </>
  )
}
