import type { CallToolResult } from '@ai-sdk/mcp'
import { dynamicTool, jsonSchema } from 'ai'
import type { ToolSet } from 'ai'
import { isShallow } from '../../../platform/json-depth.ts'
import type { Logger } from '../../../platform/log.ts'
import { callFailed, ToolFailed } from './mcp-client.ts'
import type { Offer, ToolDefinition } from './mcp-client.ts'
import { McpConnection, usualTimes } from './mcp-connection.ts'
import type { ConnectionTimes } from './mcp-connection.ts'
import type { McpServer } from './mcp-server.ts'

/** Tools as they are at this moment. */
export interface FoundTools {
  readonly tools: ToolSet
  /** Servers whose tools are not there now, with the reason in words for the user; the turn goes on without them. */
  readonly missing: readonly { readonly source: string; readonly reason: string }[]
}

/** Where tools come from that are not our own: MCP servers. Connections are kept from turn to turn, and end with the process. */
export interface ToolSource {
  /**
   * The tools for a turn. Never waits longer than `CHAT_TOOL_CONNECT_MS` (3,000) for servers that do not answer, and never rejects for
   * them; it rejects with the signal's reason when whoever asked has left.
   */
  find(signal: AbortSignal): Promise<FoundTools>
  close(): Promise<void>
}

export interface McpToolSourceOptions {
  /** In the order in which their tools are told; of two tools of one name the first server's counts. */
  readonly servers: readonly McpServer[]
  readonly times?: Partial<ConnectionTimes>
  readonly log: Logger
}

/** Tools of MCP servers, and the texts for the prompt that come from one. */
export interface FoundMcpTools extends FoundTools {
  /** Resources, by URI. */
  readonly texts: ReadonlyMap<string, string>
}

/** The tools of several MCP servers: asked all at the same time, and all together for no longer than `connectMs`. */
export class McpToolSource implements ToolSource {
  readonly #connections: readonly McpConnection[]
  readonly #connectMs: number
  readonly #toolsOf = new WeakMap<Offer, ToolSet>()

  constructor({ servers, times, log }: McpToolSourceOptions) {
    const all = { ...usualTimes, ...times }
    this.#connectMs = all.connectMs
    this.#connections = servers.map((server) => new McpConnection(server, all, log))
  }

  async find(signal: AbortSignal): Promise<FoundMcpTools> {
    signal.throwIfAborted()
    const waited = Promise.withResolvers<void>()
    const stopWaiting = (): void => waited.resolve()
    const timer = setTimeout(stopWaiting, this.#connectMs)
    signal.addEventListener('abort', stopWaiting, { once: true })
    try {
      const states = await Promise.all(
        this.#connections.map(async (connection) => ({ connection, state: await connection.find(waited.promise) })),
      )
      signal.throwIfAborted()
      return this.#merge(states)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stopWaiting)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }

  #merge(states: readonly { readonly connection: McpConnection; readonly state: Offer | string }[]): FoundMcpTools {
    let tools: ToolSet = {}
    const missing: { source: string; reason: string }[] = []
    const texts = new Map<string, string>()
    for (const { connection, state } of states) {
      if (typeof state === 'string') {
        if (connection.server.isWanted) missing.push({ source: connection.server.title, reason: state })
        continue
      }
      // Twice: the first ones stay first, and theirs count.
      tools = { ...tools, ...this.#tools(connection, state), ...tools }
      for (const [uri, text] of state.texts) texts.set(uri, text)
    }
    return { tools, missing, texts }
  }

  #tools(connection: McpConnection, offer: Offer): ToolSet {
    const known =
      this.#toolsOf.get(offer) ??
      Object.fromEntries(offer.tools.map((definition) => [definition.name, asTool(connection, definition)]))
    this.#toolsOf.set(offer, known)
    return known
  }
}

function asTool(connection: McpConnection, { name, description, inputSchema }: ToolDefinition): ToolSet[string] {
  return dynamicTool({
    description,
    inputSchema: jsonSchema(inputSchema),
    execute: async (input, { abortSignal }): Promise<McpToolOutput> => {
      const args = typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : undefined
      if (args === undefined) throw new ToolFailed('The arguments must be an object.')
      const result = await connection.call(name, args, abortSignal)
      try {
        return readToolOutput(result)
      } catch (error) {
        throw callFailed(error)
      }
    },
    toModelOutput: ({ output }) => ({ type: 'text', value: textForModel(output) }),
  })
}

/** What a tool of an MCP server gave: text for the model, and its structure, where it has one, for the page. */
interface McpToolOutput {
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
function readToolOutput(result: CallToolResult): McpToolOutput {
  const structure = readStructure('structuredContent' in result ? result.structuredContent : undefined)
  const text = textOf(result) || (structure === undefined ? 'The tool gave nothing.' : JSON.stringify(structure))
  if ('isError' in result && result.isError === true) throw new ToolFailed(errorIn(text).slice(0, mostErrorCharacters))
  return {
    content: [{ type: 'text', text: cut(text) }],
    ...(structure === undefined ? {} : { structuredContent: structure }),
  }
}

/** The text for the model. @param output as `readToolOutput` made it, or as a client sent it back with an earlier answer: then it may be anything */
function textForModel(output: unknown): string {
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
