import { DatabaseError } from 'pg'
import { FatalError, FlowfarmError, RetryableError } from '../errors.ts'

/**
 * SQLSTATEs (or their class, the first two characters) and Node network error codes; the longest
 * match applies.
 */
const retryable: Readonly<Record<string, string>> = {
  '08': 'database-connection-lost',
  // 57P01 admin_shutdown, 57P02 crash_shutdown, 57P03 cannot_connect_now, 57P05 idle_session_timeout.
  '57P01': 'database-connection-lost',
  '57P02': 'database-connection-lost',
  '57P03': 'database-starting',
  '57P05': 'database-connection-lost',
  // idle_in_transaction_session_timeout.
  '25P03': 'database-connection-lost',
  '25P04': 'database-connection-lost',
  // 40001 serialization_failure, 40P01 deadlock_detected, 40003 statement_completion_unknown.
  '40': 'transaction-conflict',
  // 55P03 lock_not_available: lock_timeout.
  '55P03': 'lock-not-available',
  // 57014 query_canceled: statement_timeout, or cancelled by an operator.
  '57014': 'statement-timeout',
  '53': 'database-overloaded',
  '53100': 'disk-full',
  '53300': 'too-many-connections',
  // Usually a detached volume.
  '58030': 'database-io-error',
  // Connected to a standby; after a fail-over the URL reaches the primary again.
  '25006': 'database-read-only',
  ECONNREFUSED: 'database-unreachable',
  ECONNRESET: 'database-connection-lost',
  ECONNABORTED: 'database-connection-lost',
  EPIPE: 'database-connection-lost',
  ETIMEDOUT: 'database-unreachable',
  EHOSTUNREACH: 'database-unreachable',
  ENETUNREACH: 'database-unreachable',
  EAI_AGAIN: 'database-unreachable',
  // Cluster DNS drops the name of a server that restarts.
  ENOTFOUND: 'database-unreachable',
  // No socket file: the server is not running.
  ENOENT: 'database-unreachable',
}

/**
 * RetryableError with a code of the table above, else FatalError `database-error` with
 * details.sqlState.
 *
 * @param details added to those of the error
 */
export function asDatabaseError(thrown: unknown, details: Record<string, unknown> = {}): FlowfarmError {
  if (thrown instanceof FlowfarmError) return thrown
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const code = codeOf(error)
  const meaning = code === undefined ? lostWithoutCode(error) : (retryable[code] ?? retryable[code.slice(0, 2)])
  if (meaning !== undefined) {
    return new RetryableError(meaning, error.message, {
      cause: error,
      details: code === undefined ? details : { ...details, sqlState: code },
    })
  }
  return new FatalError('database-error', error.message, { cause: error, details: { ...details, ...factsOf(error) } })
}

/** `details.statement`: index of the failed statement of a batch. */
export function failedStatement(error: unknown): number | undefined {
  const index = error instanceof FlowfarmError ? error.details['statement'] : undefined
  return typeof index === 'number' ? index : undefined
}

export function isConnectionLost(thrown: unknown): boolean {
  const { code } = asDatabaseError(thrown)
  return code === 'database-connection-lost' || code === 'database-unreachable' || code === 'database-starting'
}

function codeOf(error: Error): string | undefined {
  if (error instanceof AggregateError) {
    // A host with several addresses has one error per address, usually for the same reason.
    const [first] = error.errors as unknown[]
    if (first instanceof Error) return codeOf(first)
  }
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

const noConnectionTexts: ReadonlySet<string> = new Set([
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
])

/** Connection errors of `pg` have no code; errors of the server (DatabaseError) always do. */
function lostWithoutCode(error: Error): string | undefined {
  const isOurMistake = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
  if (noConnectionTexts.has(error.message)) return 'database-unreachable'
  return isOurMistake || error instanceof SyntaxError ? undefined : 'database-connection-lost'
}

/** Never send them to API clients. */
function factsOf(error: Error): Record<string, unknown> {
  if (!(error instanceof DatabaseError)) return {}
  const { code, detail, hint, schema, table, column, constraint, where } = error
  const facts = { sqlState: code, detail, hint, schema, table, column, constraint, where }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}
