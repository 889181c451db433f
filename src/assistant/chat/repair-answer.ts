import type { DynamicToolUIPart } from 'ai'
import type { ChatMessage } from './chat-types.ts'

/** How much of a conversation is taken in. Characters are those of JavaScript (UTF-16), as browsers count them for `maxLength`. */
export const historyLimits = {
  /** Of a request. A conversation with many results of tools is long. */
  bodyBytes: 4 * 1024 * 1024,
  /** Of what a person writes at once. */
  messageCharacters: 20_000,
  /** The newest; those before are left out. */
  messages: 200,
  /** Of all that goes to the model, written as JSON: some 100,000 tokens. What is older is left out, whole turns at a time. */
  characters: 400_000,
  /** Of one answer with its tools, beyond which their results are cut shorter: the question after it should find it there. */
  answerCharacters: 120_000,
  /** Of one result of a tool. */
  outputCharacters: 30_000,
  /** Of what a tool was called with. */
  inputCharacters: 20_000,
  /** Of why a tool failed. */
  errorCharacters: 4000,
} as const

type MessageParts = ChatMessage['parts']

/** The shortest that results of tools are cut to. */
const leastOutputCharacters = 500

/**
 * The parts of an earlier answer as they may go to a model again: texts and calls of tools, and nothing else.
 *
 * What the model thought is left out: providers want it back within a turn only, while tools run, and a request here always begins a
 * new one (Anthropic drops what older turns thought, and refuses what is not as it wrote it). So are sources, files, parts that only
 * the page shows, and what providers add for themselves, by which a client could have them look things up.
 */
export function repairAnswer(parts: readonly unknown[]): MessageParts {
  const repair = (outputCharacters: number): MessageParts =>
    inSteps(parts.flatMap((part) => repairPart(part, outputCharacters)))
  const repaired = repair(historyLimits.outputCharacters)
  if (charactersOf(repaired) <= historyLimits.answerCharacters) return repaired
  const calls = repaired.filter(({ type }) => type === 'dynamic-tool').length
  return repair(Math.max(leastOutputCharacters, Math.floor(historyLimits.answerCharacters / 2 / Math.max(1, calls))))
}

/** What parts take of a model's room. */
export function charactersOf(parts: MessageParts): number {
  return JSON.stringify(parts).length
}

function repairPart(part: unknown, outputCharacters: number): MessageParts {
  if (!isJsonObject(part)) return []
  const { type, text } = part
  if (type === 'step-start') return [{ type }]
  // Providers refuse texts that are empty.
  if (type === 'text')
    return typeof text === 'string' && text.trim() !== '' ? [{ type, text: text.toWellFormed() }] : []
  const call = repairToolPart(part, outputCharacters)
  return call === undefined ? [] : [call]
}

/** Marks where steps begin, as the answer itself has them: results of tools come at the end of a step, so that what is said after a call is of the next. */
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

/** What is told of a call that has no result: the answer was stopped, or its connection broke. */
export const interruptedText = 'This call was interrupted. It has no result; call the tool again if it is needed.'

/** What providers take for the name of a tool. */
const namePattern = /^[\w-]{1,64}$/

/** States that a call can be kept in. One that waits for somebody's approval is as good as interrupted: nothing here asks for any. */
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
 * A call of a tool as it may go to a model again: with a result or an error in any case, of a size that is bounded, without what the
 * provider once added. Undefined: it is no call, or one of a tool that the provider runs itself, whose results only it may write.
 * @param outputCharacters longest result
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

/** Of own tools it is in the type: `tool-createChart`. */
function nameOf({ type, toolName }: JsonObject): string | undefined {
  const name =
    type === 'dynamic-tool' ? toolName : typeof type === 'string' ? /^tool-(.*)$/s.exec(type)?.[1] : undefined
  // What every object has by itself is found in the tables of tools that libraries keep, and is no tool.
  return typeof name === 'string' && namePattern.test(name) && !(name in Object.prototype) ? name : undefined
}

/** Providers take objects alone. */
function inputOf(input: unknown): JsonObject {
  if (!isJsonObject(input)) return {}
  const written = JSON.stringify(input)
  return written.length <= historyLimits.inputCharacters
    ? (wellFormedJson(input) as JsonObject)
    : { cut: cutText(written, historyLimits.errorCharacters) }
}

type Outcome =
  | { readonly state: 'output-available'; readonly output: unknown }
  | { readonly state: 'output-error'; readonly errorText: string }

function outcomeOf(output: unknown, most: number): Outcome {
  if (!isMcpResult(output)) return { state: 'output-available', output: boundedJson(output ?? null, most) }
  const text = textOfMcpResult(output)
  if (output['isError'] === true) return { state: 'output-error', errorText: errorOf(text) }
  // In the form in which MCP has it, since the tool itself may be asked how its result goes to the model.
  return {
    state: 'output-available',
    output: { content: [{ type: 'text', text: cutText(text.toWellFormed(), most) }] },
  }
}

interface McpResult extends JsonObject {
  readonly content: readonly unknown[]
}

function isMcpResult(output: unknown): output is McpResult {
  return isJsonObject(output) && Array.isArray(output['content'])
}

/** Its texts say what its structured content does; pictures and links to resources are nothing that a model is given again. */
function textOfMcpResult({ content, structuredContent }: McpResult): string {
  const texts = content.flatMap((piece) =>
    isJsonObject(piece) && piece['type'] === 'text' && typeof piece['text'] === 'string' ? [piece['text']] : [],
  )
  const text = texts.join('\n')
  if (text !== '') return text
  return structuredContent === undefined ? 'It gave nothing.' : JSON.stringify(structuredContent)
}

function errorOf(text: unknown): string {
  const words = typeof text === 'string' ? text.trim() : ''
  return words === '' ? 'It failed, and did not say why.' : cutText(words.toWellFormed(), historyLimits.errorCharacters)
}

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy whose texts are well-formed: half a character, which JSON can hold, is refused by providers. @param value as JSON has it, not deep */
function wellFormedJson(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormedJson)
  if (!isJsonObject(value)) return value
  // Not by assignment, which would take a field `__proto__` for something else.
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name.toWellFormed(), wellFormedJson(part)]))
}

/** The beginning of a text that is too long, with a remark that it is one; the text itself otherwise. */
function cutText(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text
  return `${text.slice(0, mostCharacters).toWellFormed()}\n… (cut here: the first ${mostCharacters} of ${text.length} characters)`
}

/** The shortest that texts within a value are cut to, before all of it is. */
const leastTextCharacters = 250

/**
 * A well-formed copy that has at most so many characters when it is written. Its texts are cut first, so that it keeps its form; where
 * that is not enough, it is the beginning of what is written.
 */
function boundedJson(value: unknown, mostCharacters: number): unknown {
  const written = JSON.stringify(value)
  if (written.length <= mostCharacters) return wellFormedJson(value)
  const fits = (shorter: unknown): boolean => JSON.stringify(shorter).length <= mostCharacters
  // Whether it helps at all is asked first: what is long by its numbers, or by many short texts, may be very long.
  if (typeof value !== 'string' && fits(withShortTexts(value, leastTextCharacters))) {
    for (let most = mostCharacters / 2; most >= leastTextCharacters; most /= 2) {
      const shorter = withShortTexts(value, Math.floor(most))
      if (fits(shorter)) return wellFormedJson(shorter)
    }
    return wellFormedJson(withShortTexts(value, leastTextCharacters))
  }
  return cutText(typeof value === 'string' ? value.toWellFormed() : written, mostCharacters)
}

function withShortTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') return cutText(value, most)
  if (Array.isArray(value)) return value.map((part) => withShortTexts(part, most))
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withShortTexts(part, most)]))
    : value
}
