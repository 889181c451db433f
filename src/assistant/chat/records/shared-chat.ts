import type { DynamicToolUIPart } from 'ai'
import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { parseBody } from '../../../platform/http/parse-input.ts'
import { sqlToolNames } from '../../mcp/query-tools.ts'
import { historyLimits, isJsonObject } from '../repair-answer.ts'
import type { JsonObject } from '../repair-answer.ts'
import { readChart } from '../tools/create-chart.ts'

export const shareLimits = {
  bytes: 512 * 1024,
  titleCharacters: 200,
  messages: 100,
  parts: 200,
  rows: 500,
  columns: 100,
  cellCharacters: 2000,
  nameCharacters: 200,
  urlCharacters: 2000,
} as const

const part = z.looseObject({ type: z.string() })

const message = z.strictObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  parts: z.array(part),
  metadata: z.strictObject({ model: z.string() }).exactOptional(),
})

export const sharedChat = z.strictObject({
  title: z.string(),
  messages: z.array(message).describe('Texts, statements, tables and charts, as parts of the UI message stream.'),
})
export type SharedChat = z.output<typeof sharedChat>

const given = z.object({
  title: z.string('must be a string').trim().min(1, 'must not be empty').max(shareLimits.titleCharacters),
  messages: z
    .array(
      z.object({
        role: z.enum(['user', 'assistant'], 'must be user or assistant'),
        parts: z
          .array(z.unknown(), 'must be a list')
          .max(shareLimits.parts, `must have at most ${shareLimits.parts} parts`),
        metadata: z.unknown().optional(),
      }),
      'must be a list',
    )
    .min(1, 'must not be empty')
    .max(shareLimits.messages, `must have at most ${shareLimits.messages} messages`),
})

type Part = SharedChat['messages'][number]['parts'][number]

/**
 * Only questions, answers, statements with their tables, and charts are shared. Other tools keep
 * their name: their input and output may contain keys.
 *
 * @throws ApiError 400 `invalid-field`, 413 `share-too-large`
 */
export function readSharedChat(body: unknown): SharedChat {
  const { title, messages } = parseBody(given, body)
  const chat: SharedChat = {
    title: title.toWellFormed(),
    messages: messages.map(({ role, parts, metadata }, i) => ({
      id: `m${i}`,
      role,
      parts: parts.flatMap((each, j) => readPart(each, role, `messages[${i}].parts[${j}]`)),
      ...(role === 'assistant' ? modelOf(metadata) : {}),
    })),
  }
  if (!chat.messages.some(({ role, parts }) => role === 'assistant' && parts.length > 0))
    throw invalid('messages', 'must contain an answer')
  const bytes = Buffer.byteLength(JSON.stringify(chat))
  if (bytes > shareLimits.bytes)
    throw new ApiError(
      413,
      'share-too-large',
      `The chat is too large to share: ${bytes} bytes; the limit is ${shareLimits.bytes}. Share a shorter chat.`,
    )
  return chat
}

function readPart(value: unknown, role: string, place: string): readonly Part[] {
  if (!isJsonObject(value)) throw invalid(place, 'must be an object')
  const { type, text } = value
  if (type === 'text') {
    if (typeof text !== 'string') throw invalid(`${place}.text`, 'must be a string')
    const max = role === 'user' ? historyLimits.messageCharacters : historyLimits.answerCharacters
    if (text.length > max) throw invalid(`${place}.text`, `must have at most ${max} characters`)
    return text.trim() === '' ? [] : [{ type, text: text.toWellFormed(), state: 'done' }]
  }
  if (role === 'user') return []
  if (type === 'source-url') return readSource(value, place)
  const call = readCall(value, place)
  return call === undefined ? [] : [{ ...call }]
}

function readSource({ url, title, sourceId }: JsonObject, place: string): readonly Part[] {
  const text = (name: string, words: unknown, max: number): string => {
    if (typeof words !== 'string' || words.length > max)
      throw invalid(`${place}.${name}`, `must be a string of at most ${max} characters`)
    return words.toWellFormed()
  }
  return [
    {
      type: 'source-url',
      sourceId: text('sourceId', sourceId, shareLimits.nameCharacters),
      url: text('url', url, shareLimits.urlCharacters),
      ...(title === undefined ? {} : { title: text('title', title, shareLimits.urlCharacters) }),
    },
  ]
}

const notShared = 'This is not part of the shared chat.'
const sqlTools: ReadonlySet<string> = new Set(Object.values(sqlToolNames))

/** Undefined for parts that are not tool calls, and for calls without an end. */
function readCall(value: JsonObject, place: string): DynamicToolUIPart | undefined {
  const { type, toolName, state, output, errorText } = value
  if (typeof type !== 'string' || !(type === 'dynamic-tool' || type.startsWith('tool-'))) return undefined
  const name = type === 'dynamic-tool' ? toolName : type.slice('tool-'.length)
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name))
    throw invalid(`${place}.toolName`, 'must be the name of a tool')
  const input = isJsonObject(value['input']) ? value['input'] : {}
  const isSql = sqlTools.has(name)
  const call = {
    type: 'dynamic-tool',
    toolName: name,
    toolCallId: place,
    // Providers run some tools themselves: their calls do not go to a model again.
    ...(value['providerExecuted'] === true ? { providerExecuted: true } : {}),
  } as const
  const asked = isSql ? { sql: readSql(input['sql'], place) } : {}
  if (state === 'output-error' || (isJsonObject(output) && output['isError'] === true)) {
    const reason = isSql && typeof errorText === 'string' ? errorText : isSql ? 'The statement failed.' : notShared
    return {
      ...call,
      input: asked,
      state: 'output-error',
      errorText: reason.slice(0, historyLimits.errorCharacters).toWellFormed(),
    }
  }
  if (state !== 'output-available') return undefined
  if (name === 'createChart') {
    const chart = readChart(output)
    return { ...call, input: { chartType: chart.chartType, title: chart.title }, state, output: chart }
  }
  const table = isSql ? readTable(tableIn(output), place) : undefined
  return {
    ...call,
    input: asked,
    state,
    output:
      table === undefined
        ? { content: [{ type: 'text', text: notShared }] }
        : { content: [], structuredContent: table },
  }
}

function readSql(sql: unknown, place: string): string {
  if (typeof sql !== 'string' || sql.length > historyLimits.inputCharacters)
    throw invalid(`${place}.input.sql`, `must be a string of at most ${historyLimits.inputCharacters} characters`)
  return sql.toWellFormed()
}

/** Results of MCP servers are in `structuredContent`, or a text of JSON. */
function tableIn(output: unknown): JsonObject {
  if (!isJsonObject(output)) return {}
  const { structuredContent, content } = output
  if (isJsonObject(structuredContent)) return structuredContent
  const text: unknown = Array.isArray(content) && isJsonObject(content[0]) ? content[0]['text'] : undefined
  return typeof text === 'string' ? jsonObjectIn(text) : output
}

function jsonObjectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

type Cell = string | number | boolean | null

/** Undefined for other results. Rows above the limit are left out. */
function readTable(table: JsonObject, place: string): JsonObject | undefined {
  const { columns, column_types: types, results, rows: plain, row_count: count, truncated } = table
  const rows: unknown = plain ?? results
  if (!Array.isArray(columns) || !Array.isArray(rows)) return undefined
  if (columns.length > shareLimits.columns)
    throw invalid(`${place}.output.columns`, `must have at most ${shareLimits.columns} columns`)
  const names = columns.map((name: unknown) => cellOf(name, shareLimits.nameCharacters)).map(String)
  return {
    columns: names,
    ...(Array.isArray(types) && types.length === names.length
      ? { column_types: types.map((type: unknown) => String(cellOf(type, shareLimits.nameCharacters))) }
      : {}),
    rows: rows
      .slice(0, shareLimits.rows)
      .map((row: unknown) =>
        columns.map((name: unknown, i) =>
          cellOf(Array.isArray(row) ? row[i] : isJsonObject(row) && typeof name === 'string' ? row[name] : null),
        ),
      ),
    row_count: Math.min(rows.length, shareLimits.rows, typeof count === 'number' ? count : Infinity),
    truncated: truncated === true || rows.length > shareLimits.rows,
  }
}

function cellOf(value: unknown, max: number = shareLimits.cellCharacters): Cell {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? null
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return (text.length <= max ? text : `${text.slice(0, max - 1)}…`).toWellFormed()
}

function modelOf(metadata: unknown): { readonly metadata?: { readonly model: string } } {
  const model = isJsonObject(metadata) ? metadata['model'] : undefined
  return typeof model === 'string' && /^[\w./:@-]{1,100}$/.test(model) ? { metadata: { model } } : {}
}

function invalid(field: string, problem: string): ApiError {
  return new ApiError(400, 'invalid-field', `Field "${field}" ${problem}.`, { field })
}
