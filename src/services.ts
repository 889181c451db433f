import type pg from 'pg'
import type { Worker } from '../jobs/worker.ts'
import type { Config } from './config.ts'
import type { BareContext, ServiceContext } from './platform/service.ts'
import type { WeighedBlock } from './flow/decoded-block.ts'
import type { IngestPatience } from './ingest/service.ts'
import type { ForgetUser } from './wallet/auth/user-changes.ts'

type Context = ServiceContext<Config, WeighedBlock>

interface Service {
  readonly description: string
  /** Needs no database. */
  readonly needsNoDatabase?: true
  /** Serves untrusted work: a process that runs nothing else lowers its priority. */
  readonly yields?: true
  /** Resolves when the service is up; background failures go to `lifecycle.fail`. */
  readonly start: (context: ServiceContext<Config, WeighedBlock>) => Promise<void>
}

/**
 * Everything that `node src/main.ts <name> …` can run; without names all of them run in one process. A service is
 * loaded when it starts: a process of the ingester alone starts in a third of the time that loading all takes. They
 * start in this order and stop in the opposite one: the chat after what it uses, and all that is behind the proxy
 * while that still passes on what they say.
 */
export const services = {
  ingest: {
    description: 'Follow the chain and fill in its history: blocks from access nodes into the raw tables.',
    start: (context) => startIngest(context),
  },
  farm: {
    description: 'Derive transfers, accounts, holdings and all else from the stored blocks, in leased ranges.',
    start: (context) => startFarm(context),
  },
  api: {
    description: 'Serve the REST API, the live feeds, the metrics and the page of the operator on PORT.',
    start: (context) => startApi(context),
  },
  webhooks: {
    description: 'Make webhooks of what is stored and derived, and send them.',
    start: async (context) => (await import('./webhooks/service.ts')).startWebhooks(context),
  },
  proxy: {
    description:
      'Put the chat, the query service and the MCP server behind one port, PROXY_PORT; without a name ' +
      'only where that is set.',
    needsNoDatabase: true,
    start: async (context: BareContext<Config, WeighedBlock>) =>
      (await import('./assistant/proxy/service.ts')).startProxy(context),
  },
  ask: {
    description:
      'Answer questions and SQL about the chain: the REST API and the page of the query service on ASK_PORT.',
    yields: true,
    start: async (context) => (await import('./assistant/query/service.ts')).startAsk(context),
  },
  mcp: {
    description: 'Give assistants the data as tools: the MCP server on MCP_PORT.',
    yields: true,
    start: async (context) => (await import('./assistant/mcp/service.ts')).startMcp(context),
  },
  tools: {
    description:
      'Give the chat tools for Cadence, its documentation and an EVM node: MCP servers on TOOLS_PORT of this machine.',
    yields: true,
    start: async (context) => (await import('./assistant/tools/service.ts')).startTools(context),
  },
  // After those whose tools it calls, and so ended before them.
  chat: {
    description: 'Converse about the chain: a model with tools, and its page, on CHAT_PORT.',
    start: async (context) => (await import('./assistant/chat/service.ts')).startChat(context),
  },
  wallet: {
    description: 'Sign people in and give their passkeys accounts on the chain: the wallet on WALLET_PORT.',
    start: (context) => startWallet(context),
  },
  // After the wallet, whose port it names.
  editor: {
    description:
      'Keep projects, check Cadence while it is written, and reach repositories: the editor on ' +
      'HTTP_PORT, its language server channel on LSP_PORT.',
    start: (context) => startEditor(context),
  },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof services

/** Those that need no database. */
export type BareServiceName = {
  [Name in ServiceName]: (typeof services)[Name] extends { readonly needsNoDatabase: true } ? Name : never
}[ServiceName]

export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(services, name)
}

/**
 * What runs where no service is named. A proxy is wanted only by who has a port for it: the usual one is the port
 * of the web.
 */
export function usualServices({ PROXY_PORT }: { readonly PROXY_PORT?: number | undefined }): ServiceName[] {
  return Object.keys(services)
    .filter(isServiceName)
    .filter((name) => name !== 'proxy' || PROXY_PORT !== undefined)
}

// The rooms that services are in do not import each other. What one needs of another is handed to it here.

export async function startIngest(context: Context, patience: IngestPatience = {}): Promise<void> {
  const [ingest, beforeRollBack] = await Promise.all([import('./ingest/service.ts'), loadRollBack()])
  await ingest.startIngest(context, { ...patience, beforeRollBack })
}

/**
 * What a rollback of the chain does to derived data, whether or not farm and webhooks run in this process: no
 * commit can happen meanwhile, coverage and leases above the ancestor are deleted, folds are computed again, and
 * webhooks revoke what they announced.
 */
export async function loadRollBack(): Promise<(client: pg.ClientBase, ancestor: number) => Promise<void>> {
  const [{ workers }, { lockOutCommits }, { rollBackFarm }, { rollBackDerived }, { rollBackWebhooks }] =
    await Promise.all([
      import('../jobs/index.ts'),
      import('./farm/leases/chain-version.ts'),
      import('./farm/leases/coverage.ts'),
      import('./farm/commit/folds.ts'),
      import('./webhooks/delivery-rows.ts'),
    ])
  return async (client, ancestor) => {
    await lockOutCommits(client)
    await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
    await rollBackFarm(client, ancestor)
    await rollBackDerived(client, ancestor, workers)
    await rollBackWebhooks(client, ancestor)
  }
}

/** @param workers default: all that the program has */
export async function startFarm(context: Context, workers?: readonly Worker[]): Promise<void> {
  const { config, metrics } = context
  const [
    farm,
    { createChainReader },
    { historicEndpoints, liveEndpoints },
    { countCalls },
    { writeBuiltInLabels },
    { ensureRawPartitions },
    { pruneDeliveries },
  ] = await Promise.all([
    import('./farm/service.ts'),
    import('./access/create-chain-reader.ts'),
    import('./access/settings.ts'),
    import('./access/count-calls.ts'),
    import('./explorer/admin/labels.ts'),
    import('./ingest/raw-tables.ts'),
    import('./webhooks/delivery-rows.ts'),
  ])
  const neighbours: Parameters<typeof farm.startFarm>[1] = {
    writeBuiltInLabels,
    ensureRawPartitions,
    pruneDeliveries,
    openChainReader: ({ rps, burst, log }) =>
      createChainReader({
        liveEndpoints: liveEndpoints(config),
        historicEndpoints: historicEndpoints(config),
        log,
        ...(rps > 0 ? { requestsPerSecond: rps } : {}),
        ...(burst === undefined ? {} : { burst }),
        onCall: countCalls(metrics),
      }),
  }
  await farm.startFarm(context, neighbours, workers)
}

async function startApi(context: Context): Promise<void> {
  const [api, { mountOperator }, { farmOperations }] = await Promise.all([
    import('./explorer/service.ts'),
    import('./operator/service.ts'),
    import('./farm/operations.ts'),
  ])
  await api.startApi(context, {
    mountOperator: (credentials) => mountOperator(context, credentials),
    farmOperations,
  })
}

async function startWallet(context: Context): Promise<void> {
  const { config, shared } = context
  const [wallet, { signInClients, signInWarnings }, { localHost, pageAddress }, { askSettings }] = await Promise.all([
    import('./wallet/service.ts'),
    import('./editor/settings.ts'),
    import('./platform/http/connections.ts'),
    import('./assistant/query/settings.ts'),
  ])
  const isApiSet = config.BACKEND_URL !== askSettings.BACKEND_URL.read(undefined)
  await wallet.startWallet(context, {
    clients: (place) => signInClients(config, shared, place),
    warnings: signInWarnings(config),
    forgetUser,
    explorerApi: () =>
      isApiSet || shared.apiPort === undefined
        ? config.BACKEND_URL
        : `http://${localHost(config.HOST)}:${shared.apiPort}`,
    // The address of this machine is of use only to a browser on it.
    explorerUrl: ({ isForTrial }) =>
      config.CHAT_EXPLORER_URL ??
      (isForTrial && shared.apiPort !== undefined ? pageAddress(config.HOST, shared.apiPort) : null),
  })
}

/**
 * Deletes what all parts of the program hold of a user, in the transaction that deletes the user. The tables exist
 * whether or not the editor runs.
 */
export const forgetUser: ForgetUser = async (client, userId) => {
  const [{ forgetPasskeys }, { forgetRepositories }, { forgetProjects }, { forgetAccount }] = await Promise.all([
    import('./wallet/passkeys/passkey-store.ts'),
    import('./editor/github/stores/connection-store.ts'),
    import('./editor/projects/write-projects.ts'),
    import('./platform/auth/accounts.ts'),
  ])
  await forgetPasskeys(client, userId)
  await forgetRepositories(client, userId)
  await forgetProjects(client, userId)
  await forgetAccount(client, userId)
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
