import type pg from 'pg'
import type { Worker } from '../jobs/worker.ts'
import type { Config } from './config.ts'
import type { Logger } from './platform/log.ts'
import type { BareContext, ServiceContext } from './platform/service.ts'
import type { WeighedBlock } from './flow/decoded-block.ts'
import type { OwnWorkerSource } from './farm/own/own-workers.ts'
import type { IngestTimeouts } from './ingest/service.ts'
import type { AlertEndpoints } from './webhooks/alert-endpoints.ts'
import type { DeleteUserData } from './wallet/auth/user-changes.ts'

type Context = ServiceContext<Config, WeighedBlock>

interface Service {
  readonly description: string
  /** Needs no database. */
  readonly needsNoDatabase?: true
  /** Serves untrusted work: a process that runs nothing else lowers its priority. */
  readonly isLowPriority?: true
  /** Resolves when the service is up; background failures go to `lifecycle.fail`. */
  readonly start: (context: ServiceContext<Config, WeighedBlock>) => Promise<void>
}

/**
 * All services of `node src/main.ts <name> …`; without names all run in one process. Each is loaded when it starts,
 * which cuts the start time of a single service to a third. They start in this order and stop in reverse: the chat
 * after the services it uses, the proxy last.
 */
export const services = {
  ingest: {
    description: 'Ingest the chain and its history from access nodes into the raw tables.',
    start: (context) => startIngest(context),
  },
  farm: {
    description: 'Derive transfers, accounts, holdings and other data from stored blocks, in leased ranges.',
    start: (context) => startFarm(context),
  },
  api: {
    description: 'Serve the REST API, live feeds, metrics and the operator page on PORT.',
    start: (context) => startApi(context),
  },
  webhooks: {
    description: 'Create and send webhook deliveries.',
    start: async (context) => (await import('./webhooks/service.ts')).startWebhooks(context),
  },
  proxy: {
    description:
      'Serve the chat, the query service and the MCP server on one port, PROXY_PORT; started by default ' +
      'only if that is set.',
    needsNoDatabase: true,
    start: async (context: BareContext<Config, WeighedBlock>) =>
      (await import('./assistant/proxy/service.ts')).startProxy(context),
  },
  ask: {
    description: 'Answer questions and run SQL: the REST API and page of the query service on ASK_PORT.',
    isLowPriority: true,
    start: (context) => startAsk(context),
  },
  mcp: {
    description: 'Serve the data as MCP tools on MCP_PORT.',
    isLowPriority: true,
    start: (context) => startMcp(context),
  },
  tools: {
    description: 'Serve tools for Cadence, its documentation and an EVM node: local MCP servers on TOOLS_PORT.',
    isLowPriority: true,
    start: async (context) => (await import('./assistant/tools/service.ts')).startTools(context),
  },
  // After the services whose tools it uses, so stopped before them.
  chat: {
    description: 'Serve the chat, a model with tools, and its page on CHAT_PORT.',
    start: async (context) => (await import('./assistant/chat/service.ts')).startChat(context),
  },
  wallet: {
    description: 'Serve the wallet on WALLET_PORT: sign-in, passkeys and account creation.',
    start: (context) => startWallet(context),
  },
  // After the wallet, whose port it uses.
  editor: {
    description:
      'Serve the editor (projects, Cadence checks, repositories) on ' +
      'HTTP_PORT and its language server channel on LSP_PORT.',
    start: (context) => startEditor(context),
  },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof services

export type BareServiceName = {
  [Name in ServiceName]: (typeof services)[Name] extends { readonly needsNoDatabase: true } ? Name : never
}[ServiceName]

export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(services, name)
}

/** The default services. The proxy needs PROXY_PORT: its default port is 80. */
export function defaultServices({ PROXY_PORT }: { readonly PROXY_PORT?: number | undefined }): ServiceName[] {
  return Object.keys(services)
    .filter(isServiceName)
    .filter((name) => name !== 'proxy' || PROXY_PORT !== undefined)
}

// Features do not import each other; their dependencies are passed here.

export async function startIngest(context: Context, timeouts: IngestTimeouts = {}): Promise<void> {
  const [ingest, beforeRollBack] = await Promise.all([import('./ingest/service.ts'), loadRollBack(context.log)])
  await ingest.startIngest(context, { ...timeouts, beforeRollBack })
}

/**
 * Rolls back derived data, whether or not farm and webhooks run in this process: locks out commits, deletes
 * coverage and leases above the ancestor, recomputes folds and revokes announced webhook events.
 */
export async function loadRollBack(log: Logger): Promise<(client: pg.ClientBase, ancestor: number) => Promise<void>> {
  const [{ workers }, { blockCommits }, { rollBackFarm }, { rollBackDerived }, { rollBackOwn }, registry, webhooks] =
    await Promise.all([
      import('../jobs/index.ts'),
      import('./farm/leases/chain-version.ts'),
      import('./farm/leases/coverage.ts'),
      import('./farm/commit/folds.ts'),
      import('./farm/own/roll-back-own.ts'),
      import('./own-tables/registry.ts'),
      import('./webhooks/delivery-rows.ts'),
    ])
  return async (client, ancestor) => {
    await blockCommits(client)
    await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
    await rollBackFarm(client, ancestor)
    await rollBackDerived(client, ancestor, workers)
    await rollBackOwn(client, ancestor, await registry.readOwnWorkers(client), (worker, err) =>
      log.error(
        { err, worker },
        'Could not roll back the rows of a worker: they stay until it derives the heights again',
      ),
    )
    await webhooks.rollBackWebhooks(client, ancestor)
  }
}

/** @param workers default: all */
export async function startFarm(context: Context, workers?: readonly Worker[]): Promise<void> {
  const { config, metrics } = context
  const [
    farm,
    { createChainReader },
    { historicNodes, liveEndpoints },
    { countCalls },
    { writeBuiltInLabels },
    { ensureRawPartitions },
    { pruneDeliveries },
    { readOwnWorkers },
  ] = await Promise.all([
    import('./farm/service.ts'),
    import('./access/create-chain-reader.ts'),
    import('./access/settings.ts'),
    import('./access/count-calls.ts'),
    import('./explorer/admin/labels.ts'),
    import('./ingest/raw-tables.ts'),
    import('./webhooks/delivery-rows.ts'),
    import('./own-tables/registry.ts'),
  ])
  const dependencies: Parameters<typeof farm.startFarm>[1] = {
    readOwnWorkers,
    writeBuiltInLabels,
    ensureRawPartitions,
    pruneDeliveries,
    openChainReader: ({ rps, burst, log }) =>
      createChainReader({
        liveEndpoints: liveEndpoints(config),
        ...historicNodes(config),
        log,
        ...(rps > 0 ? { requestsPerSecond: rps } : {}),
        ...(burst === undefined ? {} : { burst }),
        onCall: countCalls(metrics),
      }),
    ...(config.WORKERS_DIR === undefined ? {} : { openOwnWorkers: () => openOwnWorkers(context, config.WORKERS_DIR) }),
  }
  await farm.startFarm(context, dependencies, workers)
}

async function openOwnWorkers({ config, pool, databaseUrl, log }: Context, folder = '.'): Promise<OwnWorkerSource> {
  const { OwnWorkerLoader } = await import('./own-tables/loader.ts')
  return new OwnWorkerLoader({ folder, isReload: config.WORKERS_RELOAD, pool, databaseUrl, log })
}

async function startApi(context: Context): Promise<void> {
  const [api, { mountOperator }, { farmOperations }, { readOwnStages, readOwnWorkers }, { workers }] =
    await Promise.all([
      import('./explorer/service.ts'),
      import('./operator/service.ts'),
      import('./farm/operations.ts'),
      import('./own-tables/registry.ts'),
      import('../jobs/index.ts'),
    ])
  await api.startApi(context, {
    mountOperator: (credentials) =>
      mountOperator(context, credentials, async (pool) => [...workers, ...(await readOwnStages(pool))]),
    farmOperations: (pool) => farmOperations(pool, readOwnWorkers),
  })
}

async function startAsk(context: Context): Promise<void> {
  const [ask, webhooks] = await Promise.all([import('./assistant/query/service.ts'), alertEndpoints(context)])
  await ask.startAsk(context, webhooks)
}

async function startMcp(context: Context): Promise<void> {
  const [mcp, webhooks] = await Promise.all([import('./assistant/mcp/service.ts'), alertEndpoints(context)])
  await mcp.startMcp(context, webhooks)
}

async function alertEndpoints({ pool, config }: Context): Promise<AlertEndpoints> {
  const [endpoints, { webhookStores }] = await Promise.all([
    import('./webhooks/alert-endpoints.ts'),
    import('./webhooks/webhook-stores.ts'),
  ])
  return new endpoints.AlertEndpoints(webhookStores(pool, config.WEBHOOK_ALLOWED_NETWORKS))
}

async function startWallet(context: Context): Promise<void> {
  const { config, shared } = context
  const [
    wallet,
    { signInClients, signInWarnings },
    { localHost, pageAddress },
    { askSettings },
    { listLinkedProjects },
  ] = await Promise.all([
    import('./wallet/service.ts'),
    import('./editor/settings.ts'),
    import('./platform/http/connections.ts'),
    import('./assistant/query/settings.ts'),
    import('./editor/github/stores/connection-store.ts'),
  ])
  const isApiSet = config.BACKEND_URL !== askSettings.BACKEND_URL.read(undefined)
  await wallet.startWallet(context, {
    clients: (place) => signInClients(config, shared, place),
    warnings: signInWarnings(config),
    deleteUserData,
    listProjects: listLinkedProjects,
    explorerApi: () =>
      isApiSet || shared.apiPort === undefined
        ? config.BACKEND_URL
        : `http://${localHost(config.HOST)}:${shared.apiPort}`,
    // The address of this machine only works in a browser on it.
    explorerUrl: ({ isForTrial }) =>
      config.CHAT_EXPLORER_URL ??
      (isForTrial && shared.apiPort !== undefined ? pageAddress(config.HOST, shared.apiPort) : null),
  })
}

/**
 * Deletes a user's data of all features in the transaction that deletes the user. The tables exist even if the
 * editor does not run.
 */
export const deleteUserData: DeleteUserData = async (client, userId) => {
  const [{ deletePasskeys }, { deleteRepositories }, { deleteProjects }, { anonymizeAccount }] = await Promise.all([
    import('./wallet/passkeys/passkey-store.ts'),
    import('./editor/github/stores/connection-store.ts'),
    import('./editor/projects/write-projects.ts'),
    import('./platform/auth/accounts.ts'),
  ])
  await deletePasskeys(client, userId)
  await deleteRepositories(client, userId)
  await deleteProjects(client, userId)
  await anonymizeAccount(client, userId)
}

async function startEditor(context: Context): Promise<void> {
  const [editor, { editorClientId }, { openClientSignIn }] = await Promise.all([
    import('./editor/service.ts'),
    import('./editor/settings.ts'),
    import('./wallet/client-sign-in.ts'),
  ])
  await editor.startEditor(context, ({ editor: clientUrl, ...needs }) =>
    openClientSignIn(context, { ...needs, clientUrl, clientId: editorClientId, cookieName: 'flowfarm-editor-session' }),
  )
}
