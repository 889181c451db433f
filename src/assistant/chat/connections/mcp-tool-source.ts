import type { CallToolResult } from '@ai-sdk/mcp'
import { dynamicTool, jsonSchema } from 'ai'
import type { ToolSet } from 'ai'
import { isShallow } from '../../../platform/http/read-json.ts'
import type { Logger } from '../../../platform/log.ts'
import { callFailed, ToolFailed } from './mcp-client.ts'
import type { ServerTools, ToolDefinition } from './mcp-client.ts'
import { McpConnection, defaultTimes } from './mcp-connection.ts'
import type { ConnectionTimes } from './mcp-connection.ts'
import type { McpServer } from './mcp-server.ts'

export interface FoundTools {
  readonly tools: ToolSet
  readonly missing: readonly { readonly source: string; readonly reason: string }[]
}

export interface ToolSource {
  /** Waits at most CHAT_TOOL_CONNECT_MS for slow servers; rejects only with the signal's reason. */
  find(signal: AbortSignal): Promise<FoundTools>
  close(): Promise<void>
}

export interface McpToolSourceOptions {
  readonly servers: readonly McpServer[]
  readonly times?: Partial<ConnectionTimes>
  readonly log: Logger
}

export interface FoundMcpTools extends FoundTools {
  readonly texts: ReadonlyMap<string, string>
}

export class McpToolSource implements ToolSource {
  readonly #connections: readonly McpConnection[]
  readonly #connectMs: number
  readonly #toolsOf = new WeakMap<ServerTools, ToolSet>()

  constructor({ servers, times, log }: McpToolSourceOptions) {
    const all = { ...defaultTimes, ...times }
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

  #merge(
    states: readonly { readonly connection: McpConnection; readonly state: ServerTools | string }[],
  ): FoundMcpTools {
    let tools: ToolSet = {}
    const missing: { source: string; reason: string }[] = []
    const texts = new Map<string, string>()
    for (const { connection, state } of states) {
      if (typeof state === 'string') {
        if (connection.server.isConfigured) missing.push({ source: connection.server.title, reason: state })
        continue
      }
      // Spread twice, so that earlier tools stay first and take precedence.
      tools = { ...tools, ...this.#tools(connection, state), ...tools }
      for (const [uri, text] of state.texts) texts.set(uri, text)
    }
    return { tools, missing, texts }
  }

  #tools(connection: McpConnection, offer: ServerTools): ToolSet {
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

interface McpToolOutput {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }]
  readonly structuredContent?: Readonly<Record<string, unknown>>
}

const maxTextCharacters = 100_000
const maxStructureCharacters = 500_000
const maxErrorCharacters = 4000

const maxLevels = 64

/** @throws ToolFailed with the server's message */
function readToolOutput(result: CallToolResult): McpToolOutput {
  const structure = readStructure('structuredContent' in result ? result.structuredContent : undefined)
  const text = textOf(result) || (structure === undefined ? 'The tool returned nothing.' : JSON.stringify(structure))
  if ('isError' in result && result.isError === true) throw new ToolFailed(errorIn(text).slice(0, maxErrorCharacters))
  return {
    content: [{ type: 'text', text: cut(text) }],
    ...(structure === undefined ? {} : { structuredContent: structure }),
  }
}

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
      return `(Omitted: content of type ${JSON.stringify(String(part['type']).slice(0, 40))}.)`
    })
    .filter((text) => text !== '')
    .join('\n')
}

function errorIn(text: string): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return text
  }
  if (!isRecord(parsed) || typeof parsed['error'] !== 'string') return text
  const { error, error_code: code, error_position: position, error_hint: hint } = parsed
  return [
    error,
    ...(typeof position === 'number' ? [`At character ${position} of the statement.`] : []),
    ...(typeof hint === 'string' ? [hint] : []),
    ...(typeof code === 'string' ? [`(${code})`] : []),
  ].join(' ')
}

function readStructure(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(value) || !isShallow(value, maxLevels)) return undefined
  return JSON.stringify(value).length > maxStructureCharacters ? undefined : value
}

function cut(text: string): string {
  if (text.length <= maxTextCharacters) return text
  return (
    `${text.slice(0, maxTextCharacters)}\n(Truncated: ${text.length - maxTextCharacters} more characters. ` +
    'Request less.)'
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
