import { ApiError, RetryableError } from '../../platform/errors.ts'
import { ParserThread, UnreadableSource } from './parser-thread.ts'
import type { ParserThreadOptions } from './parser-thread.ts'
import type { ScriptAnswer, ScriptRequest } from './read-script.ts'

/** The parser of the assistant. */
export class ScriptParser {
  readonly #thread: ParserThread<ScriptRequest, ScriptAnswer>

  constructor(options: ParserThreadOptions = {}) {
    this.#thread = new ParserThread(new URL('parser-worker.ts', import.meta.url), { idleMs: 60_000, ...options })
  }

  /**
   * @throws ApiError 400 `script-too-deep`, 503 `scripts-busy`, 504 `script-timeout`, 500 `parser-failed`; abort reason
   */
  async read(request: ScriptRequest, signal: AbortSignal): Promise<ScriptAnswer> {
    try {
      return await this.#thread.ask(request, { signal })
    } catch (error) {
      throw refusalOf(error)
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

function refusalOf(cause: unknown): unknown {
  if (cause instanceof RetryableError)
    return new ApiError(503, 'scripts-busy', 'Too many sources are being checked. Try again shortly.', {
      cause,
      details: { retryAfterSeconds: 1 },
    })
  if (!(cause instanceof UnreadableSource)) return cause
  if (cause.code === 'timeout')
    return new ApiError(504, 'script-timeout', 'Could not parse the source in time. Simplify it.', { cause })
  if (cause.code === 'too-deep')
    return new ApiError(400, 'script-too-deep', 'Could not parse the source: it is nested too deeply.', {
      cause,
      field: 'code',
    })
  return new ApiError(500, 'parser-failed', 'Could not parse the source.', { cause })
}
