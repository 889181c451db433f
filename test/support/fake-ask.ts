import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import Koa from 'koa'
import type { Middleware } from 'koa'
import { askApiInfo, askRoutes } from '../../src/assistant/query/http/server.ts'
import { describeApi } from '../../src/platform/http/openapi.ts'
import { isPagePath } from '../../src/platform/pages/serve-page.ts'
import { listenLocally } from './listen-locally.ts'

/** A response body with its status, or no response until the client disconnects. */
export type AskReply = { readonly status?: number; readonly body: object } | 'never'

export interface AskWorld {
  readonly health: object
  /** POST responses, by the last path segment. */
  readonly replies: Readonly<Record<string, AskReply>>
  readonly examples: readonly object[]
  readonly history: readonly object[]
  readonly schema: {
    readonly data: readonly object[]
    readonly functions: readonly string[]
    readonly metrics: readonly object[]
  }
  readonly approved: readonly object[]
  readonly alerts: readonly { readonly id: string; readonly [field: string]: unknown }[]
  readonly queries: readonly { readonly id: string; readonly name: string; readonly [field: string]: unknown }[]
  readonly dashboards: readonly {
    readonly id: string
    readonly link: string | null
    readonly tiles: readonly { readonly id: string; readonly query_id: string; readonly [field: string]: unknown }[]
    readonly [field: string]: unknown
  }[]
  /** Responses to reads of tiles, by saved query. */
  readonly tiles: Readonly<Record<string, AskReply>>
  /** States of the export, the last one for ever. */
  readonly exports: readonly object[]
  /** Without it, authentication is disabled. */
  readonly token?: string
}

export interface FakeAsk {
  readonly url: string
  world: AskWorld
  /** The received requests: `POST /api/v1/ask` with the body. */
  readonly calls: { readonly call: string; readonly body: unknown }[]
  /** Resolves when a client disconnects before its response. */
  left(): Promise<void>
  stop(): Promise<void>
}

/**
 * A server with the protocol of the query service and made-up responses. It serves the real page.
 */
export async function startFakeAsk(first: AskWorld, page: Middleware): Promise<FakeAsk> {
  const state = { world: first }
  const calls: FakeAsk['calls'] = []
  const servePage = new Koa().use(page).callback()
  const gone = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (isPagePath(pathname, ['docs', 'dashboards', 'd'])) {
      void servePage(request, response)
      return
    }
    answer(request, response, pathname).catch((error: unknown) => response.destroy(error as Error))
  })
  async function answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { world } = state
    const call = `${request.method} ${path}`
    const sent = await text(request)
    const body: unknown = sent === '' ? undefined : JSON.parse(sent)
    calls.push({ call, body })
    if (path === '/health') return json(response, world.health)
    if (path === '/openapi.json') return json(response, describeApi(askRoutes, askApiInfo))
    const shared = /^\/api\/v1\/public\/dashboards\/(\w+)(?:\/tiles\/(\w+))?$/.exec(path)
    if (shared !== null) {
      const published = world.dashboards.find(({ link }) => link === shared[1])
      if (published === undefined) return problem(response, 404, 'No dashboard has this link.')
      if (shared[2] !== undefined) return tile(response, published, shared[2], 'tile-failed')
      const { name, refresh_seconds, tiles } = published
      const titled = tiles.map(({ id, title, query_id, view, width }) => ({
        id,
        title: title === '' ? (world.queries.find((query) => query.id === query_id)?.name ?? '') : title,
        view,
        width,
      }))
      return json(response, { name, refresh_seconds, tiles: titled })
    }
    if (call === 'GET /api/v1/examples') return json(response, { data: world.examples })
    if (world.token !== undefined && request.headers.authorization !== `Bearer ${world.token}`)
      return problem(response, 401, 'The token is wrong.')
    if (call === 'GET /api/v1/schema') return json(response, world.schema)
    if (call === 'GET /api/v1/history') return json(response, world.history)
    if (call === 'DELETE /api/v1/history') {
      state.world = { ...world, history: [] }
      return json(response, { status: 'cleared' })
    }
    if (call === 'GET /api/v1/memory') return json(response, { data: world.approved, total: world.approved.length })
    if (call === 'POST /api/v1/memory') {
      const pair = { id: `${world.approved.length}`, ...(body as object), approved_at: new Date().toISOString() }
      state.world = { ...world, approved: [pair, ...world.approved] }
      return json(response, pair, 201)
    }
    if (path.startsWith('/api/v1/exports')) {
      if (path.endsWith('/file')) {
        response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).end('n\r\n1\r\n')
        return
      }
      if (request.method === 'DELETE') return json(response, { status: 'deleted' })
      const [now, ...later] = world.exports
      if (later.length > 0) state.world = { ...world, exports: later }
      return json(response, now ?? {})
    }
    if (path.startsWith('/api/v1/dashboards')) return dashboards(response, call, path, body)
    if (path.startsWith('/api/v1/alerts') && !path.endsWith('/propose')) {
      const [, , , , id, action] = path.split('/')
      const alert = world.alerts.find((each) => each.id === id)
      if (request.method === 'DELETE') {
        state.world = { ...world, alerts: world.alerts.filter((each) => each !== alert) }
        return json(response, { status: 'deleted' })
      }
      if (call === 'GET /api/v1/alerts') return json(response, { data: world.alerts })
      if (request.method === 'GET') return json(response, { alert, runs: alertRuns, deliveries: alertDeliveries })
      const isPaused = action === 'pause'
      const isMailed = typeof (body as { readonly email?: unknown } | undefined)?.email === 'string'
      const changed = {
        ...newAlert,
        ...(body as object | undefined),
        ...alert,
        id: id ?? String(calls.length),
        state: isMailed ? 'unconfirmed' : isPaused ? 'paused' : 'active',
        paused_reason: isPaused ? 'owner' : null,
      }
      state.world = { ...world, alerts: [changed, ...world.alerts.filter((each) => each !== alert)] }
      return json(response, { ...changed, secret: isMailed ? null : 'whsec_c2VjcmV0' })
    }
    if (call === 'GET /api/v1/queries') return json(response, { data: world.queries })
    if (call === 'POST /api/v1/queries') {
      const saved = body as { readonly name: string }
      const query = { id: String(calls.length), ...saved, updated_at: new Date().toISOString() }
      state.world = { ...world, queries: [...world.queries.filter(({ name }) => name !== saved.name), query] }
      return json(response, query)
    }
    if (request.method === 'DELETE' && path.startsWith('/api/v1/queries/')) {
      state.world = { ...world, queries: world.queries.filter(({ id }) => path !== `/api/v1/queries/${id}`) }
      return json(response, { status: 'deleted' })
    }
    if (request.method === 'DELETE') {
      state.world = {
        ...world,
        approved: world.approved.filter((pair) => !('id' in pair) || path !== `/api/v1/memory/${String(pair.id)}`),
      }
      response.writeHead(204).end()
      return
    }
    const reply = world.replies[path.split('/').at(-1) ?? '']
    if (reply === undefined) return problem(response, 404, `Unexpected request: ${call}`)
    if (reply === 'never') {
      response.once('close', gone.resolve)
      return
    }
    json(response, reply.body, reply.status)
  }
  function dashboards(response: ServerResponse, call: string, path: string, body: unknown): void {
    const { world } = state
    const [, , , , id, part, tileId = ''] = path.split('/')
    const now = new Date().toISOString()
    if (call === 'GET /api/v1/dashboards') {
      const data = world.dashboards.map(({ tiles, ...facts }) => ({ ...facts, tiles: tiles.length }))
      return json(response, { data })
    }
    if (call === 'POST /api/v1/dashboards') {
      const made = { id: `new${calls.length}`, link: null, tiles: [], ...(body as object), updated_at: now }
      state.world = { ...world, dashboards: [...world.dashboards, made] }
      return json(response, made, 201)
    }
    const found = world.dashboards.find((each) => each.id === id)
    if (found === undefined) return problem(response, 404, 'The dashboard does not exist.')
    if (part === 'tiles') return tile(response, found, tileId, 'query-deleted')
    const [method] = call.split(' ')
    if (method === 'GET') return json(response, found)
    const others = world.dashboards.filter((each) => each !== found)
    if (method === 'DELETE' && part === undefined) {
      state.world = { ...world, dashboards: others }
      return json(response, { status: 'deleted' })
    }
    const { updated_at: basis } = (body ?? {}) as { readonly updated_at?: string }
    if (method === 'PUT' && basis !== undefined && basis !== found['updated_at'])
      return problem(response, 409, 'The dashboard was changed.', 'dashboard-changed')
    const link = method === 'PUT' ? 'f'.repeat(32) : null
    const changed = part === 'link' ? { ...found, link } : { ...found, ...(body as object), updated_at: now }
    state.world = { ...world, dashboards: [...others, changed] }
    json(response, changed)
  }
  function tile(response: ServerResponse, { tiles }: AskWorld['dashboards'][number], id: string, code: string): void {
    const { world } = state
    const query = tiles.find((each) => each.id === id)?.query_id ?? ''
    const reply = world.tiles[query]
    if (reply === 'never') return
    if (reply !== undefined) return json(response, reply.body, reply.status)
    const detail = 'This tile has no result: its query failed or was deleted. Its owner sees the reason.'
    json(response, { status: 409, detail, code, title: 'Problem' }, 409)
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

const newAlert = {
  url: null,
  email: null,
  is_met: null,
  last_value: null,
  last_run_at: null,
  last_fired_at: null,
  last_error: null,
  failures: 0,
  next_run_at: '2026-11-21T12:00:00.000Z',
  created_at: '2026-11-21T12:00:00.000Z',
}
const run = { duration_ms: 3, is_met: true, has_fired: true, row_count: 1, value: '200000001', error: null }
const alertRuns = [
  { ...run, run: 2, finished_at: '2026-11-21T12:05:00.000Z' },
  { ...run, run: 1, finished_at: '2026-11-21T12:00:00.000Z', has_fired: false, error: 'The statement timed out.' },
]
const alertDeliveries = [
  {
    sequence: 1,
    status: 'pending',
    attempt_count: 1,
    response_status: 500,
    error: 'status 500',
    created_at: '2026-11-21T12:05:00.000Z',
  },
]

function json(response: ServerResponse, body: object, status = 200): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
}

function problem(response: ServerResponse, status: number, detail: string, code = `http-${status}`): void {
  json(response, { status, detail, code, title: 'Problem' }, status)
}
