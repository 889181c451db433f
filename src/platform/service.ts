import { setTimeout as delay } from 'node:timers/promises'
import { asError, FlowfarmError } from './errors.ts'
import type { Logger } from './log.ts'
import type pg from 'pg'
import type { Metrics } from './metrics.ts'
import type { Terminal } from './terminal.ts'

/** What a step gets when the time for all is used up, ms: enough to close a socket. */
const minStepMs = 50
/** How long steps may go on like that, ms, before they are begun and not waited for. */
const overtimeMs = 500

interface Step {
  readonly name: string
  readonly stop: (timeoutMs: number) => Promise<void>
  readonly reservedMs: number
}

/**
 * The life of the process.
 *
 *     running ──stop(reason)──► stopping ──all steps done or out of time──► stopped
 *
 * Parts register a step that stops them; `stop` runs the steps in reverse order of registration, so that what was
 * started last, and leans on the others, goes first. A step that fails or takes too long is logged and does not keep
 * the others from running; all together have `totalTimeoutMs`, after which each is only begun. Time that a step
 * reserves is not given to the steps before it. `signal` is aborted at the beginning of `stop`: loops watch it. What is
 * registered while steps run, by a part that was starting, is run next.
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

  /** Aborted when the process begins to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The error that stopped the process, if one did. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /**
   * Registers how to stop a part. Steps run last registered first.
   * @param stop gets the time it has, ms
   * @param options.reservedMs the time that it has at least. Default: as good as none.
   */
  onStop(name: string, stop: (timeoutMs: number) => Promise<void> | void, { reservedMs = 0 } = {}): void {
    this.#steps.push({ name, stop: async (timeoutMs) => stop(timeoutMs), reservedMs })
  }

  /** Stops everything because of an error; the first one is kept as the reason. */
  fail(error: unknown): Promise<void> {
    this.#failure ??= asError(error)
    return this.stop(this.#failure instanceof FlowfarmError ? this.#failure.code : this.#failure.message)
  }

  /** Stops everything; later calls wait for the first. Never rejects. */
  stop(reason: string): Promise<void> {
    this.#stopped ??= this.#runSteps(reason)
    return this.#stopped
  }

  async #runSteps(reason: string): Promise<void> {
    this.#log.info({ reason }, 'stopping')
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
            throw new Error(`did not stop within ${Math.round(timeoutMs)} ms`)
          }),
        ])
      } catch (error) {
        this.#log.error({ err: asError(error), step: step.name }, 'a part did not stop cleanly')
      } finally {
        timer.abort()
      }
      this.#log.debug({ step: step.name, ms: Math.round(performance.now() - startedAt) }, 'a part has stopped')
    }
    this.#log.info('stopped')
  }
}

/**
 * What every service is given.
 * @typeParam Config values of the settings that the service reads: `SettingValues<typeof …>`
 * @typeParam Block what `shared.offerBlocks` takes; only the services that hand blocks over know it
 */
export interface ServiceContext<Config, Block = never> extends BareContext<Config, Block> {
  readonly databaseUrl: string
  readonly pool: pg.Pool
}

/** What a service that needs no database is given. */
export interface BareContext<Config, Block = never> {
  readonly config: Config
  readonly log: Logger
  readonly metrics: Metrics
  readonly lifecycle: Lifecycle
  readonly terminal: Terminal
  readonly shared: Shared<Block>
}

/** Values that services of one process share. Each is absent while its owner does not run here. */
export class Shared<Block = never> {
  /** The newest sealed height that the ingester of this process has heard of. */
  latestHeight: () => number | undefined = () => undefined
  /** Whether this process runs the farm too. */
  isFarmHere = false
  /**
   * Takes blocks that the ingester of this process has committed, so that the farm of this process need not read
   * them.
   */
  offerBlocks: ((blocks: readonly Block[], chainVersion: number) => void) | undefined
  /**
   * Resolves when the farm of this process can take more blocks of history: nobody who follows the head waits for
   * it.
   */
  historyRoom: ((signal: AbortSignal) => Promise<void>) | undefined
  /** Interrupts sessions of the PostgreSQL that this process started, where it did. */
  interruptSessions: ((pids: readonly number[]) => Promise<void>) | undefined
  /** Database sessions of the query service of this process that do not end. */
  stuckSessions: () => number = () => 0
  /** The port that the API of this process listens on. */
  apiPort: number | undefined
  /** The port that the query service of this process listens on. */
  askPort: number | undefined
  /** The port that the MCP server of this process listens on. */
  mcpPort: number | undefined
  /** The port that the chat of this process listens on. */
  chatPort: number | undefined
  /** The port that the wallet of this process listens on. */
  walletPort: number | undefined
  /** The port that the editor of this process listens on. */
  editorPort: number | undefined
  /** The port that the language server channel of this process listens on. */
  lspPort: number | undefined
  /** The port that the tool servers of this process listen on. */
  toolsPort: number | undefined
  /** The port that the reverse proxy of this process listens on. */
  proxyPort: number | undefined
}

/**
 * Opens something once for a process, however many of its services ask for it; all get the same, also where it
 * failed.
 */
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
