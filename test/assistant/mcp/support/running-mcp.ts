import { BlockList } from 'node:net'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { Admission } from '../../../../src/assistant/mcp/admission.ts'
import type { AdmissionOptions } from '../../../../src/assistant/mcp/admission.ts'
import { KeyCheck } from '../../../../src/assistant/mcp/key-check.ts'
import { createExplorer } from '../../../../src/assistant/mcp/explorer.ts'
import { startMcpHttpServer } from '../../../../src/assistant/mcp/mcp-server.ts'
import type { McpHttpOptions } from '../../../../src/assistant/mcp/mcp-server.ts'
import { createRestScriptRunner, limitScripts } from '../../../../src/assistant/mcp/script-runners.ts'
import type { ScriptRunner } from '../../../../src/assistant/mcp/script-runners.ts'
import { AlertMails } from '../../../../src/assistant/query/alerts/alert-mails.ts'
import type { AlertMailOptions } from '../../../../src/assistant/query/alerts/alert-mails.ts'
import { AlertStore } from '../../../../src/assistant/query/alerts/alert-store.ts'
import { createPool } from '../../../../src/platform/db/pool.ts'
import { ownerOf } from '../../../../src/platform/http/guards.ts'
import { AlertEndpoints } from '../../../../src/webhooks/alert-endpoints.ts'
import { webhookStores } from '../../../../src/webhooks/webhook-stores.ts'
import type { QueryService } from '../../../../src/assistant/query/query-service.ts'
import { SkillList } from '../../../../src/assistant/read-skills.ts'
import type { Skills } from '../../../../src/assistant/read-skills.ts'
import { FailureLimit, SlidingWindow } from '../../../../src/platform/limits/sliding-window.ts'
import { clientReader } from '../../../../src/platform/limits/clients.ts'
import type { OriginRules } from '../../../../src/platform/mcp/origin-rules.ts'
import { DocLibrary } from '../../../../src/assistant/tools/doc-library.ts'
import { Metrics } from '../../../../src/platform/metrics.ts'

export interface RunningMcp {
  readonly url: string
  readonly port: number
  readonly metrics: Metrics
  /** Posts one message, for tests of status and headers. */
  post(message: unknown, headers?: Record<string, string>): Promise<Response>
  stop(): Promise<void>
}

export interface RunMcpOptions {
  readonly queries: QueryService
  /** Default: one with an unreachable node. */
  readonly scripts?: ScriptRunner
  /** Default: none. */
  readonly skills?: Skills
  readonly backendUrl?: string
  /** Default: an unreachable database. */
  readonly pool?: Pool
  /** Default: sends no e-mails. */
  readonly mail?: Pick<AlertMailOptions, 'send'>
  readonly admission?: Partial<AdmissionOptions>
  readonly origins?: Partial<OriginRules>
  /** Default 127.0.0.1. */
  readonly host?: string
  readonly timeouts?: NonNullable<McpHttpOptions['timeouts']>
}

const nobody = 'http://127.0.0.1:1'

/** Required for every MCP message. */
export const messageHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

/** Marks a request as forwarded, so it does not count as local. */
export const throughProxy = { 'X-Forwarded-For': '203.0.113.7' }

export const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

/** The MCP server on 127.0.0.1, assembled as in the service. */
export async function runMcp({
  queries,
  scripts = createRestScriptRunner(nobody),
  skills = new SkillList([]),
  backendUrl = nobody,
  pool = createPool('postgres://127.0.0.1:1/nothing'),
  mail,
  admission,
  origins,
  host = '127.0.0.1',
  timeouts,
}: RunMcpOptions): Promise<RunningMcp> {
  const log = pino({ level: 'silent' })
  const metrics = new Metrics()
  const alertMails = new AlertMails({ pool, log, send: undefined, askUrl: () => 'https://ask.example/', ...mail })
  const server = await startMcpHttpServer({
    queries,
    alerts: new AlertStore(pool, new AlertEndpoints(webhookStores(pool, [])), alertMails),
    owner: ownerOf(undefined),
    log,
    metrics,
    version: '0.0.0',
    explorer: createExplorer(() => backendUrl),
    library: () => DocLibrary.of([{ id: 'docs/blocks', text: '# Blocks\n\nHow blocks are indexed.\n' }]),
    network: () => 'mainnet',
    skills,
    host,
    port: 0,
    closeGraceMs: 500,
    ...(timeouts === undefined ? {} : { timeouts }),
    scripts: limitScripts(scripts),
    origins: {
      allowedHosts: [],
      allowedOrigins: [],
      remedies: { host: 'Add it to the hosts.', origin: 'Add it to the origins.' },
      ...origins,
    },
    admission: new Admission({
      isKeyRequired: true,
      adminKey: undefined,
      keys: new KeyCheck({ backendUrl: () => backendUrl }),
      window: new SlidingWindow({ max: 60 }),
      attempts: new FailureLimit(),
      clientOf: clientReader(new BlockList()),
      ...admission,
    }),
  })
  const url = `http://127.0.0.1:${server.port}/mcp`
  return {
    url,
    port: server.port,
    metrics,
    post: (message, headers = {}) =>
      fetch(url, { method: 'POST', headers: { ...messageHeaders, ...headers }, body: JSON.stringify(message) }),
    stop: async () => {
      await server.close()
      await alertMails.close()
    },
  }
}
