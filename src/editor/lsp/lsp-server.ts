import type { IncomingMessage } from 'node:http'
import { homedir } from 'node:os'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { Client } from '../../platform/limits/clients.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import type { EditorNetwork } from '../editor-network.ts'
import { ApiError } from '../../platform/errors.ts'
import { routesOf } from '../../platform/http/route.ts'
import { createHttpServer } from '../../platform/http/server.ts'
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

const closeGraceMs = 2000

const healthSchema = z.strictObject({
  status: z.enum(['ok', 'stopping']),
  server: z.strictObject({ kind: z.string(), label: z.string() }),
  connections: z.int(),
  networks: z.record(z.string(), z.string()).describe('State of the language server of each network.'),
})

interface ChannelServices {
  readonly health: () => z.output<typeof healthSchema>
}

const healthRoute = routesOf<ChannelServices>()({
  path: '/health',
  operationId: 'getHealth',
  tag: 'Service',
  summary: 'Whether the channel runs',
  response: healthSchema,
  handler: (_input, services) => {
    const body = services.health()
    return { status: body.status === 'ok' ? 200 : 503, body }
  },
})

/** WebSocket `/lsp` and `GET /health`. @throws the system error when the port cannot be bound */
export async function createLspServer(options: LspServerOptions): Promise<LspServer> {
  const { log, networks, program, clientOf, offered = () => networks, clock = machineClock } = options
  const limits: LspLimits = { ...defaultLspLimits, ...options.limits }
  const metrics = new LspMetrics(options.metrics.registry)
  const environment = { PATH: systemPath, HOME: homedir(), ...options.environment }
  const servers = new Map(
    networks.map((network) => [network, new LanguageServer({ network, program, environment, limits, metrics, log })]),
  )
  const crashes = new CrashBudget(limits, clock)
  const shares = new ClientShares(limits, clock)
  const connections = new Set<LspConnection>()
  const ending = new Set<Promise<void>>()
  let isClosing = false

  const admit = (request: IncomingMessage, { address }: Client): void => {
    if (isClosing) throw new ApiError(503, 'stopping', 'The server is stopping. Reconnect in a moment.')
    options.admit?.(request)
    if (options.allowsOrigin?.(request.headers.origin, request.headers.host) === false)
      throw new ApiError(403, 'foreign-origin', 'This origin may not connect. EDITOR_URL sets the allowed origin.')
    const retryAfterSeconds = Math.ceil(shares.workOf(clientNetwork(address)).waitMs / 1000)
    if (retryAfterSeconds > 0)
      throw new ApiError(
        429,
        'rate-limited',
        `Your address is over its work budget. Reconnect in ${retryAfterSeconds} s.`,
        { details: { retryAfterSeconds } },
      )
  }

  const connect = (socket: WebSocket, request: IncomingMessage): void => {
    const client = clientNetwork(clientOf(request).address)
    shares.workOf(client).spend(workUnits.connection)
    const connection = new LspConnection(socket, {
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
      client,
    })
    connections.add(connection)
    metrics.connections.set(connections.size)
    socket.once('close', () => {
      connections.delete(connection)
      metrics.connections.set(connections.size)
      const end = connection.ended().finally(() => ending.delete(end))
      ending.add(end)
    })
  }

  const server = await createHttpServer<ChannelServices>(
    {
      ...options,
      service: 'lsp',
      closeGraceMs,
      timeouts: { headMs: limits.silentMs, requestMs: limits.silentMs, stalledMs: limits.silentMs },
    },
    {
      routes: [healthRoute],
      services: {
        health: () => ({
          status: isClosing ? 'stopping' : 'ok',
          server: { kind: program.kind, label: program.label },
          connections: connections.size,
          networks: Object.fromEntries(offered().map((network) => [network, servers.get(network)?.state ?? 'idle'])),
        }),
      },
      webSockets: {
        feeds: { [path]: connect },
        admit,
        maxConnections: limits.connections,
        maxConnectionsPerAddress: limits.connectionsPerAddress,
        maxMessageBytes: limits.messageBytes * 2,
      },
    },
  )
  const pinging = setInterval(() => {
    for (const connection of connections) connection.ping()
  }, limits.pingMs)

  return {
    port: server.port,
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
      await server.close()
    },
  }
}
