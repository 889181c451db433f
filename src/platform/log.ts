import { pino } from 'pino'
import type { LevelWithSilent, Logger } from 'pino'
import { describeError, shortenError } from './describe-error.ts'
import type { Terminal } from './terminal.ts'

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
