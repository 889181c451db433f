import type { DynamicToolUIPart } from 'ai'
import type { ChatMessage } from './chat-types.ts'

/** Characters are UTF-16 code units, as `maxLength` counts them in browsers. */
export const historyLimits = {
  bodyBytes: 4 * 1024 * 1024,
  messageCharacters: 20_000,
  messages: 200,
  /** As JSON, about 100,000 tokens: half of the context of common models. Older turns are omitted. */
  characters: 400_000,
  answerCharacters: 120_000,
  outputCharacters: 30_000,
  inputCharacters: 20_000,
  errorCharacters: 4000,
} as const

type MessageParts = ChatMessage['parts']

const minOutputCharacters = 500

/**
 * Only text and tool calls go to a model again. Providers need reasoning within a turn only, and
 * provider metadata could make a provider fetch something.
 */
export function repairAnswer(parts: readonly unknown[]): MessageParts {
  const repair = (outputCharacters: number): MessageParts =>
    inSteps(parts.flatMap((part) => repairPart(part, outputCharacters)))
  const repaired = repair(historyLimits.outputCharacters)
  if (charactersOf(repaired) <= historyLimits.answerCharacters) return repaired
  const calls = repaired.filter(({ type }) => type === 'dynamic-tool').length
  return repair(Math.max(minOutputCharacters, Math.floor(historyLimits.answerCharacters / 2 / Math.max(1, calls))))
}

export function charactersOf(parts: MessageParts): number {
  return JSON.stringify(parts).length
}

function repairPart(part: unknown, outputCharacters: number): MessageParts {
  if (!isJsonObject(part)) return []
  const { type, text } = part
  if (type === 'step-start') return [{ type }]
  // Providers refuse empty texts.
  if (type === 'text')
    return typeof text === 'string' && text.trim() !== '' ? [{ type, text: text.toWellFormed() }] : []
  const call = repairToolPart(part, outputCharacters)
  return call === undefined ? [] : [call]
}

function inSteps(parts: MessageParts): MessageParts {
  const marked: MessageParts = []
  for (const part of parts) {
    const before = marked.at(-1)?.type
    if (part.type === 'step-start' && (before === 'step-start' || before === undefined)) continue
    if (part.type === 'text' && before === 'dynamic-tool') marked.push({ type: 'step-start' })
    marked.push(part)
  }
  return marked.at(-1)?.type === 'step-start' ? marked.slice(0, -1) : marked
}

export const interruptedText = 'This call was interrupted. It has no result; call the tool again if it is needed.'

const namePattern = /^[\w-]{1,64}$/

/** Approval states count as interrupted: no tool here asks for approval. */
const knownStates: ReadonlySet<unknown> = new Set([
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
])

/**
 * Undefined for invalid calls, and for a provider's own tools, whose results only the provider may
 * write.
 */
function repairToolPart(part: JsonObject, outputCharacters: number): DynamicToolUIPart | undefined {
  const { toolCallId, state } = part
  const toolName = nameOf(part)
  if (
    toolName === undefined ||
    typeof toolCallId !== 'string' ||
    !knownStates.has(state) ||
    part['providerExecuted'] === true
  )
    return undefined
  const call = { type: 'dynamic-tool', toolName, toolCallId, input: inputOf(part['input']) } as const
  if (state === 'output-available' && part['preliminary'] !== true)
    return { ...call, ...outcomeOf(part['output'], outputCharacters) }
  return {
    ...call,
    state: 'output-error',
    errorText: state === 'output-error' ? errorOf(part['errorText']) : interruptedText,
  }
}

/** Built-in tools have the name in the type: `tool-createChart`. */
function nameOf({ type, toolName }: JsonObject): string | undefined {
  const name =
    type === 'dynamic-tool' ? toolName : typeof type === 'string' ? /^tool-(.*)$/s.exec(type)?.[1] : undefined
  // Names of Object.prototype would match in the SDK's tool tables.
  return typeof name === 'string' && namePattern.test(name) && !(name in Object.prototype) ? name : undefined
}

function inputOf(input: unknown): JsonObject {
  if (!isJsonObject(input)) return {}
  const written = JSON.stringify(input)
  return written.length <= historyLimits.inputCharacters
    ? (wellFormedJson(input) as JsonObject)
    : { truncated: cutText(written, historyLimits.errorCharacters) }
}

type Outcome =
  | { readonly state: 'output-available'; readonly output: unknown }
  | { readonly state: 'output-error'; readonly errorText: string }

function outcomeOf(output: unknown, max: number): Outcome {
  if (!isMcpResult(output)) return { state: 'output-available', output: boundedJson(output ?? null, max) }
  const text = textOfMcpResult(output)
  if (output['isError'] === true) return { state: 'output-error', errorText: errorOf(text) }
  // In MCP's form, since the tool itself may convert it for the model.
  return {
    state: 'output-available',
    output: { content: [{ type: 'text', text: cutText(text.toWellFormed(), max) }] },
  }
}

interface McpResult extends JsonObject {
  readonly content: readonly unknown[]
}

function isMcpResult(output: unknown): output is McpResult {
  return isJsonObject(output) && Array.isArray(output['content'])
}

/** Text repeats the structured content. Images and resource links are dropped. */
function textOfMcpResult({ content, structuredContent }: McpResult): string {
  const texts = content.flatMap((piece) =>
    isJsonObject(piece) && piece['type'] === 'text' && typeof piece['text'] === 'string' ? [piece['text']] : [],
  )
  const text = texts.join('\n')
  if (text !== '') return text
  return structuredContent === undefined ? 'Empty result.' : JSON.stringify(structuredContent)
}

function errorOf(text: unknown): string {
  const words = typeof text === 'string' ? text.trim() : ''
  return words === '' ? 'Failed without a reason.' : cutText(words.toWellFormed(), historyLimits.errorCharacters)
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Providers refuse lone surrogates. */
function wellFormedJson(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormedJson)
  if (!isJsonObject(value)) return value
  // Assignment would set the prototype for `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name.toWellFormed(), wellFormedJson(part)]))
}

function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return (
    `${text.slice(0, maxCharacters).toWellFormed()}\n… (truncated: the first ${maxCharacters} of ` +
    `${text.length} characters)`
  )
}

const minTextCharacters = 250

function boundedJson(value: unknown, maxCharacters: number): unknown {
  const written = JSON.stringify(value)
  if (written.length <= maxCharacters) return wellFormedJson(value)
  const fits = (shorter: unknown): boolean => JSON.stringify(shorter).length <= maxCharacters
  if (typeof value !== 'string' && fits(withShortTexts(value, minTextCharacters))) {
    for (let max = maxCharacters / 2; max >= minTextCharacters; max /= 2) {
      const shorter = withShortTexts(value, Math.floor(max))
      if (fits(shorter)) return wellFormedJson(shorter)
    }
    return wellFormedJson(withShortTexts(value, minTextCharacters))
  }
  return cutText(typeof value === 'string' ? value.toWellFormed() : written, maxCharacters)
}

function withShortTexts(value: unknown, max: number): unknown {
  if (typeof value === 'string') return cutText(value, max)
  if (Array.isArray(value)) return value.map((part) => withShortTexts(part, max))
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withShortTexts(part, max)]))
    : value
}
