import { runMigrations, SchemaVersionMismatchError } from 'bullmq'
import { Pool, type PoolClient } from 'pg'
import { FatalError, RetryableError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import { asDatabaseError } from '../../db/errors.ts'
import { retryConflicts } from '../../db/retry-conflicts.ts'
import { BullWorkQueue } from './bull-work-queue.ts'
import { PostgresQueueConnection, SharedPostgresBackend } from './postgres-queue-connection.ts'

const schema = 'bullmq'

/** Connections for the queries of all queues of a process, and one that hears of new jobs. */
const poolSize = 6 + 1

/** SQLSTATEs of a schema that is gone: undefined_table, undefined_function, undefined_object, invalid_schema_name. */
const missingObject: ReadonlySet<string> = new Set(['42P01', '42883', '42704', '3F000'])

export type PostgresWorkQueue = BullWorkQueue<SharedPostgresBackend, PostgresQueueConnection>

/**
 * Queues in the schema `bullmq` of the database itself, which is made or brought up to date here. A crash of the server
 * may lose the last jobs, since nothing waits for the disk: the farm refills the queue from the leases.
 * @throws FatalError `queue-too-new`; retryable if the database is unreachable
 */
export async function createPostgresWorkQueue(databaseUrl: string, log: Logger): Promise<PostgresWorkQueue> {
  const config = connectionConfig(databaseUrl)
  const migrations = new Pool({ ...config, max: 1, options: '', allowExitOnIdle: true })
  migrations.on('error', (error) => {
    if (!migrations.ending) log.warn({ err: error }, 'a database connection was lost')
  })
  migrations.on('connect', (client) => client.on('error', () => undefined))
  // Other processes may work with the tables at this moment, and lock them in orders of their own.
  const migrate = (): Promise<void> =>
    retryConflicts(async () => {
      try {
        await makeSchema(migrations)
      } catch (error) {
        if (isMissing(error))
          throw new RetryableError('queue-unavailable', `the schema ${schema} was dropped while it was made`, {
            cause: error,
          })
        if (!(error instanceof SchemaVersionMismatchError)) throw asDatabaseError(error)
        throw new FatalError(
          'queue-too-new',
          `The queues in schema ${schema} were made by a newer flowfarm: ${error.message} Or drop that schema: it is filled again.`,
          { cause: error },
        )
      }
    })
  const connection = new PostgresQueueConnection({
    ...config,
    options: `${config.options} -c search_path=${schema}`,
    max: poolSize,
  })
  try {
    await migrate()
    await connection.waitUntilReady()
  } catch (error) {
    await connection.close()
    await migrations.end()
    throw asDatabaseError(error)
  }
  return new BullWorkQueue(
    {
      name: 'postgres',
      factory: (name, options) => new SharedPostgresBackend(connection, name, options),
      producer: connection,
      consumer: connection,
      repair: async (error) => {
        if (!isMissing(error)) return false
        log.warn({ err: error }, 'the schema of the queues is gone, making it anew')
        await migrate()
        return true
      },
      close: async () => {
        await connection.close()
        await migrations.end()
      },
    },
    log,
  )
}

function connectionConfig(databaseUrl: string) {
  // `options` in the URL would take the place of ours, and with it of the search_path that BullMQ adds.
  const url = new URL(databaseUrl)
  const given = url.searchParams.get('options')
  url.searchParams.delete('options')
  return {
    connectionString: url.href,
    application_name: 'flowfarm queues',
    options: [given, '-c synchronous_commit=off', '-c jit=off'].filter((part) => part !== null).join(' '),
    connectionTimeoutMillis: 5000,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    query_timeout: 15_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 30_000,
  }
}

async function makeSchema(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    // Somebody who emptied all tables emptied the ledger of migrations too, and then they cannot be run again.
    if (await lostItsLedger(client)) await client.query(`drop schema ${schema} cascade`)
    await runMigrations(client, schema)
  } finally {
    client.release()
  }
}

async function lostItsLedger(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ hasJobs: boolean; hasLedger: boolean }>(
    `select to_regclass('${schema}.job') is not null as "hasJobs", to_regclass('${schema}.migration') is not null as "hasLedger"`,
  )
  const [found] = rows
  if (found?.hasJobs !== true) return false
  if (!found.hasLedger) return true
  const { rowCount } = await client.query(`select 1 from ${schema}.migration limit 1`)
  return rowCount === 0
}

/** Whether an error of `pg` says that a schema or table is not there. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && missingObject.has(code)
}
