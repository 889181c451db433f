import { useEffect, useMemo, useRef, useState, Suspense } from 'react'
import type { ReactNode } from 'react'
import { ApplicationMenu } from '../kit/applications.tsx'
import { Brand, Button, Icon } from '../kit/controls.tsx'
import { lazyPart } from '../kit/lazy-part.ts'
import { Link, matchPath, useLocation } from '../kit/router.tsx'
import { Loading } from '../kit/state.tsx'
import { ThemeToggle } from '../kit/theme.tsx'
import { setToken, useToken } from '../kit/token.ts'
import { useHealth, useExamples, api, isTokenRequired, queryClient, queryKeys } from './api.ts'
import { problemText } from '../kit/api.ts'
import type { SavedQuery } from './answers.gen.ts'
import type { SelectedQuery } from './draft.ts'
import type { Target, Pair } from './draft.ts'
import { readDraft, writeDraft } from './draft.ts'
import { parametersOf } from './parameters.tsx'
import { QuestionBox } from './question-box.tsx'
import { ResultPanel } from './result-view.tsx'
import { SidePanel, useIsNarrow } from './side-panel.tsx'
import type { SqlEditorHandle } from './sql-editor.tsx'
import { SqlPanel } from './sql-panel.tsx'
import { useTask } from './task.ts'
import { TokenDialog as Dialog } from '../kit/token-dialog.tsx'

/** Browsers limit how often the URL may change, ms. */
const pauseMs = 500

const Reference = lazyPart(async () => (await import('../kit/reference/reference.tsx')).ApiReference, { reloads: true })

const DashboardList = lazyPart(async () => (await import('./dashboards/dashboard-list.tsx')).DashboardList)
const DashboardPage = lazyPart(async () => (await import('./dashboards/dashboard-page.tsx')).DashboardPage)
const PublicPage = lazyPart(async () => (await import('./dashboards/public-page.tsx')).PublicPage)

export function App(): ReactNode {
  const { path } = useLocation()
  const link = matchPath('/d/{link}', path)?.['link']
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      {link === undefined ? <Header path={path} /> : <PublicHeader />}
      <main id="content" className="page" tabIndex={-1}>
        <Suspense fallback={<Loading rows={6} label="Loading page…" />}>
          {link === undefined ? <Page path={path} /> : <PublicPage link={link} />}
        </Suspense>
      </main>
    </>
  )
}

function Page({ path }: { readonly path: string }): ReactNode {
  const [, root, item] = path.split('/')
  if (root === 'docs') return <Reference operationId={item} renderTitle={(title) => <ReferenceTitle title={title} />} />
  if (root !== 'dashboards') return <AskPage />
  return item === undefined || item === '' ? <DashboardList /> : <DashboardPage key={item} id={item} />
}

function PublicHeader(): ReactNode {
  return (
    <header className="top">
      <div className="top-inner">
        <Brand />
        <span className="end">
          <ThemeToggle />
        </span>
      </div>
    </header>
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
  const [values, setValues] = useState(draft.parameters)
  const [queryName, setQueryName] = useState('')
  const parameters = useMemo(() => parametersOf(sql, values), [sql, values])
  const selected = useMemo(() => ({ target, question, sql, parameters }), [target, question, sql, parameters])
  const task = useTask(setSql)
  const { state, start } = task
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, '', writeDraft(selected) || location.pathname), pauseMs)
    return () => clearTimeout(timer)
  }, [selected])
  const choose = (chosen: SelectedQuery): void => {
    setTarget(chosen.target)
    setQuestion(chosen.question)
    setSql(chosen.sql)
    setValues(chosen.parameters)
    setQueryName('')
  }
  const runExample = (pair: Pair): void => {
    choose({ ...pair, parameters: [] })
    start({ kind: 'run', target: pair.target, sql: pair.sql, question: pair.question })
  }
  const runSaved = (query: SavedQuery): void => {
    choose(query)
    setQueryName(query.name)
    start({ ...query, kind: 'run' })
  }
  const isNarrow = useIsNarrow()
  const [isSideOpen, setIsSideOpen] = useState(!isNarrow)
  const editor = useRef<SqlEditorHandle>(null)
  const askModel = (kind: 'ask' | 'generate') => (): void => start({ kind, target, question: question.trim() })
  const run = (): void => {
    if (sql.trim() !== '') start({ kind: 'run', ...selected })
  }
  return (
    <>
      <div className="page-title">
        <h1>Ask the chain</h1>
        <div className="button-row">
          <TargetChoice target={target} onChange={setTarget} />
          <Button aria-expanded={isSideOpen} onClick={() => setIsSideOpen(!isSideOpen)}>
            <Icon name="database" size={14} /> Tables and queries
          </Button>
        </div>
      </div>
      <ModelNotice />
      <div className={isSideOpen && !isNarrow ? 'columns' : 'columns alone'}>
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
            <ExampleList target={target} onChoose={runExample} />
          </section>
          <SqlPanel
            selected={selected}
            queryName={queryName}
            task={task}
            editor={editor}
            onChange={setSql}
            onParameter={(changed) => setValues([...values.filter(({ name }) => name !== changed.name), changed])}
            onSaved={({ name }) => setQueryName(name)}
            onRun={run}
          />
          <ResultPanel task={task} />
        </div>
        {isSideOpen && (
          <SidePanel
            target={target}
            onInsert={(text) => editor.current?.insert(text)}
            onChoose={choose}
            onRun={runSaved}
            onClose={() => setIsSideOpen(false)}
          />
        )}
      </div>
      {state.is === 'locked' && <TokenDialog onToken={() => start(state.work)} onClose={task.cancel} />}
    </>
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

function Header({ path }: { readonly path: string }): ReactNode {
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
        <nav aria-label="Pages">
          <Link to="/dashboards" aria-current={path === '/dashboards' ? 'page' : undefined}>
            Dashboards
          </Link>
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
