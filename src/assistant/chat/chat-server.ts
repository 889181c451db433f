import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import { constants } from 'node:zlib'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import { admitBearer, refuseRebound } from '../../platform/http/guards.ts'
import type { Client } from '../../platform/limits/clients.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { ApiError, asError } from '../../platform/errors.ts'
import { apiSecurityHeaders } from '../../platform/http/server.ts'
import { leftSignal, closeServer, listen, hasLeftEarly } from '../../platform/http/connections.ts'
import { refuseMethod } from '../../platform/http/refuse-method.ts'
import { requests } from '../../platform/http/requests.ts'
import type { RequestContext, RequestState } from '../../platform/http/requests.ts'
import type { Logger } from '../../platform/log.ts'
import { servedClient } from '../../platform/mcp/client-header.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { readJson } from '../../platform/http/read-json.ts'
import type { AnswerLimits } from './answer-limits.ts'
import type { ChatMode, TurnWatch } from './chat-types.ts'
import type { ChatParts } from './create-chat.ts'
import { readChatRequest } from './read-chat-request.ts'
import { historyLimits } from './repair-answer.ts'
import { sendAnswer } from './send-answer.ts'
import type { SendOptions } from './send-answer.ts'

export interface ChatServerOptions {
  readonly parts: ChatParts
  readonly limits: AnswerLimits
  /** The client of a request, for limits. */
  readonly clientOf: (request: IncomingMessage) => Client
  readonly log: Logger
  readonly metrics: Metrics
  /** Address to bind. */
  readonly host: string
  /** TRUSTED_PROXIES. Default: none. */
  readonly trustedProxies?: BlockList
  /** 0 picks a free port. */
  readonly port: number
  /** API_TOKEN; undefined: no authentication. */
  readonly token: string | undefined
  /** Answers `/` and the files of the page. Default: there is none. */
  readonly page?: Middleware
  /** How long `close` waits for running answers, ms. Default 3,000. */
  readonly closeGraceMs?: number
  /** Default: those of `sendAnswer`. */
  readonly patience?: Pick<SendOptions, 'remarkMs' | 'stallMs'>
}

interface ChatServer {
  readonly port: number
  /** Accepts no more questions, waits for running answers, and ends the rest with an error message. */
  close(): Promise<void>
}

/** Time for an aborted answer to end, ms: its model call, its tools and its last words. */
const endingMs = 1500

/**
 * Starts the chat server: `POST /api/chat`, its settings and the page. Other origins cannot call it from a browser:
 * it allows none, and a question needs `Content-Type: application/json`, which triggers a preflight.
 * @throws the system error when the port cannot be bound
 */
export async function createChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const { log, metrics, host, closeGraceMs = 3000 } = options
  /** Aborts each running answer. */
  const running = new Set<AbortController>()
  const app = new Koa<RequestState>()
  app.on('error', (error: unknown) =>
    log[hasLeftEarly(error) ? 'debug' : 'error']({ err: error }, 'an answer could not be sent'),
  )
  app.use(requests({ service: 'chat', metrics, log, list: 'the documentation' }))
  app.use(async (context, next) => {
    context.set(apiSecurityHeaders)
    await next()
  })
  // Answers are streamed and not compressed.
  app.use(compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } }))
  const router = chatRouter(options, running)
  app.use(router.routes())
  if (options.page !== undefined) app.use(options.page)
  app.use((context) => refuseMethod(context, router, options.page !== undefined))
  const handle = app.callback()
  const { server, port } = await listen((request, response) => void handle(request, response), {
    host,
    port: options.port,
  })
  return {
    port,
    close: async () => {
      const ending = setTimeout(() => {
        for (const answer of running)
          answer.abort(
            new ApiError(
              503,
              'stopping',
              'The service was stopped before the answer had its end: ask again in a moment.',
            ),
          )
      }, closeGraceMs)
      await closeServer(server, closeGraceMs + endingMs)
      clearTimeout(ending)
    },
  }
}

function chatRouter(options: ChatServerOptions, running: Set<AbortController>): Router<RequestState> {
  const { parts, token } = options
  const router = new Router<RequestState>()
  const answerJson = (context: RequestContext, body: unknown): void => {
    context.set('Cache-Control', 'no-store')
    context.body = JSON.stringify(body)
    context.type = 'application/json'
  }
  router.get('/health', (context) => {
    context.state.route = '/health'
    answerJson(context, { status: 'ok', service: 'chat' })
  })
  router.get('/api/chat/settings', (context) => {
    context.state.route = '/api/chat/settings'
    answerJson(context, presentSettings(parts, token !== undefined))
  })
  router.post('/api/chat', async (context) => {
    context.state.route = '/api/chat'
    await answerQuestion(context, options, running)
  })
  return router
}

async function answerQuestion(
  context: RequestContext,
  options: ChatServerOptions,
  running: Set<AbortController>,
): Promise<void> {
  const { parts, limits, clientOf, metrics, token, host, trustedProxies, patience } = options
  if (token === undefined) refuseRebound(context.req, host, trustedProxies)
  admitBearer(context.get('Authorization'), token)
  const client = clientOf(context.req)
  const place = limits.enter(client)
  metrics.chatRunning.inc()
  const control = new AbortController()
  try {
    const read = readChatRequest(await readBody(context.req))
    const mode = read.mode ?? parts.models.usual
    const model = parts.models.of(mode)
    place.count()
    const log = options.log.child({ requestId: context.state.requestId })
    const left = leftSignal(context.res)
    const signal = AbortSignal.any([left, control.signal])
    running.add(control)
    context.respond = false
    const watch = watchTurn({ mode, metrics, log, toolNames: () => parts.toolNames() })
    const open = (): ReturnType<ChatParts['answer']> =>
      parts.answer({ messages: read.messages, notices: read.notices, mode, model, signal, watch })
    const explainTo = (error: unknown): ReturnType<typeof explain> => {
      watch.ended({ end: left.aborted ? 'left' : control.signal.aborted ? 'stopped' : 'failed', metadata: { mode } })
      return explain(error, log, left)
    }
    const send = (): Promise<void> => sendAnswer(context.res, open, { ...patience, explain: explainTo })
    await servedClient.run(clientNetwork(client.address), send)
  } finally {
    running.delete(control)
    metrics.chatRunning.dec()
    place.leave()
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  try {
    return await readJson(request, historyLimits.bodyBytes)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'body-too-large') throw error
    throw new ApiError(
      413,
      'body-too-large',
      `A conversation has at most ${historyLimits.bodyBytes} bytes with all that tools found: begin a new one.`,
      { cause: error },
    )
  }
}

/** Internal errors are reported without their message. */
function explain(error: unknown, log: Logger, left: AbortSignal): string {
  if (error instanceof ApiError) return error.message
  if (!left.aborted) log.error({ err: asError(error) }, 'an answer could not be given')
  return 'Something went wrong here; the log tells what. Ask again.'
}

/** The settings that a page reads without a token. */
export interface PresentedSettings {
  readonly modes: readonly { readonly mode: string; readonly model: string }[]
  readonly default_mode: string
  /** Only the example questions have answers. */
  readonly is_scripted: boolean
  /** How to configure a model; null where one is configured. */
  readonly remedy: string | null
  readonly needs_token: boolean
  readonly examples: readonly string[]
  readonly explorer_url: string | null
  readonly link_hosts: readonly string[]
  readonly tools: readonly string[]
  readonly most_message_characters: number
}

function presentSettings(parts: ChatParts, needsToken: boolean): PresentedSettings {
  const { models, examples, explorerUrl, linkHosts } = parts
  return {
    modes: models.modes.map(({ mode, state }) => ({ mode, model: `${state.provider}/${state.name}` })),
    default_mode: models.usual,
    is_scripted: models.modes.some(({ state }) => state.isScripted),
    remedy: models.remedy ?? null,
    needs_token: needsToken,
    examples,
    explorer_url: explorerUrl ?? null,
    link_hosts: linkHosts,
    tools: parts.toolNames(),
    most_message_characters: historyLimits.messageCharacters,
  }
}

interface WatchOptions {
  readonly mode: ChatMode
  readonly metrics: Metrics
  /** With the request id. */
  readonly log: Logger
  /** Names of the existing tools; a model may call any name. */
  readonly toolNames: () => readonly string[]
}

/** Counts a turn and logs its outcome, without any content. */
function watchTurn({ mode, metrics, log, toolNames }: WatchOptions): TurnWatch {
  let firstMs: number | undefined
  let calls = 0
  let hasEnded = false
  return {
    begun: (afterMs) => {
      firstMs = Math.round(afterMs)
      metrics.chatFirstToken.observe({ mode }, afterMs / 1000)
    },
    toolEnded: ({ tool, isError, durationMs }) => {
      calls++
      metrics.chatToolSeconds.observe(
        { tool: toolNames().includes(tool) ? tool : 'unknown', outcome: isError ? 'failed' : 'done' },
        durationMs / 1000,
      )
    },
    ended: ({ end, metadata }) => {
      // A turn that failed outside its stream is ended by its caller, and may have reported its end before.
      if (hasEnded) return
      hasEnded = true
      const { model, steps, usage, durationMs } = metadata
      metrics.chatAnswers.inc({ mode, end })
      metrics.chatTokens.inc({ kind: 'input' }, usage?.inputTokens ?? 0)
      metrics.chatTokens.inc({ kind: 'output' }, usage?.outputTokens ?? 0)
      log.debug(
        {
          mode,
          model,
          end,
          steps,
          calls,
          firstMs,
          durationMs,
          inputTokens: usage?.inputTokens,
          outputTokens: usage?.outputTokens,
        },
        'an answer has its end',
      )
    },
  }
}
