import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { JsonToSseTransformStream } from 'ai'
import type { UIMessageChunk } from 'ai'
import Koa from 'koa'
import type { Middleware } from 'koa'
import { isPagePath } from '../../src/platform/pages/serve-page.ts'
import { listenLocally } from './listen-locally.ts'

/** The response to a question: stream chunks, or an error before the stream. */
export type ChatReply =
  | { readonly chunks: AsyncIterable<UIMessageChunk> | Iterable<UIMessageChunk>; readonly isCut?: boolean }
  | { readonly status: number; readonly body: object | string; readonly headers?: Readonly<Record<string, string>> }

/** A question as received. */
export interface ChatCall {
  readonly messages: readonly {
    readonly id: string
    readonly role: string
    readonly parts: readonly { readonly type: string; readonly text?: string }[]
  }[]
  readonly mode?: string
  readonly trigger?: string
  readonly continue?: boolean
}

export interface ChatWorld {
  readonly settings: object
  readonly reply: (call: ChatCall, count: number) => ChatReply
  /** Responses of the other routes, by method and path. */
  readonly others?: Readonly<Record<string, (body: string) => ChatReply>>
  /** Without it, authentication is disabled. */
  readonly token?: string
}

export interface FakeChat {
  readonly url: string
  world: ChatWorld
  /** Authenticated questions. */
  readonly calls: ChatCall[]
  /** Resolves when a client disconnects before the end of its response. */
  left(): Promise<void>
  stop(): Promise<void>
}

/** A server with the chat protocol and made-up responses. It serves the real page. */
export async function startFakeChat(first: ChatWorld, page: Middleware): Promise<FakeChat> {
  const state = { world: first }
  const calls: ChatCall[] = []
  const servePage = new Koa().use(page).callback()
  const gone = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (isPagePath(pathname, ['share'])) {
      void servePage(request, response)
      return
    }
    answer(request, response, `${request.method} ${pathname}`).catch((error: unknown) =>
      response.destroy(error as Error),
    )
  })
  async function answer(request: IncomingMessage, response: ServerResponse, call: string): Promise<void> {
    const { world } = state
    if (call === 'GET /api/chat/settings') return json(response, 200, world.settings)
    const other = world.others?.[call]
    if (other !== undefined) {
      const reply = other(await text(request))
      if ('status' in reply) return json(response, reply.status, reply.body, reply.headers)
    }
    if (call !== 'POST /api/chat') return problem(response, 404, `Unexpected request: ${call}`)
    const requested = JSON.parse(await text(request)) as ChatCall
    if (world.token !== undefined && request.headers.authorization !== `Bearer ${world.token}`)
      return problem(response, 401, 'The token is wrong.')
    if (requested.messages.length === 0) return problem(response, 400, 'messages is empty.')
    calls.push(requested)
    const reply = world.reply(requested, calls.length)
    if ('status' in reply) return json(response, reply.status, reply.body, reply.headers)
    response.once('close', () => {
      if (!response.writableFinished) gone.resolve()
    })
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-vercel-ai-ui-message-stream': 'v1',
    })
    for await (const line of ReadableStream.from(reply.chunks).pipeThrough(new JsonToSseTransformStream())) {
      if (response.destroyed) return
      // Without its end, as when a proxy or the process dies.
      if (reply.isCut === true && line.includes('[DONE]')) break
      response.write(line)
    }
    // Flushes the written chunks without the terminating one.
    if (reply.isCut === true) response.socket?.end()
    else response.end()
  }
  const { url, stop } = await listenLocally(server)
  return {
    url,
    get world() {
      return state.world
    },
    set world(world) {
      state.world = world
    },
    calls,
    left: () => gone.promise,
    stop,
  }
}

function json(
  response: ServerResponse,
  status: number,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const type = typeof body === 'string' ? 'text/html' : status < 400 ? 'application/json' : 'application/problem+json'
  response
    .writeHead(status, { 'content-type': type, ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body))
}

function problem(response: ServerResponse, status: number, detail: string): void {
  json(response, status, { status, detail, code: `http-${status}`, title: 'Problem' })
}
