import type pg from 'pg'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { backoffMs, pause } from '../platform/retry.ts'
import { acquireLock } from '../platform/db/advisory-lock.ts'
import { listen } from '../platform/db/listen.ts'
import { query } from '../platform/db/pool.ts'
import { dispatchGroup } from './dispatch-group.ts'
import type { DispatchGroup, DispatchLimits } from './dispatch-group.ts'
import { readCoverage, readyEnd, readyHeights } from './ready-heights.ts'
import { WakeUp } from './wake-up.ts'
import { sourcesOf } from './sources/all-sources.ts'
import { hourlyParameters, joinHour, usualHourlyLimits } from './usage.ts'

export interface DispatcherOptions {
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  /** Ends it. */
  readonly signal: AbortSignal
  /** Deliveries were made: how many. */
  readonly onMade: (count: number) => void
  readonly limits?: Partial<DispatchLimits>
}

/** What ingesters, workers and the management of webhooks say when they have committed. */
const channels = ['flowfarm_blocks', 'flowfarm_rollback', 'flowfarm_farm', 'flowfarm_webhook_changes']

/** It looks so often although nobody has said anything: announcements may be lost. */
const lookMs = 5000

/** Of a round, what those may take that are told of the past: the head is not to wait for them. */
const behindMs = 100

/** Time for what is committed together to be announced, so that one round does for all of it. */
const gatherMs = 10

/**
 * Turns derived rows into deliveries. The rows themselves are the outbox: each subscription has the height up to which its
 * deliveries are made, and what is new above it is whatever is there above it, also after days without a dispatcher.
 *
 *     waiting for the lock ──held──► round ──nothing new──► idle ──announcement──► round …
 *              ▲                        │
 *              └── lock lost, error ────┘
 *
 * One at a time in the database, to save work; two would do no harm.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #limits: DispatchLimits
  readonly #wakeUp = new WakeUp()

  #isDispatching = false
  #rounds = 0

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#limits = { blocksAtOnce: 50, maxPending: 10_000, eventsPerHour: usualHourlyLimits, ...options.limits }
  }

  /** This process has its turn. */
  get isDispatching(): boolean {
    return this.#isDispatching
  }

  /** Resolves when the signal is aborted; never rejects. */
  async run(): Promise<void> {
    const { signal, log, databaseUrl } = this.#options
    const wake = (): void => this.#wakeUp.wake()
    const troubles = new LogThrottle()
    const listening = listen(databaseUrl, channels, wake, {
      signal,
      applicationName: 'flowfarm webhooks',
      onReconnect: wake,
      onTrouble: (err) => troubles.log(log, 'warn', { err }, 'Webhooks receive no commits: connecting again'),
    }).catch(() => undefined)
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#dispatchWhileLocked(() => {
          failures = 0
        })
      } catch (error) {
        if (signal.aborted) break
        troubles.log(log, 'warn', { err: asError(error) }, 'webhooks could not be made; trying again')
        await pause(backoffMs(++failures, 100, 5000), signal).catch(() => undefined)
      }
    }
    await (
      await listening
    )?.ended
  }

  /** Until the lock is lost. @throws errors of our tree */
  async #dispatchWhileLocked(onRound: () => void): Promise<void> {
    const { databaseUrl, signal } = this.#options
    const lock = await acquireLock(databaseUrl, 'webhooks:dispatcher', { signal, applicationName: 'flowfarm webhooks' })
    const ending = AbortSignal.any([signal, lock.lost])
    try {
      this.#isDispatching = true
      while (!ending.aborted) {
        const hasMore = await this.#round(ending)
        onRound()
        if (!hasMore) {
          await this.#wakeUp.wait(lookMs, ending)
          await pause(gatherMs, ending).catch(() => undefined)
        }
      }
    } finally {
      this.#isDispatching = false
      await lock.release()
    }
  }

  /** One step of every subscription that has something to read. @returns whether there may be more at once @throws what one group met, after the others had their turn */
  async #round(ending: AbortSignal): Promise<boolean> {
    const { pool, onMade } = this.#options
    let hasMoved = false
    const troubles: unknown[] = []
    const groups = await this.#groups()
    const behind = groups.filter((one) => one.end - one.from > this.#limits.blocksAtOnce)
    // Another of those begins each time, so that all get on.
    const rotated = [...behind.slice(this.#rounds % behind.length), ...behind.slice(0, this.#rounds % behind.length)]
    this.#rounds++
    const inTime = groups.filter((one) => !behind.includes(one))
    let until = Number.POSITIVE_INFINITY
    for (const group of [...inTime, ...rotated]) {
      if (ending.aborted) return false
      if (group === rotated[0]) until = performance.now() + behindMs
      if (performance.now() >= until) return true
      try {
        const made = await dispatchGroup(pool, group, this.#limits)
        if (made === undefined) continue
        hasMoved = true
        if (made > 0) onMade(made)
      } catch (error) {
        troubles.push(error)
      }
    }
    if (troubles.length > 0) throw asError(troubles[0])
    return hasMoved
  }

  async #groups(): Promise<DispatchGroup[]> {
    const { pool } = this.#options
    await query(
      pool,
      `update app.webhook_subscriptions set next_height = stored.lowest
       from (select lower(covered) as lowest from app.coverage where service_name = 'main_ingester' and not isempty(covered)) stored
       where next_height is null`,
    )
    const { rows } = await query<{ ids: number[]; from: number; event_types: string }>(
      pool,
      `select array_agg(s.id::float8) as ids, s.next_height::float8 as "from", array_to_string(s.event_types, ' ') as event_types
       from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id join app.developer_keys k on k.id = e.key_id
       ${joinHour('$1', '$2')}
       where s.is_enabled and s.next_height is not null and e.paused_at is null and k.revoked_at is null and (h."left" is null or h."left" > 0)
       group by 2, 3`,
      hourlyParameters(this.#limits.eventsPerHour),
    )
    if (rows.length === 0) return []
    const coverage = await readCoverage(pool)
    const groups = new Map<string, { subscriptionIds: number[]; from: number; end: number }>()
    for (const { ids, from, event_types: types } of rows) {
      const end = readyEnd(readyHeights(coverage, sourcesOf(types.split(' '))), from)
      if (end <= from) continue
      const key = `${from}-${end}`
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { subscriptionIds: [...ids], from, end })
      else group.subscriptionIds.push(...ids)
    }
    return [...groups.values()]
  }
}
