import { memo, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { shownText } from '../../kit/cell-text.ts'
import { Icon } from '../../kit/icon.tsx'
import { readChart } from '../chart/chart-data.ts'
import { Chart } from '../chart/chart.tsx'
import type { MessagePart } from '../contract.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { RowsTable } from './rows-table.tsx'
import { asText, readToolCall } from './tool-outcome.ts'
import type { ToolCall } from './tool-outcome.ts'
import { readToolRows } from './tool-rows.ts'
import { toolWords } from './tool-words.ts'

/** Longer results are cut for the eye. */
const mostShown = 20_000

export interface ToolLineProps {
  readonly part: MessagePart
  readonly isLive: boolean
}

/** A call of a tool in one line, which opens to what was asked and what came back. A chart is drawn in its place. */
export const ToolLine = memo(function ToolLine({ part, isLive }: ToolLineProps): ReactNode {
  const call = readToolCall(part, isLive)
  if (call === undefined) return null
  const chart = call.name === 'createChart' && call.outcome.is === 'done' ? readChart(call.outcome.output) : undefined
  return chart === undefined ? <Line call={call} /> : <Chart data={chart} />
}, isSame)

/** What a tool gave does not change after it gave it, though every piece of an answer makes a new copy of it. */
function isSame(a: ToolLineProps, b: ToolLineProps): boolean {
  const [before, after] = [a.part, b.part]
  return (
    'state' in before &&
    'state' in after &&
    before.state === after.state &&
    !['input-streaming', 'input-available'].includes(after.state ?? '') &&
    a.isLive === b.isLive
  )
}

function Line({ call }: { readonly call: ToolCall }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const { outcome } = call
  const { icon, text, subject, notes } = toolWords(call)
  return (
    <div className={`call ${outcome.is}`}>
      <button
        type="button"
        className="call-line"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
      >
        {outcome.is === 'running' ? (
          <span className="spinner" />
        ) : (
          <Icon name={outcome.is === 'failed' ? 'alert' : icon} />
        )}
        <span className="call-text">{text}</span>
        {subject !== undefined && <span className="call-subject">{shownText(subject)}</span>}
        {notes.length > 0 && <span className="call-notes">{notes.join(' · ')}</span>}
        <span className="call-turn">
          <Icon name="chevron" size={14} />
        </span>
      </button>
      {outcome.is === 'failed' && <p className="call-error">{shownText(outcome.error)}</p>}
      <div id={id} className="call-body" hidden={!isOpen}>
        {isOpen && <Details call={call} />}
      </div>
    </div>
  )
}

function Details({ call: { input, outcome } }: { readonly call: ToolCall }): ReactNode {
  const { sql, script, code, source, ...rest } = input
  const cadence = asText(script) ?? asText(code) ?? asText(source)
  const output = outcome.is === 'done' ? outcome.output : undefined
  const rows = readToolRows(output)
  return (
    <>
      {asText(sql) !== undefined && <CodeBlock code={asText(sql) ?? ''} language="sql" />}
      {cadence !== undefined && <CodeBlock code={cadence} language="cadence" />}
      {Object.keys(rest).length > 0 && <CodeBlock code={asJson(rest)} language="Asked with" />}
      {rows === undefined ? (
        output !== undefined && <CodeBlock code={asShown(output)} language="Result" />
      ) : (
        <RowsTable table={rows} />
      )}
      {outcome.is === 'broken-off' && <p className="soft call-note">The answer ended before this did.</p>}
    </>
  )
}

function asShown(output: unknown): string {
  const text = typeof output === 'string' ? output : asJson(output)
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}\n… ${text.length - mostShown} characters more`
}

function asJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}
