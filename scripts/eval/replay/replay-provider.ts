import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readBody } from 'node:stream/consumers'
import { z } from 'zod'
import type { ReplayReply, ReplayTurn } from './scenario.ts'

/** What the provider was asked, as far as it decides the reply. */
export interface ReplayRequest {
  readonly model: string
  /** The first message of the user, which holds the question. */
  readonly question: string
  /** Requests of the same conversation before this one, those that failed included. */
  readonly turn: number
}

/** A request as it came, for those who look at what a model is told. */
export interface RecordedRequest extends ReplayRequest {
  /** SHA-256 of the instructions, hex: another text has another one. */
  readonly instructionsHash: string
  readonly instructions: string
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  /** Names of the tools that the model was offered. */
  readonly tools: readonly string[]
}

export interface ReplayProvider extends AsyncDisposable {
  /** Without the version. */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
}

const parts = z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]).transform((content) =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(''))
const tools = z.array(z.object({ name: z.string().optional(), function: z.object({ name: z.string() }).optional() })).default([])
const requestBody = z.object({
  model: z.string(), system: parts.default(''), messages: z.array(z.object({ role: z.string(), content: parts })), tools,
})

/** The two protocols: where they are served, and the form of their replies. */
const protocols: Readonly<Record<string, (turn: ReplayReply, model: string) => unknown>> = {
  '/v1/messages': anthropicReply,
  '/v1/chat/completions': chatReply,
}

/** A server on this machine that speaks the protocols of the providers and does as `turnOf` says. */
export async function startReplayProvider(turnOf: (request: ReplayRequest) => ReplayTurn): Promise<ReplayProvider> {
  const requests: RecordedRequest[] = []
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = protocols[incoming.url ?? '']
    if (reply === undefined) {
      response.writeHead(404).end()
      return
    }
    const recorded = record(requestBody.parse(await readBody(incoming)), requests)
    requests.push(recorded)
    send(response, turnOf(recorded), (turn) => reply(turn, recorded.model))
  }
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => response.writeHead(400).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function record(body: z.infer<typeof requestBody>, before: readonly RecordedRequest[]): RecordedRequest {
  const systemMessages = body.messages.filter(({ role }) => role === 'system' || role === 'developer')
  const instructions = [body.system, ...systemMessages.map(({ content }) => content)].filter((text) => text !== '').join('\n')
  const messages = body.messages.filter((message) => !systemMessages.includes(message)).map(({ role, content }) => ({ role, text: content }))
  const question = messages[0]?.text ?? ''
  return {
    model: body.model, question, messages, instructions,
    turn: before.filter((other) => other.model === body.model && other.question === question).length,
    instructionsHash: createHash('sha256').update(instructions).digest('hex'),
    tools: body.tools.map(({ name, function: named }) => name ?? named?.name ?? ''),
  }
}

function send(response: ServerResponse, turn: ReplayTurn, replyTo: (turn: ReplayReply) => unknown): void {
  switch (turn.kind) {
    case 'silent':
      // Whoever asked gives up, and the connection ends with that.
      return
    case 'broken':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"id":', () => response.destroy())
      return
    case 'status': {
      const { status, retryAfterSeconds } = turn
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ type: 'error', error: { type: 'replayed', message: `Replayed status ${status}` } }))
      return
    }
    default:
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(replyTo(turn)))
  }
}

/** Source: the Messages API of Anthropic, version 2023-06-01. */
function anthropicReply(turn: ReplayReply, model: string): unknown {
  const call = turn.kind === 'tool-call' ? [{ type: 'tool_use', id: 'toolu_replay', name: turn.tool, input: turn.input }] : []
  const reason = { text: 'end_turn', 'cut-off': 'max_tokens', 'tool-call': 'tool_use' }
  return {
    id: 'msg_replay', type: 'message', role: 'assistant', model, content: [{ type: 'text', text: turn.text }, ...call],
    stop_reason: reason[turn.kind], stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 },
  }
}

/** Source: the Chat Completions API of OpenAI. */
function chatReply(turn: ReplayReply, model: string): unknown {
  const calls = turn.kind !== 'tool-call' ? {} : {
    tool_calls: [{ id: 'call_replay', type: 'function', function: { name: turn.tool, arguments: JSON.stringify(turn.input) } }],
  }
  const reason = { text: 'stop', 'cut-off': 'length', 'tool-call': 'tool_calls' }
  return {
    id: 'chatcmpl-replay', object: 'chat.completion', created: 0, model,
    choices: [{ index: 0, message: { role: 'assistant', content: turn.text, ...calls }, finish_reason: reason[turn.kind] }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}
