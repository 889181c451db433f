import type { ReactNode } from 'react'
import type { Network } from '../contract.ts'
import type { ServerState } from '../language/lsp-connection.ts'
import type { ProjectState } from '../project/project-state.ts'
import { networkNames, useSettings } from '../settings.ts'

export interface StatusBarProps {
  readonly project: ProjectState
  readonly server: ServerState
  readonly cursor: { readonly line: number; readonly column: number }
  readonly onNetwork: (network: Network) => void
}

/** What the code is for, what checks it, and where the cursor is. */
export function StatusBar({
  project: { network, saved, isReadOnly, active },
  server,
  cursor,
  onNetwork,
}: StatusBarProps): ReactNode {
  const {
    networks,
    language_server: { label },
  } = useSettings()
  const shown = networks.some((one) => one.network === network)
    ? networks.map((one) => one.network)
    : [network, ...networks.map((one) => one.network)]
  const [tone, words] = serverWords(server)
  return (
    <footer className="status" aria-label="Status">
      <label className="status-network">
        <span className="visually-hidden">Network</span>
        <select value={network} disabled={isReadOnly} onChange={(event) => onNetwork(event.target.value as Network)}>
          {shown.map((name) => (
            <option key={name} value={name}>
              {networkNames[name]}
            </option>
          ))}
        </select>
      </label>
      <span className="status-server" role="status" title={server.is === 'away' ? server.reason : undefined}>
        <i className={`dot ${tone}`} aria-hidden="true" />
        <span className="server-label">{'label' in server ? server.label : label}</span>
        <span>{words}</span>
      </span>
      <span className="status-end">
        {saved !== undefined && <span className="status-version">Version {saved.version}</span>}
        {active !== undefined && (
          <span>
            Line {cursor.line}, column {cursor.column}
          </span>
        )}
      </span>
    </footer>
  )
}

function serverWords(server: ServerState): readonly [tone: string, words: string] {
  switch (server.is) {
    case 'ready':
      return ['good', 'ready']
    case 'connecting':
      return ['busy', 'connecting…']
    case 'starting':
      return ['busy', 'starting…']
    case 'restarting':
      return ['warn', 'starting again…']
    case 'away':
      return ['bad', 'not reachable, tried again by itself']
  }
}
