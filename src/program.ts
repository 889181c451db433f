import { resolve } from 'node:path'
import type pg from 'pg'
import type { Config } from './config.ts'
import { exitCodeOf, exitCodes, FlowfarmError, RetryableError } from './platform/errors.ts'
import { Lifecycle, Shared } from './platform/service.ts'
import { createLogger } from './platform/log.ts'
import type { Logger } from './platform/log.ts'
import { Metrics } from './platform/metrics.ts'
import { Terminal } from './platform/terminal.ts'
import { lowerPriority, limitYoungGeneration } from './platform/thread-limits.ts'
import { connectionLimits, createPool, logIdleErrors } from './platform/db/pool.ts'
import { startEmbeddedPostgres } from './platform/db/embedded/start-embedded-postgres.ts'
import { prepareDatabase } from './platform/db/prepare-database.ts'
import { services } from './services.ts'
import type { BareServiceName, ServiceName } from './services.ts'
import type { ServiceContext } from './platform/service.ts'
import type { WeighedBlock } from './flow/decoded-block.ts'

const migrationsFolder = resolve(import.meta.dirname, '../migrations')

/** Guaranteed stop time of PostgreSQL, ms, of the total 8.5 s. */
const databaseStopMs = 3500
/** SIGKILL this long before the end of its time, ms. */
const databaseKillMs = 1000

/** Connections for occasional queries, besides the services' pools. */
const ownConnections = 4

export interface Program {
  readonly config: Config
  readonly services: readonly ServiceName[]
  /** Settings of the embedded PostgreSQL, in addition to `serverSettings`. */
  readonly databaseSettings?: Readonly<Record<string, string>>
  /** Runs first, e.g. to start dependencies of the services. */
  readonly prepare?: (lifecycle: Lifecycle, log: Logger) => Promise<void>
  /**
   * Runs after all services have started, if one of them uses a database. Prints to the terminal, which has status
   * lines.
   */
  readonly onReady?: (ready: {
    readonly shared: Shared<WeighedBlock>
    readonly terminal: Terminal
    readonly pool: pg.Pool
  }) => Promise<void> | void
}

/** Runs services until a signal or an error stops them. @returns the exit code (`exitCodes`) */
export async function runProgram(program: Program): Promise<number> {
  const terminal = new Terminal()
  const log = await createLogger(program.config, terminal)
  const lifecycle = new Lifecycle(log)
  const stopped = new Promise<void>((done) => lifecycle.signal.addEventListener('abort', () => done(), { once: true }))
  stopOnSignals(lifecycle)
  lifecycle.onStop('young generation', limitYoungGeneration())
  // Keeps the process alive while services are idle.
  const alive = setInterval(() => undefined, 2 ** 30)
  startAll(program, lifecycle, log, terminal).catch((error: unknown) => {
    if (!lifecycle.signal.aborted) void lifecycle.fail(error)
  })
  await stopped
  await lifecycle.stop('stopped')
  clearInterval(alive)
  if (lifecycle.failure === undefined) return exitCodes.success
  // Our errors explain themselves; others are logged with their stack.
  const { failure } = lifecycle
  log.fatal(failure instanceof FlowfarmError ? { code: failure.code } : { err: failure }, failure.message)
  return exitCodeOf(lifecycle.failure)
}

/**
 * A terminal sends the signal to npm and to us, and npm forwards it: further signals within this time, ms, are the
 * same.
 */
const sameSignalMs = 1000

function stopOnSignals(lifecycle: Lifecycle): void {
  let first: number | undefined
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      first ??= performance.now()
      // A later signal means that the user does not want to wait.
      if (performance.now() - first > sameSignalMs) process.exit(exitCodes.temporaryFailure)
      void lifecycle.stop(name)
    })
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => void lifecycle.fail(error))
  }
}

async function startAll(program: Program, lifecycle: Lifecycle, log: Logger, terminal: Terminal): Promise<void> {
  const { config } = program
  await program.prepare?.(lifecycle, log)
  const shared = new Shared<WeighedBlock>()
  const database = program.services.every(needsNoDatabase)
    ? undefined
    : await openPrepared(program, lifecycle, log, shared)
  const metrics = new Metrics()
  metrics.collectProcessMetrics()
  if (config.METRICS_PORT !== undefined) {
    // Loads the HTTP server, which not every process needs.
    const { startMetricsServer } = await import('./platform/http/metrics-server.ts')
    const server = await startMetricsServer({
      metrics,
      log,
      host: config.HOST,
      port: config.METRICS_PORT,
    })
    lifecycle.onStop('metrics', () => server.close())
    log.info({ port: server.port }, 'Serving metrics')
  }
  shared.isFarmHere = program.services.includes('farm')
  const bare = { config, log, metrics, lifecycle, terminal, shared }
  for (const name of program.services) {
    lifecycle.signal.throwIfAborted()
    if (database !== undefined) await services[name].start({ ...bare, ...database })
    else if (needsNoDatabase(name)) await services[name].start(bare)
  }
  // After starting PostgreSQL, which would inherit the lower priority.
  if (program.services.every((name) => 'isLowPriority' in services[name])) lowerPriority()
  log.info({ services: program.services }, 'All services started')
  if (database !== undefined) await program.onReady?.({ shared, terminal, pool: database.pool })
}

function needsNoDatabase(name: ServiceName): name is BareServiceName {
  return 'needsNoDatabase' in services[name]
}

/** Connects to the database and applies migrations. */
async function openPrepared(
  program: Program,
  lifecycle: Lifecycle,
  log: Logger,
  shared: Shared<WeighedBlock>,
): Promise<Pick<ServiceContext<Config, WeighedBlock>, 'databaseUrl' | 'pool'>> {
  const databaseUrl = await openDatabase(program, lifecycle, log, shared)
  await prepareDatabase({ url: databaseUrl, migrationsFolder, log, signal: lifecycle.signal })
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: ownConnections,
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('database connections', () => pool.end())
  return { databaseUrl, pool }
}

/** The URL of the external or embedded database. */
async function openDatabase(
  { config, databaseSettings }: Program,
  lifecycle: Lifecycle,
  log: Logger,
  shared: Shared<WeighedBlock>,
): Promise<string> {
  if (config.DB_URL !== undefined) return config.DB_URL
  const server = await startEmbeddedPostgres({
    dataFolder: resolve(config.DATA_FOLDER),
    settings: { ...databaseSettings },
    log: (line) => log.info({ service: 'postgres' }, line),
    signal: lifecycle.signal,
  })
  lifecycle.onStop('PostgreSQL', (timeoutMs) => server.stop(timeoutMs - databaseKillMs), { reservedMs: databaseStopMs })
  shared.interruptSessions = (pids) => server.interrupt(pids)
  void server.exited.then((exit) => {
    if (!exit.expected)
      void lifecycle.fail(
        new RetryableError('postgres-ended', `PostgreSQL exited unexpectedly (${exit.code}):\n${exit.lastLines}`),
      )
  })
  return server.url
}
