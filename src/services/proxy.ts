import { pageAddress } from '../api/server.ts'
import { addressList, isListed, isLoopback } from '../base/client-address.ts'
import type { Config } from '../base/config.ts'
import { FatalError } from '../base/errors.ts'
import { startProxyServer } from '../proxy/proxy-server.ts'
import type { UpstreamName, Upstreams } from '../proxy/upstream.ts'
import { cannotListen } from './cannot-listen.ts'
import type { ServiceContext } from './context.ts'
import type { Shared } from './shared.ts'

/** Where nothing is set: the port of the web. */
const webPort = 80

/** How long a service may say nothing, ms. The chat's model and tools may have a while longer. */
const patienceMs = 120_000
const chatPatienceMs = 300_000

/** Starts the reverse proxy: one port for the chat, the query service and the MCP server. */
export async function startProxy(context: ServiceContext): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'proxy' })
  const port = config.PROXY_PORT ?? webPort
  const trustedProxies = addressList(config.TRUSTED_PROXIES)
  const upstreams = upstreamsOf(config, shared)
  const server = await startProxyServer({
    upstreams, log, metrics, host: config.HOST, port, trustedProxies, needsToken: config.API_TOKEN !== undefined,
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'PROXY_PORT', port, host: config.HOST })
  })
  shared.proxyPort = server.port
  lifecycle.onStop('reverse proxy', () => server.close())
  log.info({ url: pageAddress(config.HOST, server.port), port: server.port }, 'the reverse proxy listens')
  const areLocal = Object.values(upstreams).every(({ url }) => isLoopback(url.hostname.replaceAll(/[[\]]/g, '')))
  if (areLocal && !isListed(trustedProxies, '127.0.0.1')) {
    log.warn('to the limits of the services, all who come by the proxy are one client: set TRUSTED_PROXIES=127.0.0.1, so that they believe it')
  }
}

/** Where the services are: as set, or else in this process, or else on this machine at their usual ports. @throws FatalError `bad-configuration` */
export function upstreamsOf(config: Config, shared: Pick<Shared, 'chatPort' | 'askPort' | 'mcpPort'>): Upstreams {
  const local = (port: number): string => pageAddress(isEvery(config.HOST) ? '127.0.0.1' : config.HOST, port)
  const originOf = (variable: string, set: string | undefined, port: number): URL => {
    const url = new URL(set ?? local(port))
    if (url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '') return url
    throw new FatalError('bad-configuration', `${variable} must be an address without a path, such as http://127.0.0.1:${port}.`)
  }
  const described: Record<UpstreamName, readonly [title: string, url: URL]> = {
    chat: ['the chat', originOf('PROXY_CHAT_URL', config.PROXY_CHAT_URL, shared.chatPort ?? config.CHAT_PORT)],
    ask: ['the query service', originOf('PROXY_ASK_URL', config.PROXY_ASK_URL, shared.askPort ?? config.ASK_PORT)],
    mcp: ['the MCP server', originOf('PROXY_MCP_URL', config.PROXY_MCP_URL, shared.mcpPort ?? config.MCP_PORT)],
  }
  // An answer of the chat may take as long as it is let, and be silent while it thinks.
  const patience = { chat: Math.max(chatPatienceMs, config.CHAT_TIMEOUT_S * 1000 + 10_000), ask: patienceMs, mcp: patienceMs }
  const upstream = (name: UpstreamName): Upstreams[UpstreamName] => ({ title: described[name][0], url: described[name][1], patienceMs: patience[name] })
  return { chat: upstream('chat'), ask: upstream('ask'), mcp: upstream('mcp') }
}

function isEvery(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}
