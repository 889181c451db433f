import { DatabaseError } from 'pg'
import { FatalError, FlowfarmError, RetryableError } from '../errors.ts'

/**
 * What a failure of the database means for whoever asked. The keys are SQLSTATEs (or their first two characters, the
 * class) and the codes of Node's network errors; the longest key that fits decides. Everything that is not here is a
 * mistake in a statement or in the data, and trying again will not help.
 */
const retryable: Readonly<Record<string, string>> = {
  // 08: connection exceptions.
  '08': 'database-connection-lost',
  // 57P01 admin_shutdown, 57P02 crash_shutdown, 57P03 cannot_connect_now, 57P05 idle_session_timeout.
  '57P01': 'database-connection-lost',
  '57P02': 'database-connection-lost',
  '57P03': 'database-starting',
  '57P05': 'database-connection-lost',
  // The server ended our transaction because we were silent in it.
  '25P03': 'database-connection-lost',
  '25P04': 'database-connection-lost',
  // 40001 serialization_failure, 40P01 deadlock_detected, 40003 statement_completion_unknown.
  '40': 'transaction-conflict',
  // 55P03 lock_not_available: lock_timeout ran out.
  '55P03': 'lock-not-available',
  // 57014 query_canceled: statement_timeout ran out, or a person cancelled.
  '57014': 'statement-timeout',
  // 53: insufficient resources.
  '53': 'database-overloaded',
  '53100': 'disk-full',
  '53300': 'too-many-connections',
  // 58030 io_error: in practice a volume that went away.
  '58030': 'database-io-error',
  // 25006 read_only_sql_transaction: we reached a standby; after a fail-over the URL leads to the primary again.
  '25006': 'database-read-only',
  ECONNREFUSED: 'database-unreachable',
  ECONNRESET: 'database-connection-lost',
  ECONNABORTED: 'database-connection-lost',
  EPIPE: 'database-connection-lost',
  ETIMEDOUT: 'database-unreachable',
  EHOSTUNREACH: 'database-unreachable',
  ENETUNREACH: 'database-unreachable',
  EAI_AGAIN: 'database-unreachable',
  // A cluster's name server forgets the name of a server that restarts.
  ENOTFOUND: 'database-unreachable',
  // The socket file is missing: the server is not running at this moment.
  ENOENT: 'database-unreachable',
}

/**
 * Turns what `pg` threw into our tree: RetryableError for what may pass by itself (the code is one of the table's
 * values), FatalError with code `database-error` and details.sqlState otherwise. Errors of our tree pass unchanged.
 */
export function asDatabaseError(thrown: unknown): FlowfarmError {
  if (thrown instanceof FlowfarmError) return thrown
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const code = codeOf(error)
  const meaning = code === undefined ? lostWithoutCode(error) : (retryable[code] ?? retryable[code.slice(0, 2)])
  if (meaning !== undefined) {
    return new RetryableError(meaning, error.message, {
      cause: error,
      details: code === undefined ? {} : { sqlState: code },
    })
  }
  return new FatalError('database-error', error.message, { cause: error, details: factsOf(error) })
}

/** Whether the connection that threw this is of no use any more. */
export function isConnectionLost(thrown: unknown): boolean {
  const { code } = asDatabaseError(thrown)
  return code === 'database-connection-lost' || code === 'database-unreachable' || code === 'database-starting'
}

function codeOf(error: Error): string | undefined {
  if (error instanceof AggregateError) {
    // A host name with several addresses: each attempt has its own error, and they fail for the same reason.
    const [first] = error.errors as unknown[]
    if (first instanceof Error) return codeOf(first)
  }
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** What `pg` and its pool say when they got no connection in time: nothing was begun. */
const noConnectionTexts: ReadonlySet<string> = new Set([
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
])

/**
 * `pg` reports a connection that ended, and a connect that took too long, as plain errors without any code. An error
 * from the server is a DatabaseError and always has one, so whatever has none came from the connection.
 */
function lostWithoutCode(error: Error): string | undefined {
  const isOurMistake = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
  if (noConnectionTexts.has(error.message)) return 'database-unreachable'
  return isOurMistake || error instanceof SyntaxError ? undefined : 'database-connection-lost'
}

/** What the server said, for the log; never for a client of the API. */
function factsOf(error: Error): Record<string, unknown> {
  if (!(error instanceof DatabaseError)) return {}
  const { code, detail, hint, schema, table, column, constraint, where } = error
  const facts = { sqlState: code, detail, hint, schema, table, column, constraint, where }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}
