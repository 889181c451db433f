import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { completionsProtocol } from './completions-protocol.ts'
import { messagesProtocol } from './messages-protocol.ts'
import type { ProviderStatus, ProviderTurn, ReplyPiece, SentMessage, StreamingCall } from './provider-turn.ts'
import { BadRequest } from './provider-writer.ts'
import type { ReplyWriter, StreamingProtocol } from './provider-writer.ts'
import { responsesProtocol } from './responses-protocol.ts'
import { listenLocally } from '../../../support/listen-locally.ts'

/** A local model provider with scripted streaming replies. */
export interface StreamingProvider extends AsyncDisposable {
  /** Without the version; for LLM_BASE_URL. */
  readonly url: string
  /** Valid calls, in order. */
  readonly calls: readonly StreamingCall[]
  /** Reasons of 400 refusals. Empty if all calls were valid. */
  readonly refused: readonly string[]
  /** Resolves with the first call. */
  readonly called: Promise<StreamingCall>
  /** Resolves with the first call whose caller disconnected before the end of the reply. */
  readonly gone: Promise<StreamingCall>
  /** Running replies. */
  readonly running: number
  /** Open connections, including idle ones. */
  readonly sockets: number
  close(): Promise<void>
}

const protocols: ReadonlyMap<string, StreamingProtocol> = new Map([
  ['/v1/messages', messagesProtocol],
  ['/v1/chat/completions', completionsProtocol],
  ['/v1/responses', responsesProtocol],
])

/**
 * Supports Anthropic Messages (`/v1/messages`), Chat Completions (`/v1/chat/completions`) and
 * OpenAI Responses (`/v1/responses`), streaming only. It is as strict as the real ones: tool calls
 * without results, empty texts and the like return 400. @param script handles a call, such as `({
 * step }) => step === 0 ? [{ tool: 'run_indexer_sql', input: { sql } }] : ['It is ', '7.']`
 */
export async function startStreamingProvider(
  script: (call: StreamingCall) => ProviderTurn | Promise<ProviderTurn>,
): Promise<StreamingProvider> {
  const calls: StreamingCall[] = []
  const refused: string[] = []
  const sockets = new Set<Socket>()
  let running = 0
  const called = Promise.withResolvers<StreamingCall>()
  const gone = Promise.withResolvers<StreamingCall>()
  const server = createServer((request, response) => {
    running++
    response.once('close', () => running--)
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = '', headers } = request
    const protocol = protocols.get(path)
    if (protocol === undefined) return sendJson(response, 404, { error: { message: `There is nothing at ${path}` } })
    const left = Promise.withResolvers<void>()
    const body = (await readJson(request)) as Record<string, unknown>
    const read = readOrRefuse(protocol, body)
    const wrong = protocol.refuse(headers)
    if (wrong !== undefined || read instanceof BadRequest) {
      const status = wrong ?? { status: 400, message: (read as BadRequest).message }
      refused.push(status.message)
      return sendStatus(response, status, protocol)
    }
    const call: StreamingCall = {
      ...read,
      protocol: protocol.name,
      path,
      headers,
      body,
      index: calls.length,
      gone: left.promise,
      question: read.messages.findLast(isOfPerson)?.text ?? '',
      step: stepOf(read.messages),
    }
    response.once('close', () => {
      if (response.writableFinished) return
      left.resolve()
      gone.resolve(call)
    })
    calls.push(call)
    called.resolve(call)
    const turn = await script(call)
    if (turn === 'silence') return
    if ('status' in turn) sendStatus(response, turn, protocol)
    else await stream(response, turn, protocol.writer(call), left.promise)
  }
  const { url, stop: close } = await listenLocally(server)
  return {
    url,
    calls,
    refused,
    called: called.promise,
    gone: gone.promise,
    close,
    [Symbol.asyncDispose]: close,
    get running() {
      return running
    },
    get sockets() {
      return sockets.size
    },
  }
}

/** Replies with these turns in order, then repeats the last one. */
export function inTurn(...turns: readonly ProviderTurn[]): () => ProviderTurn {
  let calls = 0
  return () => turns[calls++] ?? turns.at(-1) ?? 'silence'
}

function readOrRefuse(protocol: StreamingProtocol, body: unknown): ReturnType<StreamingProtocol['read']> | BadRequest {
  try {
    return protocol.read(body)
  } catch (error) {
    if (error instanceof BadRequest) return error
    throw error
  }
}

/** Excludes notes of the chat service, which are sent in the user role. */
function isOfPerson({ role, text }: SentMessage): boolean {
  return role === 'user' && !text.startsWith('[Note from the chat service')
}

function stepOf(messages: readonly SentMessage[]): number {
  const question = messages.findLastIndex(isOfPerson)
  return messages.slice(question + 1).filter(({ role }) => role === 'assistant').length
}

async function stream(
  response: ServerResponse,
  pieces: readonly ReplyPiece[],
  writer: ReplyWriter,
  left: Promise<void>,
): Promise<void> {
  const write = async (text: string): Promise<void> => {
    if (text !== '' && !response.write(text)) await Promise.race([once(response, 'drain'), left])
  }
  const begin = async (): Promise<void> => {
    if (response.headersSent) return
    response.socket?.setNoDelay(true)
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    await write(writer.begin())
  }
  for (const piece of pieces) {
    if (typeof piece !== 'string' && 'until' in piece) {
      await Promise.race([piece.until, left])
      continue
    }
    await begin()
    if (response.destroyed) return
    if (typeof piece === 'string' || !('cut' in piece || 'raw' in piece)) await write(writer.piece(piece))
    else if ('raw' in piece) await write(piece.raw)
    else return piece.cut === 'clean' ? void response.end() : cut(response)
    if (typeof piece !== 'string' && 'failure' in piece) return void response.end()
  }
  await begin()
  response.end(writer.end())
}

/** After the written data was sent, so that the close does not overtake it. */
function cut(response: ServerResponse): void {
  response.write(': cut\n\n', () => response.destroy())
}

function sendStatus(response: ServerResponse, status: ProviderStatus, protocol: StreamingProtocol): void {
  sendJson(
    response,
    status.status,
    protocol.error(status),
    status.retryAfter === undefined ? {} : { 'Retry-After': status.retryAfter },
  )
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}
