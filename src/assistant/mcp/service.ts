import type { AskConfig } from '../query/service.ts'
import type { SettingValues } from '../../platform/setting.ts'
import type { accessNodeSettings } from '../../access/settings.ts'
import { countCalls } from '../../access/count-calls.ts'
import { createChainReader } from '../../access/create-chain-reader.ts'
import { addressList, clientReader, ownMachine } from '../../platform/limits/clients.ts'
import { FailureLimit, SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { askSettings } from '../query/settings.ts'
import { historicEndpoints, liveEndpoints } from '../../access/settings.ts'
import { Admission } from './admission.ts'
import { KeyCheck } from './key-check.ts'
import type { OriginRules } from '../../platform/mcp/origin-rules.ts'
import { startMcpHttpServer } from './mcp-server.ts'
import { boundScripts, createNodeScriptRunner, createRestScriptRunner } from './script-runners.ts'
import type { ScriptRunner } from './script-runners.ts'
import { cannotListen } from '../../platform/http/cannot-listen.ts'
import type { ServiceContext } from '../../platform/service.ts'
import { openNetwork } from '../network.ts'
import { openQueryService } from '../query/service.ts'
import { openSkills } from '../skills/open-skills.ts'

type Config = AskConfig & SettingValues<typeof accessNodeSettings> & { readonly SKILLS_DIR: string | undefined }

/** Of what clients show; it changes when tools do. */
const version = '1.0.0'

/** Starts the MCP server. */
export async function startMcp(context: ServiceContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'mcp' })
  const { service: queries } = await openQueryService(context)
  const server = await startMcpHttpServer({
    queries,
    log,
    metrics,
    version,
    host: config.HOST,
    port: config.MCP_PORT,
    scripts: boundScripts(openScripts(context)),
    network: await openNetwork(context),
    skills: await openSkills(context),
    origins: originRules(config),
    admission: new Admission({
      isKeyRequired: config.MCP_AUTH_ENABLED,
      adminKey: config.MCP_ADMIN_KEY,
      keys: new KeyCheck({ backendUrl: () => backendUrl(config, shared.apiPort) }),
      window: new SlidingWindow({ max: config.MCP_RATE_LIMIT }),
      attempts: new FailureLimit(),
      clientOf: clientReader(addressList([...config.TRUSTED_PROXIES, ...ownMachine])),
    }),
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'MCP_PORT', port: config.MCP_PORT, host: config.HOST })
  })
  shared.mcpPort = server.port
  lifecycle.onStop('MCP server', () => server.close())
  if (!config.MCP_AUTH_ENABLED)
    log.warn('whoever reaches the MCP server may run SQL without a limit: MCP_AUTH_ENABLED is off')
}

/** Where scripts run: where no REST API is named, on the nodes that everything else comes from. */
function openScripts({ config, metrics, lifecycle, ...context }: ServiceContext<Config>): ScriptRunner {
  if (config.CHAIN_REST_URL !== undefined) return createRestScriptRunner(config.CHAIN_REST_URL)
  const nodes = createChainReader({
    liveEndpoints: liveEndpoints(config),
    historicEndpoints: historicEndpoints(config),
    log: context.log.child({ service: 'mcp' }),
    onCall: countCalls(metrics),
  })
  lifecycle.onStop('access nodes that run scripts of callers', () => nodes.close())
  return createNodeScriptRunner(nodes)
}

/**
 * Where keys are checked: where nothing else is set, the API of this process, which may have another port than the
 * usual one.
 */
function backendUrl({ BACKEND_URL }: Config, apiPort: number | undefined): string {
  return BACKEND_URL === askSettings.BACKEND_URL.read(undefined) && apiPort !== undefined
    ? `http://127.0.0.1:${apiPort}`
    : BACKEND_URL
}

/** An address that is bound is a name by which the server is reached; all addresses are none. */
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
 * As browsers send it. For those of extensions `URL` says `null`, which is what pages without an origin send, such as
 * those in a sandbox.
 */
function originOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null'
  return origin === 'null' ? text.replace(/\/$/, '') : origin
}
