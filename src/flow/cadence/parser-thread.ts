import { Worker } from 'node:worker_threads'
import { FlowfarmError, RetryableError } from '../../platform/errors.ts'
import { limitThreadCpu } from '../../platform/thread-limits.ts'
import type { ParserReply } from './serve-parser.ts'

/** A source that exceeds the parser's time, memory or depth. */
export class UnreadableSource extends FlowfarmError {
  constructor(code: 'timeout' | 'too-deep' | 'crashed' | 'failed', message: string, cause?: unknown) {
    super(code, message, { cause })
  }
}

export interface ParserThreadOptions {
  /** CPU time. Default 4,000 ms: a contract of 100 KB takes 1,000 to 2,000. */
  readonly cpuLimitMs?: number
  readonly maxWaiting?: number
  /** An idle thread takes about 90 MB and ends after this time. Default: never. */
  readonly idleMs?: number | undefined
  readonly onThread?: (event: 'started' | 'ended') => void
}

interface Job<Question, Answer> {
  readonly question: Question
  readonly isUrgent: boolean
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/** A start compiles 5.5 MB of WebAssembly. */
const startCpuMs = 30_000

/** Enough for the tree of the longest source. */
const resourceLimits = { maxOldGenerationSizeMb: 384 } as const

/**
 * Parses Cadence in a thread, one source at a time, so that a hostile source delays only the next
 * ones, briefly.
 *
 *     none ──first job──► starting ──ready──► idle ◄──answer── busy
 *                                              │ ──next job──►  │ timeout or dead thread: none
 *                                              └─ idle for `idleMs`: none
 */
export class ParserThread<Question, Answer> {
  readonly #script: URL
  readonly #options: Required<ParserThreadOptions>
  readonly #waiting: Job<Question, Answer>[] = []
  #thread: Worker | undefined
  #isReady = false
  #running: Job<Question, Answer> | undefined
  #endLimit: () => void = () => undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param script runs `serveParser` */
  constructor(
    script: URL,
    { cpuLimitMs = 4000, maxWaiting = 32, idleMs, onThread = () => undefined }: ParserThreadOptions,
  ) {
    this.#script = script
    this.#options = { cpuLimitMs, maxWaiting, idleMs, onThread }
  }

  /**
   * Urgent questions are answered before the others.
   * @throws UnreadableSource; RetryableError `parser-busy`, `parser-closed`, `parser-unavailable`; abort reason
   */
  async ask(
    question: Question,
    { isUrgent = true, signal }: { readonly isUrgent?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<Answer> {
    signal?.throwIfAborted()
    if (this.#isClosed || this.#waiting.length >= this.#options.maxWaiting)
      throw new RetryableError('parser-busy', 'Too many sources are queued. Try again shortly.')
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const job = { question, isUrgent, resolve, reject }
    const leave = (): void => {
      const at = this.#waiting.indexOf(job)
      if (at >= 0) this.#waiting.splice(at, 1)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', leave, { once: true })
    const after = isUrgent ? this.#waiting.findIndex((other) => !other.isUrgent) : -1
    this.#waiting.splice(after < 0 ? this.#waiting.length : after, 0, job)
    this.#next()
    return promise.finally(() => signal?.removeEventListener('abort', leave))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new RetryableError('parser-closed', 'The service is stopping.')
    for (const job of this.#waiting.splice(0)) job.reject(closed)
    this.#running?.reject(closed)
    this.#running = undefined
    await this.#endThread()
  }

  #next(): void {
    if (this.#running !== undefined || this.#isClosed) return
    const { cpuLimitMs, idleMs } = this.#options
    clearTimeout(this.#idleTimer)
    if (this.#waiting.length === 0) {
      if (this.#thread !== undefined && idleMs !== undefined)
        this.#idleTimer = setTimeout(() => void this.#endThread(), idleMs).unref()
      return
    }
    if (this.#thread === undefined) return this.#start()
    if (!this.#isReady) return
    const job = this.#waiting.shift()
    this.#running = job
    this.#thread.postMessage(job?.question, [])
    this.#endLimit = limitThreadCpu(this.#thread, cpuLimitMs, () => {
      this.#fail(
        new UnreadableSource('timeout', `parsing takes longer than ${cpuLimitMs / 1000} s; simplify the source`),
      )
    })
  }

  #start(): void {
    // The parser prints a greeting, and the output may be a channel to a client.
    const thread = new Worker(this.#script, { resourceLimits, stdout: true, stderr: true, name: 'cadence-parser' })
    this.#thread = thread
    this.#options.onThread('started')
    thread.stdout.resume()
    thread.stderr.resume()
    thread.on('message', (reply: ParserReply<Answer>) => {
      if (this.#thread === thread) this.#receive(reply)
    })
    const crashed = (cause: unknown): void => {
      if (this.#thread !== thread) return
      this.#fail(
        this.#running === undefined
          ? new RetryableError('parser-unavailable', 'the parser crashed', { cause })
          : new UnreadableSource('crashed', 'the parser crashed', cause),
      )
    }
    thread.on('error', crashed)
    thread.on('exit', (code) => crashed(new Error(`the thread ended with ${code}`)))
    this.#endLimit = limitThreadCpu(thread, startCpuMs, () => {
      this.#fail(new RetryableError('parser-unavailable', `the parser did not start within ${startCpuMs / 1000} s`))
    })
  }

  #receive(reply: ParserReply<Answer>): void {
    this.#endLimit()
    if (reply.kind === 'ready') this.#isReady = true
    const job = this.#running
    this.#running = undefined
    if (reply.kind === 'answer') job?.resolve(reply.answer)
    if (reply.kind === 'too-deep')
      job?.reject(new UnreadableSource('too-deep', 'it is nested too deeply for the parser'))
    if (reply.kind === 'failed') job?.reject(new UnreadableSource('failed', `the parser fails: ${reply.message}`))
    this.#next()
  }

  #fail(error: FlowfarmError): void {
    const job = this.#running ?? this.#waiting.shift()
    this.#running = undefined
    job?.reject(error)
    void this.#restart()
  }

  async #restart(): Promise<void> {
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
