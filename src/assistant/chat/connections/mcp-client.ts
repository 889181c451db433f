import { createMCPClient, MCPClientError } from '@ai-sdk/mcp'
import type { CallToolResult, MCPClient } from '@ai-sdk/mcp'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { asError } from '../../../platform/errors.ts'
import { LeadsElsewhere, providerFetch, ReplyTooLarge } from '../../../platform/llm/provider-fetch.ts'
import type { Logger } from '../../../platform/log.ts'
import { clientHeader, servedClient } from '../../../platform/mcp/origin-rules.ts'
import type { McpServer } from './mcp-server.ts'
import { safeInputSchema } from './safe-schema.ts'
import type { InputSchema } from './safe-schema.ts'

/** A tool as a model sees it. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
}

/** The tools and texts of a server. */
export interface Offer {
  readonly tools: readonly ToolDefinition[]
  /** Its resources, by URI. */
  readonly texts: ReadonlyMap<string, string>
}

/** Larger than any useful list of tools or result. */
const maxAnswerBytes = 8 * 1024 * 1024
const maxPages = 20
/** The limit of OpenAI. */
const maxDescriptionCharacters = 1024
const maxTextCharacters = 400_000

/**
 * A connection to an MCP server, shared by concurrent turns. A retired connection closes with its last running call.
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
        fetch: mcpFetch(maxAnswerBytes, server.isOurs),
        ...(server.key === undefined ? {} : { headers: { Authorization: `Bearer ${server.key}` } }),
      },
      clientName: 'flowfarm-chat',
      initializationOptions: { signal },
      // The caller gets the error too.
      onUncaughtError: (error) =>
        log.debug({ err: asError(error), server: server.name }, 'a connection to tools had a fault'),
    })
    return new OpenClient(client, server, log)
  }

  /** Reads tools and texts. @throws ConnectionFault where it has none of the expected tools; errors of the server */
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

  /** Closes the connection after its last running call. */
  retire(): void {
    this.#isRetired = true
    if (this.#running === 0) void this.close()
  }

  /** Closes it at once with its running calls. Never rejects. */
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
    for (let page = 0; page < maxPages; page++) {
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
              (isOurs ? description?.slice(0, maxDescriptionCharacters) : undefined) ?? toolWords[name] ?? name,
          })
      }
      if (nextCursor === undefined || nextCursor === cursor || found.size === wanted.length) break
      cursor = nextCursor
    }
    // In a fixed order: prompt caching needs an identical list of tools.
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
        'a text for the prompt could not be read; the tools are there',
      )
      return undefined
    }
  }
}

/**
 * Descriptions of the tools of MCP servers for models. A server's own descriptions are used only for our servers: the
 * operator of another one could write instructions there.
 */
export const toolWords: Readonly<Record<string, string>> = {
  run_indexer_sql: 'Runs one read-only SELECT on the indexer database of Flow and gives its rows.',
  run_evm_sql: 'Runs one read-only SELECT on the EVM explorer database of Flow and gives its rows.',
  run_chain_script: 'Runs a read-only Cadence script on an access node, for what is true at this moment.',
  script_check:
    'Checks Cadence source and tells its errors with their places. Use it before showing or running Cadence ' +
    'that you wrote.',
  search_docs: 'Searches documentation by words and gives the pages that fit, with their ids.',
  get_doc: 'Reads one page of the documentation by its id.',
  browse_docs: 'Lists the pages of the documentation.',
  script_hover: 'Tells what the name at a place of Cadence source is.',
  script_definition: 'Finds where the name at a place of Cadence source is declared.',
  script_symbols: 'Lists the declarations of Cadence source.',
  evm_rpc: 'Calls a JSON-RPC method that reads Flow EVM, such as eth_blockNumber or eth_getTransactionReceipt.',
  evm_getBalance: 'The balance of an address on Flow EVM, in FLOW.',
  evm_call: 'Calls a function of a contract on Flow EVM, for reading.',
  evm_getLogs: 'Logs of contracts on Flow EVM, by address, topics and a range of blocks.',
}

/** Timeout for ending a session, ms. */
const goodbyeMs = 1000

/**
 * The fetch of the AI SDK's MCP client: one request, one answer. An event stream is read until it has the answer, so
 * a server that breaks off fails the call at once. No stream for server messages is opened. Redirects are refused,
 * since the key would go along.
 * @param maxBytes of an answer, decoded
 * @param tellsClient whether the server is ours, and shares its slots by client
 */
function mcpFetch(maxBytes: number, tellsClient = false): typeof fetch {
  const call = providerFetch(maxBytes)
  return async (input, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 })
    if (init?.method === 'DELETE') return call(input, { ...init, signal: AbortSignal.timeout(goodbyeMs) })
    const response = await call(input, tellsClient ? withClient(init) : init).catch((error: unknown) => {
      throw error instanceof LeadsElsewhere ? new ConnectionFault(error.message, { cause: error }) : error
    })
    if (response.body === null || !(response.headers.get('content-type') ?? '').includes('text/event-stream'))
      return response
    const id = idOf(init?.body)
    if (id === undefined) {
      await response.body.cancel()
      return new Response(null, { status: 202, headers: response.headers })
    }
    const answer = await readAnswer(response.body, id)
    if (answer === undefined) throw new ConnectionFault('it broke off in the middle of an answer')
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

/** The id of the request; undefined for a notification. */
function idOf(body: unknown): string | undefined {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  const id: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/** Reads server-sent events up to the answer to a request; undefined where the stream ends before it. */
async function readAnswer(stream: ReadableStream<Uint8Array<ArrayBuffer>>, id: string): Promise<string | undefined> {
  const events = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  // Leaving the loop cancels the stream.
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

/** An MCP server that is unavailable. The message says why and continues "The tools of X: ". */
export class ConnectionFault extends Error {}

/** A tool that failed. The message is for the model, which may try something else. */
export class ToolFailed extends Error {}

/** Longest server message that is passed on. */
const maxWords = 2000

const codes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'its host name has no address',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'it broke the connection',
  UND_ERR_SOCKET: 'it broke the connection',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
}

/**
 * Why a server is unavailable, for users. It contains nothing that the server wrote, since it goes into notices and
 * the prompt.
 */
export function faultInWords(thrown: unknown): string {
  const error = rootOf(thrown)
  if (error instanceof ConnectionFault) return error.message
  if (error instanceof ReplyTooLarge) return 'it sends more than can be taken'
  const { statusCode } = MCPClientError.isInstance(error) ? error : {}
  if (statusCode === 401 || statusCode === 403) return `it wants a key, or another one (HTTP ${statusCode})`
  if (statusCode !== undefined) return `it answered HTTP ${statusCode}`
  if (isTimeout(error)) return 'it does not answer'
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const words =
      'code' in cause && typeof cause.code === 'string' && Object.hasOwn(codes, cause.code)
        ? codes[cause.code]
        : undefined
    if (words !== undefined) return words
  }
  return error instanceof TypeError ? 'it cannot be reached' : 'what it says cannot be understood'
}

/** Whether the connection failed rather than the call, so that a new one may help. */
export function isConnectionFault(thrown: unknown): boolean {
  const error = rootOf(thrown)
  if (!MCPClientError.isInstance(error)) return error instanceof TypeError || error instanceof ConnectionFault
  // 404: an unknown session, as after a restart.
  return error.statusCode === 404 || (error.code === undefined && /closed/i.test(error.message))
}

/** The failure of a call, for the model. The server's own message is data like any result. */
export function callFailed(thrown: unknown): ToolFailed {
  const error = rootOf(thrown)
  if (error instanceof ToolFailed) return error
  const isAnswer = MCPClientError.isInstance(error) && error.code !== undefined
  return new ToolFailed(isAnswer ? error.message.slice(0, maxWords) : callInWords(error), { cause: thrown })
}

function callInWords(error: unknown): string {
  if (isTimeout(error)) return 'The tool did not answer in time. Ask for less, or go on without it and say so.'
  return `The tool cannot be used now: ${faultInWords(error)}. Go on without it, and say so.`
}

function isTimeout(error: unknown): boolean {
  return MCPClientError.isInstance(error) && error.code === undefined && /timed out after/.test(error.message)
}

/** The client wraps unknown errors. */
function rootOf(error: unknown): unknown {
  const isWrapped =
    MCPClientError.isInstance(error) &&
    error.code === undefined &&
    error.statusCode === undefined &&
    error.cause instanceof Error
  return isWrapped ? rootOf(error.cause) : error
}
