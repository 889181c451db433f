import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { setTimeout as pass } from 'node:timers/promises'
import { z } from 'zod'

export interface ProviderCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly model: string
  readonly maxTokens: number | undefined
  readonly instructions: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  readonly tools: readonly string[]
  readonly question: string
  /** Failed requests included. */
  readonly turn: number
}

export interface ProviderReply {
  readonly text: string
  readonly isCutOff?: boolean
  readonly toolCall?: { readonly name: string; readonly input: Readonly<Record<string, string>> }
  readonly afterMs?: number
}

export interface ProviderError {
  readonly status: number
  readonly message: string
  readonly retryAfter?: string
}

/** `broken`: ends within the reply. `silence`: no reply until the client disconnects. */
export type ProviderTurn = ProviderReply | ProviderError | 'broken' | 'silence'

export interface FakeProvider extends AsyncDisposable {
  /** Without `/v1`. */
  readonly url: string
  readonly calls: readonly ProviderCall[]
  readonly called: Promise<ProviderCall>
  /** Resolves when the client of a silent turn disconnects. */
  readonly gone: Promise<ProviderCall>
  close(): Promise<void>
}

export async function startFakeProvider(turnOf: (call: ProviderCall) => ProviderTurn): Promise<FakeProvider> {
  const calls: ProviderCall[] = []
  const called = Promise.withResolvers<ProviderCall>()
  const gone = Promise.withResolvers<ProviderCall>()
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = '', headers } = request
    const protocol = wireProtocols.get(path)
    if (protocol === undefined) return send(response, 404, { error: { message: `Unknown path ${path}.` } })
    const read = await readCall(request, protocol)
    if ('status' in read) return sendError(response, read, protocol)
    const before = calls.filter(({ model, question }) => model === read.model && question === read.question)
    const call: ProviderCall = { ...read, path, headers, turn: before.length }
    calls.push(call)
    called.resolve(call)
    const turn = turnOf(call)
    if (turn === 'silence') response.once('close', () => gone.resolve(call))
    else await act(response, turn, protocol, call.model)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    called: called.promise,
    gone: gone.promise,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The last turn repeats. */
export function inOrder(...turns: readonly ProviderTurn[]): () => ProviderTurn {
  let calls = 0
  return () => turns[calls++] ?? turns.at(-1) ?? 'silence'
}

async function readCall(
  request: IncomingMessage,
  protocol: WireProtocol,
): Promise<Omit<ProviderCall, 'path' | 'headers' | 'turn'> | ProviderError> {
  const refused = protocol.refuse(request.headers)
  try {
    const read = protocol.readRequest(await readJson(request))
    return refused ?? { ...read, question: read.messages[0]?.text ?? '' }
  } catch (error) {
    if (error instanceof z.ZodError) return { status: 400, message: z.prettifyError(error) }
    if (error instanceof SyntaxError) return { status: 400, message: `Invalid JSON body: ${error.message}` }
    throw error
  }
}

async function act(
  response: ServerResponse,
  turn: Exclude<ProviderTurn, 'silence'>,
  protocol: WireProtocol,
  model: string,
): Promise<void> {
  if (turn === 'broken') {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
    response.write('{"id":', () => response.destroy())
  } else if (isReply(turn)) {
    if (turn.afterMs !== undefined) await pass(turn.afterMs)
    send(response, 200, protocol.reply(turn, model))
  } else sendError(response, turn, protocol)
}

function isReply(turn: ProviderReply | ProviderError): turn is ProviderReply {
  return 'text' in turn
}

function sendError(response: ServerResponse, error: ProviderError, protocol: WireProtocol): void {
  send(
    response,
    error.status,
    protocol.error(error),
    error.retryAfter === undefined ? {} : { 'Retry-After': error.retryAfter },
  )
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}

interface WireProtocol {
  readRequest(body: unknown): WireRequest
  refuse(headers: IncomingHttpHeaders): ProviderError | undefined
  reply(reply: ProviderReply, model: string): unknown
  error(error: ProviderError): unknown
}

type WireRequest = Pick<ProviderCall, 'model' | 'maxTokens' | 'instructions' | 'messages' | 'tools'>

const content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .transform((given) => (typeof given === 'string' ? given : given.map(({ text = '' }) => text).join('')))

const messagesBody = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  system: content.default(''),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content })).min(1),
  tools: z.array(z.object({ name: z.string() })).default([]),
})

/** Source: Anthropic Messages API, 2023-06-01. */
const anthropicMessages: WireProtocol = {
  readRequest: (body) => {
    const { model, max_tokens: maxTokens, system, messages, tools } = messagesBody.parse(body)
    return {
      model,
      maxTokens,
      instructions: system,
      messages: messages.map(plain),
      tools: tools.map(({ name }) => name),
    }
  },
  refuse: (headers) => {
    if (headers['anthropic-version'] === undefined)
      return { status: 400, message: 'anthropic-version: header is required' }
    return headers['x-api-key'] === undefined ? { status: 401, message: 'x-api-key header is required' } : undefined
  },
  reply: ({ text, isCutOff = false, toolCall }, model) => ({
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      { type: 'text', text },
      ...(toolCall === undefined ? [] : [{ type: 'tool_use', id: 'toolu_fake', ...toolCall }]),
    ],
    stop_reason: isCutOff ? 'max_tokens' : toolCall === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  error: ({ status, message }) => ({ type: 'error', error: { type: anthropicErrors[status] ?? 'api_error', message } }),
}

const anthropicErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const completionsBody = z.object({
  model: z.string(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  messages: z.array(z.object({ role: z.enum(['system', 'developer', 'user', 'assistant']), content })).min(1),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
})

/** Source: OpenAI Chat Completions API. Compatible servers often need no key. */
const chatCompletions: WireProtocol = {
  readRequest: (body) => {
    const {
      model,
      messages,
      tools,
      max_tokens: maxTokens,
      max_completion_tokens: maxCompletionTokens,
    } = completionsBody.parse(body)
    const reported = messages.filter(({ role }) => role === 'system' || role === 'developer')
    return {
      model,
      maxTokens: maxTokens ?? maxCompletionTokens,
      instructions: reported.map((message) => message.content).join('\n'),
      messages: messages.filter((message) => !reported.includes(message)).map(plain),
      tools: tools.map((tool) => tool.function.name),
    }
  },
  refuse: () => undefined,
  reply: ({ text, isCutOff = false, toolCall }, model) => ({
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        finish_reason: isCutOff ? 'length' : toolCall === undefined ? 'stop' : 'tool_calls',
        message: {
          role: 'assistant',
          content: text,
          refusal: null,
          ...(toolCall === undefined ? {} : { tool_calls: [functionCall(toolCall)] }),
        },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  error: ({ status, message }) => ({
    error: { message, type: status === 429 ? 'rate_limit_exceeded' : 'api_error', param: null, code: null },
  }),
}

function functionCall({ name, input }: NonNullable<ProviderReply['toolCall']>): unknown {
  return { id: 'call_fake', type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function plain({ role, content: text }: { readonly role: string; readonly content: string }): {
  readonly role: string
  readonly text: string
} {
  return { role, text }
}

const wireProtocols: ReadonlyMap<string, WireProtocol> = new Map([
  ['/v1/messages', anthropicMessages],
  ['/v1/chat/completions', chatCompletions],
])
