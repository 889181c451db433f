import { resolve } from 'node:path'
import { readConfig } from './base/config.ts'
import type { Config } from './base/config.ts'
import { asError, exitCodeOf, exitCodes, FatalError, RetryableError } from './base/errors.ts'
import { helpText } from './base/help.ts'
import { Lifecycle } from './base/lifecycle.ts'
import { createLogger } from './base/log.ts'
import type { Logger } from './base/log.ts'
import { Metrics } from './base/metrics.ts'
import { Terminal } from './base/terminal.ts'
import { startEmbeddedPostgres } from './db/embedded/start-embedded-postgres.ts'
import { migrate } from './db/migrate.ts'
import { checkServerVersion, createPool } from './db/pool.ts'
import { isServiceName, services } from './services.ts'
import type { ServiceName } from './services.ts'
import { Shared } from './services/shared.ts'

/** The one program: `node src/main.ts [service …]`. */

const migrationsFolder = resolve(import.meta.dirname, '../migrations')

/** The services named on the command line; all of them without names. @throws FatalError `unknown-service` */
function chooseServices(names: readonly string[]): ServiceName[] {
  const all = Object.keys(services).filter(isServiceName)
  if (names.length === 0) return all
  return names.map((name) => {
    if (isServiceName(name)) return name
    throw new FatalError('unknown-service', `There is no service "${name}". Services: ${all.join(', ')}. See --help.`)
  })
}

async function openDatabase(config: Config, lifecycle: Lifecycle, log: Logger): Promise<string> {
  if (config.DB_URL !== undefined) return config.DB_URL
  const server = await startEmbeddedPostgres({
    dataFolder: resolve(config.DATA_FOLDER), log: (line) => log.info({ service: 'postgres' }, line), signal: lifecycle.signal,
  })
  lifecycle.onStop('PostgreSQL', () => server.stop())
  void server.exited.then((exit) => {
    if (!exit.expected) void lifecycle.fail(new RetryableError('postgres-ended', `PostgreSQL ended by itself (${exit.code}):\n${exit.lastLines}`))
  })
  return server.url
}

async function run(chosen: readonly ServiceName[], config: Config, lifecycle: Lifecycle, log: Logger, terminal: Terminal): Promise<void> {
  const databaseUrl = await openDatabase(config, lifecycle, log)
  const pool = createPool(databaseUrl, {
    max: config.DB_MAX_OPEN_CONNS ?? 20, onIdleError: (err) => log.warn({ err }, 'a database connection was lost'),
  })
  lifecycle.onStop('database connections', () => pool.end())
  await checkServerVersion(pool)
  const { applied } = await migrate(pool, migrationsFolder)
  if (applied.length > 0) log.info({ applied }, 'the database was brought up to date')
  const metrics = new Metrics()
  metrics.collectProcessMetrics()
  const shared = new Shared()
  for (const name of chosen) {
    lifecycle.signal.throwIfAborted()
    await services[name].start({ config, databaseUrl, pool, log, metrics, lifecycle, terminal, shared })
  }
}

/** Runs until stopped; the exit code says whether a restart may help (`exitCodes`). */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText(services))
    return exitCodes.done
  }
  const terminal = new Terminal()
  const config = readConfig()
  const chosen = chooseServices(args)
  const log = await createLogger(config, terminal)
  const lifecycle = new Lifecycle(log)
  const stopped = new Promise<void>((done) => lifecycle.signal.addEventListener('abort', () => done(), { once: true }))
  let signals = 0
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      // A second signal is a person who does not want to wait.
      if (++signals > 1) process.exit(exitCodes.restartMayHelp)
      void lifecycle.stop(name)
    })
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => void lifecycle.fail(error))
  }
  run(chosen, config, lifecycle, log, terminal).catch((error: unknown) => void lifecycle.fail(error))
  await stopped
  await lifecycle.stop('stopped')
  if (lifecycle.failure === undefined) return exitCodes.done
  log.fatal({ err: lifecycle.failure }, lifecycle.failure.message)
  return exitCodeOf(lifecycle.failure)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${asError(error).message}\n`)
  process.exitCode = exitCodeOf(error)
}
// What is left over (a socket in a time-out) must not keep a program alive that has stopped.
process.exit()
