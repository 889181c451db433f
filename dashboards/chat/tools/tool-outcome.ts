import { isToolUIPart, getToolName } from 'ai'
import type { MessagePart } from '../contract.ts'

/** A call of a tool as the page shows it, whichever way it came. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly outcome: ToolOutcome
}

export type ToolOutcome =
  | { readonly is: 'running' }
  /** The answer ended before it did. */
  | { readonly is: 'broken-off' }
  | { readonly is: 'failed'; readonly error: string; readonly output?: unknown }
  /** `output`: what the tool gave, out of the wrapping of MCP. */
  | { readonly is: 'done'; readonly output: unknown }

/** Reads a part of an answer as a call of a tool; undefined where it is none. @param isLive whether the answer is still being written */
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
  if (part.state === 'output-denied') return { is: 'failed', error: 'This call was not allowed.' }
  if (part.state !== 'output-available') return { is: isLive ? 'running' : 'broken-off' }
  const output = unwrap(part.output)
  const error = errorIn(output)
  if (error !== undefined) return { is: 'failed', error, output }
  return asRecord(part.output)['isError'] === true
    ? {
        is: 'failed',
        error: typeof output === 'string' && output !== '' ? output : 'The tool failed, and did not say why.',
        output,
      }
    : { is: 'done', output }
}

/** What an MCP server gave is in `structuredContent`, else in texts, which may be JSON. */
function unwrap(output: unknown): unknown {
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

/** The fields of an object; none of anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** A text, or nothing. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
