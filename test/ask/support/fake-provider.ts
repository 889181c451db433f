import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call as a provider gets it, in what the protocols have in common. */
export interface ProviderCall {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly model: string
  readonly maxTokens: number | undefined
  readonly instructions: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
}

/** What the provider does with a call: says a text, answers an error, or keeps silent until the client goes. */
export type ProviderTurn =
  | { readonly text: string; readonly isCutOff?: boolean }
  | { readonly status: number; readonly message: string; readonly retryAfter?: string }
  | 'silence'

export interface FakeProvider {
  /** Without a version. */
  readonly url: string
  readonly calls: readonly ProviderCall[]
  /** Resolves with the first call. */
  readonly called: Promise<ProviderCall>
  /** Resolves with the call when the client of a silent turn has gone. */
  readonly gone: Promise<ProviderCall>
  close(): Promise<void>
}

/**
 * A provider on a port of this machine that speaks Anthropic's messages and OpenAI's chat completions, and answers with the given
 * turns one after the other; the last one again and again.
 */
export async function startFakeProvider(...turns: readonly ProviderTurn[]): Promise<FakeProvider> {
  const calls: ProviderCall[] = []
  const called = Promise.withResolvers<ProviderCall>()
  const gone = Promise.withResolvers<ProviderCall>()
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = readCall(request, JSON.parse(await textOf(request)) as WireRequest)
    calls.push(call)
    called.resolve(call)
    const turn = turns[Math.min(calls.length, turns.length) - 1] ?? 'silence'
    if (turn === 'silence') {
      response.once('close', () => gone.resolve(call))
      return
    }
    const [status, body] = 'text' in turn ? [200, say(call, turn.text, turn.isCutOff === true)] : [turn.status, fail(turn.message)]
    const retry = 'retryAfter' in turn && turn.retryAfter !== undefined ? { 'Retry-After': turn.retryAfter } : {}
    response.writeHead(status, { 'Content-Type': 'application/json', ...retry }).end(JSON.stringify(body))
  }
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, called: called.promise, gone: gone.promise,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** As much of the two protocols as is looked at. */
interface WireRequest {
  readonly model: string
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly system?: WireContent
  readonly messages: readonly { readonly role: string; readonly content: WireContent }[]
}

type WireContent = string | readonly { readonly text: string }[]

function readCall(request: IncomingMessage, body: WireRequest): ProviderCall {
  const messages = body.messages.map(({ role, content }) => ({ role, text: contentText(content) }))
  const isSystem = ({ role }: { role: string }): boolean => role === 'system' || role === 'developer'
  return {
    path: request.url ?? '', headers: request.headers, model: body.model, maxTokens: body.max_tokens ?? body.max_completion_tokens,
    instructions: body.system === undefined ? messages.filter(isSystem).map(({ text }) => text).join('\n') : contentText(body.system),
    messages: messages.filter((message) => !isSystem(message)),
  }
}

function contentText(content: WireContent): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

function say({ path, model }: ProviderCall, text: string, isCutOff: boolean): object {
  if (path.endsWith('/messages')) {
    return {
      id: 'msg_1', type: 'message', role: 'assistant', model, content: [{ type: 'text', text }],
      stop_reason: isCutOff ? 'max_tokens' : 'end_turn', stop_sequence: null, usage: { input_tokens: 10, output_tokens: 10 },
    }
  }
  return {
    id: 'chatcmpl-1', object: 'chat.completion', created: 1, model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: isCutOff ? 'length' : 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  }
}

/** Both protocols have the words in the same place. */
function fail(message: string): object {
  return { type: 'error', error: { type: 'api_error', message } }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk
  return text
}
