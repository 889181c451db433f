import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createAskServer } from '../../../../src/assistant/query/http/server.ts'
import { Dashboards } from '../../../../src/assistant/query/saved/dashboards.ts'
import { Exports, exportLimits } from '../../../../src/assistant/query/exports.ts'
import type { ExportLimits } from '../../../../src/assistant/query/exports.ts'
import { AlertScheduler } from '../../../../src/assistant/query/alerts/alert-scheduler.ts'
import { AlertMails } from '../../../../src/assistant/query/alerts/alert-mails.ts'
import type { AlertMailOptions } from '../../../../src/assistant/query/alerts/alert-mails.ts'
import { AlertStore } from '../../../../src/assistant/query/alerts/alert-store.ts'
import type { RunResult } from '../../../../src/assistant/query/alerts/alert-store.ts'
import { AlertEndpoints } from '../../../../src/webhooks/alert-endpoints.ts'
import { webhookStores } from '../../../../src/webhooks/webhook-stores.ts'
import { QueryHistory } from '../../../../src/assistant/query/query-history.ts'
import { SavedQueries } from '../../../../src/assistant/query/saved/saved-queries.ts'
import { readConfig } from '../../../../src/config.ts'
import { addressList } from '../../../../src/platform/limits/clients.ts'
import { Lifecycle, Shared } from '../../../../src/platform/service.ts'
import { Metrics } from '../../../../src/platform/metrics.ts'
import { Terminal } from '../../../../src/platform/terminal.ts'
import { openQueryService } from '../../../../src/assistant/query/service.ts'
import type { TestDatabase } from '../../../support/database.ts'

/** A response with its JSON body; undefined if empty. */
export interface Answered<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly error: string
  readonly field?: string
  readonly sql_state: string | null
  readonly error_position: number | null
}

export interface RunningAsk {
  readonly origin: string
  readonly metrics: Metrics
  readonly alertMails: AlertMails
  get<Body = Problem>(path: string, headers?: Record<string, string>): Promise<Answered<Body>>
  post<Body = Problem>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered<Body>>
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Runs due alerts until `stop`. */
  startAlerts(onRun?: (result: RunResult) => void): void
  stop(): Promise<void>
}

/**
 * The query service on 127.0.0.1, as the program runs it; `variables` are environment variables.
 */
export async function runAsk(
  database: Pick<TestDatabase, 'url' | 'pool'>,
  variables: Record<string, string> = {},
  limits: Partial<ExportLimits> = {},
  mail: Partial<AlertMailOptions> = {},
): Promise<RunningAsk> {
  const log = pino({ level: 'silent' })
  const lifecycle = new Lifecycle(log)
  const metrics = new Metrics()
  const memoryFolder = await mkdtemp(join(tmpdir(), 'flowfarm-ask-'))
  lifecycle.onStop('memory', () => rm(memoryFolder, { recursive: true, force: true }))
  const config = readConfig({ CHROMA_PERSIST_DIR: memoryFolder, ...variables }, {})
  const opened = openQueryService({
    config,
    databaseUrl: database.url,
    pool: database.pool,
    log,
    metrics,
    lifecycle,
    terminal: new Terminal(),
    shared: new Shared(),
  })
  const { service, memory } = await opened.catch(async (error: unknown) => {
    await lifecycle.stop('it did not start')
    throw error
  })
  const exports = new Exports(service, memoryFolder, log, { ...exportLimits, ...limits })
  lifecycle.onStop('exports', () => exports.stop())
  const webhooks = webhookStores(database.pool, config.WEBHOOK_ALLOWED_NETWORKS)
  const alertMails = new AlertMails({
    pool: database.pool,
    log,
    send: undefined,
    askUrl: () => 'https://ask.example/',
    onMail: (result) => metrics.alertMails.inc({ result }),
    ...mail,
  })
  lifecycle.onStop('e-mails', () => alertMails.close())
  const alerts = new AlertStore(database.pool, new AlertEndpoints(webhooks), alertMails)
  const server = await createAskServer({
    service,
    memory,
    history: new QueryHistory(),
    saved: new SavedQueries(database.pool),
    alerts,
    alertMails,
    exports,
    dashboards: new Dashboards(database.pool),
    log,
    metrics,
    host: '127.0.0.1',
    port: 0,
    token: config.API_TOKEN,
    trustedProxies: addressList(config.TRUSTED_PROXIES),
    closeGraceMs: 500,
  })
  lifecycle.onStop('server', () => server.close())
  const origin = `http://127.0.0.1:${server.port}`
  const ask = async <Body>(path: string, init: RequestInit): Promise<Answered<Body>> => {
    const response = await fetch(`${origin}${path}`, init)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    }
  }
  return {
    origin,
    metrics,
    alertMails,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    fetch: (path, init) => fetch(`${origin}${path}`, init),
    startAlerts: (onRun = () => undefined) => {
      const scheduler = new AlertScheduler({
        store: alerts,
        mails: alertMails,
        service,
        log,
        onRun,
        runMs: 60_000,
        pollMs: 10,
      })
      scheduler.start()
      lifecycle.onStop('alerts', () => scheduler.stop())
    },
    stop: () => lifecycle.stop('the test is over'),
  }
}
