import { countCalls } from '../access/count-calls.ts'
import type pg from 'pg'
import { createChainReader } from '../access/create-chain-reader.ts'
import { liveEndpoints } from '../access/settings.ts'
import { SolidityCompiler } from './evm/verification/compiler.ts'
import { ContractVerifier } from './evm/verification/verifier.ts'
import { createPresentChain } from './present-chain.ts'
import { createFeedReader } from './feed/reader.ts'
import { createLiveFeeds } from './feed/live-feeds.ts'
import { ResponseCache } from '../platform/http/response-cache.ts'
import { createApiServer } from './server.ts'
import { createStatusReader, statusSettings } from './status/queries.ts'
import { chainIdToNetwork } from '../flow/network.ts'
import type { Network } from '../flow/network.ts'
import { Accounts } from '../platform/auth/accounts.ts'
import type { CredentialOptions } from '../platform/auth/credentials.ts'
import { DeveloperKeys } from '../platform/auth/developer-keys.ts'
import { roleDirectory } from '../platform/auth/credentials.ts'
import { addressList, clientReader, clientNetwork } from '../platform/limits/clients.ts'
import { connectionLimits, createPool, logIdleErrors, query } from '../platform/db/pool.ts'
import { isConnectionLost } from '../platform/db/errors.ts'
import { createReadPool } from '../platform/db/slonik.ts'
import { noReplica, untilReplicaCaughtUp, replicaCatchUp } from '../platform/db/replica-catch-up.ts'
import type { OnReplicaCaughtUp } from '../platform/db/replica-catch-up.ts'
import { asError, RetryableError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { pause } from '../platform/retry.ts'
import { webhookStores } from '../webhooks/webhook-stores.ts'
import { cannotListen } from '../platform/http/cannot-listen.ts'
import type { accessNodeSettings } from '../access/settings.ts'
import type { operatorSettings } from '../platform/auth/settings.ts'
import type { databaseSettings } from '../platform/db/settings.ts'
import type { servingSettings } from '../platform/http/settings.ts'
import type { SettingValues } from '../platform/setting.ts'
import { listLabels, putLabel, removeLabels } from './admin/labels.ts'
import type { AdminOperations, FarmOperations } from './admin/operations.ts'
import { listTemplates, putTemplate, removeTemplate } from './admin/templates.ts'
import { listIndexingErrors, resolveErrors } from '../platform/db/indexing-errors.ts'
import { scriptTemplate } from '../flow/code/script-template.ts'
import type { feedSettings } from './settings.ts'
import type { accessSettings, cacheSettings, pageSettings } from './settings.ts'
import type { Mount } from '../platform/http/server.ts'
import type { ServiceContext } from '../platform/service.ts'
import { applicationsOf } from '../platform/pages/applications.ts'
import { createDashboardPages } from '../platform/pages/dashboard-pages.ts'
import { createEmbeds } from './embeds/embeds.ts'
import { createExplorerPage } from './page.ts'
import { pageBuildOf } from '../platform/pages/page-build.ts'
import type { DatabasePool } from 'slonik'
import { cacheRecentReads, recentReadsMs } from './paging/bounds.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { listen, farmChannel, rowsChanged } from '../platform/db/listen.ts'

type Config = SettingValues<
  typeof accessNodeSettings &
    typeof accessSettings &
    typeof cacheSettings &
    typeof databaseSettings &
    typeof feedSettings &
    typeof operatorSettings &
    typeof pageSettings &
    typeof servingSettings
> &
  Parameters<typeof statusSettings>[0] & {
    readonly MAX_REORG_DEPTH: number
    readonly WEBHOOK_ALLOWED_NETWORKS: readonly string[]
  }

interface ApiNeighbours {
  readonly mountOperator: (credentials: CredentialOptions) => Mount
  readonly farmOperations: (pool: pg.Pool) => FarmOperations
}

const expensiveShare = 0.4

export async function startApi(
  context: ServiceContext<Config>,
  { mountOperator, farmOperations }: ApiNeighbours,
): Promise<void> {
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
    onCall: countCalls(metrics),
  })
  lifecycle.onStop('access nodes for API queries', () => reader.close())
  const status = createStatusReader({
    settings: statusSettings(config),
    chainId: () => facts.chainId,
    latestHeight: () => shared.latestHeight() ?? facts.latestHeight,
  })
  const clientOf = clientReader(addressList(config.TRUSTED_PROXIES))
  const live = createLiveFeeds({
    networkOf: (request) => clientNetwork(clientOf(request).address),
    url: databaseUrl,
    onReplicaCaughtUp: reads.onReplicaCaughtUp,
    reader: createFeedReader(database, network),
    database,
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
  const cache = new ResponseCache({ maxAgeMs: config.API_ANSWER_CACHE_MS })
  await invalidateOnCommits(context, {
    databases: [database, expensiveReads],
    cache,
    onReplicaCaughtUp: reads.onReplicaCaughtUp,
  })
  const credentials = adminCredentials(context)
  const keys = new DeveloperKeys(pool)
  const pages = createDashboardPages({
    page: 'explorer',
    log,
    build: pageBuildOf(context),
    applications: applicationsOf(context, 'explorer'),
  })
  lifecycle.onStop('explorer page', () => pages.stop())
  const chain = createPresentChain({ reader, network, log })
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
    chain,
    verifier: new ContractVerifier({ pool, database, chain, compiler: SolidityCompiler.find() }),
    mounts: [mountOperator(credentials)],
    page: {
      handle: createExplorerPage(pages, log, {
        ipfsGateways: config.IPFS_GATEWAYS,
        embeds: createEmbeds({ database, network }, log),
      }),
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
    responseCache: cache,
    admin: { credentials, operations: adminOperations(pool, network, farmOperations(pool)) },
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

function adminCredentials({ config, lifecycle, log }: ServiceContext<Config>): CredentialOptions {
  const credentials = {
    token: config.ADMIN_TOKEN,
    jwtSecret: config.ADMIN_JWT_SECRET ?? config.AUTH_JWT_SECRET,
    allowedRoles: config.ADMIN_ALLOWED_ROLES,
  }
  if (config.AUTH_DB_URL === undefined) return credentials
  const pool = createPool(config.AUTH_DB_URL, {
    ...connectionLimits,
    max: 2,
    applicationName: 'flowfarm roles',
    onIdleError: logIdleErrors(log, 'A connection to AUTH_DB_URL was lost'),
  })
  lifecycle.onStop('connections to the authentication service', () => pool.end())
  return { ...credentials, rolesOf: roleDirectory(pool) }
}

const refreshMs = 1000

/** For processes without an ingester. */
class ChainFacts {
  readonly #pool: pg.Pool
  readonly #log: Logger
  #chainId = 'unknown'
  #latestHeight: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
  }

  /** `unknown` until an ingester has connected to a node. */
  get chainId(): string {
    return this.#chainId
  }

  get latestHeight(): number | undefined {
    return this.#latestHeight
  }

  async start(): Promise<void> {
    await this.#refresh()
    this.#schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#refresh()
        .catch((error: unknown) => this.#log.warn({ err: asError(error) }, 'Could not read the chain head. Retrying.'))
        .finally(() => {
          if (this.#timer !== undefined) this.#schedule()
        })
    }, refreshMs)
    this.#timer.unref()
  }

  async #refresh(): Promise<void> {
    const { rows } = await this.#pool.query<{ chain_id: string; latest_height: string | null }>(
      'select chain_id, latest_height from app.chain',
    )
    const row = rows[0]
    if (row === undefined) return
    this.#chainId = row.chain_id
    this.#latestHeight = row.latest_height === null ? undefined : Number(row.latest_height)
  }
}

interface Reads {
  readonly url: string
  readonly onReplicaCaughtUp: OnReplicaCaughtUp
}

/** Includes waiting for the standby's replay. */
const startTimeoutMs = 5000

/**
 * DB_READ_URL once it has replayed DB_URL, including migrations; else DB_URL.
 *
 * @throws RetryableError `reads-unavailable`
 */
async function openReads({
  config,
  databaseUrl,
  pool: primary,
  log,
  lifecycle,
}: ServiceContext<Config>): Promise<Reads> {
  const url = config.DB_READ_URL
  if (url === undefined) return { url: databaseUrl, onReplicaCaughtUp: noReplica }
  const reads = createPool(url, {
    ...connectionLimits,
    max: 1,
    applicationName: 'flowfarm replay',
    onIdleError: logIdleErrors(log, 'A connection to DB_READ_URL was lost'),
  })
  lifecycle.onStop('connection to the standby', () => reads.end())
  const { signal } = lifecycle
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)])
  for (;;) {
    try {
      await untilReplicaCaughtUp({ primary, reads, signal: deadline })
      break
    } catch (cause) {
      signal.throwIfAborted()
      if (deadline.aborted) {
        throw new RetryableError(
          'reads-unavailable',
          'DB_READ_URL is unreachable or does not replicate DB_URL. Check the standby and its replication.',
          { cause },
        )
      }
      if (!isConnectionLost(cause)) throw cause
      await pause(100, signal)
    }
  }
  return {
    url,
    onReplicaCaughtUp: replicaCatchUp({
      primary,
      reads,
      signal,
      onError: (err) => log.warn({ err }, 'Could not read the replay position of DB_READ_URL. Retrying.'),
    }),
  }
}

const rollbackChannel = 'flowfarm_rollback'

/** Rows and registry of own tables. */
const ownChannels = ['own_rows', 'own_workers']

const channels = ['flowfarm_blocks', rollbackChannel, farmChannel, ...ownChannels]

/**
 * Clears settled responses when rows below the head change. The live feed reads a block before
 * announcing it, so clients never get responses cached before that block.
 */
async function invalidateOnCommits(
  { databaseUrl, lifecycle, log }: ServiceContext<Config>,
  {
    databases,
    cache,
    onReplicaCaughtUp,
  }: {
    readonly databases: readonly DatabasePool[]
    readonly cache: ResponseCache
    readonly onReplicaCaughtUp: OnReplicaCaughtUp
  },
): Promise<void> {
  const stopping = new AbortController()
  const reads = cacheRecentReads(databases, recentReadsMs)
  const invalidate = (channel: string, payload: string): void => {
    reads.clear()
    if (channel === rollbackChannel || payload === rowsChanged) cache.clear()
    else cache.dropCurrent()
  }
  const failures = new LogThrottle()
  let losses = 0
  const listener = await listen(
    databaseUrl,
    channels,
    (channel, payload) => onReplicaCaughtUp(() => invalidate(channel, payload)),
    {
      signal: stopping.signal,
      applicationName: 'flowfarm response cache',
      onReconnect: () => {
        const lossesBefore = losses
        onReplicaCaughtUp(() => {
          if (losses !== lossesBefore) return
          reads.suspend(false)
          cache.suspend(false)
        })
      },
      onError: (error) => {
        losses++
        reads.suspend(true)
        cache.suspend(true)
        failures.log(
          log,
          'warn',
          { err: error },
          'Commit notifications are not received, so responses are not cached. Reconnecting.',
        )
      },
    },
  )
  lifecycle.onStop('response cache', async () => {
    stopping.abort()
    await listener.ended
  })
}

export function adminOperations(pool: pg.Pool, network: () => Network, farm: FarmOperations): AdminOperations {
  return {
    ...farm,
    listLabels: (address) => listLabels(pool, address),
    putLabel: (label) => putLabel(pool, label),
    removeLabel: async (address, tag) => (await removeLabels(pool, address, tag)) > 0,
    listTemplates: () => listTemplates(pool),
    putTemplate: async (script, names) => {
      const text = 'text' in script ? script.text : await storedScript(pool, script.hash)
      if (text === undefined) return undefined
      const template = { normalHash: scriptTemplate(text, network()).normalHash, ...names }
      await putTemplate(pool, template)
      return template
    },
    removeTemplate: (normalHash) => removeTemplate(pool, normalHash),
    listErrors: (filter) => listIndexingErrors(pool, filter),
    resolveErrors: (choice) => resolveErrors(pool, choice),
  }
}

async function storedScript(pool: pg.Pool, hash: string): Promise<string | undefined> {
  const {
    rows: [row],
  } = await query<{ text: string }>(
    pool,
    "select script_text as text from raw.scripts where script_hash = decode($1, 'hex')",
    [hash],
  )
  return row?.text
}
