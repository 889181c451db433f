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
  /** How long a database that cannot be reached is waited for, in milliseconds. Default 5,000. */
  readonly patienceMs?: number
}

/**
 * Waits a little for the database, since machines start their services in any order, and brings it up to date.
 * @throws RetryableError `database-unreachable` after `patienceMs`; FatalError for a database that cannot be used
 */
export async function prepareDatabase(options: PrepareDatabaseOptions): Promise<void> {
  const { url, migrationsFolder, log, signal, patienceMs = 5000 } = options
  // A pool of its own: a migration may take hours, which is no limit for anything else.
  const pool = createPool(url, { max: 1 })
  try {
    const giveUpAt = performance.now() + patienceMs
    await retryWhile(() => checkServerVersion(pool), {
      signal,
      maxMs: 1000,
      isRetryable: (error) => isConnectionLost(error) && performance.now() < giveUpAt,
      onRetry: (error, attempt) => {
        if (attempt === 1)
          log.warn({ reason: reasonOf(error) }, `the database at ${placeOf(url)} cannot be reached, trying again`)
      },
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw explained(error, url)
    })
    const { applied } = await migrate(pool, migrationsFolder).catch((error: unknown) => {
      throw withRemedy(error, url)
    })
    if (applied.length > 0) log.info({ applied }, 'the database was brought up to date')
  } finally {
    await pool.end()
  }
}

/** The same error, saying which database it is about and what to look at. */
function explained(error: unknown, url: string): Error {
  if (!(error instanceof FlowfarmError)) return asError(error)
  const options = { cause: error, details: error.details }
  if (isConnectionLost(error)) {
    return new RetryableError(
      'database-unreachable',
      `The database at ${placeOf(url)} cannot be reached: ${reasonOf(error)}. Check DB_URL and that ` +
        'PostgreSQL runs there.',
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

/** 42501, insufficient_privilege: tables are made and changed by an account that owns them. */
function withRemedy(error: unknown, url: string): Error {
  if (!(error instanceof FatalError) || error.details['sqlState'] !== '42501') return asError(error)
  const text =
    `The database at ${placeOf(url)} cannot be brought up to date: ${error.message}. The account of ` +
    'DB_URL has to own that database and what is in it.'
  return new FatalError('database-rights', text, { cause: error, details: error.details })
}

/** A host with several addresses fails with one error for each of them, and none of its own. */
function reasonOf(error: unknown): string {
  const cause = error instanceof FlowfarmError ? error.cause : error
  return cause instanceof AggregateError
    ? cause.errors.map((each) => asError(each).message).join(', ')
    : asError(error).message
}

/** Host, port and database of a connection string: what may be shown. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${decodeURIComponent(hostname)}${port === '' ? '' : `:${port}`}${pathname}`
}
