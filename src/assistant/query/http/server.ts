import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import { constants } from 'node:zlib'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import { stringify } from 'yaml'
import { z } from 'zod'
import { admitBearer, refuseRebound } from '../../../platform/http/guards.ts'
import { clientReader, clientNetwork } from '../../../platform/limits/clients.ts'
import type { Client } from '../../../platform/limits/clients.ts'
import { asDatabaseError } from '../../../platform/db/errors.ts'
import { ApiError, RetryableError } from '../../../platform/errors.ts'
import { apiSecurityHeaders } from '../../../platform/http/server.ts'
import { leftSignal, closeServer, listen, hasLeftEarly } from '../../../platform/http/connections.ts'
import { refuseMethod } from '../../../platform/http/refuse-method.ts'
import { requests } from '../../../platform/http/requests.ts'
import type { RequestContext, RequestState } from '../../../platform/http/requests.ts'
import type { Logger } from '../../../platform/log.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import { readJson } from '../../../platform/http/read-json.ts'
import {
  attemptsExample,
  failureFields,
  generatedFields,
  presentFailure,
  presentGenerated,
  questionField,
  targetField,
} from '../dto.ts'
import { failureOf } from '../query-service.ts'
import type { QueryTarget } from '../query-service.ts'
import { askRoute } from './ask-route.ts'
import type { AskParts, AskRoute } from './ask-route.ts'
import { notAnObject, targetOf } from './inputs.ts'
import { describeAskApi } from './openapi.ts'
import { askRoutes } from './routes/ask.ts'
import { historyRoutes } from './routes/history.ts'
import { memoryRoutes } from './routes/memory.ts'
import { modelProblems } from './routes/model-problems.ts'
import { runSqlRoutes } from './routes/run-sql.ts'
import { serviceRoutes } from './routes/service.ts'

const body = z.strictObject({ question: questionField, target: targetField.optional() }, notAnObject)

const response = z.strictObject({ ...generatedFields, ...failureFields }).meta({ id: 'GeneratedSql' })

const example: z.output<typeof response> = {
  target: 'indexer',
  question: 'What is the newest indexed block?',
  sql: 'SELECT max(height) AS height FROM raw.blocks',
  ...presentFailure(undefined),
  ...attemptsExample,
}

/** A call of either path. */
interface Given {
  readonly target: QueryTarget
  readonly question: string
  readonly owner: string
  readonly signal: AbortSignal
  readonly client: string
}

async function generate(
  { target, question, owner, signal, client }: Given,
  { service, history }: AskParts,
): Promise<{ body: z.output<typeof response> }> {
  const item = { kind: 'generate_sql', target, question, rowCount: undefined } as const
  try {
    const generated = await service.generateSql(target, question, { signal, client })
    history.add(owner, { ...item, sql: generated.sql, error: generated.failure?.detail })
    return { body: { ...presentGenerated(generated), ...presentFailure(generated.failure) } }
  } catch (error) {
    if (error instanceof ApiError && !signal.aborted) history.add(owner, { ...item, sql: '', error: error.message })
    throw error
  }
}

const shared = {
  method: 'POST',
  tag: 'Queries',
  summary: 'The statement for a question, not run',
  body,
  response,
  example,
  bodyExample: { question: 'What is the newest indexed block?' },
  description: 'The statement is checked and planned, so what `sql` has can be run, unless `error` says why not.',
  problems: { ...modelProblems, 404: 'There is no such database here.' },
} as const

/** Questions that are answered with a statement. */
const generateSqlRoutes: readonly AskRoute[] = [
  askRoute({
    ...shared,
    path: '/api/v1/generate_sql',
    operationId: 'generateSql',
    handler: ({ body: { question, target }, owner, signal, client }, parts) =>
      generate({ target: targetOf(undefined, target), question, owner, signal, client }, parts),
  }),
  askRoute({
    ...shared,
    path: '/api/v1/{target}/generate_sql',
    operationId: 'generateSqlOfTarget',
    params: z.object({ target: targetField }),
    handler: ({ params, body: { question, target }, owner, signal, client }, parts) =>
      generate({ target: targetOf(params.target, target), question, owner, signal, client }, parts),
  }),
]

interface AskServerOptions extends Omit<AskParts, 'needsToken'> {
  readonly log: Logger
  readonly metrics: Metrics
  /** Address to bind. */
  readonly host: string
  /** TRUSTED_PROXIES. Default: none. */
  readonly trustedProxies?: BlockList
  /** The client of a request, for the slots of its statements. Default: by `trustedProxies`. */
  readonly clientOf?: (request: IncomingMessage) => Client
  /** 0 picks a free port. */
  readonly port: number
  /** API_TOKEN. Undefined: everybody may ask. */
  readonly token: string | undefined
  /** The page that reads `/openapi.json`. */
  readonly docs: { readonly html: string; readonly headers: Readonly<Record<string, string>> }
  /** Answers `/` and the files of the query page. Default: there is none. */
  readonly page?: Middleware
  /** How long `close` waits for calls that run, in milliseconds. Default 3,000. */
  readonly closeGraceMs?: number
}

interface AskServer {
  readonly port: number
  /** Takes no more calls, waits for those that run, and ends the rest. */
  close(): Promise<void>
}

/** Longest body: the longest statement that the gate takes, and room for escapes. */
const maxBodyBytes = 1024 * 1024

/**
 * Starts the query service's REST API. No other origin may call it from a browser: its answers allow none, and a call
 * needs `Content-Type: application/json`, for which a browser asks before.
 * @throws what the system says when the port cannot be bound
 */
export async function createAskServer(options: AskServerOptions): Promise<AskServer> {
  const { log, metrics, host, closeGraceMs = 3000 } = options
  const app = new Koa<RequestState>()
  app.on('error', (error: unknown) =>
    log[hasLeftEarly(error) ? 'debug' : 'error']({ err: error }, 'an answer could not be sent'),
  )
  app.use(
    requests({
      service: 'ask',
      metrics,
      log,
      list: '/docs',
      translate: databaseAway,
      // Their `detail` is in `error` too, where clients of other query services look for it.
      describe: (error) => ({ ...presentFailure(failureOf(error)) }),
    }),
  )
  app.use(async (context, next) => {
    context.set(apiSecurityHeaders)
    await next()
  })
  app.use(compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } }))
  const router = askRouter(options)
  app.use(router.routes())
  if (options.page !== undefined) app.use(options.page)
  app.use((context) => refuseMethod(context, router, options.page !== undefined))
  const handle = app.callback()
  const { server, port } = await listen((request, response) => void handle(request, response), {
    host,
    port: options.port,
  })
  return { port, close: () => closeServer(server, closeGraceMs) }
}

function databaseAway(thrown: unknown): ApiError | undefined {
  if (!(asDatabaseError(thrown) instanceof RetryableError)) return undefined
  return new ApiError(503, 'database-unavailable', 'The database does not answer at the moment; try again.', {
    cause: thrown,
    details: { retryAfterSeconds: 1 },
  })
}

function askRouter(options: AskServerOptions): Router<RequestState> {
  const { service, history, memory, token, docs, host, trustedProxies } = options
  const { clientOf = clientReader(trustedProxies ?? new BlockList()) } = options
  const parts: AskParts = { service, history, memory, needsToken: token !== undefined }
  // Made when somebody asks: it takes a tenth of a second, which a start need not wait for.
  const documents: { json?: string; yaml?: string } = {}
  const write = {
    json: () => JSON.stringify(describeAskApi(allAskRoutes)),
    yaml: () => stringify(describeAskApi(allAskRoutes), { aliasDuplicateObjects: false }),
  }
  const router = new Router<RequestState>()
  for (const form of ['json', 'yaml'] as const) {
    router.get(`/openapi.${form}`, (context) => {
      context.state.route = `/openapi.${form}`
      context.set('Cache-Control', 'no-cache')
      context.body = documents[form] ??= write[form]()
      context.type = `application/${form}`
    })
  }
  router.get('/docs', (context) => {
    context.state.route = '/docs'
    context.set({ ...docs.headers, 'Cache-Control': 'no-cache' })
    context.body = docs.html
    context.type = 'text/html; charset=utf-8'
  })
  // The router takes the first that fits, and `/history/{id}` fits what `/{target}/ask` does not: fixed paths go first.
  const routes = allAskRoutes.toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
  for (const route of routes) {
    router.register(
      route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
      async (context) => {
        context.state.route = route.path
        if (route.access !== 'open' && token === undefined) refuseRebound(context.req, host, trustedProxies)
        const owner = route.access === 'open' ? '' : admitBearer(context.get('Authorization'), token)
        const client = clientNetwork(clientOf(context.req).address)
        await answer(context, route, { owner, parts, params: context['params'], client })
      },
    )
  }
  return router
}

interface Call {
  readonly owner: string
  readonly parts: AskParts
  readonly params: Readonly<Record<string, string>>
  readonly client: string
}

async function answer(context: RequestContext, route: AskRoute, { owner, parts, params, client }: Call): Promise<void> {
  const body = route.body === undefined ? undefined : await readJson(context.req, maxBodyBytes)
  const query = new URLSearchParams(context.querystring)
  const given = { params, body, owner, client, query, signal: leftSignal(context.res) }
  const { body: content, headers = {} } = await route.run(given, parts)
  context.set({ 'Cache-Control': 'no-store', ...headers })
  context.status = route.successStatus
  if (route.successStatus === 204) return
  context.body = route.contentType === 'application/json' ? JSON.stringify(content) : content
  context.type = route.contentType
}

/** Every route of the query service, in the order of its description. */
export const allAskRoutes: readonly AskRoute[] = [
  ...askRoutes,
  ...generateSqlRoutes,
  ...runSqlRoutes,
  ...historyRoutes,
  ...memoryRoutes,
  ...serviceRoutes,
]
