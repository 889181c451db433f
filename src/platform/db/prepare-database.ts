import { asError, FatalError, FlowfarmError, RetryableError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { retryWhile } from '../retry.ts'
import { isConnectionLost } from './errors.ts'
import { migrate } from './migrate.ts'
import { checkServerVersion, createPool } from './pool.ts'

export interface PrepareDatabaseOptions {
  readonly url: string
  readonly migrationsFolder: string
  readonly log: Logger
  readonly signal: AbortSignal
  readonly connectTimeoutMs?: number
}

/**
 * Waits for the database and applies pending migrations.
 * @throws RetryableError `database-unreachable` after `connectTimeoutMs`; FatalError if the database is
 *   unusable
 */
export async function prepareDatabase(options: PrepareDatabaseOptions): Promise<void> {
  const { url, migrationsFolder, log, signal, connectTimeoutMs = 5000 } = options
  // No timeouts: a migration may take hours.
  const pool = createPool(url, { max: 1 })
  try {
    const giveUpAt = performance.now() + connectTimeoutMs
    await retryWhile(() => checkServerVersion(pool), {
      signal,
      maxMs: 1000,
      isRetryable: (error) => isConnectionLost(error) && performance.now() < giveUpAt,
      onRetry: (error, attempt) => {
        if (attempt === 1)
          log.warn({ reason: reasonOf(error) }, `The database at ${placeOf(url)} is unreachable: retrying`)
      },
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw explained(error, url)
    })
    const { applied } = await migrate(pool, migrationsFolder).catch((error: unknown) => {
      throw withRemedy(error, url)
    })
    if (applied.length > 0) log.info({ applied }, 'Migrations applied')
  } finally {
    await pool.end()
  }
}

function explained(error: unknown, url: string): Error {
  if (!(error instanceof FlowfarmError)) return asError(error)
  const options = { cause: error, details: error.details }
  if (isConnectionLost(error)) {
    return new RetryableError(
      'database-unreachable',
      `The database at ${placeOf(url)} is unreachable: ${reasonOf(error)}. Check DB_URL and that ` +
        'PostgreSQL is running there.',
      options,
    )
  }
  if (error.code !== 'database-error') return error
  return new FatalError(
    error.code,
    `The database at ${placeOf(url)} cannot be used: ${error.message}. Check DB_URL.`,
    options,
  )
}

/** 42501 insufficient_privilege: migrations require the owner of the tables. */
function withRemedy(error: unknown, url: string): Error {
  if (!(error instanceof FatalError) || error.details['sqlState'] !== '42501') return asError(error)
  const text =
    `The database at ${placeOf(url)} cannot be migrated: ${error.message}. The role in ` +
    'DB_URL must own the database and its objects.'
  return new FatalError('database-rights', text, { cause: error, details: error.details })
}

/** A host with several addresses has one error per address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof FlowfarmError ? error.cause : error
  return cause instanceof AggregateError
    ? cause.errors.map((each) => asError(each).message).join(', ')
    : asError(error).message
}

/** Without credentials. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`
}
