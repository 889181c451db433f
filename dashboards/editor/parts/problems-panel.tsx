import type { ReactNode } from 'react'
import { Icon } from '../../kit/icon.tsx'
import type { EditorSettings } from '../contract.ts'
import type { Problem } from '../language/problems.ts'
import type { ServerState } from '../language/lsp-connection.ts'
import { useSettings } from '../settings.ts'

const tones = { error: 'bad', warning: 'warn', info: 'busy', hint: 'busy' } as const
const most = 200

/** What each kind of language server has checked where it reports nothing. */
const noneFound: Readonly<Record<EditorSettings['language_server']['kind'], string>> = {
  cli: 'No problems were found in this project.',
  parser: 'No syntax errors were found. Types are not checked: the parser reads syntax only.',
}

/** Diagnostics of the project's files; each line leads to its place. */
export function ProblemsPanel({
  problems,
  server,
  onGo,
}: {
  readonly problems: readonly Problem[]
  readonly server: ServerState
  readonly onGo: (problem: Problem) => void
}): ReactNode {
  const {
    language_server: { kind },
  } = useSettings()
  if (problems.length === 0) {
    return (
      <p className="panel-note soft">
        {server.is === 'ready'
          ? noneFound[kind]
          : server.is === 'away'
            ? server.reason
            : 'The language server is starting…'}
      </p>
    )
  }
  return (
    <>
      <ul className="problems">
        {problems.slice(0, most).map((problem, at) => (
          <li key={at}>
            <button type="button" onClick={() => onGo(problem)}>
              <span className={`tone ${tones[problem.severity]}`} aria-label={problem.severity} role="img">
                <Icon
                  name={problem.severity === 'error' || problem.severity === 'warning' ? 'alert' : 'thought'}
                  size={14}
                />
              </span>
              <span className="problem-text">{problem.message}</span>
              <span className="soft nowrap">
                {problem.path}:{problem.line}:{problem.column}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {kind === 'parser' && <p className="panel-note soft">Types are not checked: the parser reads syntax only.</p>}
      {problems.length > most && <p className="panel-note soft">And {problems.length - most} more.</p>}
    </>
  )
}
