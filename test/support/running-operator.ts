import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { pino } from 'pino'
import { workers } from '../../jobs/index.ts'
import { readConfig } from '../../src/config.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { readOwnStages } from '../../src/own-tables/registry.ts'
import { planStages } from '../../src/farm/overview/stage-plan.ts'
import { createWorkQueue } from '../../src/farm/queues/create-work-queue.ts'
import { createOperator } from '../../src/operator/operator.ts'
import type { OperatorOptions } from '../../src/operator/operator.ts'
import { operatorPath } from '../../src/operator/route.ts'
import { runApi } from './running-api.ts'
import type { RunningApi } from './running-api.ts'

export interface Answer<Body> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Body
}

export interface RunningOperator {
  /** The server that it is mounted on. */
  readonly api: RunningApi
  /** A path below /operator/api. Returns status and body. */
  get<Body = Problem>(path: string, headers?: Record<string, string>): Promise<Answer<Body>>
  send<Body = Problem>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>
  /** Any path of the server, with any header, including `Host`. */
  raw(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<Answer<string>>
  stop(): Promise<void>
}

export interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly field?: string
}

/**
 * The operator on an explorer API, as the program runs it. `variables` are environment variables.
 */
export async function runOperator(
  url: string,
  variables: Record<string, string> = {},
  options: Partial<OperatorOptions> = {},
): Promise<RunningOperator> {
  const log = pino({ level: 'silent' })
  const config = readConfig(variables, {})
  const pool = createPool(url, { max: 3, applicationName: 'test operator' })
  const operator = createOperator({
    pool,
    log,
    metrics: new Metrics(),
    version: '1.2.3',
    plans: async () => planStages(config, [...workers, ...(await readOwnStages(options.pool ?? pool))]),
    bounds: () => ({}),
    credentials: {
      token: config.ADMIN_TOKEN,
      jwtSecret: config.ADMIN_JWT_SECRET ?? config.AUTH_JWT_SECRET,
      allowedRoles: config.ADMIN_ALLOWED_ROLES,
    },
    pages: { file: () => Promise.resolve(undefined) },
    queues: { backend: 'postgres', open: () => createWorkQueue({ databaseUrl: url, redisUrl: config.REDIS_URL, log }) },
    pauseMs: 0,
    ...options,
  })
  const api = await runApi(url, {
    server: { mounts: [operator.mount] },
  })
  const { port } = api.server
  const raw = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<Answer<string>> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
      const request = httpRequest(
        { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: false },
        (response) => {
          let text = ''
          response
            .setEncoding('utf8')
            .on('data', (chunk: string) => (text += chunk))
            .on('error', reject)
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
        },
      )
      request.on('error', reject).end(body)
    })
  const asJson = async <Body>(answer: Promise<Answer<string>>): Promise<Answer<Body>> => {
    const { status, headers, body } = await answer
    return { status, headers, body: (body === '' ? undefined : JSON.parse(body)) as Body }
  }
  return {
    api,
    get: (path, headers) => asJson(raw('GET', `${operatorPath}/api${path}`, headers)),
    send: (method, path, body, headers = {}) =>
      asJson(
        raw(
          method,
          `${operatorPath}/api${path}`,
          body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
          body === undefined ? undefined : JSON.stringify(body),
        ),
      ),
    raw,
    stop: async () => {
      await api.stop()
      await pool.end()
    },
  }
}
