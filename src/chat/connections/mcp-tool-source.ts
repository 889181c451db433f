import { dynamicTool, jsonSchema } from 'ai'
import type { ToolSet } from 'ai'
import type { Logger } from '../../base/log.ts'
import { callFailed, ToolFailed } from './connection-fault.ts'
import { McpConnection, usualTimes } from './mcp-connection.ts'
import type { ConnectionTimes } from './mcp-connection.ts'
import type { McpServer } from './mcp-server.ts'
import type { Offer, ToolDefinition } from './open-client.ts'
import { readToolOutput, textForModel } from './tool-output.ts'
import type { McpToolOutput } from './tool-output.ts'
import type { FoundTools, ToolSource } from './tool-source.ts'

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
