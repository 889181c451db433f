import { createAskServer } from '../assistant/query/http/server.ts'
import { QueryHistory } from '../assistant/query/query-history.ts'
import type { Config } from '../config.ts'
import { pageAddress } from '../platform/http/connections.ts'
import { addressList, clientReader, ownMachine } from '../platform/limits/clients.ts'
import { cannotListen } from '../platform/http/cannot-listen.ts'
import { createDashboardPages } from '../platform/pages/dashboard-pages.ts'
import { readHtmlPage } from '../platform/pages/html-page.ts'
import { pageBuildOf } from '../platform/pages/page-build.ts'
import { createRootPage } from '../platform/pages/serve-page.ts'
import type { ServiceContext } from '../platform/service.ts'
import { openQueryService } from './open-query-service.ts'

/** Starts the query service: its REST API and its page. */
export async function startAsk(context: ServiceContext<Config>): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'ask' })
  const { service, memory } = await openQueryService(context)
  const pages = createDashboardPages({ page: 'ask', log, build: pageBuildOf(context) })
  lifecycle.onStop('query page', () => pages.stop())
  const server = await createAskServer({
    service,
    memory,
    history: new QueryHistory(),
    log,
    metrics,
    host: config.HOST,
    port: config.ASK_PORT,
    token: config.API_TOKEN,
    trustedProxies: addressList(config.TRUSTED_PROXIES),
    clientOf: clientReader(addressList([...config.TRUSTED_PROXIES, ...ownMachine])),
    docs: readHtmlPage('docs'),
    page: createRootPage(pages),
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'ASK_PORT', port: config.ASK_PORT, host: config.HOST })
  })
  shared.askPort = server.port
  lifecycle.onStop('query service', () => server.close())
  log.info({ url: pageAddress(config.HOST, server.port), port: server.port }, 'the query service listens')
  const isOpen = config.API_TOKEN === undefined && !['127.0.0.1', '::1', 'localhost'].includes(config.HOST)
  if (isOpen && service.model?.isScripted === false) {
    log.warn('whoever reaches the query service may ask, and pays nothing for the model: set API_TOKEN')
  }
}
