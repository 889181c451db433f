import type { SettingValues } from '../../platform/setting.ts'
import type { servingSettings, proxySettings } from '../../platform/http/settings.ts'
import type { askSettings } from '../query/settings.ts'
import type { chatSettings } from '../chat/settings.ts'
import { pageAddress } from '../../platform/http/connections.ts'
import { addressList } from '../../platform/limits/clients.ts'
import { FatalError } from '../../platform/errors.ts'
import { startProxyServer } from './proxy-server.ts'
import type { Upstream, UpstreamName } from './route-of.ts'
import { cannotListen } from '../../platform/http/cannot-listen.ts'
import type { BareContext, Shared } from '../../platform/service.ts'

type Config = SettingValues<typeof chatSettings & typeof askSettings & typeof servingSettings & typeof proxySettings>

const webPort = 80

/** Longest silence of a service. The chat waits for models and tools. */
const timeoutMs = 120_000
const chatTimeoutMs = 300_000

/** Starts before the services and so stops after them, to forward their last responses. */
export async function startProxy(context: BareContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'proxy' })
  const port = config.PROXY_PORT ?? webPort
  const upstreamOf = upstreamsOf(config, shared)
  const server = await startProxyServer({
    upstreamOf,
    log,
    metrics,
    host: config.HOST,
    port,
    trustedProxies: addressList(config.TRUSTED_PROXIES),
    needsToken: config.API_TOKEN !== undefined,
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'PROXY_PORT', port, host: config.HOST })
  })
  shared.proxyPort = server.port
  lifecycle.onStop('reverse proxy', () => server.close())
  log.info({ url: pageAddress(config.HOST, server.port), port: server.port }, 'Reverse proxy listening')
}

/**
 * The configured address, else the port in this process, else the default port.
 * @throws FatalError `bad-configuration`
 */
export function upstreamsOf(
  config: Config,
  shared: Pick<Shared, 'chatPort' | 'askPort' | 'mcpPort'>,
): (name: UpstreamName) => Upstream {
  const host = ['0.0.0.0', '::'].includes(config.HOST) ? '127.0.0.1' : config.HOST
  const set = {
    chat: originOf('PROXY_CHAT_URL', config.PROXY_CHAT_URL),
    ask: originOf('PROXY_ASK_URL', config.PROXY_ASK_URL),
    mcp: originOf('PROXY_MCP_URL', config.PROXY_MCP_URL),
  }
  const port = {
    chat: () => shared.chatPort ?? config.CHAT_PORT,
    ask: () => shared.askPort ?? config.ASK_PORT,
    mcp: () => shared.mcpPort ?? config.MCP_PORT,
  }
  const timeouts = {
    chat: Math.max(chatTimeoutMs, config.CHAT_TIMEOUT_S * 1000 + 10_000),
    ask: timeoutMs,
    mcp: timeoutMs,
  }
  return (name) => ({
    title: titles[name],
    url: set[name] ?? new URL(pageAddress(host, port[name]())),
    timeoutMs: timeouts[name],
  })
}

const titles: Readonly<Record<UpstreamName, string>> = {
  chat: 'the chat',
  ask: 'the query service',
  mcp: 'the MCP server',
}

function originOf(variable: string, address: string | undefined): URL | undefined {
  if (address === undefined) return undefined
  const url = new URL(address)
  if (url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '')
    return url
  throw new FatalError('bad-configuration', `${variable} must be a URL without a path, such as http://127.0.0.1:8080.`)
}
