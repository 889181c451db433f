import { pino } from 'pino'
import type { LevelWithSilent, Logger } from 'pino'
import type { Terminal } from './terminal.ts'
import { asError, FlowfarmError } from './errors.ts'

export type { Logger } from 'pino'

/**
 * The logger of the process: one JSON object a line, or readable lines on a terminal. Object first, message second:
 * `log.info({ height }, 'stored')`. What authenticates somebody is never printed.
 */
export async function createLogger(
  config: { readonly LOG_LEVEL: LevelWithSilent; readonly LOG_FORMAT: 'auto' | 'json' | 'pretty' },
  terminal: Terminal,
): Promise<Logger> {
  const isPretty = config.LOG_FORMAT === 'pretty' || (config.LOG_FORMAT === 'auto' && terminal.isInteractive)
  const options = {
    level: config.LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: [
      'req.headers.authorization',
      'req.headers.cookie',
      'req.headers["x-api-key"]',
      'token',
      'password',
      'secret',
    ],
    formatters: { level: (label: string) => ({ level: label }), ...(isPretty ? { log: shortenError } : {}) },
    serializers: { err: describeError },
  }
  if (!isPretty) return pino(options, terminal.stream)
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'service',
      messageFormat: '{if service}{service}: {end}{msg}',
      singleLine: true,
      destination: terminal.stream,
      colorize: terminal.isInteractive,
    }),
  )
}

/** An error as the log keeps it. */
interface ErrorRecord {
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

/**
 * The fields of a log line for people who read along: an error that we know becomes a word on why, without its
 * stack.
 */
export function shortenError(fields: Record<string, unknown>): Record<string, unknown> {
  const { err, ...rest } = fields
  return err instanceof FlowfarmError ? { ...rest, reason: `${err.message} (${err.code})` } : fields
}
