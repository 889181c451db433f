import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { DashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { coverageOf } from './operator-world.ts'
import type { OperatorWorld } from './operator-world.ts'

export interface FakeOperator {
  readonly url: string
  world: OperatorWorld
  /** Counters that grow with each event, so that the page visibly changes. */
  tick(): void
  /** Closes all connections and rejects new ones until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

export interface FakeOperatorOptions {
  readonly world: OperatorWorld
  readonly pages: DashboardPages
  /** Without it, authentication is disabled. */
  readonly token?: string
  /** Every call fails with 403. */
  readonly isClosed?: boolean
}

/** A server with the operator API on made-up numbers. Changes affect only those numbers. */
export async function startFakeOperator(options: FakeOperatorOptions): Promise<FakeOperator> {
  const streams = new Set<ServerResponse>()
  const state = { world: options.world }
  let ticks = 0
  const tell = (response: ServerResponse): void =>
    void response.write(`event: overview\ndata: ${JSON.stringify(state.world.overview)}\n\n`)
  const server = createServer((request, response) => {
    answer(request, response, {
      ...options,
      state,
      open: (stream) => {
        streams.add(stream)
        tell(stream)
      },
    }).catch((error: unknown) => response.destroy(error as Error))
  })
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const operator: FakeOperator = {
    url: `http://127.0.0.1:${port}`,
    get world() {
      return state.world
    },
    set world(world) {
      state.world = world
      for (const stream of streams) tell(stream)
    },
    tick() {
      const { overview } = state.world
      ticks++
      const stages = overview.stages.map((stage, i) => {
        const usual = options.world.overview.stages[i]?.rate ?? null
        const rate =
          usual === null ? null : usual * (0.85 + 0.1 * Math.sin(ticks / 3 + i) + 0.12 * Math.sin(ticks * 1.7 + i * i))
        const step = Math.min(stage.backlog, Math.round((rate ?? 0) / 20))
        return {
          ...stage,
          rate,
          covered: stage.covered + step,
          backlog: stage.backlog - step,
          etaSeconds: rate === null ? null : stage.backlog / rate,
        }
      })
      operator.world = { ...state.world, overview: { ...overview, generatedAt: new Date().toISOString(), stages } }
    },
    pause: close,
    resume: () => listen(port),
    stop: async () => {
      if (server.listening) await close()
    },
  }
  return operator
}

interface Answering extends FakeOperatorOptions {
  readonly state: { world: OperatorWorld }
  readonly open: (stream: ServerResponse) => void
}

async function answer(request: IncomingMessage, response: ServerResponse, options: Answering): Promise<void> {
  const { pages, token, isClosed, state } = options
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (!url.pathname.startsWith('/operator/api/')) {
    const file = await pages.file(url.pathname.replace(/^\/operator\/?/, ''))
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': file?.type ?? 'text/plain',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
    })
    response.end(file?.body)
    return
  }
  const call = `${request.method} ${url.pathname.slice('/operator/api'.length)}`
  const body = request.method === 'GET' ? {} : (JSON.parse((await text(request)) || '{}') as Record<string, unknown>)
  const isAllowed = token === undefined || request.headers.cookie?.includes(`t=${token}`) === true
  if (isClosed === true)
    return problem(response, 403, 'Set ADMIN_TOKEN to open this page to other machines than the one it runs on.')
  if (call === 'GET /session') return json(response, { access: token === undefined ? 'open' : 'token', isAllowed })
  if (call === 'POST /session') {
    if (body['token'] !== token) return problem(response, 401, 'This token is not known.')
    response.writeHead(204, { 'set-cookie': `t=${token}; Path=/operator; HttpOnly; SameSite=Strict` }).end()
    return
  }
  if (call === 'DELETE /session') {
    response.writeHead(204, { 'set-cookie': 't=; Path=/operator; Max-Age=0' }).end()
    return
  }
  if (!isAllowed) return problem(response, 401, 'Log in.')
  if (call === 'GET /stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    options.open(response)
    return
  }
  const number = (name: string, otherwise: number): number => Number(url.searchParams.get(name) ?? otherwise)
  const { overview, leases, errors } = state.world
  if (call === 'GET /coverage')
    return json(
      response,
      coverageOf(state.world, {
        from: number('from', overview.stored?.from ?? 0),
        to: number('to', overview.stored?.to ?? 1),
        cells: number('cells', 400),
      }),
    )
  if (call === 'GET /leases') {
    const [status, worker, code] = ['status', 'worker', 'code'].map((name) => url.searchParams.get(name))
    const found = leases.filter(
      (lease) =>
        lease.status === status &&
        (worker === null || lease.worker === worker) &&
        (code === null || lease.code === code),
    )
    return json(response, {
      data: found.slice(0, number('limit', 50)),
      has_more: false,
      cursor: '',
      total: found.length,
    })
  }
  if (call === 'GET /errors') return json(response, { data: errors, has_more: false, cursor: '', total: errors.length })
  problem(response, 404, `Unexpected request: ${call}`)
}

function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function problem(response: ServerResponse, status: number, detail: string): void {
  response
    .writeHead(status, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ status, detail, code: `http-${status}`, title: 'Problem' }))
}
