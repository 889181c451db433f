import { setTimeout as delay } from 'node:timers/promises'
import { asError, FlowfarmError } from './errors.ts'
import type { Logger } from './log.ts'
import type pg from 'pg'
import type { Metrics } from './metrics.ts'
import type { Terminal } from './terminal.ts'

/** Time for a step after the total time is used up, ms: enough to close a socket. */
const minStepMs = 50
/** ms beyond the total time before the remaining steps start without waiting. */
const overtimeMs = 500

interface Step {
  readonly name: string
  readonly stop: (timeoutMs: number) => Promise<void>
  readonly reservedMs: number
}

/**
 * Ordered shutdown: running → stop(reason) → stopping → all steps done or out of time → stopped.
 *
 * Steps run in reverse order of registration; failed or slow ones do not block others. Reserved
 * time is not available to earlier steps.
 */
export class Lifecycle {
  readonly #controller = new AbortController()
  readonly #steps: Step[] = []
  readonly #log: Logger
  readonly #stepTimeoutMs: number
  readonly #totalTimeoutMs: number
  #stopped: Promise<void> | undefined
  #failure: Error | undefined

  constructor(log: Logger, options: { stepTimeoutMs?: number; totalTimeoutMs?: number } = {}) {
    this.#log = log
    this.#stepTimeoutMs = options.stepTimeoutMs ?? 6000
    this.#totalTimeoutMs = options.totalTimeoutMs ?? 8500
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  /**
   * @param stop receives the available time, ms
   * @param options.reservedMs time guaranteed to the step
   */
  onStop(name: string, stop: (timeoutMs: number) => Promise<void> | void, { reservedMs = 0 } = {}): void {
    this.#steps.push({ name, stop: async (timeoutMs) => stop(timeoutMs), reservedMs })
  }

  /** Only the first error is recorded. */
  fail(error: unknown): Promise<void> {
    this.#failure ??= asError(error)
    return this.stop(this.#failure instanceof FlowfarmError ? this.#failure.code : this.#failure.message)
  }

  /** Later calls wait for the first. Never rejects. */
  stop(reason: string): Promise<void> {
    this.#stopped ??= this.#runSteps(reason)
    return this.#stopped
  }

  async #runSteps(reason: string): Promise<void> {
    this.#log.info({ reason }, 'Stopping')
    this.#controller.abort(new Error(`stopping: ${reason}`))
    const deadline = performance.now() + this.#totalTimeoutMs
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      const timer = new AbortController()
      const startedAt = performance.now()
      const reservedMs = this.#steps.reduce((sum, later) => sum + later.reservedMs, 0)
      const leftMs = deadline - reservedMs - performance.now()
      const minMs = Math.max(leftMs > -overtimeMs ? minStepMs : 0, step.reservedMs)
      const timeoutMs = Math.max(minMs, Math.min(this.#stepTimeoutMs, leftMs))
      try {
        await Promise.race([
          step.stop(timeoutMs),
          delay(timeoutMs, undefined, { signal: timer.signal }).then(() => {
            throw new Error(`not stopped within ${Math.round(timeoutMs)} ms`)
          }),
        ])
      } catch (error) {
        this.#log.error({ err: asError(error), step: step.name }, 'Shutdown step failed')
      } finally {
        timer.abort()
      }
      this.#log.debug({ step: step.name, ms: Math.round(performance.now() - startedAt) }, 'Shutdown step finished')
    }
    this.#log.info('Stopped')
  }
}

/**
 * @typeParam Config values of the settings that the service reads
 * @typeParam Block argument of `shared.offerBlocks`
 */
export interface ServiceContext<Config, Block = never> extends BareContext<Config, Block> {
  readonly databaseUrl: string
  readonly pool: pg.Pool
}

/** The context of a service without database. */
export interface BareContext<Config, Block = never> {
  readonly config: Config
  readonly log: Logger
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly terminal: Terminal
  readonly shared: Shared<Block>
}

/** Shared between services of one process; absent while their owner does not run here. */
export class Shared<Block = never> {
  /** Sealed height. */
  latestHeight: () => number | undefined = () => undefined
  isFarmHere = false
  /** Spares the farm from reading committed blocks. */
  offerBlocks: ((blocks: readonly Block[], chainVersion: number) => void) | undefined
  /** Resolves when the farm can take more history; the head does not wait for it. */
  historyCapacity: ((signal: AbortSignal) => Promise<void>) | undefined
  interruptSessions: ((pids: readonly number[]) => Promise<void>) | undefined
  /** Sessions of the query service that do not end. */
  stuckSessions: () => number = () => 0
  apiPort: number | undefined
  askPort: number | undefined
  mcpPort: number | undefined
  chatPort: number | undefined
  walletPort: number | undefined
  editorPort: number | undefined
  lspPort: number | undefined
  toolsPort: number | undefined
  proxyPort: number | undefined
}

/** All services get the same result or error. */
export function oncePerProcess<Context extends { readonly lifecycle: Lifecycle }, Opened>(
  open: (context: Context) => Promise<Opened>,
): (context: Context) => Promise<Opened> {
  const opened = new WeakMap<Lifecycle, Promise<Opened>>()
  return (context) => {
    const known = opened.get(context.lifecycle)
    if (known !== undefined) return known
    const opening = open(context)
    opened.set(context.lifecycle, opening)
    return opening
  }
}
