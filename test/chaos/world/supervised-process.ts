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
  /** Called after an unexpected exit. */
  readonly onUnexpectedExit: (end: ProgramEnd, process: SupervisedProcess) => void
}

/**
 * Logged by every process after its services start; services that need longer log a separate line.
 */
const startedLine = /"All services started"/
const readyLines: Readonly<Record<string, RegExp>> = {
  api: /"API listening"/,
  farm: /"Farm started"/,
  ask: /"Query service listening"/,
  mcp: /"MCP server listening"/,
  wallet: /"Wallet listening"/,
}

const firstPauseMs = 100
const maxPauseMs = 4000

/**
 * A process of the Procfile under a supervisor, which restarts it after every exit. Pauses grow
 * while it exits before it is ready.
 *
 *     starting ──ready line──► ready ──ends──► down ──pause──► starting …      (any) ──stop()──► stopped
 */
export class SupervisedProcess {
  readonly name: string
  readonly #options: SupervisedProcessOptions
  #program: ChildProgram | undefined
  #isStopping = false
  #signal: 'SIGKILL' | 'SIGTERM' | undefined
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

  /** Start of uninterrupted operation, as `performance.now()`; undefined while not ready. */
  get readySince(): number | undefined {
    return this.#signal === undefined && !this.#isFrozen ? this.#readySince : undefined
  }

  /** Whether the current run has been ready. */
  get wasReady(): boolean {
    return this.#readySince !== undefined
  }

  get startCount(): number {
    return this.#startCount
  }

  /** The highest memory sample of any run. */
  get peakMiB(): number {
    return this.#peakMiB
  }

  start(): void {
    this.#supervising = this.#supervise()
  }

  /** Resolves when it is ready. */
  async ready(): Promise<void> {
    while (this.readySince === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#woken.add(resolve)
      await promise
    }
  }

  /** `kill -9`; resolves after the exit. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** SIGTERM; resolves after the exit with its duration. */
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
    // Counts from now, without earlier time.
    if (this.#readySince !== undefined) this.#readySince = performance.now()
    this.#wake()
  }

  stepClock(ms: number): void {
    this.#program?.stepClock(ms)
  }

  /** SIGTERM without a restart. */
  async stop(): Promise<{ readonly end: ProgramEnd | undefined; readonly ms: number }> {
    this.#isStopping = true
    const ended = await this.terminate()
    await this.#supervising
    return ended
  }

  /** Samples its memory; call frequently. */
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
    this.#signal = signal
    return program.end(signal)
  }

  async #supervise(): Promise<void> {
    const { name, services, variables, logFolder, run, onUnexpectedExit } = this.#options
    for (let early = 0; !this.#isStopping;) {
      const program = new ChildProgram({
        argv: ['src/main.ts', ...services],
        variables,
        logFile: join(logFolder, `${name}.log`),
        run,
      })
      this.#signal = undefined
      this.#readySince = undefined
      this.#program = program
      this.#startCount++
      void this.#watch(program)
      const end = await program.ended()
      early = this.#readySince === undefined ? early + 1 : 0
      if (this.#signal === undefined) onUnexpectedExit(end, this)
      this.#readySince = undefined
      if (!this.#isStopping) await pause(Math.min(maxPauseMs, firstPauseMs * 2 ** early))
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
