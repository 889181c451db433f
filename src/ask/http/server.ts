import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants } from 'node:zlib'
import { Router } from '@koa/router'
import Koa from 'koa'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import { stringify } from 'yaml'
import { ApiError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import { readJson } from '../../base/read-json.ts'
import type { AskParts, AskRoute } from './ask-route.ts'
import { admitBearer } from '../../auth/bearer.ts'
import { describeAskApi } from './openapi.ts'
import { isPagePath } from './page-path.ts'
import { refuseRebound } from '../../base/refuse-rebound.ts'
import { requests } from './requests.ts'
import type { AskContext, RequestState } from './requests.ts'
import { allAskRoutes } from './routes/all.ts'

export interface AskServerOptions extends Omit<AskParts, 'needsToken'> {
  readonly log: Logger
  readonly metrics: Metrics
  /** Address to bind. */
  readonly host: string
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

export interface AskServer {
  readonly port: number
  /** Takes no more calls, waits for those that run, and ends the rest. */
  close(): Promise<void>
}

/** Longest body: the longest statement that the gate takes, and room for escapes. */
const mostBodyBytes = 1024 * 1024

const securityHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/**
 * Starts the query service's REST API. No other origin may call it from a browser: its answers allow none, and a call needs
 * `Content-Type: application/json`, for which a browser asks before.
 * @throws what the system says when the port cannot be bound
 */
export async function createAskServer(options: AskServerOptions): Promise<AskServer> {
  const { log, metrics, host, closeGraceMs = 3000 } = options
  const app = new Koa<RequestState>()
  app.on('error', (error: unknown) => log.error({ err: error }, 'an answer could not be sent'))
  app.use(requests(metrics, log))
  app.use(async (context, next) => {
    context.set(securityHeaders)
    await next()
  })
  app.use(compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } }))
  const router = askRouter(options)
  app.use(router.routes())
  if (options.page !== undefined) app.use(options.page)
  app.use((context) => refuseMethod(context, router, options.page !== undefined))
  const handle = app.callback()
  const server = createServer({
    headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024,
  }, (request, response) => void handle(request, response))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port: options.port }, resolve)
  await promise
  server.off('error', reject)
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      const force = setTimeout(() => server.closeAllConnections(), closeGraceMs)
      await closed.promise
      clearTimeout(force)
    },
  }
}

function askRouter(options: AskServerOptions): Router<RequestState> {
  const { service, history, memory, token, docs, host } = options
  const parts: AskParts = { service, history, memory, needsToken: token !== undefined }
  // Made when somebody asks: it takes a tenth of a second, which a start need not wait for.
  const documents: { json?: string; yaml?: string } = {}
  const write = {
    json: () => JSON.stringify(describeAskApi(allAskRoutes)), yaml: () => stringify(describeAskApi(allAskRoutes), { aliasDuplicateObjects: false }),
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
    router.register(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), route.method === 'GET' ? ['GET', 'HEAD'] : [route.method], async (context) => {
      context.state.route = route.path
      if (route.access !== 'open' && token === undefined) refuseRebound(context.req, host)
      const owner = route.access === 'open' ? '' : admitBearer(context.get('Authorization'), token)
      await answer(context, route, { owner, parts, params: context['params'] })
    })
  }
  return router
}

interface Call {
  readonly owner: string
  readonly parts: AskParts
  readonly params: Readonly<Record<string, string>>
}

async function answer(context: AskContext, route: AskRoute, { owner, parts, params }: Call): Promise<void> {
  const body = route.body === undefined ? undefined : await readJson(context.req, mostBodyBytes)
  const given = { params, body, owner, query: new URLSearchParams(context.querystring), signal: leftSignal(context.res) }
  const { body: content, headers = {} } = await route.run(given, parts)
  context.set({ 'Cache-Control': 'no-store', ...headers })
  context.status = route.successStatus
  if (route.successStatus === 204) return
  context.body = route.contentType === 'application/json' ? JSON.stringify(content) : content
  context.type = route.contentType
}

/** Aborted when the client goes before it has its answer. */
function leftSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client has gone'))
  })
  return controller.signal
}

function refuseMethod(context: AskContext, router: Router<RequestState>, hasPage: boolean): void {
  if (context.body !== undefined && context.body !== null) return
  const { path, method } = context
  const ofPage = hasPage && isPagePath(path) ? ['GET', 'HEAD'] : []
  const allowed = [...new Set([...ofPage, ...router.match(path, method).path.flatMap((layer) => layer.methods)])].toSorted()
  // A file that the page does not have is not there by any method.
  if (allowed.length === 0 || allowed.includes(method)) return
  context.set('Allow', allowed.join(', '))
  throw new ApiError(405, 'method-not-allowed', `${path} takes ${allowed.join(' and ')}, not ${method}.`)
}
