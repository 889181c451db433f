import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { FarmOverview } from '../farm/overview/farm-overview.ts'
import { etaSeconds, PaceSamples } from '../farm/overview/pace.ts'
import type { StageHeights } from '../farm/overview/stage-plan.ts'
import { ApiError, asError, RetryableError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { heightRange, timestamp } from './route.ts'

const leaseCount = z.strictObject({ leases: z.int(), heights: z.int() })

const stage = z
  .strictObject({
    name: z.string(),
    kind: z.enum(['ingester', 'worker']),
    description: z.string(),
    phase: z.int().describe('0 for ingesters.'),
    follows: z.array(z.string()).describe('Workers that must derive a height before this one.'),
    isEnabled: z.boolean(),
    own: z
      .strictObject({
        version: z.int(),
        replaces: z.string().nullable().describe('The worker whose tables it replaces when it has caught up.'),
        error: z.string().nullable().describe('Why its current files could not be loaded.'),
      })
      .nullable()
      .describe('Null for built-in workers.'),
    covered: z.int(),
    available: z.int().describe('Heights that it could have completed by now.'),
    backlog: z.int().describe('The backlog, in heights.'),
    queued: leaseCount,
    active: leaseCount,
    failed: leaseCount,
    flagged: leaseCount,
    skipped: leaseCount,
    rate: z.number().nullable().describe('Heights per second over the last 30 s; null without enough samples.'),
    etaSeconds: z.number().nullable().describe('Time until the backlog is empty, without flagged heights.'),
    lowest: z.int().nullable(),
    highest: z.int().nullable(),
    holes: z.int(),
    blocked: z
      .strictObject({
        by: z.string().describe('The worker that it waits for, directly or not.'),
        cause: z.enum(['failed', 'stalled']),
        heights: z.int(),
        since: timestamp,
      })
      .nullable()
      .describe('Stored heights that wait for a worker that failed or stalled.'),
    oldestUnfinished: heightRange.extend({ status: z.string(), attempt: z.int(), since: timestamp }).nullable(),
    updatedAt: timestamp.nullable(),
  })
  .meta({ id: 'Stage' })
export type Stage = Readonly<z.output<typeof stage>>

const drill = heightRange.extend({ worker: z.string(), reason: z.string().nullable() }).meta({ id: 'Drill' })
export type Drill = Readonly<z.output<typeof drill>>

export const overviewSchema = z
  .strictObject({
    generatedAt: timestamp.describe('Time of the read; earlier than the outage while `database.isUp` is false.'),
    version: z.string().describe('Version of flowfarm.'),
    chainId: z.string().nullable(),
    head: z.int().nullable(),
    stored: heightRange.nullable(),
    database: z.strictObject({ isUp: z.boolean() }),
    queues: z.enum(['postgres', 'redis']),
    stages: z.array(stage).describe('Ingesters, then workers in the order of their table.'),
    unresolvedErrors: z.int(),
    stuckSessions: z.int().describe('Database sessions of the query service of this process that do not end.'),
    failingHeights: z.int(),
    unavailableHeights: z.int(),
    drills: z.array(drill).describe('Faults that an operator injected.'),
  })
  .meta({ id: 'Overview' })
export type Overview = Readonly<z.output<typeof overviewSchema>>

const minPauseMs = 1000

/** Share of time spent reading: a read of 100,000 coverage pieces is slow. */
const maxShare = 0.1

export interface FeedOptions {
  readonly read: () => Promise<FarmOverview>
  readonly readDrills: () => Promise<readonly Drill[]>
  readonly stuckSessions?: (() => number) | undefined
  readonly version: string
  readonly queues: 'postgres' | 'redis'
  readonly log: Logger
  /** Default 1,000; 0 reads for every caller. */
  readonly pauseMs?: number
}

export interface Snapshot {
  readonly overview: Overview
  readonly heights: ReadonlyMap<string, StageHeights>
}

type Listener = (overview: Overview) => void

/**
 * Reads the overview once for all clients. While the database is unreachable, the last overview is
 * served with `database.isUp: false`.
 *
 *     idle ──request or subscriber──► reading ──► resting (1 s, or ten times the duration of the read)
 *       ▲                                │           │
 *       │                                └─subscriber┤
 *       └─────────────────────────────────────none───┘
 */
export class OverviewFeed {
  readonly #options: FeedOptions
  readonly #pace = new PaceSamples()
  readonly #listeners = new Set<Listener>()
  #last: Snapshot | undefined
  #published = ''
  #reading: Promise<Snapshot> | undefined
  #freshUntil = 0
  #isWatching = false
  #isWoken = false
  #endRest: () => void = () => undefined

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** @throws errors other than a database outage */
  async current(): Promise<Snapshot> {
    if (this.#last !== undefined && performance.now() < this.#freshUntil) return this.#last
    return this.#read()
  }

  /** @returns function that unsubscribes */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    void this.#watch()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#endRest()
    }
  }

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
        this.#options.log.error({ err: asError(error) }, 'Could not read the overview')
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

  #read(): Promise<Snapshot> {
    this.#reading ??= this.#snapshot().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #snapshot(): Promise<Snapshot> {
    const startedAt = performance.now()
    this.#isWoken = false
    const snapshot = await this.#readOrLast()
    const endedAt = performance.now()
    this.#freshUntil = this.#isWoken ? 0 : endedAt + this.#restMs(snapshot, endedAt - startedAt)
    this.#last = snapshot
    this.#publish(snapshot.overview)
    return snapshot
  }

  #restMs({ overview: { database } }: Snapshot, tookMs: number): number {
    const { pauseMs = minPauseMs } = this.#options
    // A failed read spent its time waiting; the next one should detect recovery soon.
    if (pauseMs === 0 || !database.isUp) return pauseMs
    return Math.max(pauseMs - tookMs, tookMs / maxShare - tookMs)
  }

  async #readOrLast(): Promise<Snapshot> {
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
          return {
            ...stage,
            follows: [...stage.follows],
            own: stage.own ?? null,
            rate,
            etaSeconds: etaSeconds(stage.backlog, stage.flagged.heights, rate),
          }
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
        log.warn({ err: error }, 'Database unreachable; the operator page shows the last overview')
      }
      const last: Snapshot = this.#last ?? { overview: emptyOverview(version, queues), heights: new Map() }
      return { ...last, overview: { ...last.overview, database: { isUp: false } } }
    }
  }

  #publish(overview: Overview): void {
    const text = JSON.stringify({ ...overview, generatedAt: undefined })
    if (text === this.#published) return
    this.#published = text
    for (const listener of this.#listeners) listener(overview)
  }
}

function emptyOverview(version: string, queues: Overview['queues']): Overview {
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

const maxStreams = 100

/** Proxies close connections that are silent for longer. */
const keepAliveMs = 15_000

export class EventStreams {
  readonly #feed: OverviewFeed
  readonly #open = new Set<() => void>()
  #isClosed = false

  constructor(feed: OverviewFeed) {
    this.#feed = feed
  }

  /**
   * Ends with the client, the server or `until` (ms since 1970); the last two send `event: bye`. A
   * slow client skips intermediate states.
   * @throws ApiError 429 `too-many-streams`, 503 `stopping`
   */
  async serve(response: ServerResponse, until = Infinity): Promise<void> {
    if (this.#open.size >= maxStreams) {
      throw new ApiError(429, 'too-many-streams', `Too many open operator pages (limit ${maxStreams}). Close one.`)
    }
    const { overview: first } = await this.#feed.current()
    if (this.#isClosed) throw new ApiError(503, 'stopping', 'The server is stopping. Try again in a moment.')
    if (response.destroyed) return
    let pending: Overview | undefined
    const end = (): void => {
      if (!response.writableEnded) response.end('event: bye\ndata: {}\n\n')
    }
    const write = (text: string): void => {
      if (Date.now() >= until) end()
      else if (!response.writableEnded && !response.destroyed) response.write(text)
    }
    const send = (overview: Overview): void => {
      pending = response.writableNeedDrain ? overview : undefined
      if (pending === undefined) write(`event: overview\ndata: ${JSON.stringify(overview)}\n\n`)
    }
    response.on('drain', () => pending !== undefined && send(pending))
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    response.once('close', resolve)
    this.#open.add(end)
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    })
    const keepAlive = setInterval(() => !response.writableNeedDrain && write(': keep-alive\n\n'), keepAliveMs)
    send(first)
    const unlisten = this.#feed.listen(send)
    await closed
    unlisten()
    clearInterval(keepAlive)
    this.#open.delete(end)
  }

  close(): void {
    this.#isClosed = true
    for (const end of this.#open) end()
  }
}
