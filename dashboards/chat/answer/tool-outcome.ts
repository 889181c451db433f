import { isToolUIPart, getToolName } from 'ai'
import type { MessagePart } from '../messages.ts'
import { isNumberType } from '../../kit/result-table.ts'
import type { ResultTable, SqlValue } from '../../kit/result-table.ts'
import type { IconName } from '../../kit/controls.tsx'
import { formatCount, formatDuration } from '../../kit/formats.ts'

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly outcome: ToolOutcome
}

export type ToolOutcome =
  | { readonly is: 'running' }
  | { readonly is: 'incomplete' }
  | { readonly is: 'failed'; readonly error: string; readonly output?: unknown }
  /** `output` is without its MCP envelope. */
  | { readonly is: 'done'; readonly output: unknown }

export function readToolCall(part: MessagePart, isLive: boolean): ToolCall | undefined {
  if (!isToolUIPart(part)) return undefined
  return {
    id: part.toolCallId,
    name: getToolName(part),
    input: asRecord(part.input),
    outcome: readOutcome(part, isLive),
  }
}

function readOutcome(part: Extract<MessagePart, { toolCallId: string }>, isLive: boolean): ToolOutcome {
  if (part.state === 'output-error') return { is: 'failed', error: part.errorText }
  if (part.state === 'output-denied') return { is: 'failed', error: 'The call was denied.' }
  if (part.state !== 'output-available') return { is: isLive ? 'running' : 'incomplete' }
  const output = unwrap(part.output)
  const error = errorIn(output)
  if (error !== undefined) return { is: 'failed', error, output }
  return asRecord(part.output)['isError'] === true
    ? {
        is: 'failed',
        error: typeof output === 'string' && output !== '' ? output : 'The tool failed without an error message.',
        output,
      }
    : { is: 'done', output }
}

/** MCP servers return results in `structuredContent`, or as texts that may be JSON. */
export function unwrap(output: unknown): unknown {
  if (typeof output === 'string') return fromJson(output)
  const { structuredContent, content } = asRecord(output)
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent
  if (!Array.isArray(content)) return output
  const texts = content.map((piece) => asRecord(piece)['text']).filter((text) => typeof text === 'string')
  return fromJson(texts.join('\n'))
}

function fromJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function errorIn(output: unknown): string | undefined {
  const { error } = asRecord(output)
  return typeof error === 'string' && error !== '' ? error : undefined
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export interface ToolRows extends ResultTable {
  readonly rowCount: number
  readonly isTruncated: boolean
  readonly durationMs: number | undefined
}

export function readToolRows(output: unknown): ToolRows | undefined {
  const {
    columns,
    column_types: types,
    rows: plain,
    results,
    row_count: count,
    truncated,
    duration_ms: duration,
  } = asRecord(output)
  const rows: unknown = plain ?? results
  if (!Array.isArray(columns) || !Array.isArray(rows) || !columns.every((name) => typeof name === 'string'))
    return undefined
  const cells = rows.map(
    (row) =>
      columns.map((name, i) => (Array.isArray(row) ? (row[i] as unknown) : asRecord(row)[name]) ?? null) as SqlValue[],
  )
  return {
    columns: columns.map((name, i) => {
      const type: unknown = Array.isArray(types) ? types[i] : undefined
      const isNumber =
        typeof type === 'string'
          ? isNumberType(type)
          : cells.some((row) => row[i] !== null) && cells.every((row) => row[i] === null || isNumeric(row[i]))
      return { name, type: typeof type === 'string' ? type : 'text', isNumber }
    }),
    rows: cells,
    rowCount: typeof count === 'number' ? count : cells.length,
    isTruncated: truncated === true,
    durationMs: typeof duration === 'number' ? duration : undefined,
  }
}

function isNumeric(value: SqlValue | undefined): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,15}(?:\.\d+)?$/.test(value))
}

interface ToolCallDescription {
  readonly icon: IconName
  readonly text: string
  readonly subject?: string | undefined
  readonly notes: readonly string[]
}

type DescribeCall = (call: ToolCall) => {
  readonly done: string
  readonly doing: string
  readonly subject?: string | undefined
  readonly notes?: readonly string[]
}

const tools: Readonly<Record<string, { readonly icon: IconName; readonly describe: DescribeCall }>> = {
  run_indexer_sql: {
    icon: 'database',
    describe: (call) => ({ done: 'Ran SQL', doing: 'Running SQL', notes: rowNotes(call) }),
  },
  run_evm_sql: {
    icon: 'database',
    describe: (call) => ({
      done: 'Ran SQL on the EVM database',
      doing: 'Running SQL on the EVM database',
      notes: rowNotes(call),
    }),
  },
  run_chain_script: {
    icon: 'code',
    describe: () => ({ done: 'Ran a script on the chain', doing: 'Running a script on the chain' }),
  },
  createChart: {
    icon: 'chart',
    describe: ({ input }) => ({ done: 'Drew a chart', doing: 'Drawing a chart', subject: asText(input['title']) }),
  },
  loadSkill: {
    icon: 'book',
    describe: ({ input }) => ({ done: 'Read the skill', doing: 'Reading the skill', subject: asText(input['name']) }),
  },
  create_alert: {
    icon: 'wait',
    describe: () => ({ done: 'Proposed an alert', doing: 'Proposing an alert', subject: undefined }),
  },
  delete_alert: {
    icon: 'wait',
    describe: () => ({
      done: 'Proposed to delete an alert',
      doing: 'Proposing to delete an alert',
      subject: undefined,
    }),
  },
  list_alerts: {
    icon: 'wait',
    describe: () => ({ done: 'Listed alerts', doing: 'Listing alerts', subject: undefined }),
  },
  fetch_api: { icon: 'globe', describe: describeFetch },
  web_search: {
    icon: 'search',
    // OpenAI returns the query with the result.
    describe: ({ input, outcome }) => ({
      done: 'Searched the web',
      doing: 'Searching the web',
      subject:
        asText(input['query']) ??
        (outcome.is === 'done' ? asText(asRecord(asRecord(outcome.output)['action'])['query']) : undefined),
    }),
  },
  search_docs: {
    icon: 'book',
    describe: ({ input }) => ({
      done: 'Searched the documentation',
      doing: 'Searching the documentation',
      subject: asText(input['query']),
    }),
  },
  get_doc: {
    icon: 'book',
    describe: ({ input }) => ({
      done: 'Read the documentation',
      doing: 'Reading the documentation',
      subject: asText(input['id']) ?? asText(input['path']),
    }),
  },
  browse_docs: {
    icon: 'book',
    describe: () => ({ done: 'Browsed the documentation', doing: 'Browsing the documentation' }),
  },
  script_check: { icon: 'code', describe: () => ({ done: 'Checked a script', doing: 'Checking a script' }) },
  script_hover: { icon: 'code', describe: () => ({ done: 'Inspected a script', doing: 'Inspecting a script' }) },
  script_definition: {
    icon: 'code',
    describe: () => ({ done: 'Looked up a definition', doing: 'Looking up a definition' }),
  },
  script_symbols: {
    icon: 'code',
    describe: () => ({ done: 'Listed the declarations of a script', doing: 'Listing the declarations of a script' }),
  },
  evm_rpc: {
    icon: 'globe',
    describe: ({ input }) => ({
      done: 'Queried the EVM node',
      doing: 'Querying the EVM node',
      subject: asText(input['method']),
    }),
  },
  evm_getBalance: {
    icon: 'globe',
    describe: ({ input }) => ({
      done: 'Read an EVM balance',
      doing: 'Reading an EVM balance',
      subject: asText(input['address']),
    }),
  },
  evm_call: {
    icon: 'globe',
    describe: ({ input }) => ({
      done: 'Called an EVM contract',
      doing: 'Calling an EVM contract',
      subject: asText(input['signature']) ?? asText(input['to']),
    }),
  },
  evm_getLogs: { icon: 'globe', describe: () => ({ done: 'Read EVM logs', doing: 'Reading EVM logs' }) },
}

export function describeToolCall(call: ToolCall): ToolCallDescription {
  // The model chooses names, and `constructor` is one.
  const known = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined
  const {
    done,
    doing,
    subject,
    notes = [],
  } = known?.describe(call) ?? { done: 'Used', doing: 'Using', subject: call.name }
  const { outcome } = call
  const end = { running: [], done: notes, failed: ['failed'], incomplete: ['incomplete'] }[outcome.is]
  return { icon: known?.icon ?? 'code', text: outcome.is === 'running' ? doing : done, subject, notes: end }
}

function rowNotes({ outcome }: ToolCall): readonly string[] {
  const rows = outcome.is === 'done' ? readToolRows(outcome.output) : undefined
  if (rows === undefined) return []
  const { rowCount, isTruncated, durationMs } = rows
  return [
    `${isTruncated ? 'first ' : ''}${formatCount(rowCount, 'row')}`,
    ...(durationMs === undefined ? [] : [secondsText(durationMs)]),
  ]
}

function describeFetch({ input, outcome }: ToolCall): ReturnType<DescribeCall> {
  const url = asText(input['url'])
  const status = outcome.is === 'done' ? asRecord(outcome.output)['status'] : undefined
  return {
    done: 'Fetched',
    doing: 'Fetching',
    subject: url !== undefined && URL.canParse(url) ? new URL(url).host : url,
    notes: typeof status === 'number' ? [`status ${status}`] : [],
  }
}

/** For example `14 ms`, `0.2 s`, `31 s`, `1 min 5 s`. */
export function secondsText(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`
  return ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms / 1000)
}
