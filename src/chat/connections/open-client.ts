import { createMCPClient } from '@ai-sdk/mcp'
import type { CallToolResult, MCPClient } from '@ai-sdk/mcp'
import { asError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import { ConnectionFault } from './connection-fault.ts'
import { mcpFetch } from './mcp-fetch.ts'
import type { McpServer } from './mcp-server.ts'
import { safeInputSchema } from './safe-schema.ts'
import type { InputSchema } from './safe-schema.ts'
import { toolWords } from './tool-words.ts'

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
}

/** What a server offers at a moment. */
export interface Offer {
  readonly tools: readonly ToolDefinition[]
  /** Its resources, by URI. */
  readonly texts: ReadonlyMap<string, string>
}

/** More than any list of tools or result of use; a server that sends more is at fault. */
const mostAnswerBytes = 8 * 1024 * 1024
const mostPages = 20
/** What OpenAI takes. */
const mostDescriptionCharacters = 1024
const mostTextCharacters = 400_000

/**
 * A connection to an MCP server, and what it offered when last asked. It is used from turn to turn, by many at the same time; once it is
 * to be replaced it ends with the last call that runs on it.
 */
export class OpenClient {
  readonly #client: MCPClient
  readonly #server: McpServer
  readonly #log: Logger
  #running = 0
  #isRetired = false

  private constructor(client: MCPClient, server: McpServer, log: Logger) {
    this.#client = client
    this.#server = server
    this.#log = log
  }

  /** @throws what the server or the way to it says; `signal` ends the trying */
  static async connect(server: McpServer, url: string, signal: AbortSignal, log: Logger): Promise<OpenClient> {
    const client = await createMCPClient({
      transport: {
        type: 'http',
        url,
        redirect: 'error',
        fetch: mcpFetch(mostAnswerBytes, server.isOurs),
        ...(server.key === undefined ? {} : { headers: { Authorization: `Bearer ${server.key}` } }),
      },
      clientName: 'flowfarm-chat',
      initializationOptions: { signal },
      // Whoever called is told as well.
      onUncaughtError: (error) =>
        log.debug({ err: asError(error), server: server.name }, 'a connection to tools had a fault'),
    })
    return new OpenClient(client, server, log)
  }

  /** Asks for tools and texts. @throws ConnectionFault where it has none of the tools that are wanted, and what the server says */
  async offer(signal: AbortSignal): Promise<Offer> {
    const tools = await this.#listTools(signal)
    if (tools.length === 0) throw new ConnectionFault('it offers none of the tools that are wanted of it')
    const texts = new Map<string, string>()
    await Promise.all(
      this.#server.texts.map(async (uri) => {
        const text = await this.#read(uri, signal)
        if (text !== undefined) texts.set(uri, text)
      }),
    )
    return { tools, texts }
  }

  /** @throws what the client throws; the signal's reason where it is aborted is the caller's to tell */
  async call(
    name: string,
    args: Record<string, unknown>,
    { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number },
  ): Promise<CallToolResult> {
    this.#running++
    try {
      return await this.#client.callTool({
        name,
        arguments: args,
        options: { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) },
      })
    } finally {
      this.#running--
      if (this.#isRetired && this.#running === 0) await this.close()
    }
  }

  /** Ends the connection with the last call that runs on it. */
  retire(): void {
    this.#isRetired = true
    if (this.#running === 0) void this.close()
  }

  /** Ends it at once, and the calls that run. Never rejects. */
  async close(): Promise<void> {
    try {
      await this.#client.close()
    } catch (error) {
      this.#log.debug({ err: asError(error), server: this.#server.name }, 'a connection to tools did not end cleanly')
    }
  }

  async #listTools(signal: AbortSignal): Promise<ToolDefinition[]> {
    const { tools: wanted, isOurs } = this.#server
    const found = new Map<string, ToolDefinition>()
    let cursor: string | undefined
    for (let page = 0; page < mostPages; page++) {
      const { tools, nextCursor } = await this.#client.listTools({
        ...(cursor === undefined ? {} : { params: { cursor } }),
        options: { signal },
      })
      for (const { name, description, inputSchema } of tools) {
        if (!wanted.includes(name) || found.has(name)) continue
        const schema = safeInputSchema(inputSchema, isOurs)
        if (schema === undefined)
          this.#log.warn(
            { server: this.#server.name, tool: name },
            'a tool is left out: its schema is not one that models can be told',
          )
        else
          found.set(name, {
            name,
            inputSchema: schema,
            description:
              (isOurs ? description?.slice(0, mostDescriptionCharacters) : undefined) ?? toolWords[name] ?? name,
          })
      }
      if (nextCursor === undefined || nextCursor === cursor || found.size === wanted.length) break
      cursor = nextCursor
    }
    // In the order in which they are wanted: what a provider keeps of a prompt is good only while the list of tools is the same.
    return wanted.flatMap((name) => found.get(name) ?? [])
  }

  async #read(uri: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { contents } = await this.#client.readResource({ uri, options: { signal } })
      return contents
        .map((part) => ('text' in part && typeof part.text === 'string' ? part.text : ''))
        .join('\n')
        .slice(0, mostTextCharacters)
    } catch (error) {
      signal.throwIfAborted()
      this.#log.warn(
        { err: asError(error), server: this.#server.name, uri },
        'a text for the prompt could not be read; the tools are there',
      )
      return undefined
    }
  }
}
