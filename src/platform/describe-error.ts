import { asError, FlowfarmError } from './errors.ts'

/** An error as the log keeps it. */
export interface ErrorRecord {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly stack?: string
  readonly cause?: ErrorRecord
  /** Of an error that stands for several, e.g. one for each address of a host. */
  readonly errors?: readonly ErrorRecord[]
}

/**
 * What of an error goes into the log: these fields and no others. Libraries hang whole connections on their errors,
 * with everything that was ever sent through them.
 */
export function describeError(thrown: unknown): ErrorRecord {
  const error = asError(thrown)
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error instanceof FlowfarmError && Object.keys(error.details).length > 0 ? { details: error.details } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
    ...(error instanceof AggregateError ? { errors: error.errors.map(describeError) } : {}),
  }
}

/** The fields of a log line for people who read along: an error that we know becomes a word on why, without its stack. */
export function shortenError(fields: Record<string, unknown>): Record<string, unknown> {
  const { err, ...rest } = fields
  return err instanceof FlowfarmError ? { ...rest, reason: `${err.message} (${err.code})` } : fields
}
