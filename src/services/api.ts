import { createChainReader } from '../access/create-chain-reader.ts'
import { createPresentChain } from '../api/chain/present-chain.ts'
import { addressList, clientReader } from '../base/client-address.ts'
import { clientNetwork } from '../base/client-network.ts'
import { createFeedReader } from '../api/feed-reader.ts'
import { KeptAnswers } from '../api/kept/kept-answers.ts'
import { createApiServer } from '../api/server.ts'
import { Accounts } from '../auth/accounts.ts'
import { DeveloperKeys } from '../auth/developer-keys.ts'
import { createStatusReader, statusSettings } from '../api/status-reader.ts'
import { chainIdToNetwork } from '../chain/network.ts'
import type { Network } from '../chain/network.ts'
import { createReadPool } from '../db/slonik.ts'
import { forgetAtCommits } from './forget-at-commits.ts'
import { createLiveFeeds } from '../live/live-feeds.ts'
import { adminCredentials } from './admin-credentials.ts'
import { adminOperations } from './admin-operations.ts'
import { cannotListen } from './cannot-listen.ts'
import { ChainFacts } from './chain-facts.ts'
import { createDashboardPages } from './dashboard-pages.ts'
import { createExplorerPage } from './explorer-page.ts'
import { openReads } from './open-reads.ts'
import { pageBuildOf } from './page-build-of.ts'
import { mountOperator } from './operator.ts'
import { liveEndpoints } from '../base/config.ts'
import { webhookStores } from '../webhooks/webhook-stores.ts'
import type { ServiceContext } from './context.ts'

/** Of the connections, those that only expensive calls use. */
const expensiveShare = 0.4

/** Starts the explorer API and the live feeds. */
export async function startApi(context: ServiceContext): Promise<void> {
  const { config, databaseUrl, pool, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'api' })
  const reads = await openReads({ ...context, log })
  const maxConnections = config.DB_MAX_OPEN_CONNS ?? 20
  const maxExpensive = Math.floor(maxConnections * expensiveShare)
  const database = await createReadPool({
    url: reads.url,
    maxConnections: maxConnections - maxExpensive,
    minConnections: config.DB_MAX_IDLE_CONNS ?? 0,
    checkPrepared: false,
  })
  lifecycle.onStop('read connections', () => database.end())
  const expensiveReads = await createReadPool({ url: reads.url, maxConnections: maxExpensive, checkPrepared: false })
  lifecycle.onStop('read connections of expensive calls', () => expensiveReads.end())
  const facts = new ChainFacts(pool, log)
  await facts.start()
  lifecycle.onStop('chain facts', () => facts.stop())
  const network = (): Network => chainIdToNetwork(facts.chainId) ?? 'mainnet'
  const reader = createChainReader({
    liveEndpoints: liveEndpoints(config),
    log,
    onCall: (call) => {
      metrics.accessCalls.inc({ method: call.method, code: call.code })
      metrics.accessSeconds.observe({ method: call.method }, call.durationMs / 1000)
      metrics.accessBytes.inc({ method: call.method }, call.bytes)
    },
  })
  lifecycle.onStop('access nodes that people ask', () => reader.close())
  const status = createStatusReader({
    settings: statusSettings(config),
    chainId: () => facts.chainId,
    latestHeight: () => shared.latestHeight() ?? facts.latestHeight,
  })
  const clientOf = clientReader(addressList(config.TRUSTED_PROXIES))
  const live = createLiveFeeds({
    networkOf: (request) => clientNetwork(clientOf(request).address),
    url: databaseUrl,
    whenReadable: reads.whenReadable,
    reader: createFeedReader(database, network),
    status: () => status(database, { includeRanges: false }),
    metrics,
    log,
    limits: { maxBufferedBytes: config.WS_MAX_WAITING_BYTES },
    liveLimits: {
      maxReorgDepth: config.MAX_REORG_DEPTH,
      maxReplay: config.WS_MAX_REPLAY_BLOCKS,
      maxWords: config.WS_MAX_FILTER_WORDS,
      maxSubscriberBytes: Math.ceil(config.WS_MAX_WAITING_BYTES / 8),
    },
  })
  await live.start()
  lifecycle.onStop('live feeds', () => live.stop())
  const kept = new KeptAnswers({ maxAgeMs: config.API_ANSWER_CACHE_MS })
  await forgetAtCommits(context, { databases: [database, expensiveReads], kept, whenReadable: reads.whenReadable })
  const credentials = adminCredentials(context)
  const keys = new DeveloperKeys(pool)
  const pages = createDashboardPages({ page: 'explorer', log, build: pageBuildOf(context) })
  lifecycle.onStop('explorer page', () => pages.stop())
  const server = await createApiServer({
    database,
    expensiveReads,
    metrics,
    log,
    host: config.HOST,
    port: config.PORT,
    status,
    feeds: live.feeds,
    network,
    chain: createPresentChain({ reader, log }),
    mounts: [mountOperator(context, credentials)],
    page: {
      handle: createExplorerPage(pages, log, { ipfsGateways: config.IPFS_GATEWAYS }),
      close: () => Promise.resolve(),
    },
    clientOf,
    rateLimit: {
      rps: config.API_RATE_LIMIT_RPS,
      burst: config.API_RATE_LIMIT_BURST,
      ttlMinutes: config.API_RATE_LIMIT_TTL_MIN,
      trustedRps: config.API_RATE_LIMIT_TRUSTED_RPS,
      trustedAddresses: addressList(config.API_RATE_LIMIT_TRUSTED_ADDRESSES),
    },
    keys,
    accounts: new Accounts({ pool, keys, jwtSecret: config.AUTH_JWT_SECRET }),
    webhooks: webhookStores(pool, config.WEBHOOK_ALLOWED_NETWORKS),
    kept,
    admin: { credentials, operations: adminOperations(pool, network) },
    maxReorgDepth: config.MAX_REORG_DEPTH,
    maxWebSocketsPerAddress: config.WS_MAX_CONNECTIONS_PER_IP,
    maxWebSocketMessageBytes: config.WS_MAX_MESSAGE_BYTES,
    checkResponses: false,
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'PORT', port: config.PORT, host: config.HOST })
  })
  lifecycle.onStop('API', () => server.close())
  shared.apiPort = server.port
}
