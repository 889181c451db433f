import { useEffect, useState, useId, Suspense } from 'react'
import type { ReactNode } from 'react'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { CopyButton } from '../kit/toast.tsx'
import { lazyPart } from '../kit/lazy-part.ts'
import { Tabs, tabId } from '../kit/tabs.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { setToken, useToken } from '../kit/token.ts'
import { useHealth, useExamples, api, isTokenWanted, queryClient, queryKeys } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { Chosen } from './draft.ts'
import type { Target, Pair } from './draft.ts'
import { readDraft, writeDraft } from './draft.ts'
import { HistoryList, KeptList } from './lists.tsx'
import { QuestionBox } from './question-box.tsx'
import { ResultPanel } from './result-view.tsx'
import { useTask } from './task.ts'
import type { Task } from './task.ts'
import { TokenDialog as Dialog } from '../kit/token-dialog.tsx'

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
        Skip to content
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

const tabs = [
  { name: 'history', label: 'History' },
  { name: 'kept', label: 'Kept examples' },
] as const

/** What was asked before, and what was kept. */
function SidePanel({ onChoose }: { readonly onChoose: (chosen: Chosen) => void }): ReactNode {
  const [tab, setTab] = useState<(typeof tabs)[number]['name']>('history')
  const id = useId()
  return (
    <aside className="panel side" aria-label="Earlier questions">
      <header>
        <Tabs label="Earlier questions" tabs={tabs} selected={tab} panelId={id} onSelect={setTab} />
      </header>
      <div id={id} role="tabpanel" aria-labelledby={tabId(id, tab)}>
        {tab === 'history' ? <HistoryList onChoose={onChoose} /> : <KeptList onChoose={onChoose} />}
      </div>
    </aside>
  )
}

const names: Readonly<Record<Target, string>> = { indexer: 'Flow indexer', evm: 'EVM explorer' }

/** Which database is asked, where there are two. */
function TargetChoice({
  target,
  onChange,
}: {
  readonly target: Target
  readonly onChange: (target: Target) => void
}): ReactNode {
  const { data } = useHealth()
  if (data === undefined || data.targets.length < 2) return null
  return (
    <label className="target">
      <span className="soft">Database</span>
      <select
        className="input"
        value={target}
        onChange={(event) => onChange(event.target.value === 'evm' ? 'evm' : 'indexer')}
      >
        {data.targets.map((each) => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
    </label>
  )
}

/** What page it is, the documentation, and the token where one is wanted. */
function Header(): ReactNode {
  const { data: health } = useHealth()
  const token = useToken()
  const [isEntering, setIsEntering] = useState(false)
  return (
    <header className="top">
      <div className="top-inner">
        <Brand />
        <nav aria-label="For programs">
          <a href="/docs">API</a>
          <a href="/openapi.json" className="wide-only">
            OpenAPI
          </a>
        </nav>
        {health?.needs_token === true && (
          <Button isSmall onClick={() => (token === undefined ? setIsEntering(true) : setToken(undefined))}>
            {token === undefined ? 'Enter token' : 'Forget token'}
          </Button>
        )}
        <ThemeToggle />
      </div>
      {isEntering && <TokenDialog onClose={() => setIsEntering(false)} />}
    </header>
  )
}

/** States what prevents answers: no service, no model, or a model that only knows its examples. */
function ModelNotice(): ReactNode {
  const { data, error } = useHealth()
  if (data === undefined)
    return error === null ? null : (
      <div className="banner bad" role="alert">
        <Icon name="alert" />
        <p>{problemText(error)} It is asked again every few seconds.</p>
      </div>
    )
  if (data.model === null)
    return (
      <div className="banner" role="note">
        <Icon name="alert" />
        <p>
          Questions in words are not answered here. {data.remedy ?? 'Set LLM_API_KEY and start the service again.'} SQL
          works as it is.
        </p>
      </div>
    )
  return data.model.is_scripted ? (
    <div className="banner" role="note">
      <Icon name="alert" />
      <p>
        A scripted model answers here: it knows the example questions and no others. Set <code>LLM_API_KEY</code> for a
        real one.
      </p>
    </div>
  ) : null
}

/** The editor is half of the page: it comes after the rest of it. */
const SqlEditor = lazyPart(async () => (await import('./sql-editor.tsx')).SqlEditor, { name: 'SqlEditor' })

/** Where the command key is what the control key is elsewhere. */
const isOfApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

interface SqlPanelProps {
  readonly sql: string
  readonly task: Task
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
}

/** The statement, as the model wrote it or as one wishes it, and what runs it. */
function SqlPanel({ sql, task: { state, cancel }, onChange, onRun }: SqlPanelProps): ReactNode {
  const isRunning = state.is === 'busy' && state.work.kind === 'run'
  return (
    <section className="panel" aria-labelledby="sql-title">
      <header>
        <h2 id="sql-title">SQL</h2>
        {sql !== '' && <CopyButton text={sql} what="the SQL" />}
        <div className="button-row end">
          <span className="soft wide-only">{isOfApple ? '⌘ Enter' : 'Ctrl+Enter'}</span>
          {/* Beside what started it, not in its place: whoever clicks twice shall not cancel. */}
          {isRunning && (
            <Button onClick={cancel}>
              <Icon name="cross" size={14} /> Cancel
            </Button>
          )}
          <Button look="strong" disabled={sql.trim() === '' || state.is === 'busy'} onClick={onRun}>
            <Icon name="play" size={14} /> Run
          </Button>
        </div>
      </header>
      <Suspense fallback={<div className="sql-editor coming" role="status" aria-label="Loading the editor" />}>
        <SqlEditor label="SQL" value={sql} onChange={onChange} onRun={onRun} />
      </Suspense>
    </section>
  )
}

const shownAtFirst = 4

/** Questions to begin with. */
function ExampleList({
  target,
  onChoose,
}: {
  readonly target: Target
  readonly onChoose: (pair: Pair) => void
}): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const { data = [], error } = useExamples()
  const pairs = data.filter((pair) => pair.target === target)
  if (error !== null) return <p className="soft">The example questions could not be loaded: {problemText(error)}</p>
  if (pairs.length === 0) return null
  return (
    <section className={isOpen ? 'examples open' : 'examples'} aria-label="Example questions">
      <ul>
        {(isOpen ? pairs : spread(pairs)).map((pair) => (
          <li key={pair.id}>
            <button type="button" className="example" onClick={() => onChoose(pair)}>
              {pair.question}
            </button>
          </li>
        ))}
        {pairs.length > shownAtFirst && (
          <li>
            <Button look="plain" isSmall aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {isOpen ? 'Fewer' : `${pairs.length - shownAtFirst} more`}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}

/** They come sorted by what they are about: some of them all over the list show how much can be asked. */
function spread(pairs: readonly Pair[]): readonly Pair[] {
  if (pairs.length <= shownAtFirst) return pairs
  return Array.from({ length: shownAtFirst }, (_, i) => pairs[Math.floor((i * pairs.length) / shownAtFirst)]).filter(
    (pair) => pair !== undefined,
  )
}

interface TokenDialogProps {
  /** After a token that is accepted. */
  readonly onToken?: () => void
  readonly onClose: () => void
}

/** Asks for the token of the query service; under another one, its lists are others. */
function TokenDialog({ onToken, onClose }: TokenDialogProps): ReactNode {
  const take = (): void => {
    void queryClient.invalidateQueries({ queryKey: queryKeys.lists })
    onToken?.()
  }
  return (
    <Dialog
      verifyToken={(token) => api.tryToken(token)}
      onToken={take}
      onClose={onClose}
      describeError={(error) => (isTokenWanted(error) ? 'This token is not accepted.' : problemText(error))}
    />
  )
}
