import type { ReactNode } from 'react'
import { Badge, Button, Form, Icon } from '../../kit/controls.tsx'
import { CopyButton } from '../../kit/toast.tsx'
import { networkNames } from '../../kit/network-names.ts'
import { useSettings } from '../settings.ts'
import type { ProjectState } from '../project/project-state.ts'
import { errorParts, errorTitle, codeShape } from '../run/script-kind.ts'
import type { ScriptRunner, RunResult } from '../run/run-script.ts'
import { useStore } from '../project/project-state.ts'
import type { CadenceValue } from '../run/argument-value.ts'

interface RunPanelProps {
  readonly project: ProjectState
  readonly runner: ScriptRunner
  readonly onRun: () => void
  readonly onGo: (line: number, column: number) => void
}

const reasons = {
  transaction: 'This file is a transaction. Send transactions from a wallet; only scripts run here.',
  contract: 'This file is a contract. Only scripts run here: files with a function main.',
  other: 'This file has no function main. Only scripts run here.',
}

export function RunPanel({ project, runner, onRun, onGo }: RunPanelProps): ReactNode {
  const { running, results, problems } = useStore(runner)
  const { networks } = useSettings()
  const path = project.active
  const code = path === undefined ? undefined : project.files.get(path)
  if (path === undefined || code === undefined) return <p className="panel-note soft">Open a script to run it.</p>
  const { kind, parameters } = codeShape(code)
  if (kind !== 'script') return <p className="panel-note soft">{reasons[kind]}</p>
  const typed = runner.inputOf(path)
  const result = results.get(path)
  const isRunning = running === path
  const place = networks.find(({ network }) => network === project.network)
  return (
    <div className="run">
      <Form className="run-form" onSubmit={onRun}>
        {parameters.map(({ name, type }) => (
          <label key={name} className="field">
            <span>
              <b>{name}</b> {type}
            </span>
            {type === 'Bool' ? (
              <select
                className="input"
                value={typed.get(name) ?? ''}
                aria-invalid={problems.get(name) !== undefined}
                onChange={(event) => runner.type(path, name, event.target.value)}
              >
                <option value="">Choose</option>
                <option>true</option>
                <option>false</option>
              </select>
            ) : (
              <input
                className="input mono"
                value={typed.get(name) ?? ''}
                placeholder={hintOf(type)}
                spellCheck={false}
                autoComplete="off"
                autoCapitalize="off"
                inputMode={/^(UInt|Word)\d*$|^UFix(64|128)$/.test(type) ? 'decimal' : 'text'}
                aria-invalid={problems.get(name) !== undefined}
                onChange={(event) => runner.type(path, name, event.target.value)}
              />
            )}
            {problems.get(name) !== undefined && (
              <span className="field-error" role="alert">
                {problems.get(name)}
              </span>
            )}
          </label>
        ))}
        {parameters.length === 0 && <p className="soft">This script takes no arguments.</p>}
        <div className="button-row">
          {isRunning ? (
            <Button type="button" onClick={() => runner.stop()}>
              <Icon name="stop" /> Stop
            </Button>
          ) : (
            <Button type="submit" look="strong">
              <Icon name="play" /> Run
            </Button>
          )}
          <span className="soft small">
            {place === undefined ? 'No access node for this network' : `on ${networkNames[project.network]}`}
          </span>
        </div>
      </Form>
      <div className="run-result" role="region" aria-label="Result" aria-busy={isRunning} tabIndex={0}>
        {isRunning ? (
          <p className="soft">
            <span className="spinner" /> Running the script…
          </p>
        ) : result === undefined ? (
          <p className="soft">The result appears here. Press Ctrl+Enter or ⌘ Enter in the editor to run the script.</p>
        ) : (
          <Result result={result} onGo={onGo} />
        )}
      </div>
    </div>
  )
}

function Result({
  result,
  onGo,
}: {
  readonly result: RunResult
  readonly onGo: (line: number, column: number) => void
}): ReactNode {
  const facts = [
    `${Math.round(result.ms)} ms`,
    ...(result.blockHeight === undefined ? [] : [`block ${Number(result.blockHeight).toLocaleString('en')}`]),
  ].join(' · ')
  if (result.is === 'failed') {
    return (
      <>
        <div className="result-head">
          <Badge tone="bad">Failed</Badge> <b role="alert">{errorTitle(result.message)}</b>{' '}
          <span className="soft small">{facts}</span>
        </div>
        <pre className="result-error">
          {errorParts(result.message).map((part, at) =>
            part.kind === 'text' ? (
              part.text
            ) : (
              <button key={at} type="button" className="place" onClick={() => onGo(part.line, part.column)}>
                {part.text}
              </button>
            ),
          )}
        </pre>
      </>
    )
  }
  const raw = JSON.stringify(result.value, null, 2)
  return (
    <>
      <div className="result-head">
        <Badge tone="good">Done</Badge> <span className="soft small">{facts}</span>{' '}
        <CopyButton text={raw} what="the raw value" />
      </div>
      <div className="value mono">
        <ValueTree value={result.value} />
      </div>
      <details className="raw">
        <summary>Raw value (JSON-CDC)</summary>
        <pre>{raw}</pre>
      </details>
    </>
  )
}

function hintOf(type: string): string {
  if (type === 'Address') return '0x…'
  if (/Fix(64|128)$/.test(type)) return '0.0'
  if (/^(U?Int|Word)/.test(type)) return '0'
  if (type.startsWith('[')) return '[…] in JSON'
  if (type.startsWith('{')) return '{…} in JSON'
  return type.endsWith('?') ? 'empty: nil' : ''
}

const max = 200
const maxDepth = 40

function ValueTree({
  value,
  name,
  depth = 0,
}: {
  readonly value: unknown
  readonly name?: string
  readonly depth?: number
}): ReactNode {
  const { type, inner, parts } = readValue(value)
  const label = name === undefined ? null : <span className="value-name">{name}: </span>
  if (parts === undefined || depth > maxDepth) {
    return (
      <div className="value-line">
        {label}
        <span className="value-inner">{inner}</span> <span className="value-type">{type}</span>
      </div>
    )
  }
  if (parts.length === 0)
    return (
      <div className="value-line">
        {label}
        <span className="value-inner">{inner}</span> <span className="value-type">{type}</span>
      </div>
    )
  return (
    <details className="value-node" open={depth < 2 && parts.length <= 50}>
      <summary>
        {label}
        <span className="value-type">{type}</span>{' '}
        <span className="soft">
          {parts.length} {parts.length === 1 ? 'part' : 'parts'}
        </span>
      </summary>
      <div className="value-parts">
        {parts.slice(0, max).map(([part, one], at) => (
          <ValueTree key={at} name={part} value={one} depth={depth + 1} />
        ))}
        {parts.length > max && <div className="soft">{parts.length - max} more in the raw value.</div>}
      </div>
    </details>
  )
}

interface ReadValue {
  readonly type: string
  readonly inner: string
  readonly parts: readonly (readonly [name: string, value: unknown])[] | undefined
}

function readValue(value: unknown): ReadValue {
  if (typeof value !== 'object' || value === null || typeof (value as Partial<CadenceValue>).type !== 'string')
    return { type: '', inner: JSON.stringify(value) ?? '', parts: undefined }
  const { type, value: inner } = value as CadenceValue
  switch (type) {
    case 'Optional': {
      if (inner === null || inner === undefined) return { type: 'Optional', inner: 'nil', parts: undefined }
      const some = readValue(inner)
      return { ...some, type: `${some.type}?` }
    }
    case 'Array':
      return {
        type: 'Array',
        inner: '[]',
        parts: (Array.isArray(inner) ? (inner as unknown[]) : []).map((one, at) => [String(at), one]),
      }
    case 'Dictionary':
      return {
        type,
        inner: '{}',
        parts: (Array.isArray(inner) ? (inner as { readonly key?: unknown; readonly value?: unknown }[]) : []).map(
          ({ key, value: one }) => [readValue(key).inner, one],
        ),
      }
    case 'Struct':
    case 'Resource':
    case 'Event':
    case 'Contract':
    case 'Enum': {
      const { id, fields } = (inner ?? {}) as {
        readonly id?: string
        readonly fields?: readonly { readonly name?: string; readonly value?: unknown }[]
      }
      return { type: id ?? type, inner: '{}', parts: (fields ?? []).map(({ name = '', value: one }) => [name, one]) }
    }
    case 'Void':
      return { type, inner: '()', parts: undefined }
    case 'String':
    case 'Character':
      return { type, inner: JSON.stringify(inner), parts: undefined }
    default:
      return {
        type,
        inner: typeof inner === 'string' || typeof inner === 'boolean' ? String(inner) : (JSON.stringify(inner) ?? ''),
        parts: undefined,
      }
  }
}
