import { useEffect, useState, useId, Suspense } from 'react'
import type { ReactNode } from 'react'
import { ApplicationMenu } from '../kit/applications.tsx'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { CopyButton } from '../kit/toast.tsx'
import { lazyPart } from '../kit/lazy-part.ts'
import { Link, useLocation } from '../kit/router.tsx'
import { Loading } from '../kit/state.tsx'
import { Tabs, tabId } from '../kit/tabs.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { setToken, useToken } from '../kit/token.ts'
import { useHealth, useExamples, api, isTokenRequired, queryClient, queryKeys } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { SelectedQuery } from './draft.ts'
import type { Target, Pair } from './draft.ts'
import { readDraft, writeDraft } from './draft.ts'
import { HistoryList, SavedList } from './lists.tsx'
import { QuestionBox } from './question-box.tsx'
import { ResultPanel } from './result-view.tsx'
import { useTask } from './task.ts'
import type { Task } from './task.ts'
import { TokenDialog as Dialog } from '../kit/token-dialog.tsx'

/** Browsers limit how often the URL may change, ms. */
const pauseMs = 500

const Reference = lazyPart(async () => (await import('../kit/reference/reference.tsx')).ApiReference, { reloads: true })

export function App(): ReactNode {
  const { path } = useLocation()
  const isReference = path.split('/', 2)[1] === 'docs'
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <Header />
      <main id="content" className="page" tabIndex={-1}>
        {isReference ? (
          <Suspense fallback={<Loading rows={6} label="Loading page…" />}>
            <Reference operationId={path.split('/')[2]} renderTitle={(title) => <ReferenceTitle title={title} />} />
          </Suspense>
        ) : (
          <AskPage />
        )}
      </main>
    </>
  )
}

function ReferenceTitle({ title }: { readonly title: string }): ReactNode {
  useEffect(() => {
    document.title = `${title} – flowfarm`
  }, [title])
  return <h1>{title}</h1>
}

function AskPage(): ReactNode {
  const [draft] = useState(() => readDraft(location.hash))
  const [chosenTarget, setTarget] = useState<Target>(draft.target)
  // The URL may name a database that this service does not have.
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
  const choose = (chosen: SelectedQuery): void => {
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
              isGenerating={state.is === 'busy' && state.work.kind !== 'run'}
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
      {state.is === 'locked' && <TokenDialog onToken={() => start(state.work)} onClose={task.cancel} />}
    </>
  )
}

const tabs = [
  { name: 'history', label: 'History' },
  { name: 'saved', label: 'Saved examples' },
] as const

function SidePanel({ onChoose }: { readonly onChoose: (chosen: SelectedQuery) => void }): ReactNode {
  const [tab, setTab] = useState<(typeof tabs)[number]['name']>('history')
  const id = useId()
  return (
    <aside className="panel side" aria-label="History and saved examples">
      <header>
        <Tabs label="History and saved examples" tabs={tabs} selected={tab} panelId={id} onSelect={setTab} />
      </header>
      <div id={id} role="tabpanel" aria-labelledby={tabId(id, tab)}>
        {tab === 'history' ? <HistoryList onChoose={onChoose} /> : <SavedList onChoose={onChoose} />}
      </div>
    </aside>
  )
}

const names: Readonly<Record<Target, string>> = { indexer: 'Flow indexer', evm: 'EVM explorer' }

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

function Header(): ReactNode {
  const { data: health } = useHealth()
  const token = useToken()
  const [isEntering, setIsEntering] = useState(false)
  return (
    <header className="top">
      <div className="top-inner">
        <Link to="/" aria-label="flowfarm: ask the chain" className="home">
          <Brand />
        </Link>
        <ApplicationMenu current="ask" />
        <nav aria-label="API">
          <Link to="/docs">API</Link>
        </nav>
        {health?.needs_token === true && (
          <Button isSmall onClick={() => (token === undefined ? setIsEntering(true) : setToken(undefined))}>
            {token === undefined ? 'Enter token' : 'Remove token'}
          </Button>
        )}
        <ThemeToggle />
      </div>
      {isEntering && <TokenDialog onClose={() => setIsEntering(false)} />}
    </header>
  )
}

function ModelNotice(): ReactNode {
  const { data, error } = useHealth()
  if (data === undefined)
    return error === null ? null : (
      <div className="banner bad" role="alert">
        <Icon name="alert" />
        <p>{problemText(error)} Retrying every few seconds.</p>
      </div>
    )
  if (data.model === null)
    return (
      <div className="banner" role="note">
        <Icon name="alert" />
        <p>
          No model is configured, so questions cannot be answered.{' '}
          {data.remedy ?? 'Set LLM_API_KEY and restart the service.'} You can still run SQL.
        </p>
      </div>
    )
  return data.model.is_scripted ? (
    <div className="banner" role="note">
      <Icon name="alert" />
      <p>
        Demo mode, no model: only the example questions have answers. To ask anything, set <code>LLM_API_KEY</code>.
      </p>
    </div>
  ) : null
}

const SqlEditor = lazyPart(async () => (await import('./sql-editor.tsx')).SqlEditor, { name: 'SqlEditor' })

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

interface SqlPanelProps {
  readonly sql: string
  readonly task: Task
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
}

function SqlPanel({ sql, task: { state, cancel }, onChange, onRun }: SqlPanelProps): ReactNode {
  const isRunning = state.is === 'busy' && state.work.kind === 'run'
  return (
    <section className="panel" aria-labelledby="sql-title">
      <header>
        <h2 id="sql-title">SQL</h2>
        {sql !== '' && <CopyButton text={sql} what="the SQL" />}
        <div className="button-row end">
          <span className="soft wide-only">{isMac ? '⌘ Enter' : 'Ctrl+Enter'}</span>
          {/* Not in place of the Run button, so that a double click does not cancel. */}
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
      <Suspense fallback={<div className="sql-editor coming" role="status" aria-label="Loading the SQL editor…" />}>
        <SqlEditor label="SQL" value={sql} onChange={onChange} onRun={onRun} />
      </Suspense>
    </section>
  )
}

const shownAtFirst = 4

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
  if (error !== null) return <p className="soft">Could not load the example questions: {problemText(error)}</p>
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
              {isOpen ? 'Show fewer' : `Show ${pairs.length - shownAtFirst} more`}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}

function spread(pairs: readonly Pair[]): readonly Pair[] {
  if (pairs.length <= shownAtFirst) return pairs
  return Array.from({ length: shownAtFirst }, (_, i) => pairs[Math.floor((i * pairs.length) / shownAtFirst)]).filter(
    (pair) => pair !== undefined,
  )
}

interface TokenDialogProps {
  readonly onToken?: () => void
  readonly onClose: () => void
}

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
      describeError={(error) => (isTokenRequired(error) ? 'The token was not accepted.' : problemText(error))}
    />
  )
}
