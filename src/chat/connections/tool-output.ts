import type { CallToolResult } from '@ai-sdk/mcp'
import { isShallow } from '../../base/json-depth.ts'
import { ToolFailed } from './connection-fault.ts'

/** What a tool of an MCP server gave: text for the model, and its structure, where it has one, for the page. */
export interface McpToolOutput {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }]
  readonly structuredContent?: Readonly<Record<string, unknown>>
}

const mostTextCharacters = 100_000
const mostStructureCharacters = 500_000
const mostErrorCharacters = 4000

/** The levels of a result that pages and models can use. */
const mostLevels = 64

/**
 * A result, bounded.
 * @throws ToolFailed with what the server says, where it says that the tool failed
 */
export function readToolOutput(result: CallToolResult): McpToolOutput {
  const structure = readStructure('structuredContent' in result ? result.structuredContent : undefined)
  const text = textOf(result) || (structure === undefined ? 'The tool gave nothing.' : JSON.stringify(structure))
  if ('isError' in result && result.isError === true) throw new ToolFailed(errorIn(text).slice(0, mostErrorCharacters))
  return {
    content: [{ type: 'text', text: cut(text) }],
    ...(structure === undefined ? {} : { structuredContent: structure }),
  }
}

/** The text for the model. @param output as `readToolOutput` made it, or as a client sent it back with an earlier answer: then it may be anything */
export function textForModel(output: unknown): string {
  const content: unknown = isRecord(output) ? output['content'] : undefined
  if (!Array.isArray(content)) return cut(JSON.stringify(output ?? null))
  return cut(
    content
      .map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''))
      .filter((text) => text !== '')
      .join('\n'),
  )
}

function textOf(result: CallToolResult): string {
  if (!('content' in result) || !Array.isArray(result.content))
    return 'toolResult' in result ? JSON.stringify(result.toolResult) : ''
  return result.content
    .map((part: unknown) => {
      if (!isRecord(part)) return ''
      if (typeof part['text'] === 'string') return part['text']
      const { resource } = part
      if (isRecord(resource) && typeof resource['text'] === 'string') return resource['text']
      return `(Something of the kind ${JSON.stringify(String(part['type']).slice(0, 40))} was left out.)`
    })
    .filter((text) => text !== '')
    .join('\n')
}

/** Our servers tell failures as JSON, with what the database said beside the error. */
function errorIn(text: string): string {
  let told: unknown
  try {
    told = JSON.parse(text)
  } catch {
    return text
  }
  if (!isRecord(told) || typeof told['error'] !== 'string') return text
  const { error, error_code: code, error_position: position, error_hint: hint } = told
  return [
    error,
    ...(typeof position === 'number' ? [`At character ${position} of the statement.`] : []),
    ...(typeof hint === 'string' ? [hint] : []),
    ...(typeof code === 'string' ? [`(${code})`] : []),
  ].join(' ')
}

/** Rows come under two names, for clients of two kinds; the page needs them once. */
function readStructure(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(value) || !isShallow(value, mostLevels)) return undefined
  const { results, ...rest } = value
  const structure = Array.isArray(rest['rows']) ? rest : { ...rest, ...(results === undefined ? {} : { results }) }
  return JSON.stringify(structure).length > mostStructureCharacters ? undefined : structure
}

function cut(text: string): string {
  if (text.length <= mostTextCharacters) return text
  return `${text.slice(0, mostTextCharacters)}\n(Cut here: ${text.length - mostTextCharacters} more characters were left out. Ask for less.)`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
