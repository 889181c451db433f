import type { SettingValues } from '../../platform/setting.ts'
import type { servingSettings, proxySettings } from '../../platform/http/settings.ts'
import type { askSettings } from './settings.ts'
import { createRootPage } from '../../platform/pages/serve-page.ts'
import { pageAddress } from '../../platform/http/connections.ts'
import { addressList, clientReader, loopbackNetworks } from '../../platform/limits/clients.ts'
import { Dashboards } from './saved/dashboards.ts'
import { Exports } from './exports.ts'
import { QueryHistory } from './query-history.ts'
import { SavedQueries } from './saved/saved-queries.ts'
import { createAskServer } from './http/server.ts'
import { cannotListen } from '../../platform/http/cannot-listen.ts'
import type { ServiceContext } from '../../platform/service.ts'
import { openMailSender } from '../../platform/mail/mail-sender.ts'
import type { mailSettings } from '../../platform/mail/mail-sender.ts'
import { applicationsOf } from '../../platform/pages/applications.ts'
import { createDashboardPages } from '../../platform/pages/dashboard-pages.ts'
import { pageBuildOf } from '../../platform/pages/page-build.ts'
import { join, resolve } from 'node:path'
import { AlertScheduler } from './alerts/alert-scheduler.ts'
import { AlertMails, alertMailRemedy } from './alerts/alert-mails.ts'
import { AlertStore } from './alerts/alert-store.ts'
import type { AlertWebhooks } from './alerts/alert-store.ts'
import { AgentMemory } from './agent-memory.ts'
import { readableTables, readCatalog, readKnowledge } from './knowledge.ts'
import type { CatalogTable, DatabaseKnowledge } from './knowledge.ts'
import { noOwnTables, watchOwnTables } from './own-tables.ts'
import { readKnownTables } from './sql/gate/known-objects.ts'
import { PairFolder } from './pair-folder.ts'
import { DeferredDatabase, QueryEngine } from './query-engine.ts'
import type { QueryDatabase } from './query-engine.ts'
import type { QueryService, QueryTarget } from './query-service.ts'
import { openSqlRunner } from './sql/sql-runner.ts'
import { ScriptedModel } from './write-sql.ts'
import type { SqlModel } from './write-sql.ts'
import type { Network } from '../../flow/network.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { createPool, logIdleErrors } from '../../platform/db/pool.ts'
import { asError } from '../../platform/errors.ts'
import { modelSettings } from '../../platform/llm/settings.ts'
import { retryWhile } from '../../platform/retry.ts'
import { oncePerProcess } from '../../platform/service.ts'
import { readNetwork, whenNetworkKnown } from '../network.ts'

export type AskConfig = SettingValues<
  typeof askSettings & typeof mailSettings & typeof servingSettings & typeof proxySettings
>

/** @param webhooks delivers alerts */
export async function startAsk(context: ServiceContext<AskConfig>, webhooks: AlertWebhooks): Promise<void> {
  const { config, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'ask' })
  const { service, memory } = await openQueryService(context)
  const pages = createDashboardPages({
    page: 'ask',
    log,
    build: pageBuildOf(context),
    applications: applicationsOf(context, 'ask'),
  })
  lifecycle.onStop('query page', () => pages.stop())
  const exports = new Exports(service, resolve(config.CHROMA_PERSIST_DIR), log)
  lifecycle.onStop('exports', () => exports.stop())
  const alertMails = await openAlertMails(context)
  const alerts = new AlertStore(context.pool, webhooks, alertMails)
  const server = await createAskServer({
    service,
    memory,
    history: new QueryHistory(),
    saved: new SavedQueries(context.pool),
    alerts,
    alertMails,
    exports,
    dashboards: new Dashboards(context.pool),
    log,
    metrics,
    host: config.HOST,
    port: config.ASK_PORT,
    token: config.API_TOKEN,
    trustedProxies: addressList(config.TRUSTED_PROXIES),
    clientOf: clientReader(addressList([...config.TRUSTED_PROXIES, ...loopbackNetworks])),
    page: createRootPage(pages, ['docs', 'dashboards', 'd']),
  }).catch((error: unknown) => {
    throw cannotListen(error, { variable: 'ASK_PORT', port: config.ASK_PORT, host: config.HOST })
  })
  shared.askPort = server.port
  lifecycle.onStop('query service', () => server.close())
  const scheduler = new AlertScheduler({
    store: alerts,
    mails: alertMails,
    service,
    log,
    onRun: (result) => metrics.alertRuns.inc({ result }),
    runMs: 2 * config.QUERY_TIMEOUT_S * 1000,
  })
  scheduler.start()
  lifecycle.onStop('alerts', () => scheduler.stop())
  log.info({ url: pageAddress(config.HOST, server.port), port: server.port }, 'Query service listening')
  const isOpen = config.API_TOKEN === undefined && !['127.0.0.1', '::1', 'localhost'].includes(config.HOST)
  if (isOpen && service.model?.isScripted === false) {
    log.warn('API_TOKEN is not set: anyone who can reach the query service can use the paid model')
  }
}

interface OpenedQueryService {
  readonly service: QueryService
  readonly memory: AgentMemory
}

/** @throws FatalError for an invalid sender */
export const openAlertMails = oncePerProcess((context: ServiceContext<AskConfig>): Promise<AlertMails> => {
  const { config, pool, lifecycle, metrics, shared } = context
  const log = context.log.child({ service: 'ask' })
  const remedy = alertMailRemedy(config)
  const mails = new AlertMails({
    pool,
    log,
    send: remedy === undefined ? openMailSender(config, log) : undefined,
    remedy,
    askUrl: () => config.APPLICATION_URLS.ask ?? `http://localhost:${shared.askPort ?? config.ASK_PORT}/`,
    onMail: (result) => metrics.alertMails.inc({ result }),
  })
  lifecycle.onStop('e-mails of alerts', () => mails.close())
  return Promise.resolve(mails)
})

export const openQueryService = oncePerProcess(open)

async function open(context: ServiceContext<AskConfig>): Promise<OpenedQueryService> {
  const { config } = context
  const log = context.log.child({ service: 'ask' })
  const databases = new Map<QueryTarget, QueryDatabase>()
  databases.set(
    'indexer',
    await openTarget('indexer', config.INDEXER_DATABASE_URL ?? context.databaseUrl, { ...context, log }),
  )
  if (config.EVM_EXPLORER_DATABASE_URL !== undefined) {
    databases.set('evm', await openTarget('evm', config.EVM_EXPLORER_DATABASE_URL, { ...context, log }))
  }
  const memory = new AgentMemory({ folder: new PairFolder(join(resolve(config.CHROMA_PERSIST_DIR), 'pairs'), log) })
  const { model, remedy } = await openModel(config, databases)
  if (model === undefined) log.info(`No language model configured: ${remedy}`)
  else log.info({ provider: model.state.provider, model: model.state.name }, 'Language model configured')
  const service = new QueryEngine({ databases, model, remedy, memory })
  context.shared.stuckSessions = () => service.stuckSessions
  return { service, memory }
}

async function openModel(
  config: AskConfig,
  databases: ReadonlyMap<QueryTarget, QueryDatabase>,
): Promise<{ model: SqlModel | undefined; remedy: string }> {
  const found = modelSettings(config)
  if (found === 'scripted') {
    return {
      model: new ScriptedModel(() => [...databases.values()].flatMap(({ knowledge }) => knowledge.examples)),
      remedy: '',
    }
  }
  if ('remedy' in found) return { model: undefined, remedy: found.remedy }
  // Provider libraries take a third of a second to load.
  const { ProviderModel } = await import('./provider-model.ts')
  return { model: new ProviderModel({ settings: found.settings }), remedy: '' }
}

async function openTarget(
  target: QueryTarget,
  url: string,
  context: ServiceContext<AskConfig>,
): Promise<QueryDatabase> {
  if (url === context.databaseUrl) return openDatabase(target, url, context)
  const { lifecycle, log } = context
  const late = new DeferredDatabase()
  const opening = retryWhile(() => openDatabase(target, url, context), {
    signal: lifecycle.signal,
    baseMs: 1000,
    maxMs: 30_000,
    onRetry: (error, attempt, pauseMs) => {
      late.failed(error)
      if (attempt === 1)
        log.warn({ err: asError(error), target, pauseMs }, 'Database unreachable, retrying in the background')
    },
  }).then((database) => late.opened(database))
  await Promise.race([opening, late.firstFailure])
  opening.catch((error: unknown) => {
    if (!lifecycle.signal.aborted) void lifecycle.fail(error)
  })
  return late
}

async function openDatabase(
  target: QueryTarget,
  url: string,
  context: ServiceContext<AskConfig>,
): Promise<QueryDatabase> {
  const { config, lifecycle, log } = context
  const pool = createPool(url, {
    max: 1,
    applicationName: 'flowfarm ask: catalogs',
    onIdleError: logIdleErrors(log),
  })
  const read = (network: Network): Promise<DatabaseKnowledge> =>
    readKnowledge({ target, pool, network, maxRows: config.MAX_RESULT_ROWS, timeoutSeconds: config.QUERY_TIMEOUT_S })
  try {
    const opening = openSqlRunner({
      target,
      url,
      log,
      timeoutMs: config.QUERY_TIMEOUT_S * 1000,
      maxRows: config.MAX_RESULT_ROWS,
      maxBytes: config.ASK_MAX_RESULT_BYTES,
      concurrency: config.ASK_CONCURRENCY,
      maxWaiting: config.ASK_QUEUE,
      interrupt: url === context.databaseUrl ? context.shared.interruptSessions : undefined,
      onStuck: (count) => context.metrics.sqlStuckSessions.set({ target }, count),
    })
    // In parallel, which halves the start time.
    const reading = (target === 'indexer' ? readNetwork(pool) : Promise.resolve('mainnet' as const)).then(
      async (found) => ({ network: found, first: await read(found ?? 'mainnet') }),
    )
    const [statements, known] = await Promise.allSettled([opening, reading])
    if (statements.status === 'rejected') throw statements.reason
    const runner = statements.value
    if (known.status === 'rejected') {
      await runner.end()
      throw known.reason
    }
    const { network } = known.value
    let knowledge = known.value.first
    let ownTables = noOwnTables
    lifecycle.onStop(`SQL runner (${target})`, () => runner.end())
    lifecycle.onStop(`catalog connections (${target})`, () => pool.end())
    if (network === undefined) {
      const stop = whenNetworkKnown(pool, log, async (found) => {
        knowledge = await read(found)
      })
      lifecycle.onStop('network detection of the query service', stop)
    }
    if (target === 'indexer') {
      const stop = await watchOwnTables({
        registry: context.pool,
        catalogs: pool,
        log,
        onChange: async (own) => {
          const names = own.tables.map(({ schema, name }) => `${schema}.${name}`)
          runner.setOwnTables(await readKnownTables(pool, [...own.workers.keys()], names))
          ownTables = own
        },
      })
      lifecycle.onStop('own tables of the query service', stop)
    }
    return {
      runner,
      get stuckSessions() {
        return runner.stuckSessions
      },
      get knowledge() {
        return knowledge
      },
      get ownTables() {
        return ownTables
      },
      catalog: cached(() => readCatalog(pool, readableTables[target])),
    }
  } catch (error) {
    await pool.end()
    throw asDatabaseError(error)
  }
}

const catalogMs = 60_000

/** Failures are not cached. */
function cached(read: () => Promise<readonly CatalogTable[]>): () => Promise<readonly CatalogTable[]> {
  let last: { readonly at: number; readonly catalog: Promise<readonly CatalogTable[]> } | undefined
  return async () => {
    if (last !== undefined && performance.now() - last.at < catalogMs) return await last.catalog
    const catalog = read()
    last = { at: performance.now(), catalog }
    catalog.catch(() => {
      last = undefined
    })
    return await catalog
  }
}
