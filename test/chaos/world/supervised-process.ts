import { join } from 'node:path'
import { pause } from '../../../src/platform/retry.ts'
import { peakMemoryMiB } from '../../../scripts/bench/process-usage.ts'
import { ChildProgram } from './child-program.ts'
import type { ProgramEnd } from './child-program.ts'
import type { ProcfileEntry } from './procfile.ts'

export interface SupervisedProcessOptions extends ProcfileEntry {
  readonly variables: Readonly<Record<string, string>>
  readonly logFolder: string
  readonly run: string
  /** Told when it ends and nobody asked it to. */
  readonly onUnasked: (end: ProgramEnd, process: SupervisedProcess) => void
}

/**
 * What every process logs when its services were started; those that go on starting after that say so in a line of
 * their own.
 */
const startedLine = /"all services started"/
const readyLines: Readonly<Record<string, RegExp>> = {
  api: /"the API listens"/,
  farm: /"Farm started"/,
  ask: /"the query service listens"/,
  mcp: /"the MCP server listens"/,
  wallet: /"Wallet listening"/,
}

const firstPauseMs = 100
const longestPauseMs = 4000

/**
 * A process of the Procfile under a supervisor, which starts it again whenever it ended, after pauses that grow while
 * it ends before it works.
 *
 *     starting ──ready line──► ready ──ends──► down ──pause──► starting …      (any) ──stop()──► stopped
 */
export class SupervisedProcess {
  readonly name: string
  readonly #options: SupervisedProcessOptions
  #program: ChildProgram | undefined
  #isStopping = false
  #asked: 'SIGKILL' | 'SIGTERM' | undefined
  #readySince: number | undefined
  #startCount = 0
  #peakMiB = 0
  #isFrozen = false
  #supervising: Promise<void> | undefined
  readonly #woken = new Set<() => void>()

  constructor(options: SupervisedProcessOptions) {
    this.name = options.name
    this.#options = options
  }

  get services(): readonly string[] {
    return this.#options.services
  }

  get pid(): number {
    return this.#program?.pid ?? -1
  }

  /** Since when it works without a break, as `performance.now()`; undefined while it does not. */
  get readySince(): number | undefined {
    return this.#asked === undefined && !this.#isFrozen ? this.#readySince : undefined
  }

  /** Whether this life of it has worked. */
  get wasReady(): boolean {
    return this.#readySince !== undefined
  }

  get startCount(): number {
    return this.#startCount
  }

  /** The most memory that any life of it has held, as far as it was looked at. */
  get peakMiB(): number {
    return this.#peakMiB
  }

  start(): void {
    this.#supervising = this.#supervise()
  }

  /** Resolves when it works. */
  async ready(): Promise<void> {
    while (this.readySince === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#woken.add(resolve)
      await promise
    }
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** SIGTERM; resolves when it has ended, with how long that took. */
  async terminate(): Promise<{ readonly end: ProgramEnd | undefined; readonly ms: number }> {
    const startedAt = performance.now()
    const end = await this.#end('SIGTERM')
    return { end, ms: Math.round(performance.now() - startedAt) }
  }

  freeze(): void {
    this.#isFrozen = true
    this.#program?.child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#program?.child.kill('SIGCONT')
    this.#isFrozen = false
    // From now on, and not since before.
    if (this.#readySince !== undefined) this.#readySince = performance.now()
    this.#wake()
  }

  stepClock(ms: number): void {
    this.#program?.stepClock(ms)
  }

  /** SIGTERM, and no new start. */
  async stop(): Promise<{ readonly end: ProgramEnd | undefined; readonly ms: number }> {
    this.#isStopping = true
    const ended = await this.terminate()
    await this.#supervising
    return ended
  }

  /** Looks at its memory; call it often. */
  sample(): void {
    if (this.#program?.isRunning !== true) return
    try {
      this.#peakMiB = Math.max(this.#peakMiB, peakMemoryMiB(this.pid))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && (error as NodeJS.ErrnoException).code !== 'ESRCH')
        throw error
    }
  }

  lastLines(count: number): string {
    return this.#program?.lastLines(count) ?? ''
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<ProgramEnd | undefined> {
    const program = this.#program
    if (program?.isRunning !== true) return undefined
    this.sample()
    this.#asked = signal
    return program.end(signal)
  }

  async #supervise(): Promise<void> {
    const { name, services, variables, logFolder, run, onUnasked } = this.#options
    for (let early = 0; !this.#isStopping;) {
      const program = new ChildProgram({
        argv: ['src/main.ts', ...services],
        variables,
        logFile: join(logFolder, `${name}.log`),
        run,
      })
      this.#asked = undefined
      this.#readySince = undefined
      this.#program = program
      this.#startCount++
      void this.#watch(program)
      const end = await program.ended()
      early = this.#readySince === undefined ? early + 1 : 0
      if (this.#asked === undefined) onUnasked(end, this)
      this.#readySince = undefined
      if (!this.#isStopping) await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** early))
    }
  }

  async #watch(program: ChildProgram): Promise<void> {
    const lines = [startedLine, ...this.#options.services.flatMap((service) => readyLines[service] ?? [])]
    for (const line of lines) if ((await program.saw(line)) === undefined) return
    this.#readySince = performance.now()
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#woken) wake()
    this.#woken.clear()
  }
}
