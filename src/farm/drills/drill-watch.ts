import type pg from 'pg'
import { asError, FatalError } from '../../base/errors.ts'
import { LogThrottle } from '../../base/log-throttle.ts'
import type { HeightRange } from '../../base/ranges.ts'
import type { Logger } from '../../base/log.ts'
import type { DedicatedConnectionOptions } from '../../db/dedicated-connection.ts'
import { listen } from '../../db/listen.ts'
import type { Listener } from '../../db/listen.ts'
import { drillsChannel } from './fault-drill.ts'
import type { FaultDrill } from './fault-drill.ts'
import { listDrills } from './list-drills.ts'

export interface DrillWatchOptions {
  /** For LISTEN, which needs a connection of its own. */
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  /** Ends the watch. */
  readonly signal: AbortSignal
  /** How often the drills are read although nothing was heard. Default 10,000 ms. */
  readonly refreshMs?: number
  readonly connection?: Pick<DedicatedConnectionOptions, 'heartbeatMs' | 'answerTimeoutMs'>
}

/**
 * Knows the drills that are set, so that asking for a range costs no query: they are read at the start, whenever one is
 * announced, and now and then in case an announcement was lost.
 */
export class DrillWatch {
  readonly #options: DrillWatchOptions
  readonly #failures = new LogThrottle()
  #drills: ReadonlyMap<string, FaultDrill> = new Map()
  #timer: NodeJS.Timeout | undefined
  #listener: Listener | undefined
  #reading: Promise<void> | undefined
  #isStale = false

  private constructor(options: DrillWatchOptions) {
    this.#options = options
  }

  /** Resolves when the drills are known. @throws the reason of the signal when that comes first */
  static async start(options: DrillWatchOptions): Promise<DrillWatch> {
    const { databaseUrl, log, signal, refreshMs = 10_000, connection } = options
    const watch = new DrillWatch(options)
    const refresh = (): void => void watch.#refresh()
    watch.#listener = await listen(databaseUrl, [drillsChannel], refresh, {
      ...connection,
      signal,
      applicationName: 'flowfarm drills',
      onReconnect: refresh,
      onTrouble: (err) => log.debug({ err }, 'drills are not heard of; connecting again'),
    })
    await watch.#refresh()
    watch.#timer = setInterval(refresh, refreshMs)
    watch.#timer.unref()
    return watch
  }

  /** What a run of the range has to fail with; undefined where no drill meets it. */
  faultFor(worker: string, range: HeightRange): Error | undefined {
    const drill = this.#drills.get(worker)
    if (drill === undefined || drill.from >= range.to || range.from >= drill.to) return undefined
    const why = drill.reason === null ? '' : `: ${drill.reason}`
    const heights = drill.to - drill.from === 1 ? `height ${drill.from}` : `heights ${drill.from} to ${drill.to - 1}`
    return new FatalError('fault-drill', `An operator makes ${worker} fail at ${heights}${why}`)
  }

  /** The signal must have been aborted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#listener?.ended
    await this.#reading
  }

  /** One read at a time; what is announced during a read is read after it. Never rejects. */
  #refresh(): Promise<void> {
    this.#isStale = true
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #read(): Promise<void> {
    const { pool, log } = this.#options
    while (this.#isStale) {
      this.#isStale = false
      try {
        this.#replace(await listDrills(pool))
      } catch (error) {
        this.#failures.log(log, 'warn', { err: asError(error) }, 'drills could not be read, the last known ones hold')
      }
    }
  }

  #replace(drills: readonly FaultDrill[]): void {
    const { log } = this.#options
    for (const { worker, from, to, reason, createdAt } of drills) {
      if (this.#drills.get(worker)?.createdAt !== createdAt)
        log.warn({ worker, from, to, reason }, 'a fault drill is on')
    }
    for (const { worker } of this.#drills.values()) {
      if (drills.every((drill) => drill.worker !== worker)) log.warn({ worker }, 'the fault drill is over')
    }
    this.#drills = new Map(drills.map((drill) => [drill.worker, drill]))
  }
}
