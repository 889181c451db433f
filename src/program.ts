import { resolve } from 'node:path'
import type pg from 'pg'
import type { Config } from './config.ts'
import { exitCodeOf, exitCodes, FlowfarmError, RetryableError } from './platform/errors.ts'
import { Lifecycle, Shared } from './platform/service.ts'
import { createLogger } from './platform/log.ts'
import type { Logger } from './platform/log.ts'
import { Metrics } from './platform/metrics.ts'
import { Terminal } from './platform/terminal.ts'
import { yieldToOthers, limitYoungGeneration } from './platform/thread-limits.ts'
import { connectionLimits, createPool, logIdleErrors } from './platform/db/pool.ts'
import { startEmbeddedPostgres } from './platform/db/embedded/start-embedded-postgres.ts'
import { prepareDatabase } from './platform/db/prepare-database.ts'
import { services } from './services.ts'
import type { BareServiceName, ServiceName } from './services.ts'
import type { ServiceContext } from './platform/service.ts'
import type { WeighedBlock } from './flow/decoded-block.ts'
import { startMetricsServer } from './platform/http/metrics-server.ts'

const migrationsFolder = resolve(import.meta.dirname, '../migrations')

/** Time for PostgreSQL to stop when the other parts used up theirs, ms: of the 8.5 s that all have together. */
const databaseStopMs = 3500
/** How long before the end of its time PostgreSQL is killed, ms. */
const databaseKillMs = 1000

/** Connections for what services ask now and then besides their own pools. */
const ownConnections = 4

export interface Program {
  readonly config: Config
  readonly services: readonly ServiceName[]
  /** Settings of the PostgreSQL that is started here, beside ours (`serverSettings`). */
  readonly databaseSettings?: Readonly<Record<string, string>>
  /** Runs before anything else is started, e.g. to start what the services will talk to. */
  readonly prepare?: (lifecycle: Lifecycle, log: Logger) => Promise<void>
  /**
   * Runs once all services work, where one of them has a database. What it has to say goes to the terminal, which
   * has a status to keep below.
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
  // A program whose services have nothing to do just now (history is complete, no client) still runs.
  const alive = setInterval(() => undefined, 2 ** 30)
  startAll(program, lifecycle, log, terminal).catch((error: unknown) => {
    if (!lifecycle.signal.aborted) void lifecycle.fail(error)
  })
  await stopped
  await lifecycle.stop('stopped')
  clearInterval(alive)
  if (lifecycle.failure === undefined) return exitCodes.success
  // An error of ours says by itself what is wrong and what to do; of any other the place is wanted.
  const { failure } = lifecycle
  log.fatal(failure instanceof FlowfarmError ? { code: failure.code } : { err: failure }, failure.message)
  return exitCodeOf(lifecycle.failure)
}

/** Signals within this time of the first, ms, are the same one: a terminal sends it to us, and npm passes it on. */
const sameSignalMs = 1000

function stopOnSignals(lifecycle: Lifecycle): void {
  let first: number | undefined
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      first ??= performance.now()
      // A later one is a person who does not want to wait.
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
    const server = await startMetricsServer({
      metrics,
      log,
      host: config.HOST,
      port: config.METRICS_PORT,
    })
    lifecycle.onStop('metrics', () => server.close())
    log.info({ port: server.port }, 'metrics are served')
  }
  shared.isFarmHere = program.services.includes('farm')
  const bare = { config, log, metrics, lifecycle, terminal, shared }
  for (const name of program.services) {
    lifecycle.signal.throwIfAborted()
    if (database !== undefined) await services[name].start({ ...bare, ...database })
    else if (needsNoDatabase(name)) await services[name].start(bare)
  }
  // After a server of our own was started, which is no lower in rank than its clients.
  if (program.services.every((name) => 'yields' in services[name])) yieldToOthers()
  log.info({ services: program.services }, 'all services work')
  if (database !== undefined) await program.onReady?.({ shared, terminal, pool: database.pool })
}

function needsNoDatabase(name: ServiceName): name is BareServiceName {
  return 'needsNoDatabase' in services[name]
}

/** The database with its tables as they are to be, and connections to it. */
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

/** The address of the database: the operator's, or that of a PostgreSQL started here. */
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
        new RetryableError('postgres-ended', `PostgreSQL ended by itself (${exit.code}):\n${exit.lastLines}`),
      )
  })
  return server.url
}
