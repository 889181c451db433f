import type { AskConfig } from '../query/service.ts'
import type { SettingValues } from '../../platform/setting.ts'
import type { accessNodeSettings } from '../../access/settings.ts'
import { countCalls } from '../../access/count-calls.ts'
import { createChainReader } from '../../access/create-chain-reader.ts'
import { addressList, clientReader, loopbackNetworks } from '../../platform/limits/clients.ts'
import { FailureLimit, SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { askSettings } from '../query/settings.ts'
import { historicNodes, liveEndpoints } from '../../access/settings.ts'
import { openDocLibrary } from '../tools/doc-library.ts'
import { createExplorer } from './explorer.ts'
import { Admission } from './admission.ts'
import { KeyCheck } from './key-check.ts'
import type { OriginRules } from '../../platform/mcp/origin-rules.ts'
import { startMcpHttpServer } from './mcp-server.ts'
import { createNodeScriptRunner, createRestScriptRunner, limitScripts } from './script-runners.ts'
import type { ScriptRunner } from './script-runners.ts'
import { cannotListen } from '../../platform/http/cannot-listen.ts'
import type { ServiceContext } from '../../platform/service.ts'
import { openNetwork } from '../network.ts'
import { AlertStore } from '../query/alerts/alert-store.ts'
import type { AlertWebhooks } from '../query/alerts/alert-store.ts'
import { openAlertMails, openQueryService } from '../query/service.ts'
import { ownerOf } from '../../platform/http/guards.ts'
import { openSkills } from '../open-skills.ts'

type Config = AskConfig & SettingValues<typeof accessNodeSettings> & { readonly SKILLS_DIR: string | undefined }

/** Increase it when tools change. */
const version = '1.0.0'

/** @param webhooks delivers alerts */
export async function startMcp(context: ServiceContext<Config>, webhooks: AlertWebhooks): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'mcp' })
  const { service: queries } = await openQueryService(context)
  const server = await startMcpHttpServer({
    queries,
    alerts: new AlertStore(context.pool, webhooks, await openAlertMails(context)),
    owner: ownerOf(config.API_TOKEN),
    log,
    metrics,
    version,
    host: config.HOST,
    port: config.MCP_PORT,
    scripts: limitScripts(openScripts(context)),
    explorer: createExplorer(() => backendUrl(config, shared.apiPort)),
    library: await openDocLibrary(context),
    network: await openNetwork(context),
    skills: await openSkills(context),
    origins: originRules(config),
    admission: new Admission({
      isKeyRequired: config.MCP_AUTH_ENABLED,
      adminKey: config.MCP_ADMIN_KEY,
      keys: new KeyCheck({ backendUrl: () => backendUrl(config, shared.apiPort) }),
      window: new SlidingWindow({ max: config.MCP_RATE_LIMIT }),
      attempts: new FailureLimit(),
      clientOf: clientReader(addressList([...config.TRUSTED_PROXIES, ...loopbackNetworks])),
    }),
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'MCP_PORT', port: config.MCP_PORT, host: config.HOST })
  })
  shared.mcpPort = server.port
  lifecycle.onStop('MCP server', () => server.close())
  if (!config.MCP_AUTH_ENABLED)
    log.warn('MCP_AUTH_ENABLED is off: anyone who can reach the MCP server can run SQL without a rate limit')
}

function openScripts({ config, metrics, lifecycle, ...context }: ServiceContext<Config>): ScriptRunner {
  if (config.CHAIN_REST_URL !== undefined) return createRestScriptRunner(config.CHAIN_REST_URL)
  const nodes = createChainReader({
    liveEndpoints: liveEndpoints(config),
    ...historicNodes(config),
    log: context.log.child({ service: 'mcp' }),
    onCall: countCalls(metrics),
  })
  lifecycle.onStop('access nodes that run scripts of callers', () => nodes.close())
  return createNodeScriptRunner(nodes)
}

function backendUrl({ BACKEND_URL }: Config, apiPort: number | undefined): string {
  return BACKEND_URL === askSettings.BACKEND_URL.read(undefined) && apiPort !== undefined
    ? `http://127.0.0.1:${apiPort}`
    : BACKEND_URL
}

export function originRules({
  HOST,
  MCP_ALLOWED_HOSTS,
  MCP_ALLOWED_ORIGINS,
}: Pick<Config, 'HOST' | 'MCP_ALLOWED_HOSTS' | 'MCP_ALLOWED_ORIGINS'>): OriginRules {
  const bound = HOST === '0.0.0.0' || HOST === '::' ? [] : [HOST.includes(':') ? `[${HOST}]` : HOST]
  return {
    allowedHosts: [...MCP_ALLOWED_HOSTS, ...bound].map((host) =>
      URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host,
    ),
    allowedOrigins: MCP_ALLOWED_ORIGINS.map(originOf),
    remedies: { host: 'Add it to MCP_ALLOWED_HOSTS.', origin: 'Add it to MCP_ALLOWED_ORIGINS.' },
  }
}

/**
 * In the form that browsers send. For extensions `URL` gives `null`, which sandboxed pages also
 * send.
 */
function originOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null'
  return origin === 'null' ? text.replace(/\/$/, '') : origin
}
