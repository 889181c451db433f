import { pino } from 'pino'
import type { LevelWithSilent, Logger } from 'pino'
import type { Terminal } from './terminal.ts'
import { asError, FlowfarmError } from './errors.ts'

export type { Logger } from 'pino'

/** JSON lines, or readable lines on a terminal. Credentials are redacted. */
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

/** Links of shared chats, dashboards and e-mails of alerts: their token is the only credential. */
const secretSegment = /\/(shares?|d|public\/dashboards|alert-mails)\/[^/]+/g

export function loggedPath(path: string): string {
  return path.replaceAll(secretSegment, '/$1/***')
}

interface ErrorRecord {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly stack?: string
  readonly cause?: ErrorRecord
  readonly errors?: readonly ErrorRecord[]
}

/** Libraries attach whole connections to errors, including sent data. */
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

/** For a terminal line: known errors become a short reason without stack. */
export function shortenError(fields: Record<string, unknown>): Record<string, unknown> {
  const { err, ...rest } = fields
  return err instanceof FlowfarmError ? { ...rest, reason: `${err.message} (${err.code})` } : fields
}
