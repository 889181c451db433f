import type { ReactNode } from 'react'
import { Icon } from '../../kit/icon.tsx'
import type { Problem } from '../language/problems.ts'
import type { ServerState } from '../language/lsp-connection.ts'

const tones = { error: 'bad', warning: 'warn', info: 'busy', hint: 'busy' } as const
const most = 200

/** What the language server says of the project's files; each line leads to its place. */
export function ProblemsPanel({ problems, server, onGo }: { readonly problems: readonly Problem[]; readonly server: ServerState; readonly onGo: (problem: Problem) => void }): ReactNode {
  if (problems.length === 0) {
    return <p className="panel-note soft">{server.is === 'ready' ? 'No problems were found in this project.' : server.is === 'away' ? server.reason : 'The language server is on its way.'}</p>
  }
  return (
    <>
      <ul className="problems">
        {problems.slice(0, most).map((problem, at) => (
          <li key={at}>
            <button type="button" onClick={() => onGo(problem)}>
              <span className={`tone ${tones[problem.severity]}`} aria-label={problem.severity} role="img"><Icon name={problem.severity === 'error' || problem.severity === 'warning' ? 'alert' : 'thought'} size={14} /></span>
              <span className="problem-text">{problem.message}</span>
              <span className="soft nowrap">{problem.path}:{problem.line}:{problem.column}</span>
            </button>
          </li>
        ))}
      </ul>
      {problems.length > most && <p className="panel-note soft">And {problems.length - most} more.</p>}
    </>
  )
}
