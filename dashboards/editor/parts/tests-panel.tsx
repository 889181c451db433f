import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/auth-service.ts'
import { Badge, Button, Icon } from '../../kit/controls.tsx'
import type { Answers } from '../answers.gen.ts'
import { useAccount } from '../account.tsx'
import type { Files } from '../project/file-changes.ts'
import { useSettings } from '../settings.ts'
import { isTestFile, locationsIn, placeOfTest } from '../run/test-places.ts'
import type { FilePlace } from '../run/test-places.ts'

type Report = Answers['POST /editor/tests']

export interface TestRun {
  readonly state:
    | { readonly is: 'idle' | 'running' }
    | { readonly is: 'failed'; readonly reason: string }
    | { readonly is: 'done'; readonly report: Report }
  /** @param only the path of one file. Default: all tests */
  readonly run: (files: Files, only?: string) => void
  readonly stop: () => void
}

export function useTestRun(): TestRun {
  const { projects } = useAccount()
  const [state, setState] = useState<TestRun['state']>({ is: 'idle' })
  const running = useRef<AbortController>(undefined)
  const stop = useCallback(() => {
    running.current?.abort()
    setState({ is: 'idle' })
  }, [])
  useEffect(() => () => running.current?.abort(), [])
  const run = useCallback(
    (files: Files, only?: string) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      setState({ is: 'running' })
      const tests = only === undefined ? [...files.keys()].filter(isTestFile) : [only]
      const finish = (next: TestRun['state']): void => {
        if (!controller.signal.aborted) setState(next)
      }
      projects
        .runTests({ files: [...files].map(([path, content]) => ({ path, content })), tests }, controller.signal)
        .then(
          (report) => finish({ is: 'done', report }),
          (error: unknown) => finish({ is: 'failed', reason: problemText(error) }),
        )
    },
    [projects],
  )
  return { state, run, stop }
}

interface TestsPanelProps {
  readonly files: Files
  readonly testRun: TestRun
  readonly onSignIn: () => void
  readonly onGo: (path: string, line: number, column: number) => void
}

export function TestsPanel({ files, testRun: { state, run, stop }, onSignIn, onGo }: TestsPanelProps): ReactNode {
  const {
    tests: { is_on: isOn, reason },
  } = useSettings()
  const account = useAccount()
  if (!isOn) return <p className="panel-note soft">{reason}</p>
  if (account.is !== 'signed-in')
    return (
      <div className="panel-note stack-small">
        <p className="soft">Tests run on the server with the Flow CLI, for signed-in users.</p>
        <div>
          <Button isSmall onClick={onSignIn}>
            Sign in
          </Button>
        </div>
      </div>
    )
  const count = [...files.keys()].filter(isTestFile).length
  if (count === 0)
    return (
      <p className="panel-note soft">
        This project has no tests. Add a file whose name ends with _test.cdc and that has functions named test….
      </p>
    )
  return (
    <div className="tests">
      <div className="search-line">
        {state.is === 'running' ? (
          <Button isSmall onClick={stop}>
            <Icon name="stop" size={14} /> Stop
          </Button>
        ) : (
          <Button isSmall look="strong" onClick={() => run(files)}>
            <Icon name="play" size={14} /> Run tests
          </Button>
        )}
        <span className="soft small" role="status">
          {summaryOf(state, count)}
        </span>
      </div>
      {state.is === 'failed' && (
        <p className="panel-note bad-text" role="alert">
          {state.reason}
        </p>
      )}
      {state.is === 'done' && <ReportView report={state.report} files={files} onGo={onGo} />}
    </div>
  )
}

function summaryOf(state: TestRun['state'], count: number): string {
  if (state.is === 'running') return 'Running the tests…'
  if (state.is !== 'done') return `${count} ${count === 1 ? 'file' : 'files'} with tests`
  const { outcomes, duration_ms: ms } = state.report
  const passed = outcomes.filter((one) => one.has_passed).length
  return `${passed} passed, ${outcomes.length - passed} failed in ${(ms / 1000).toFixed(1)} s`
}

interface ReportProps extends Pick<TestsPanelProps, 'files' | 'onGo'> {
  readonly report: Report
}

function ReportView({ report: { outcomes, error, log }, files, onGo }: ReportProps): ReactNode {
  const go = ({ path, line, column }: FilePlace): void => onGo(path, line, column)
  return (
    <>
      {error !== null && (
        <p className="panel-note bad-text" role="alert">
          {error}
        </p>
      )}
      <ul className="problems" aria-label="Tests">
        {outcomes.map((one) => (
          <li key={`${one.file} ${one.name}`}>
            <button type="button" onClick={() => go(placeOfTest(files, one))}>
              <Badge tone={one.has_passed ? 'good' : 'bad'}>{one.has_passed ? 'Passed' : 'Failed'}</Badge>
              <span className="problem-text">{one.name}</span>
              <span className="soft nowrap">{one.file}</span>
            </button>
            {one.error !== null && <Located text={one.error} files={files} onGo={go} />}
          </li>
        ))}
      </ul>
      {log !== '' && (
        <details className="raw panel-note" open={error !== null}>
          <summary>Output of the Flow CLI</summary>
          <Located text={log} files={files} onGo={go} />
        </details>
      )}
    </>
  )
}

interface LocatedProps {
  readonly text: string
  readonly files: Files
  readonly onGo: (place: FilePlace) => void
}

function Located({ text, files, onGo }: LocatedProps): ReactNode {
  return (
    <pre className="test-error">
      {locationsIn(text, files).map(([part, place], at) =>
        place === undefined ? (
          part
        ) : (
          <button key={at} type="button" className="place" onClick={() => onGo(place)}>
            {part}
          </button>
        ),
      )}
    </pre>
  )
}
