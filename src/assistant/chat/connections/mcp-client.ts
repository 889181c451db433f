import { createMCPClient, MCPClientError } from '@ai-sdk/mcp'
import type { CallToolResult, MCPClient } from '@ai-sdk/mcp'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { asError } from '../../../platform/errors.ts'
import { RedirectError, providerFetch, ReplyTooLargeError } from '../../../platform/llm/provider-fetch.ts'
import type { Logger } from '../../../platform/log.ts'
import { clientHeader, servedClient } from '../../../platform/mcp/origin-rules.ts'
import type { McpServer } from './mcp-server.ts'
import { safeInputSchema } from './safe-schema.ts'
import type { InputSchema } from './safe-schema.ts'

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
}

export interface ServerTools {
  readonly tools: readonly ToolDefinition[]
  readonly texts: ReadonlyMap<string, string>
}

const maxAnswerBytes = 8 * 1024 * 1024
const maxPages = 20
/** OpenAI's limit. */
const maxDescriptionCharacters = 1024
const maxTextCharacters = 400_000

/** Shared by concurrent turns. A retired connection closes with its last running call. */
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

  static async connect(server: McpServer, url: string, signal: AbortSignal, log: Logger): Promise<OpenClient> {
    const client = await createMCPClient({
      transport: {
        type: 'http',
        url,
        redirect: 'error',
        fetch: mcpFetch(maxAnswerBytes, server.isOurs),
        ...(server.key === undefined ? {} : { headers: { Authorization: `Bearer ${server.key}` } }),
      },
      clientName: 'flowfarm-chat',
      initializationOptions: { signal },
      onUncaughtError: (error) => log.debug({ err: asError(error), server: server.name }, 'MCP connection error'),
    })
    return new OpenClient(client, server, log)
  }

  /** @throws ConnectionFault if it has none of the expected tools; errors of the server */
  async offer(signal: AbortSignal): Promise<ServerTools> {
    const tools = await this.#listTools(signal)
    if (tools.length === 0) throw new ConnectionFault('it offers none of the expected tools')
    const texts = new Map<string, string>()
    await Promise.all(
      this.#server.texts.map(async (uri) => {
        const text = await this.#read(uri, signal)
        if (text !== undefined) texts.set(uri, text)
      }),
    )
    return { tools, texts }
  }

  /** @throws errors of the client; an abort is the caller's to report */
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

  retire(): void {
    this.#isRetired = true
    if (this.#running === 0) void this.close()
  }

  async close(): Promise<void> {
    try {
      await this.#client.close()
    } catch (error) {
      this.#log.debug({ err: asError(error), server: this.#server.name }, 'MCP connection did not close cleanly')
    }
  }

  async #listTools(signal: AbortSignal): Promise<ToolDefinition[]> {
    const { tools: wanted, isOurs } = this.#server
    const found = new Map<string, ToolDefinition>()
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const { tools, nextCursor } = await this.#client.listTools({
        ...(cursor === undefined ? {} : { params: { cursor } }),
        options: { signal },
      })
      for (const { name, description, inputSchema } of tools) {
        if (!wanted.includes(name) || found.has(name)) continue
        const schema = safeInputSchema(inputSchema, isOurs)
        if (schema === undefined)
          this.#log.warn({ server: this.#server.name, tool: name }, 'Tool skipped: unsupported schema')
        else
          found.set(name, {
            name,
            inputSchema: schema,
            description:
              (isOurs ? description?.slice(0, maxDescriptionCharacters) : undefined) ?? toolDescriptions[name] ?? name,
          })
      }
      if (nextCursor === undefined || nextCursor === cursor || found.size === wanted.length) break
      cursor = nextCursor
    }
    // Prompt caching needs an identical list of tools.
    return wanted.flatMap((name) => found.get(name) ?? [])
  }

  async #read(uri: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { contents } = await this.#client.readResource({ uri, options: { signal } })
      return contents
        .map((part) => ('text' in part && typeof part.text === 'string' ? part.text : ''))
        .join('\n')
        .slice(0, maxTextCharacters)
    } catch (error) {
      signal.throwIfAborted()
      this.#log.warn(
        { err: asError(error), server: this.#server.name, uri },
        'Cannot read an MCP resource for the prompt',
      )
      return undefined
    }
  }
}

/** Descriptions of foreign servers could contain instructions. */
export const toolDescriptions: Readonly<Record<string, string>> = {
  run_indexer_sql: 'Runs one read-only SELECT on the Flow indexer database and returns its rows.',
  run_evm_sql: 'Runs one read-only SELECT on the Flow EVM explorer database and returns its rows.',
  run_chain_script: 'Runs a read-only Cadence script on an access node, for current state.',
  create_alert: 'Creates an alert.',
  list_alerts: 'Lists alerts.',
  delete_alert: 'Deletes an alert.',
  script_check:
    'Checks Cadence source and returns its errors with positions. Use it before showing or running Cadence that ' +
    'you wrote.',
  search_docs: 'Searches the documentation by keywords and returns matching pages with their ids.',
  get_doc: 'Reads a documentation page by its id.',
  browse_docs: 'Lists the documentation pages.',
  script_hover: 'Explains the name at a position in Cadence source.',
  script_definition: 'Finds the declaration of the name at a position in Cadence source.',
  script_symbols: 'Lists the declarations of Cadence source.',
  evm_rpc: 'Calls a read-only JSON-RPC method of Flow EVM, such as eth_blockNumber or eth_getTransactionReceipt.',
  evm_getBalance: 'Reads the balance of a Flow EVM address, in FLOW.',
  evm_call: 'Calls a function of a Flow EVM contract without changing state.',
  evm_getLogs: 'Finds logs of Flow EVM contracts by address, topics and block range.',
}

const goodbyeMs = 1000

/**
 * An event stream is read up to the response, so a server that aborts fails the call at once.
 * Redirects are refused, since the key would be sent along.
 */
function mcpFetch(maxBytes: number, sendsClient = false): typeof fetch {
  const call = providerFetch(maxBytes)
  return async (input, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 })
    if (init?.method === 'DELETE') return call(input, { ...init, signal: AbortSignal.timeout(goodbyeMs) })
    const response = await call(input, sendsClient ? withClient(init) : init).catch((error: unknown) => {
      throw error instanceof RedirectError ? new ConnectionFault(error.message, { cause: error }) : error
    })
    if (response.body === null || !(response.headers.get('content-type') ?? '').includes('text/event-stream'))
      return response
    const id = idOf(init?.body)
    if (id === undefined) {
      await response.body.cancel()
      return new Response(null, { status: 202, headers: response.headers })
    }
    const answer = await readAnswer(response.body, id)
    if (answer === undefined) throw new ConnectionFault('it aborted a response')
    const headers = new Headers(response.headers)
    headers.set('Content-Type', 'application/json')
    return new Response(answer, { status: response.status, headers })
  }
}

function withClient(init: RequestInit | undefined): RequestInit | undefined {
  const client = servedClient.getStore()
  if (client === undefined) return init
  const headers = new Headers(init?.headers)
  headers.set(clientHeader, client)
  return { ...init, headers }
}

function idOf(body: unknown): string | undefined {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  const id: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

async function readAnswer(stream: ReadableStream<Uint8Array<ArrayBuffer>>, id: string): Promise<string | undefined> {
  const events = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data } of events) if (isAnswerTo(data, id)) return data
  return undefined
}

function isAnswerTo(text: string, id: string): boolean {
  try {
    const message: unknown = JSON.parse(text)
    if (typeof message !== 'object' || message === null) return false
    return 'id' in message && String(message.id) === id && ('result' in message || 'error' in message)
  } catch {
    // Some servers send empty events or text as a keep-alive.
    return false
  }
}

export class ConnectionFault extends Error {}

export class ToolFailed extends Error {}

const maxWords = 2000

const codes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'its host name does not resolve',
  EAI_AGAIN: 'its host name cannot be resolved now',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ETIMEDOUT: 'it does not respond',
  UND_ERR_CONNECT_TIMEOUT: 'it does not respond',
  EHOSTUNREACH: 'its address is unreachable',
  ENETUNREACH: 'its address is unreachable',
}

/** A reason for users. It contains no text of the server, since it enters notices and the prompt. */
export function describeFault(thrown: unknown): string {
  const error = rootOf(thrown)
  if (error instanceof ConnectionFault) return error.message
  if (error instanceof ReplyTooLargeError) return 'its response is too large'
  const { statusCode } = MCPClientError.isInstance(error) ? error : {}
  if (statusCode === 401 || statusCode === 403) return `it requires a valid key (HTTP ${statusCode})`
  if (statusCode !== undefined) return `it returned HTTP ${statusCode}`
  if (isTimeout(error)) return 'it does not respond'
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const words =
      'code' in cause && typeof cause.code === 'string' && Object.hasOwn(codes, cause.code)
        ? codes[cause.code]
        : undefined
    if (words !== undefined) return words
  }
  return error instanceof TypeError ? 'it cannot be reached' : 'it returned an invalid response'
}

export function isConnectionFault(thrown: unknown): boolean {
  const error = rootOf(thrown)
  if (!MCPClientError.isInstance(error)) return error instanceof TypeError || error instanceof ConnectionFault
  // 404: an unknown session, as after a restart.
  return error.statusCode === 404 || (error.code === undefined && /closed/i.test(error.message))
}

export function callFailed(thrown: unknown): ToolFailed {
  const error = rootOf(thrown)
  if (error instanceof ToolFailed) return error
  const isAnswer = MCPClientError.isInstance(error) && error.code !== undefined
  return new ToolFailed(isAnswer ? error.message.slice(0, maxWords) : callInWords(error), { cause: thrown })
}

function callInWords(error: unknown): string {
  if (isTimeout(error)) return 'The tool timed out. Request less, or continue without it and say so.'
  return `The tool is unavailable: ${describeFault(error)}. Continue without it and say so.`
}

function isTimeout(error: unknown): boolean {
  return MCPClientError.isInstance(error) && error.code === undefined && /timed out after/.test(error.message)
}

function rootOf(error: unknown): unknown {
  const isWrapped =
    MCPClientError.isInstance(error) &&
    error.code === undefined &&
    error.statusCode === undefined &&
    error.cause instanceof Error
  return isWrapped ? rootOf(error.cause) : error
}
