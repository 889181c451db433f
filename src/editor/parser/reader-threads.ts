import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { ReaderWord } from './reader-thread.ts'
import type { SourceAnswers, SourceQuestion } from './source-reader.ts'
import { FlowfarmError, RetryableError } from '../../platform/errors.ts'
import { limitThreadCpu } from '../../platform/thread-limits.ts'

/** A source that exceeds the parser's time, memory or depth. */
export class UnreadableSource extends FlowfarmError {
  constructor(message: string, cause?: unknown) {
    super('unreadable-source', message, { cause })
  }
}

interface ReaderThreadsOptions {
  /** Default 4,000 ms: a contract of 100 KB takes up to 1,000. */
  readonly cpuLimitMs?: number
  readonly maxWaiting?: number
}

interface Job {
  readonly question: SourceQuestion
  readonly resolve: (answer: SourceAnswers[keyof SourceAnswers]) => void
  readonly reject: (error: Error) => void
}

/** A start compiles 5.5 MB of WebAssembly. */
const startCpuMs = 30_000
const resourceLimits = { maxOldGenerationSizeMb: 384 } as const
/** Not tried again. */
const maxKnownBad = 200

/**
 * Checks come last. A source that takes too much time or memory ends the thread and is not tried
 * again.
 *
 *     none ──question──► starting ──ready──► idle ◄──answer── busy
 *                                             │ ──next──►      │ timeout or dead thread: none
 */
export class ReaderThreads {
  readonly #options: Required<ReaderThreadsOptions>
  readonly #waiting: Job[] = []
  readonly #bad = new Map<string, UnreadableSource>()
  #thread: Worker | undefined
  #isReady = false
  #running: Job | undefined
  #endLimit: () => void = () => undefined
  #isClosed = false

  constructor({ cpuLimitMs = 4000, maxWaiting = 500 }: ReaderThreadsOptions = {}) {
    this.#options = { cpuLimitMs, maxWaiting }
  }

  /** @throws UnreadableSource; RetryableError if the queue is full or no thread starts */
  async ask<Kind extends SourceQuestion['kind']>(
    question: SourceQuestion & { readonly kind: Kind },
  ): Promise<SourceAnswers[Kind]> {
    const bad = this.#bad.get(hashOf(question))
    if (bad !== undefined) throw bad
    if (this.#isClosed || this.#waiting.length >= this.#options.maxWaiting)
      throw new RetryableError('readers-busy', 'Too many sources are queued. Try again shortly.')
    const { promise, resolve, reject } = Promise.withResolvers<SourceAnswers[keyof SourceAnswers]>()
    const job: Job = { question, resolve, reject }
    const firstCheck =
      question.kind === 'check' ? -1 : this.#waiting.findIndex((other) => other.question.kind === 'check')
    if (firstCheck < 0) this.#waiting.push(job)
    else this.#waiting.splice(firstCheck, 0, job)
    this.#next()
    return (await promise) as SourceAnswers[Kind]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const closed = new RetryableError('readers-closed', 'The language server is stopping')
    for (const job of this.#waiting.splice(0)) job.reject(closed)
    this.#running?.reject(closed)
    this.#running = undefined
    await this.#endThread()
  }

  #next(): void {
    if (this.#running !== undefined || this.#isClosed || this.#waiting.length === 0) return
    if (this.#thread === undefined) return this.#start()
    if (!this.#isReady) return
    const job = this.#waiting.shift()
    this.#running = job
    this.#thread.postMessage(job?.question, [])
    const { cpuLimitMs } = this.#options
    this.#endLimit = limitThreadCpu(this.#thread, cpuLimitMs, () => {
      this.#fail(new UnreadableSource(`parsing takes longer than ${cpuLimitMs / 1000} s; simplify the source`))
    })
  }

  #start(): void {
    // The parser writes to its output, which is the channel to the client here.
    const thread = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      resourceLimits,
      stdout: true,
      stderr: true,
      name: 'cadence-reader',
    })
    this.#thread = thread
    thread.stdout.resume()
    thread.stderr.resume()
    thread.on('message', (word: ReaderWord) => {
      if (this.#thread === thread) this.#hear(word)
    })
    thread.on('error', (error) => {
      if (this.#thread === thread) this.#fail(new UnreadableSource('the parser crashed', error))
    })
    thread.on('exit', (code) => {
      if (this.#thread === thread)
        this.#fail(new UnreadableSource('the parser crashed', new Error(`the thread ended with ${code}`)))
    })
    this.#endLimit = limitThreadCpu(thread, startCpuMs, () => {
      this.#fail(new RetryableError('reader-unavailable', `the parser did not start within ${startCpuMs / 1000} s`))
    })
  }

  #hear(word: ReaderWord): void {
    this.#endLimit()
    if (word.kind === 'ready') this.#isReady = true
    const job = this.#running
    this.#running = undefined
    if (word.kind === 'answer') job?.resolve(word.answer)
    else if (word.kind !== 'ready' && job !== undefined) {
      const error = new UnreadableSource(
        word.kind === 'too-deep' ? 'it is nested too deeply for the parser' : `the parser fails: ${word.message}`,
      )
      if (word.kind === 'too-deep') this.#keepBad(job, error)
      job.reject(error)
    }
    this.#next()
  }

  #fail(error: FlowfarmError): void {
    const job = this.#running ?? this.#waiting.shift()
    if (this.#running !== undefined && error instanceof UnreadableSource) this.#keepBad(this.#running, error)
    this.#running = undefined
    job?.reject(error)
    void this.#startAnew()
  }

  async #startAnew(): Promise<void> {
    await this.#endThread()
    this.#next()
  }

  #keepBad({ question }: Job, error: UnreadableSource): void {
    this.#bad.set(hashOf(question), error)
    const [oldest] = this.#bad.keys()
    if (this.#bad.size > maxKnownBad && oldest !== undefined) this.#bad.delete(oldest)
  }

  async #endThread(): Promise<void> {
    this.#endLimit()
    const thread = this.#thread
    this.#thread = undefined
    this.#isReady = false
    if (thread !== undefined) await thread.terminate()
  }
}

function hashOf({ code, imports }: SourceQuestion): string {
  const hash = createHash('sha256').update(code)
  for (const file of imports) hash.update('\0').update(file.code)
  return hash.digest('base64')
}
