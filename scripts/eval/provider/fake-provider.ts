import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json as readJson } from 'node:stream/consumers'
import { setTimeout as pass } from 'node:timers/promises'
import { z } from 'zod'
import type { ProviderCall, ProviderError, ProviderReply, ProviderTurn } from './provider-turn.ts'
import { wireProtocols } from './wire-protocols.ts'
import type { WireProtocol } from './wire-protocols.ts'

/**
 * A provider of models on a port of this machine, which speaks the protocols of the real ones and does what it is
 * told.
 */
export interface FakeProvider extends AsyncDisposable {
  /** Without the version. */
  readonly url: string
  /** Every call in its order. */
  readonly calls: readonly ProviderCall[]
  /** Resolves with the first call. */
  readonly called: Promise<ProviderCall>
  /** Resolves with the call when the caller of a silent turn has left. */
  readonly gone: Promise<ProviderCall>
  close(): Promise<void>
}

/**
 * Starts one.
 * @param turnOf what to do with a call
 */
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
    if (protocol === undefined) return send(response, 404, { error: { message: `There is nothing at ${path}` } })
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

/** Does these turns one after the other, whoever calls; the last one again and again. */
export function inOrder(...turns: readonly ProviderTurn[]): () => ProviderTurn {
  let calls = 0
  return () => turns[calls++] ?? turns.at(-1) ?? 'silence'
}

/** The call, or what is wrong with it. */
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
    if (error instanceof SyntaxError) return { status: 400, message: `The body is no JSON: ${error.message}` }
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
