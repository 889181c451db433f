import type { StageHeights } from '../../farm/overview/stage-plan.ts'
import { asError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { FarmOverview } from '../../farm/overview/farm-overview.ts'
import { etaSeconds, PaceSamples } from '../../farm/overview/pace.ts'
import type { Drill, Overview } from './overview.ts'

/** Least time from the beginning of one read to that of the next, ms. */
const minPauseMs = 1000

/**
 * A read takes at most this part of the time: with a hundred thousand pieces of coverage it takes longer than usual.
 */
const maxShare = 0.1

export interface FeedOptions {
  readonly read: () => Promise<FarmOverview>
  readonly readDrills: () => Promise<readonly Drill[]>
  readonly stuckSessions?: (() => number) | undefined
  readonly version: string
  readonly queues: 'postgres' | 'redis'
  readonly log: Logger
  /** Least time between two reads, default 1,000 ms; 0: whoever asks has it read anew. */
  readonly pauseMs?: number
}

/** What was read last, and what is shown of it. */
export interface Look {
  readonly overview: Overview
  readonly heights: ReadonlyMap<string, StageHeights>
}

type Listener = (overview: Overview) => void

/**
 * Reads the overview for all who look, once for all of them.
 *
 *     idle ──asked, or somebody listens──► reading ──► resting (a second, or ten times what the read took)
 *       ▲                                     ▲             │
 *       │                                     └─somebody────┤
 *       └────────────────────────────────────────nobody─────┘
 *
 * While the database does not answer, the last look is shown, and says so.
 */
export class OverviewFeed {
  readonly #options: FeedOptions
  readonly #pace = new PaceSamples()
  readonly #listeners = new Set<Listener>()
  #last: Look | undefined
  #told = ''
  #reading: Promise<Look> | undefined
  #freshUntil = 0
  #isWatching = false
  #isWoken = false
  #endRest: () => void = () => undefined

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** The state of now, or of a moment ago. @throws an error that is not the database's absence */
  async current(): Promise<Look> {
    if (this.#last !== undefined && performance.now() < this.#freshUntil) return this.#last
    return this.#read()
  }

  /** Calls `listener` whenever something changed, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    void this.#watch()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#endRest()
    }
  }

  /** Something was changed here: whoever looks next shall see it. */
  wake(): void {
    this.#isWoken = true
    this.#freshUntil = 0
    this.#endRest()
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return
    this.#isWatching = true
    while (this.#listeners.size > 0) {
      await this.#rest()
      if (this.#listeners.size === 0) break
      await this.#read().catch((error: unknown) => {
        this.#options.log.error({ err: asError(error) }, 'the overview could not be read')
      })
    }
    this.#isWatching = false
  }

  async #rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#endRest = resolve
    const timer = setTimeout(resolve, Math.max(0, this.#freshUntil - performance.now()))
    timer.unref()
    await promise
    clearTimeout(timer)
  }

  #read(): Promise<Look> {
    this.#reading ??= this.#look().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #look(): Promise<Look> {
    const startedAt = performance.now()
    this.#isWoken = false
    const look = await this.#lookOrLast()
    const endedAt = performance.now()
    this.#freshUntil = this.#isWoken ? 0 : endedAt + this.#restMs(look, endedAt - startedAt)
    this.#last = look
    this.#tell(look.overview)
    return look
  }

  #restMs({ overview: { database } }: Look, tookMs: number): number {
    const { pauseMs = minPauseMs } = this.#options
    // A look that failed has waited for the most part, and the next is to see soon that the database is back.
    if (pauseMs === 0 || !database.isUp) return pauseMs
    return Math.max(pauseMs - tookMs, tookMs / maxShare - tookMs)
  }

  async #lookOrLast(): Promise<Look> {
    const { read, readDrills, stuckSessions = () => 0, version, queues, log } = this.#options
    try {
      const [farm, drills] = await Promise.all([read(), readDrills()])
      const { takenAt, chainId, head, stored, stages, heights, unresolvedErrors, failingHeights, unavailableHeights } =
        farm
      for (const { name, covered } of stages) this.#pace.add(name, performance.now(), covered)
      const overview: Overview = {
        generatedAt: takenAt,
        version,
        chainId,
        head,
        stored,
        database: { isUp: true },
        queues,
        stages: stages.map((stage) => {
          const rate = this.#pace.rate(stage.name)
          return { ...stage, rate, etaSeconds: etaSeconds(stage.owed, stage.flagged.heights, rate) }
        }),
        unresolvedErrors,
        stuckSessions: stuckSessions(),
        failingHeights,
        unavailableHeights,
        drills: drills.map(({ worker, from, to, reason }) => ({ worker, from, to, reason })),
      }
      return { overview, heights }
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error
      if (this.#last?.overview.database.isUp !== false) {
        log.warn({ err: error }, 'the database does not answer, the operator sees what was read last')
      }
      const last: Look = this.#last ?? { overview: nothingYet(version, queues), heights: new Map() }
      return { ...last, overview: { ...last.overview, database: { isUp: false } } }
    }
  }

  #tell(overview: Overview): void {
    const told = JSON.stringify({ ...overview, generatedAt: undefined })
    if (told === this.#told) return
    this.#told = told
    for (const listener of this.#listeners) listener(overview)
  }
}

function nothingYet(version: string, queues: Overview['queues']): Overview {
  return {
    generatedAt: new Date(),
    version,
    chainId: null,
    head: null,
    stored: null,
    database: { isUp: false },
    queues,
    stages: [],
    unresolvedErrors: 0,
    stuckSessions: 0,
    failingHeights: 0,
    unavailableHeights: 0,
    drills: [],
  }
}
