import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import type { Chosen } from './chosen.ts'
import type { Target } from './contract.ts'
import { readDraft, writeDraft } from './draft.ts'
import { ExampleList } from './example-list.tsx'
import { Header } from './header.tsx'
import { ModelNotice } from './model-notice.tsx'
import { useHealth } from './queries.ts'
import { QuestionBox } from './question-box.tsx'
import { ResultPanel } from './result-panel.tsx'
import { SidePanel } from './side-panel.tsx'
import { SqlPanel } from './sql-panel.tsx'
import { TargetChoice } from './target-choice.tsx'
import { useTask } from './task.ts'
import { TokenDialog } from './token-dialog.tsx'

/** Browsers refuse to write the address with every key. */
const pauseMs = 500

/** The page: a question, the SQL for it, what it gave, and what was asked before. */
export function App(): ReactNode {
  const [draft] = useState(() => readDraft(location.hash))
  const [chosenTarget, setTarget] = useState<Target>(draft.target)
  // An address may come from a service that has more databases.
  const target = useHealth().data?.targets.includes(chosenTarget) === false ? 'indexer' : chosenTarget
  const [question, setQuestion] = useState(draft.question)
  const [sql, setSql] = useState(draft.sql)
  const task = useTask(setSql)
  const { state, start } = task
  useEffect(() => {
    const timer = setTimeout(
      () => history.replaceState(null, '', writeDraft({ target, question, sql }) || location.pathname),
      pauseMs,
    )
    return () => clearTimeout(timer)
  }, [target, question, sql])
  const choose = (chosen: Chosen): void => {
    setTarget(chosen.target)
    setQuestion(chosen.question)
    setSql(chosen.sql)
  }
  const askModel = (kind: 'ask' | 'generate') => (): void => start({ kind, target, question: question.trim() })
  const run = (): void => {
    if (sql.trim() !== '') start({ kind: 'run', target, sql, question })
  }
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <Header />
      <main id="content" className="page" tabIndex={-1}>
        <div className="page-title">
          <h1>Ask the chain</h1>
          <TargetChoice target={target} onChange={setTarget} />
        </div>
        <ModelNotice />
        <div className="columns">
          <div className="stack">
            <section className="panel ask" aria-label="Question">
              <QuestionBox
                question={question}
                isAsking={state.is === 'busy' && state.work.kind !== 'run'}
                onChange={setQuestion}
                onAsk={askModel('ask')}
                onGenerate={askModel('generate')}
                onCancel={task.cancel}
              />
              <ExampleList target={target} onChoose={choose} />
            </section>
            <SqlPanel sql={sql} task={task} onChange={setSql} onRun={run} />
            <ResultPanel task={task} />
          </div>
          <SidePanel onChoose={choose} />
        </div>
      </main>
      {state.is === 'locked' && <TokenDialog onToken={() => start(state.work)} onClose={task.cancel} />}
    </>
  )
}
