import type { DynamicToolUIPart } from 'ai'
import { historyLimits } from './history-limits.ts'
import { boundedJson, cutText, isJsonObject, wellFormedJson } from './plain-json.ts'
import type { JsonObject } from './plain-json.ts'

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
export function repairToolPart(part: JsonObject, outputCharacters: number): DynamicToolUIPart | undefined {
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
