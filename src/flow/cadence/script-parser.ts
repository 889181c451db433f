import { Worker } from 'node:worker_threads'
import { ApiError } from '../../platform/errors.ts'
import { limitThreadCpu } from '../../platform/thread-limits.ts'
import type { ParserWord } from './parser-worker.ts'
import type { ScriptAnswer, ScriptRequest } from './read-script.ts'

interface ScriptParserOptions {
  /** CPU time. Default 4,000 ms: a contract of 90 KB takes 1,000 to 2,000. */
  readonly cpuLimitMs?: number
  /** Further sources are refused. Default 32. */
  readonly maxWaiting?: number
  /** An idle thread takes about 90 MB. Default 60,000 ms. */
  readonly idleMs?: number
  readonly onThread?: (event: 'started' | 'ended') => void
}

interface Job {
  readonly request: ScriptRequest
  readonly resolve: (answer: ScriptAnswer) => void
  readonly reject: (error: Error) => void
}

/** Starting compiles 5.5 MB of WebAssembly. */
const startCpuMs = 30_000

/** Enough for the tree of the longest source. */
const resourceLimits = { maxOldGenerationSizeMb: 256 } as const

/**
 * Parses Cadence in a thread, one source at a time, so that a hostile source delays only the next
 * ones, briefly.
 *
 *     none ──first job──► starting ──ready──► idle ◄──answer── busy
 *                                              │ ──next job──►  │ timeout or dead thread: none
 *                                              └─ idle for a minute: none
 */
export class ScriptParser {
  readonly #options: Required<ScriptParserOptions>
  readonly #waiting: Job[] = []
  #thread: Worker | undefined
  #isReady = false
  #running: Job | undefined
  #endLimit: () => void = () => undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({
    cpuLimitMs = 4000,
    maxWaiting = 32,
    idleMs = 60_000,
    onThread = () => undefined,
  }: ScriptParserOptions = {}) {
    this.#options = { cpuLimitMs, maxWaiting, idleMs, onThread }
  }

  /**
   * @throws ApiError 400 `script-too-deep`, 503 `scripts-busy`, 504 `script-timeout`, 500 `parser-failed`; abort reason
   */
  async read(request: ScriptRequest, signal: AbortSignal): Promise<ScriptAnswer> {
    signal.throwIfAborted()
    if (this.#isClosed || this.#waiting.length >= this.#options.maxWaiting) {
      throw new ApiError(503, 'scripts-busy', 'Too many sources are being checked. Try again shortly.', {
        details: { retryAfterSeconds: 1 },
      })
    }
    const { promise, resolve, reject } = Promise.withResolvers<ScriptAnswer>()
    const job: Job = { request, resolve, reject }
    const leave = (): void => {
      const at = this.#waiting.indexOf(job)
      if (at >= 0) this.#waiting.splice(at, 1)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#waiting.push(job)
    this.#next()
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new ApiError(503, 'scripts-busy', 'The service is stopping.')
    for (const job of this.#waiting.splice(0)) job.reject(closed)
    this.#running?.reject(closed)
    this.#running = undefined
    await this.#endThread()
  }

  #next(): void {
    if (this.#running !== undefined || this.#isClosed) return
    clearTimeout(this.#idleTimer)
    if (this.#waiting.length === 0) {
      if (this.#thread !== undefined)
        this.#idleTimer = setTimeout(() => void this.#endThread(), this.#options.idleMs).unref()
      return
    }
    if (this.#thread === undefined) return this.#start()
    if (!this.#isReady) return
    const job = this.#waiting.shift()
    this.#running = job
    this.#thread.postMessage(job?.request, [])
    const { cpuLimitMs } = this.#options
    this.#endLimit = limitThreadCpu(this.#thread, cpuLimitMs, () => {
      this.#fail(
        new ApiError(504, 'script-timeout', `Could not parse the source within ${cpuLimitMs / 1000} s. Simplify it.`),
      )
    })
  }

  #start(): void {
    // The parser prints a greeting.
    const thread = new Worker(new URL('parser-worker.ts', import.meta.url), {
      resourceLimits,
      stdout: true,
      stderr: true,
      name: 'cadence-parser',
    })
    this.#thread = thread
    this.#options.onThread('started')
    thread.stdout.resume()
    thread.stderr.resume()
    thread.on('message', (word: ParserWord) => {
      if (this.#thread === thread) this.#hear(word)
    })
    thread.on('error', (error) => {
      if (this.#thread === thread)
        this.#fail(new ApiError(500, 'parser-failed', 'Could not parse the source.', { cause: error }))
    })
    thread.on('exit', (code) => {
      if (this.#thread === thread)
        this.#fail(
          new ApiError(500, 'parser-failed', 'Could not parse the source.', {
            cause: new Error(`the thread ended with ${code}`),
          }),
        )
    })
    this.#endLimit = limitThreadCpu(thread, startCpuMs, () => {
      const cause = new Error(`no thread after ${startCpuMs} ms of CPU time`)
      this.#fail(new ApiError(503, 'parser-unavailable', 'Could not start the parser. Try again shortly.', { cause }))
    })
  }

  #hear(word: ParserWord): void {
    this.#endLimit()
    if (word.kind === 'ready') this.#isReady = true
    const job = this.#running
    this.#running = undefined
    if (word.kind === 'answer') job?.resolve(word.answer)
    if (word.kind === 'too-deep')
      job?.reject(
        new ApiError(400, 'script-too-deep', 'Could not parse the source: it is nested too deeply.', { field: 'code' }),
      )
    if (word.kind === 'failed')
      job?.reject(new ApiError(500, 'parser-failed', 'Could not parse the source.', { cause: new Error(word.message) }))
    this.#next()
  }

  #fail(error: ApiError): void {
    const job = this.#running ?? this.#waiting.shift()
    this.#running = undefined
    job?.reject(error)
    void this.#startAnew()
  }

  async #startAnew(): Promise<void> {
    await this.#endThread()
    this.#next()
  }

  async #endThread(): Promise<void> {
    clearTimeout(this.#idleTimer)
    this.#endLimit()
    const thread = this.#thread
    this.#thread = undefined
    this.#isReady = false
    if (thread === undefined) return
    await thread.terminate()
    this.#options.onThread('ended')
  }
}
