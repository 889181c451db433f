import { STATUS_CODES } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { homedir } from 'node:os'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Client } from '../../platform/limits/clients.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import type { EditorNetwork } from '../editor-network.ts'
import { ApiError } from '../../platform/errors.ts'
import { closeServer, listen } from '../../platform/http/connections.ts'
import { notFoundPage } from '../../platform/http/not-found-page.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { ImportWorkspaces } from '../imports/import-workspace.ts'
import type { LanguageServerProgram } from '../language-server/find-language-server.ts'
import { CrashBudget } from '../language-server/crash-budget.ts'
import { ClientShares, workUnits } from './client-shares.ts'
import type { DeployFeed } from './deploy-subscriptions.ts'
import { LanguageServer } from '../language-server/language-server.ts'
import { LspConnection } from './lsp-connection.ts'
import { LspMetrics, defaultLspLimits, machineClock } from '../language-server/lsp-limits.ts'
import type { Clock, LspLimits } from '../language-server/lsp-limits.ts'

export interface LspServerOptions {
  readonly host: string
  readonly port: number
  readonly log: Logger
  readonly metrics: Metrics
  readonly clientOf: (request: IncomingMessage) => Client
  /** Origin is undefined for non-browser clients. Default: all. */
  readonly allowsOrigin?: (origin: string | undefined, host: string | undefined) => boolean
  /** Checks clients before any response. @throws ApiError */
  readonly admit?: (request: IncomingMessage) => void
  readonly program: LanguageServerProgram
  /** Closed by the caller, after this. */
  readonly workspaces: ImportWorkspaces
  readonly networks: readonly EditorNetwork[]
  readonly offered?: () => readonly EditorNetwork[]
  readonly deploys?: DeployFeed | undefined
  readonly limits?: Partial<LspLimits>
  readonly clock?: Clock
  /** Default: system folders and the user's home. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface LspServer {
  readonly port: number
  /** Undefined without a running process. */
  readonly pidOf: (network: EditorNetwork) => number | undefined
  /** Connections close with 1001. */
  close(): Promise<void>
}

const path = '/lsp'
const systemPath = '/usr/local/bin:/usr/bin:/bin'

const maxFragments = 64

const closeGraceMs = 2000

/** WebSocket `/lsp` and `GET /health`. @throws the system error when the port cannot be bound */
export async function createLspServer(options: LspServerOptions): Promise<LspServer> {
  const { log, networks, program, offered = () => networks, clock = machineClock } = options
  const limits: LspLimits = { ...defaultLspLimits, ...options.limits }
  const metrics = new LspMetrics(options.metrics.registry)
  const environment = { PATH: systemPath, HOME: homedir(), ...options.environment }
  const servers = new Map(
    networks.map((network) => [network, new LanguageServer({ network, program, environment, limits, metrics, log })]),
  )
  const crashes = new CrashBudget(limits, clock)
  const shares = new ClientShares(limits, clock)
  const gate = new ConnectionGate(limits, shares)
  const connections = new Set<LspConnection>()
  const ending = new Set<Promise<void>>()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes * 2,
    perMessageDeflate: false,
    clientTracking: false,
    maxFragments,
  })
  let isClosing = false

  const { server, port } = await listen((request, response) => answer(request, response), options)
  // Silent sockets have no request yet, so no request timeout applies.
  server.setTimeout(limits.silentMs)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const client = options.clientOf(request)
    const refused = isClosing ? unavailable : (refusalOf(request, options) ?? gate.refusalOf(client))
    if (refused !== undefined) return refuse(socket, refused)
    gate.enter(client, socket)
    sockets.handleUpgrade(request, socket, head, (websocket) => {
      const connection = new LspConnection(websocket, {
        servers,
        offered,
        workspaces: options.workspaces,
        deploys: options.deploys,
        limits,
        metrics,
        log,
        crashes,
        shares,
        clock,
        client: clientNetwork(client.address),
      })
      connections.add(connection)
      metrics.connections.set(connections.size)
      websocket.once('close', () => {
        connections.delete(connection)
        metrics.connections.set(connections.size)
        const end = connection.ended().finally(() => ending.delete(end))
        ending.add(end)
      })
    })
  })
  const pinging = setInterval(() => {
    for (const connection of connections) connection.ping()
  }, limits.pingMs)

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const at = pathOf(request)
    if (at === path)
      return respond(response, 426, {
        code: 'websocket-only',
        detail: `${path} is a WebSocket. Connect with ws:// or wss://.`,
      })
    if (at !== '/health') {
      const unknown = new ApiError(404, 'unknown-path', `Not found. This port serves only ${path} and /health.`)
      const page = notFoundPage(request, unknown)
      if (page === undefined) return respond(response, 404, { code: unknown.code, detail: unknown.message })
      response
        .writeHead(404, { ...page.headers, 'Cache-Control': 'no-store', Vary: 'Accept' })
        .end(request.method === 'HEAD' ? undefined : page.html)
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respond(response, 405, { code: 'method-not-allowed', detail: 'Use GET.' }, { Allow: 'GET, HEAD' })
    respond(response, isClosing ? 503 : 200, {
      status: isClosing ? 'stopping' : 'ok',
      server: { kind: program.kind, label: program.label },
      connections: connections.size,
      networks: Object.fromEntries(offered().map((network) => [network, servers.get(network)?.state])),
    })
  }

  return {
    port,
    pidOf: (network) => servers.get(network)?.pid,
    close: async () => {
      isClosing = true
      clearInterval(pinging)
      for (const connection of connections) connection.drop(1001, 'The server is stopping')
      // Requests that wait for a language server end with it.
      await Promise.all([...servers.values()].map((one) => one.close()))
      while (connections.size > 0 || ending.size > 0) {
        await Promise.all([
          ...ending,
          new Promise((resolve) => {
            setTimeout(resolve, connections.size > 0 ? 10 : 0)
          }),
        ])
      }
      await closeServer(server, closeGraceMs)
      sockets.close()
    },
  }
}

interface Refusal {
  readonly status: number
  readonly code: string
  readonly detail: string
}

const unavailable: Refusal = {
  status: 503,
  code: 'stopping',
  detail: 'The server is stopping. Reconnect in a moment.',
}

class ConnectionGate {
  readonly #limits: LspLimits
  readonly #byAddress = new Map<string, number>()
  readonly #shares: ClientShares
  #all = 0

  constructor(limits: LspLimits, shares: ClientShares) {
    this.#limits = limits
    this.#shares = shares
  }

  refusalOf(client: Client): Refusal | undefined {
    const { connections, connectionsPerAddress } = this.#limits
    if (this.#all >= connections) return { status: 503, code: 'full', detail: 'Too many connections. Try again later.' }
    const waitSeconds = Math.ceil(this.#shares.workOf(clientNetwork(client.address)).waitMs / 1000)
    if (waitSeconds > 0) {
      return {
        status: 429,
        code: 'rate-limited',
        detail: `Your address is over its work budget. Reconnect in ${waitSeconds} s.`,
      }
    }
    if (client.isLocal || (this.#byAddress.get(clientNetwork(client.address)) ?? 0) < connectionsPerAddress)
      return undefined
    return {
      status: 429,
      code: 'too-many-connections',
      detail: `Too many connections from your address (limit ${connectionsPerAddress}). Close one.`,
    }
  }

  /** Counts from the upgrade on, so that simultaneous clients count. */
  enter(client: Client, socket: Duplex): void {
    const address = clientNetwork(client.address)
    this.#all++
    this.#shares.workOf(address).spend(workUnits.connection)
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1)
    socket.once('close', () => {
      this.#all--
      const left = (this.#byAddress.get(address) ?? 1) - 1
      if (left > 0) this.#byAddress.set(address, left)
      else this.#byAddress.delete(address)
    })
  }
}

function refusalOf(
  request: IncomingMessage,
  { admit, allowsOrigin }: Pick<LspServerOptions, 'admit' | 'allowsOrigin'>,
): Refusal | undefined {
  if (pathOf(request) !== path)
    return { status: 404, code: 'unknown-path', detail: `Not found. The WebSocket is at ${path}.` }
  try {
    admit?.(request)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { status: error.status, code: error.code, detail: error.message }
  }
  if (allowsOrigin === undefined || allowsOrigin(request.headers.origin, request.headers.host)) return undefined
  return {
    status: 403,
    code: 'foreign-origin',
    detail: 'This origin may not connect. EDITOR_URL sets the allowed origin.',
  }
}

function refuse(socket: Duplex, { status, code, detail }: Refusal): void {
  // The client may have left already.
  socket.on('error', () => socket.destroy())
  const body = JSON.stringify({ code, detail })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function respond(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = `${JSON.stringify(body)}\n`
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(response.req.method === 'HEAD' ? undefined : text)
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/'
}
