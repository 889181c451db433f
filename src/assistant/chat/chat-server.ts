import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { Middleware } from 'koa'
import { z } from 'zod'
import { ApiError, asError } from '../../platform/errors.ts'
import { admitBearer, refuseDnsRebinding } from '../../platform/http/guards.ts'
import { documentRoutes } from '../../platform/http/openapi.ts'
import type { ApiInfo } from '../../platform/http/openapi.ts'
import { readJson } from '../../platform/http/read-json.ts'
import { routesOf } from '../../platform/http/route.ts'
import type { Answer, Call, Route } from '../../platform/http/route.ts'
import type { Guard } from '../../platform/http/router.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { clientNetwork, limitKey } from '../../platform/limits/clients.ts'
import type { Client } from '../../platform/limits/clients.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import type { Logger } from '../../platform/log.ts'
import { servedClient } from '../../platform/mcp/origin-rules.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { statementField, targetField } from '../query/dto.ts'
import type { AnswerLimits, AnswerPlace } from './answer-limits.ts'
import { chatMetadata, chatMode, chatNotice } from './chat-types.ts'
import type { ChatMode, TurnWatch } from './chat-types.ts'
import { ToolFailed } from './connections/mcp-client.ts'
import type { ChatParts } from './create-chat.ts'
import { readChatRequest } from './read-chat-request.ts'
import { feedbackRoutes } from './records/feedback-routes.ts'
import { recordsPerMinute, shareReadLimit, shareRoutes } from './records/share-routes.ts'
import type { RecordOwner, RecordServices } from './records/share-routes.ts'
import type { SharedChats } from './records/shared-chats.ts'
import type { ChatFeedback } from './records/chat-feedback.ts'
import { historyLimits } from './repair-answer.ts'
import { sendAnswer } from './send-answer.ts'
import { confirmedTools } from './tools/alert-proposals.ts'
import type { SendOptions } from './send-answer.ts'

export interface ChatServerOptions {
  readonly parts: ChatParts
  readonly shares: SharedChats
  readonly feedback: ChatFeedback
  readonly limits: AnswerLimits
  readonly clientOf: (request: IncomingMessage) => Client
  readonly log: Logger
  readonly metrics: Metrics
  readonly host: string
  readonly trustedProxies?: BlockList
  readonly port: number
  readonly token: string | undefined
  readonly page?: Middleware
  readonly closeGraceMs?: number
  readonly timeouts?: Pick<SendOptions, 'keepAliveMs' | 'stallMs'>
}

interface ChatServer {
  readonly port: number
  close(): Promise<void>
}

interface ChatServices extends RecordServices, Pick<ChatServerOptions, 'parts' | 'log' | 'metrics' | 'timeouts'> {
  readonly needsToken: boolean
  readonly running: Set<AbortController>
}

const endingMs = 1500

const route = routesOf<ChatServices, { question: AnswerPlace }>()

const settings = z
  .strictObject({
    modes: z.array(z.strictObject({ mode: chatMode, model: z.string() })).describe('Empty if no model is configured.'),
    default_mode: chatMode,
    is_scripted: z.boolean().describe('True if only the example questions work.'),
    remedy: z.string().nullable().describe('How to configure a model; null if one is configured.'),
    needs_token: z.boolean().describe('Whether a question requires a bearer token.'),
    examples: z.array(z.string()),
    explorer_url: z.string().nullable(),
    link_hosts: z.array(z.string()).describe('Allowed hosts for links in answers.'),
    tools: z.array(z.string()),
    max_message_characters: z.int(),
    max_history_characters: z.int().describe('Characters of earlier messages that are sent to the model.'),
    sends_email: z.boolean().describe('Whether alerts can be e-mailed.'),
    share_days: z.int().describe('How long shared links work; 0 if sharing is disabled.'),
  })
  .meta({ id: 'ChatSettings' })

const toolRun = z
  .strictObject({
    output: z.unknown().describe('Result of the tool, as in the stream of an answer; absent if it failed.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'ToolRun' })

const answerEvent = z.union([
  z.looseObject({ type: z.literal('finish'), messageMetadata: chatMetadata }),
  z.looseObject({ type: z.literal('data-notice'), data: chatNotice }),
  z.looseObject({ type: z.string() }),
])

export const chatRoutes: readonly Route<ChatServices>[] = [
  route({
    path: '/health',
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Liveness',
    response: z.strictObject({ status: z.string(), service: z.string() }),
    example: { status: 'ok', service: 'chat' },
    handler: () => ({ body: { status: 'ok', service: 'chat' } }),
  }),
  route({
    path: '/api/chat/settings',
    operationId: 'getSettings',
    tag: 'Chat',
    summary: 'Modes, models, tools and example questions',
    response: settings,
    handler: (_input, services) => ({ body: presentSettings(services) }),
  }),
  route({
    method: 'POST',
    path: '/api/chat',
    operationId: 'chat',
    tag: 'Chat',
    summary: 'Answer the last question of a conversation, as an event stream',
    description:
      'Body and events follow the UI message stream of the AI SDK: `messages` with their parts, and `mode`. Only ' +
      'text, tool calls and tool results are read.',
    access: 'question',
    body: z.unknown(),
    bodyExample: { messages: [{ role: 'user', parts: [{ type: 'text', text: 'What is the newest block?' }] }] },
    maxBodyBytes: historyLimits.bodyBytes,
    readBody: readConversation,
    contentType: 'text/event-stream; charset=utf-8',
    readsAs: { schema: answerEvent, example: { type: 'text-delta', id: '1', delta: 'The newest block is' } },
    problems: {
      413: 'The conversation or its last message is too long.',
      429: 'The client has too many answers (`too-many-answers`, `rate-limited`).',
      503: 'No model is configured (`no-model`), or too many answers are running (`chat-busy`).',
    },
    handler: ({ body, caller, call }, services) => ({ body: answerOf(body, caller, call, services) }),
  }),
  route({
    method: 'POST',
    path: '/api/chat/sql',
    operationId: 'runSql',
    tag: 'Chat',
    summary: 'Run a statement of an answer again',
    description: 'Runs the tool `run_indexer_sql` or `run_evm_sql` with its limits, and counts as an answer.',
    access: 'question',
    body: z.strictObject({ sql: statementField, target: targetField.default('indexer') }, 'must be a JSON object'),
    bodyExample: { sql: 'SELECT max(height) AS height FROM raw.blocks' },
    response: toolRun,
    example: {
      output: { structuredContent: { columns: ['height'], results: [{ height: '98765432' }], row_count: 1 } },
      error: null,
    },
    problems: {
      429: 'The client has too many answers (`too-many-answers`, `rate-limited`).',
      503: 'No server runs SQL (`tools-missing`), or too many answers are running (`chat-busy`).',
    },
    handler: ({ body: { sql, target }, caller, call }, { parts }) =>
      runTool(caller, call, () => parts.runSql(target, sql, call.signal)),
  }),
  route({
    method: 'POST',
    path: '/api/chat/confirm',
    operationId: 'confirmTool',
    tag: 'Chat',
    summary: 'Run a tool that an answer proposed and the user confirmed',
    description: 'Creates or deletes an alert of the [query service](query-and-mcp.md#alerts). Counts as an answer.',
    access: 'question',
    body: z.strictObject(
      { tool: z.enum(confirmedTools, `must be ${confirmedTools.join(' or ')}`), input: z.looseObject({}) },
      'must be a JSON object',
    ),
    bodyExample: { tool: 'delete_alert', input: { id: '5f2c9e0a17b3d684' } },
    response: toolRun,
    example: { output: { structuredContent: { status: 'deleted' } }, error: null },
    problems: {
      429: 'The client has too many answers (`too-many-answers`, `rate-limited`).',
      503: 'No server has the tool (`tools-missing`), or too many answers are running (`chat-busy`).',
    },
    handler: ({ body: { tool, input }, caller, call }, { parts }) =>
      runTool(caller, call, () => parts.confirm(tool, input, call.signal)),
  }),
  ...shareRoutes,
  ...feedbackRoutes,
]

export const chatApiInfo: ApiInfo = {
  title: 'flowfarm chat',
  description: 'Answers questions about the Flow blockchain with tools that read it.',
  securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'API_TOKEN, if set.' } },
  securityOf: ({ access }) => (access === 'none' ? [] : [{}, { token: [] }]),
  sharedErrors: { WrongToken: 'The token is missing or wrong.', InternalError: 'Internal error.' },
  sharedErrorsOf: ({ access }) => ({
    ...(access === 'none' ? {} : { 401: 'WrongToken' }),
    500: 'InternalError',
  }),
}

/** No CORS: `Content-Type: application/json` triggers a preflight. */
export async function createChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const {
    parts,
    shares,
    feedback,
    log,
    metrics,
    timeouts,
    token,
    page,
    closeGraceMs = 3000,
    host,
    port,
    clientOf,
  } = options
  const running = new Set<AbortController>()
  const server = await createHttpServer<ChatServices>(
    { service: 'chat', log, metrics, host, port, clientOf, closeGraceMs: closeGraceMs + endingMs },
    {
      routes: [...chatRoutes, ...documentRoutes(() => chatRoutes, chatApiInfo, { prefix: '/api/chat' })],
      services: {
        parts,
        shares,
        feedback,
        shareReads: shareReadLimit(),
        log,
        metrics,
        needsToken: token !== undefined,
        running,
        ...(timeouts === undefined ? {} : { timeouts }),
      },
      guards: { question: questionGuard(options), record: recordGuard(options) },
      isExpected: ({ code }) => code === 'no-model',
      unknownPath: (path) => `Unknown path: ${path}.`,
      home: '/',
      ...(page === undefined ? {} : { page }),
    },
  )
  return {
    port: server.port,
    close: async () => {
      const ending = setTimeout(() => {
        for (const answer of running)
          answer.abort(
            new ApiError(503, 'stopping', 'The service stopped before the answer was complete. Ask again in a moment.'),
          )
      }, closeGraceMs)
      await server.close()
      clearTimeout(ending)
    },
  }
}

function questionGuard({ token, host, trustedProxies, limits, metrics }: ChatServerOptions): Guard<AnswerPlace> {
  return async (call, run) => {
    if (token === undefined) refuseDnsRebinding(call.request, host, trustedProxies)
    admitBearer(call.header('Authorization'), token)
    const place = await limits.enter(call.client)
    metrics.chatRunning.inc()
    const leave = (): void => {
      metrics.chatRunning.dec()
      place.leave()
    }
    try {
      return await run({ ...place, leave })
    } catch (error) {
      leave()
      throw error
    }
  }
}

/** An owner is a network with its token: all users of an installation share API_TOKEN. */
function recordGuard({ token, host, trustedProxies }: ChatServerOptions): Guard<RecordOwner> {
  const window = new SlidingWindow({ max: recordsPerMinute })
  return async (call, run) => {
    if (token === undefined) refuseDnsRebinding(call.request, host, trustedProxies)
    const holder = admitBearer(call.header('Authorization'), token)
    const network = limitKey(call.client)
    const owner = createHash('sha256')
      .update(`${holder} ${network ?? 'local'}`)
      .digest('hex')
    return await run({ owner, count: () => (network === undefined ? undefined : window.require(network)) })
  }
}

async function runTool(
  place: AnswerPlace,
  call: Call,
  run: () => Promise<unknown>,
): Promise<{ readonly body: z.output<typeof toolRun> }> {
  try {
    place.count()
    return { body: { output: await servedClient.run(clientNetwork(call.client.address), run), error: null } }
  } catch (error) {
    if (error instanceof ToolFailed) return { body: { output: null, error: error.message } }
    throw error
  } finally {
    place.leave()
  }
}

/** @throws ApiError before the stream begins */
function answerOf(
  body: unknown,
  place: AnswerPlace,
  call: Call,
  { parts, log: serviceLog, metrics, timeouts, running }: ChatServices,
): NonNullable<Answer<never>['body']> {
  const { messages, notices, mode = parts.models.defaultMode } = readChatRequest(body, parts.maxHistoryCharacters)
  const model = parts.models.of(mode)
  place.count()
  const log = serviceLog.child({ requestId: call.requestId })
  const left = call.signal
  const control = new AbortController()
  const signal = AbortSignal.any([left, control.signal])
  const watch = watchTurn({ mode, metrics, log, toolNames: () => parts.toolNames() })
  const open = (): ReturnType<ChatParts['answer']> => parts.answer({ messages, notices, mode, model, signal, watch })
  const explainTo = (error: unknown): string => {
    watch.ended({
      end: left.aborted ? 'disconnected' : control.signal.aborted ? 'stopped' : 'failed',
      metadata: { mode },
    })
    return explain(error, log, left)
  }
  return async (response) => {
    running.add(control)
    try {
      const send = (): Promise<void> => sendAnswer(response, open, { ...timeouts, explain: explainTo })
      await servedClient.run(clientNetwork(call.client.address), send)
    } finally {
      running.delete(control)
      place.leave()
    }
  }
}

async function readConversation(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  try {
    return await readJson(request, maxBytes)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'body-too-large') throw error
    throw new ApiError(
      413,
      'body-too-large',
      `Conversation too long: at most ${maxBytes} bytes including tool results. Start a new one.`,
      { cause: error },
    )
  }
}

/** Internal errors are reported without their message. */
function explain(error: unknown, log: Logger, left: AbortSignal): string {
  if (error instanceof ApiError) return error.message
  if (!left.aborted) log.error({ err: asError(error) }, 'Answer failed')
  return 'Internal error. Ask again.'
}

function presentSettings({ parts, needsToken, shares }: ChatServices): z.output<typeof settings> {
  const { models, examples, explorerUrl, linkHosts, sendsEmail } = parts
  return {
    modes: models.modes.map(({ mode, state }) => ({ mode, model: `${state.provider}/${state.name}` })),
    default_mode: models.defaultMode,
    is_scripted: models.modes.some(({ state }) => state.isScripted),
    remedy: models.remedy ?? null,
    needs_token: needsToken,
    examples: [...examples],
    explorer_url: explorerUrl ?? null,
    link_hosts: [...linkHosts],
    tools: [...parts.toolNames()],
    max_message_characters: historyLimits.messageCharacters,
    max_history_characters: parts.maxHistoryCharacters,
    sends_email: sendsEmail,
    share_days: shares.days,
  }
}

interface WatchOptions {
  readonly mode: ChatMode
  readonly metrics: Metrics
  readonly log: Logger
  readonly toolNames: () => readonly string[]
}

function watchTurn({ mode, metrics, log, toolNames }: WatchOptions): TurnWatch {
  let firstMs: number | undefined
  let calls = 0
  let hasEnded = false
  return {
    started: (afterMs) => {
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
        'Answer ended',
      )
    },
  }
}
