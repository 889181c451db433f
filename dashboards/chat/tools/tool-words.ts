import type { IconName } from '../../kit/icon.tsx'
import { formatCount } from '../../kit/formats.ts'
import { secondsText } from '../seconds-text.ts'
import { asRecord, asText } from './tool-outcome.ts'
import type { ToolCall } from './tool-outcome.ts'
import { readToolRows } from './tool-rows.ts'

/** A call in one line: what it is about, what was or is done, and what came of it. */
export interface ToolWords {
  readonly icon: IconName
  readonly text: string
  /** What it was done with: a query, a host, the name of a skill. */
  readonly subject?: string | undefined
  readonly notes: readonly string[]
}

type Say = (call: ToolCall) => {
  readonly done: string
  readonly doing: string
  readonly subject?: string | undefined
  readonly notes?: readonly string[]
}

const tools: Readonly<Record<string, { readonly icon: IconName; readonly say: Say }>> = {
  run_indexer_sql: {
    icon: 'database',
    say: (call) => ({ done: 'Ran SQL', doing: 'Running SQL', notes: rowNotes(call) }),
  },
  run_evm_sql: {
    icon: 'database',
    say: (call) => ({
      done: 'Ran SQL on the EVM database',
      doing: 'Running SQL on the EVM database',
      notes: rowNotes(call),
    }),
  },
  run_chain_script: {
    icon: 'code',
    say: () => ({ done: 'Ran a script on the chain', doing: 'Running a script on the chain' }),
  },
  createChart: {
    icon: 'chart',
    say: ({ input }) => ({ done: 'Drew a chart', doing: 'Drawing a chart', subject: asText(input['title']) }),
  },
  loadSkill: {
    icon: 'book',
    say: ({ input }) => ({ done: 'Read the skill', doing: 'Reading the skill', subject: asText(input['name']) }),
  },
  fetch_api: { icon: 'globe', say: sayFetch },
  web_search: {
    icon: 'search',
    say: ({ input }) => ({ done: 'Searched the web', doing: 'Searching the web', subject: asText(input['query']) }),
  },
  search_docs: {
    icon: 'book',
    say: ({ input }) => ({
      done: 'Searched the documentation',
      doing: 'Searching the documentation',
      subject: asText(input['query']),
    }),
  },
  get_doc: {
    icon: 'book',
    say: ({ input }) => ({
      done: 'Read the documentation',
      doing: 'Reading the documentation',
      subject: asText(input['id']) ?? asText(input['path']),
    }),
  },
  browse_docs: {
    icon: 'book',
    say: () => ({ done: 'Looked through the documentation', doing: 'Looking through the documentation' }),
  },
  script_check: { icon: 'code', say: () => ({ done: 'Checked a script', doing: 'Checking a script' }) },
  script_hover: { icon: 'code', say: () => ({ done: 'Looked at a script', doing: 'Looking at a script' }) },
  script_definition: {
    icon: 'code',
    say: () => ({ done: 'Looked up a definition', doing: 'Looking up a definition' }),
  },
  script_symbols: {
    icon: 'code',
    say: () => ({ done: 'Read what a script declares', doing: 'Reading what a script declares' }),
  },
  evm_rpc: {
    icon: 'globe',
    say: ({ input }) => ({
      done: 'Asked the EVM node',
      doing: 'Asking the EVM node',
      subject: asText(input['method']),
    }),
  },
  evm_getBalance: {
    icon: 'globe',
    say: ({ input }) => ({
      done: 'Read a balance of the EVM',
      doing: 'Reading a balance of the EVM',
      subject: asText(input['address']),
    }),
  },
  evm_call: {
    icon: 'globe',
    say: ({ input }) => ({
      done: 'Called a contract of the EVM',
      doing: 'Calling a contract of the EVM',
      subject: asText(input['signature']) ?? asText(input['to']),
    }),
  },
  evm_getLogs: { icon: 'globe', say: () => ({ done: 'Read logs of the EVM', doing: 'Reading logs of the EVM' }) },
}

/** Puts a call into words. A tool that the page does not know is told by its own name. */
export function toolWords(call: ToolCall): ToolWords {
  // Names are the model's, and `constructor` is one.
  const known = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined
  const { done, doing, subject, notes = [] } = known?.say(call) ?? { done: 'Used', doing: 'Using', subject: call.name }
  const { outcome } = call
  const end = { running: [], done: notes, failed: ['failed'], 'broken-off': ['not finished'] }[outcome.is]
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

function sayFetch({ input, outcome }: ToolCall): ReturnType<Say> {
  const url = asText(input['url'])
  const status = outcome.is === 'done' ? asRecord(outcome.output)['status'] : undefined
  return {
    done: 'Fetched',
    doing: 'Fetching',
    subject: url !== undefined && URL.canParse(url) ? new URL(url).host : url,
    notes: typeof status === 'number' ? [`status ${status}`] : [],
  }
}
