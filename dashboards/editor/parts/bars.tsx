import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Badge, Button, Icon } from '../../kit/controls.tsx'
import { isImported } from '../project/project-state.ts'
import type { ProjectState } from '../project/project-state.ts'
import type { EditorSettings } from '../answers.gen.ts'
import type { Network } from '../types.ts'
import type { Problem } from '../language/problems.ts'
import type { ServerState } from '../language/lsp-connection.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useSettings } from '../settings.ts'
import { TabMenu } from './tab-menu.tsx'
import type { TabMenuPlace } from './tab-menu.tsx'

interface TabStripProps {
  readonly project: ProjectState
  readonly onOpen: (path: string) => void
  readonly onClose: (...paths: readonly string[]) => void
  /** Undefined on phones. */
  readonly onOpenSide: ((path: string) => void) | undefined
}

export function TabStrip({
  project: { open, active, split, files, saved, isReadOnly },
  onOpen,
  onClose,
  onOpenSide,
}: TabStripProps): ReactNode {
  const list = useRef<HTMLUListElement>(null)
  const [menu, setMenu] = useState<TabMenuPlace>()
  useEffect(() => {
    // Some browsers return a promise.
    list.current?.children[active === undefined ? -1 : open.indexOf(active)]?.scrollIntoView({
      block: 'nearest',
      inline: 'nearest',
    })
  }, [active, open])
  return (
    <>
      <ul ref={list} className="open-files" aria-label="Open files">
        {open.map((path) => {
          const name = path.slice(path.lastIndexOf('/') + 1)
          const isDouble = open.some((other) => other !== path && other.endsWith(`/${name}`))
          const isChanged = saved !== undefined && !isImported(path) && saved.files.get(path) !== files.get(path)
          return (
            <li key={path} className={path === active ? 'active' : path === split?.path ? 'shown' : undefined}>
              <button
                type="button"
                className="open-file"
                title={path}
                aria-current={path === active ? 'true' : undefined}
                onClick={() => onOpen(path)}
                onContextMenu={(event) => {
                  event.preventDefault()
                  setMenu({ path, x: event.clientX, y: event.clientY })
                }}
              >
                <span>{isDouble ? path : name}</span>
                {isChanged && <span className="changed" role="img" aria-label="Not saved" />}
                {(isReadOnly || isImported(path)) && <Badge>read only</Badge>}
              </button>
              <Button look="plain" isSmall isIcon aria-label={`Close ${path}`} onClick={() => onClose(path)}>
                <Icon name="cross" size={12} />
              </Button>
            </li>
          )
        })}
      </ul>
      {menu !== undefined && (
        <TabMenu
          place={menu}
          items={[
            ...(onOpenSide === undefined ? [] : [{ name: 'Open to the side', act: () => onOpenSide(menu.path) }]),
            { name: 'Close', act: () => onClose(menu.path) },
            { name: 'Close the others', act: () => onClose(...open.filter((path) => path !== menu.path)) },
          ]}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  )
}

const tones = { error: 'bad', warning: 'warn', info: 'busy', hint: 'busy' } as const
const max = 200

const noneFound: Readonly<Record<EditorSettings['language_server']['kind'], string>> = {
  cli: 'No problems were found in this project.',
  parser: 'No syntax errors were found. Types are not checked: the parser reads syntax only.',
}

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
        {problems.slice(0, max).map((problem, at) => (
          <li key={at}>
            <button type="button" onClick={() => onGo(problem)}>
              <span className={`tone ${tones[problem.severity]}`} aria-label={problem.severity} role="img">
                <Icon
                  name={problem.severity === 'error' || problem.severity === 'warning' ? 'alert' : 'lightbulb'}
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
      {problems.length > max && <p className="panel-note soft">And {problems.length - max} more.</p>}
    </>
  )
}

interface StatusBarProps {
  readonly project: ProjectState
  readonly server: ServerState
  readonly cursor: { readonly line: number; readonly column: number }
  readonly onNetwork: (network: Network) => void
}

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
  const [tone, statusText] = serverLabel(server)
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
        <span>{statusText}</span>
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

function serverLabel(server: ServerState): readonly [tone: string, text: string] {
  switch (server.is) {
    case 'ready':
      return ['good', 'ready']
    case 'connecting':
      return ['busy', 'connecting…']
    case 'starting':
      return ['busy', 'starting…']
    case 'restarting':
      return ['warn', 'restarting…']
    case 'away':
      return ['bad', 'not reachable, retrying']
  }
}
