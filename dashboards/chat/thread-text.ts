import { cellText, escapeInvisible } from '../kit/result-table.ts'
import { readChart } from './answer/chart-data.ts'
import type { ChatMessage } from './messages.ts'
import type { ThreadFeedback, ThreadShare } from './shares.ts'
import { asText, readToolCall, readToolRows, describeToolCall } from './answer/tool-outcome.ts'
import type { ToolCall } from './answer/tool-outcome.ts'

const maxRows = 50

export function answerText({ parts }: ChatMessage): string {
  return parts
    .flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text.trim()] : []))
    .join('\n\n')
}

export function threadMarkdown(title: string, messages: readonly ChatMessage[]): string {
  const sections = messages.map((message) => {
    const head =
      message.role === 'user'
        ? '## Question'
        : `## Answer${message.metadata?.model === undefined ? '' : ` of ${message.metadata.model}`}`
    const body = message.parts.flatMap((part) => {
      if (part.type === 'text') return part.text.trim() === '' ? [] : [part.text.trim()]
      const call = readToolCall(part, false)
      return call === undefined ? [] : [callMarkdown(call)]
    })
    return [head, ...body].join('\n\n')
  })
  return `${[`# ${title}`, ...sections].join('\n\n')}\n`
}

function callMarkdown(call: ToolCall): string {
  const { text, subject, notes } = describeToolCall(call)
  const line = `*${[text, subject, ...notes].filter((word) => word !== undefined).join(' · ')}*`
  const { outcome, input } = call
  const sql = asText(input['sql'])
  const script = asText(input['script'])
  const code = sql === undefined ? (script === undefined ? [] : [fenced('cadence', script)]) : [fenced('sql', sql)]
  if (outcome.is === 'failed') return [line, ...code, fenced('', outcome.error)].join('\n\n')
  if (outcome.is !== 'done') return [line, ...code].join('\n\n')
  return [line, ...code, ...tableMarkdown(outcome.output)].join('\n\n')
}

function tableMarkdown(output: unknown): string[] {
  const chart = readChart(output)
  const table =
    chart === undefined
      ? readToolRows(output)
      : {
          columns: [{ name: '' }, ...chart.sets.map(({ label }) => ({ name: label }))],
          rows: chart.labels.map((label, i) => [label, ...chart.sets.map(({ values }) => values[i] ?? 0)]),
        }
  if (table === undefined || table.columns.length === 0) return []
  const row = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`
  return [
    [
      row(table.columns.map(({ name }) => name)),
      row(table.columns.map(() => '---')),
      ...table.rows.slice(0, maxRows).map((cells) => row(cells.map(cellText))),
    ].join('\n'),
  ]
}

function fenced(language: string, code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${code.trimEnd()}\n${fence}`
}

/** Times in ms. */
export interface Thread {
  readonly id: string
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly share?: ThreadShare | undefined
  readonly feedback?: ThreadFeedback
  /** Ids of the tool calls that the user confirmed. */
  readonly confirmed?: readonly string[]
}

const maxTitleLength = 60

export function threadTitle(question: string): string {
  const line = escapeInvisible(question.trim().replaceAll(/\s+/g, ' '))
  if (line === '') return 'New chat'
  const characters = Array.from(line)
  if (characters.length <= maxTitleLength) return line
  const cut = characters.slice(0, maxTitleLength - 1).join('')
  const space = cut.lastIndexOf(' ')
  return `${(space > maxTitleLength / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.]+$/, '')}…`
}

interface ThreadGroup {
  readonly name: string
  readonly threads: readonly Thread[]
}

const dayMs = 86_400_000

/** @param now ms, local time */
export function groupByAge(threads: readonly Thread[], now: number): readonly ThreadGroup[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const groups: Record<string, Thread[]> = { Today: [], Yesterday: [], 'Last 7 days': [], Earlier: [] }
  for (const thread of threads) {
    const before = midnight - thread.updatedAt
    const name = before <= 0 ? 'Today' : before <= dayMs ? 'Yesterday' : before <= 6 * dayMs ? 'Last 7 days' : 'Earlier'
    groups[name]?.push(thread)
  }
  return Object.entries(groups)
    .filter(([, found]) => found.length > 0)
    .map(([name, found]) => ({ name, threads: found }))
}

const maxSearchable = 200_000

export function searchableText(messages: readonly ChatMessage[]): string {
  return messages.map(answerText).join('\n').slice(0, maxSearchable)
}

export interface FoundText {
  /** Text around the first match, split at it; undefined if only the title matches. */
  readonly excerpt?: readonly [before: string, match: string, after: string]
}

const excerptCharacters = 40

/** Finds texts that contain all words, in any case. */
export function findWords(query: string, title: string, text: string): FoundText | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const [lowerTitle, lowerText] = [title.toLowerCase(), text.toLowerCase()]
  if (!words.every((word) => lowerTitle.includes(word) || lowerText.includes(word))) return undefined
  const word = words.find((each) => !lowerTitle.includes(each))
  // The lower case of some letters is longer, which shifts positions.
  if (word === undefined || lowerText.length !== text.length) return {}
  const at = lowerText.indexOf(word)
  const end = at + word.length
  const from = Math.max(0, at - excerptCharacters)
  const before = text.slice(from, at).replace(from === 0 ? '' : /^\S*\s/, '')
  const line = (part: string): string => escapeInvisible(part.replaceAll(/\s+/g, ' '))
  return {
    excerpt: [
      `${from === 0 ? '' : '…'}${line(before)}`,
      line(text.slice(at, end)),
      line(text.slice(end, end + 2 * excerptCharacters)),
    ],
  }
}

function escapeCell(cell: string): string {
  return cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}
