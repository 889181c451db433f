import { createMCPClient, MCPClientError } from '@ai-sdk/mcp'
import type { CallToolResult, MCPClient } from '@ai-sdk/mcp'
import { asError } from '../../../platform/errors.ts'
import { LeadsElsewhere, providerFetch, ReplyTooLarge } from '../../../platform/llm/provider-fetch.ts'
import type { Logger } from '../../../platform/log.ts'
import { clientHeader, servedClient } from '../../../platform/mcp/client-header.ts'
import type { McpServer } from './mcp-server.ts'
import { safeInputSchema } from './safe-schema.ts'
import type { InputSchema } from './safe-schema.ts'

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

/**
 * What models are told of the tools of MCP servers. The words of a server itself are told only where it is one of ours: whoever runs another one could write
 * there what the model should do. `run_…` and the like of ours have longer ones, which are taken where they come.
 */
export const toolWords: Readonly<Record<string, string>> = {
  run_indexer_sql: 'Runs one read-only SELECT on the indexer database of Flow and gives its rows.',
  run_evm_sql: 'Runs one read-only SELECT on the EVM explorer database of Flow and gives its rows.',
  run_chain_script: 'Runs a read-only Cadence script on an access node, for what is true at this moment.',
  script_check:
    'Checks Cadence source and tells its errors with their places. Use it before showing or running Cadence that you wrote.',
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

/** How long the end of a session may take to be told, ms. */
const goodbyeMs = 1000

/**
 * How the client of the AI SDK calls an MCP server. One request, one answer: a stream of events is read until the answer is in it and left then, so that a
 * server that breaks off fails the call at once rather than when its time is over. No stream is opened for what servers say by themselves, since nothing of
 * it is wanted. Redirects are refused: the key would go along.
 * @param mostBytes of an answer, decoded
 * @param tellsClient whether the server is one of ours, which shares its slots by the client
 */
function mcpFetch(mostBytes: number, tellsClient = false): typeof fetch {
  const call = providerFetch(mostBytes)
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

/** Of the request; a notification has none. */
function idOf(body: unknown): string | undefined {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  const id: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/**
 * Reads a stream of events until the answer to a request is in it.
 * @param id of the request
 * @returns the answer as JSON; undefined where the stream ends without it
 * @throws what reading the stream throws
 */
async function readAnswer(stream: ReadableStream<Uint8Array>, id: string): Promise<string | undefined> {
  let data: string[] = []
  for await (const line of linesOf(stream)) {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    if (line !== '' || data.length === 0) continue
    const message = data.join('\n')
    data = []
    if (isAnswerTo(message, id)) return message
  }
  return undefined
}

/** Without their ends: \n, \r\n or \r. What comes after the last of them is no line. Leaving the loop lets go of the stream. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const bytes of stream) {
    const [first = '', ...lines] = decoder.decode(bytes, { stream: true }).split('\n')
    parts.push(first)
    for (const line of lines) {
      const whole = parts.join('')
      parts = [line]
      yield* whole.replace(/\r$/, '').split('\r')
    }
  }
}

function isAnswerTo(text: string, id: string): boolean {
  try {
    const message: unknown = JSON.parse(text)
    if (typeof message !== 'object' || message === null) return false
    return 'id' in message && String(message.id) === id && ('result' in message || 'error' in message)
  } catch {
    // Some servers send empty events or words to keep the connection; what is no JSON is no answer.
    return false
  }
}

/** An MCP server that is not there as it should be. The message says why, in words for people that go on after "The tools of X: ". */
export class ConnectionFault extends Error {}

/** A tool that failed; the message is for the model, which may try something else. */
export class ToolFailed extends Error {}

/** Longest words of a server that are passed on. */
const mostWords = 2000

const codes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'its name leads to no address',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'it broke the connection',
  UND_ERR_SOCKET: 'it broke the connection',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
}

/** Why a server is not there, in words for people. Nothing that the server itself wrote is in them: they end up in the answer's notices and in the prompt. */
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

/** Whether the connection is at fault rather than the call: a new one may do better. */
export function isConnectionFault(thrown: unknown): boolean {
  const error = rootOf(thrown)
  if (!MCPClientError.isInstance(error)) return error instanceof TypeError || error instanceof ConnectionFault
  // 404: the session is not known any more, as after a restart.
  return error.statusCode === 404 || (error.code === undefined && /closed/i.test(error.message))
}

/** A call that went wrong, in words for the model. What the server itself says is data like any result. */
export function callFailed(thrown: unknown): ToolFailed {
  const error = rootOf(thrown)
  if (error instanceof ToolFailed) return error
  const isAnswer = MCPClientError.isInstance(error) && error.code !== undefined
  return new ToolFailed(isAnswer ? error.message.slice(0, mostWords) : callInWords(error), { cause: thrown })
}

function callInWords(error: unknown): string {
  if (isTimeout(error)) return 'The tool did not answer in time. Ask for less, or go on without it and say so.'
  return `The tool cannot be used now: ${faultInWords(error)}. Go on without it, and say so.`
}

function isTimeout(error: unknown): boolean {
  return MCPClientError.isInstance(error) && error.code === undefined && /timed out after/.test(error.message)
}

/** The client puts what it does not know into an error of its own. */
function rootOf(error: unknown): unknown {
  const isWrapped =
    MCPClientError.isInstance(error) &&
    error.code === undefined &&
    error.statusCode === undefined &&
    error.cause instanceof Error
  return isWrapped ? rootOf(error.cause) : error
}
