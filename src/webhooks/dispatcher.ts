import type pg from 'pg'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { backoffMs, pause } from '../platform/retry.ts'
import { acquireLock } from '../platform/db/advisory-lock.ts'
import { listen } from '../platform/db/listen.ts'
import { query, withTransaction } from '../platform/db/pool.ts'
import { WakeUp } from '../platform/signals.ts'
import { sourcesOf } from './sources/all-sources.ts'
import { hourlyParameters, joinHour, defaultHourlyLimits, countEvents } from './usage.ts'
import type { ChainEvent, BlockFacts } from './events.ts'
import type { Conditions } from './conditions.ts'
import { insertDeliveries, rollbackLock } from './delivery-rows.ts'
import { matchEvents } from './match-events.ts'
import type { HeightRange, HeightSet } from '../platform/ranges.ts'
import type { HourlyLimits } from './usage.ts'
import { intersection, parseMultirange, union } from '../platform/ranges.ts'
import type { EventSource } from './sources/event-source.ts'

interface DispatcherOptions {
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  readonly signal: AbortSignal
  readonly onMade: (count: number) => void
  readonly limits?: Partial<DispatchLimits>
  /** Notifications may be lost. Default 5,000 ms. */
  readonly pollMs?: number
}

const changesChannel = 'flowfarm_webhook_changes'
const channels = ['flowfarm_blocks', 'flowfarm_rollback', 'flowfarm_farm', 'own_rows', changesChannel]

/** Time per round for subscriptions that are behind, so that the head does not wait. */
const behindMs = 100

const batchMs = 10

/**
 * Creates deliveries from derived rows, which are the outbox: each subscription has a cursor, and
 * everything above it is new. One dispatcher per database, to avoid duplicate work; two would be
 * safe.
 *
 *   waiting for the lock ──held──► round ──nothing new──► idle ──notification──► round …
 *         ▲            │
 *         └── lock lost, error ────┘
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #limits: DispatchLimits
  readonly #wakeUp = new WakeUp()

  #isDispatching = false
  #hasSubscriptions = true
  #rounds = 0

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#limits = { blocksAtOnce: 50, maxPending: 10_000, eventsPerHour: defaultHourlyLimits, ...options.limits }
  }

  get isDispatching(): boolean {
    return this.#isDispatching
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { signal, log, databaseUrl } = this.#options
    const wake = (): void => this.#wakeUp.call()
    const outages = new LogThrottle()
    const onNotification = (channel: string): void => {
      if (channel === changesChannel || this.#hasSubscriptions) wake()
    }
    const listening = listen(databaseUrl, channels, onNotification, {
      signal,
      applicationName: 'flowfarm webhooks',
      onReconnect: wake,
      onError: (err) =>
        outages.log(log, 'warn', { err }, 'Webhook dispatcher lost its notification connection. Reconnecting.'),
    }).catch(() => undefined)
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#dispatchWhileLocked(() => {
          failures = 0
        })
      } catch (error) {
        if (signal.aborted) break
        outages.log(log, 'warn', { err: asError(error) }, 'Could not create webhook deliveries. Retrying.')
        await pause(backoffMs(++failures, 100, 5000), signal).catch(() => undefined)
      }
    }
    await (
      await listening
    )?.ended
  }

  /** Returns when the lock is lost. @throws programming errors */
  async #dispatchWhileLocked(onRound: () => void): Promise<void> {
    const { databaseUrl, signal, pollMs = 5000 } = this.#options
    const lock = await acquireLock(databaseUrl, 'webhooks:dispatcher', { signal, applicationName: 'flowfarm webhooks' })
    const ending = AbortSignal.any([signal, lock.lost])
    try {
      this.#isDispatching = true
      while (!ending.aborted) {
        const hasMore = await this.#round(ending)
        onRound()
        if (!hasMore) {
          await this.#wakeUp.sleep(pollMs, ending)
          await pause(batchMs, ending).catch(() => undefined)
        }
      }
    } finally {
      this.#isDispatching = false
      await lock.release()
    }
  }

  /**
   * One step of every subscription that is behind.
   *
   * @returns whether there may be more
   *
   * @throws the error of a group, after all groups have run
   */
  async #round(ending: AbortSignal): Promise<boolean> {
    const { pool, onMade } = this.#options
    let hasMoved = false
    const failures: unknown[] = []
    const groups = await this.#groups()
    const behind = groups.filter((one) => one.end - one.from > this.#limits.blocksAtOnce)
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
        failures.push(error)
      }
    }
    if (failures.length > 0) throw asError(failures[0])
    return hasMoved
  }

  async #groups(): Promise<DispatchGroup[]> {
    const { pool } = this.#options
    await query(
      pool,
      `update app.webhook_subscriptions set next_height = stored.lowest
       from (select lower(covered) as lowest from app.coverage where service_name = 'main_ingester' and not
         isempty(covered)) stored
       where next_height is null`,
    )
    const { rows } = await query<{ ids: number[]; from: number; event_types: string }>(
      pool,
      `select array_agg(s.id::float8) as ids, s.next_height::float8 as "from", array_to_string(s.event_types, ' ')
        as event_types
       from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id join app.developer_keys
         k on k.id = e.key_id
       ${joinHour('$1', '$2')}
       where s.is_enabled and s.next_height is not null and e.paused_at is null and k.revoked_at is null and
         (h."left" is null or h."left" > 0)
       group by 2, 3`,
      hourlyParameters(this.#limits.eventsPerHour),
    )
    this.#hasSubscriptions = rows.length > 0 || (await hasSubscriptions(pool))
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

async function hasSubscriptions(pool: pg.Pool): Promise<boolean> {
  const { rows } = await query<{ found: boolean }>(
    pool,
    'select exists (select from app.webhook_subscriptions where is_enabled) as found',
  )
  return rows[0]?.found === true
}

/** Limits the size and memory of a transaction. */
const maxDeliveries = 10_000

interface DispatchGroup {
  readonly subscriptionIds: readonly number[]
  readonly from: number
  readonly end: number
}

export interface DispatchLimits {
  readonly blocksAtOnce: number
  /** Per subscription. */
  readonly maxPending: number
  readonly eventsPerHour: HourlyLimits
}

interface LockedSubscription {
  readonly id: number
  readonly key_id: number
  readonly event_types: string[]
  readonly conditions: Conditions
  /** Null: unlimited. */
  readonly left: number | null
}

/**
 * Creates deliveries, moves cursors and schedules sending in one transaction, so no height is
 * dispatched twice.
 *
 * @returns undefined if no cursor moved
 */
async function dispatchGroup(pool: pg.Pool, group: DispatchGroup, limits: DispatchLimits): Promise<number | undefined> {
  return withTransaction(pool, async (client) => {
    await query(client, `select pg_advisory_xact_lock_shared(${rollbackLock})`)
    const subscriptions = await lockSubscriptions(client, group, limits)
    if (subscriptions.length === 0) return undefined
    const sources = sourcesOf(subscriptions.flatMap((one) => one.event_types))
    const end = readyEnd(readyHeights(await readCoverage(client), sources), group.from)
    const ready = { from: group.from, to: Math.min(end, group.from + limits.blocksAtOnce) }
    if (ready.to <= ready.from) return undefined
    const range = await readableRange(client, ready)

    const events: ChainEvent[] = []
    for (const source of sources) {
      const interested = subscriptions.filter((one) => source.types.some((type) => one.event_types.includes(type)))
      events.push(
        ...(await source.read(
          client,
          range,
          interested.map((one) => one.conditions),
        )),
      )
    }
    const { deliveries, ends } = await matchEvents(events, {
      subscriptions: subscriptions.map((one) => ({
        id: one.id,
        keyId: one.key_id,
        eventTypes: one.event_types,
        conditions: one.conditions,
      })),
      blocks: await readBlocks(client, range),
      end: range.to,
      enough: maxDeliveries,
      left: new Map(subscriptions.map((one) => [one.key_id, one.left ?? Number.POSITIVE_INFINITY])),
    })
    await query(
      client,
      'update app.webhook_subscriptions s set next_height = e.height from unnest($1::bigint[], ' +
        '$2::bigint[]) as e (id, height) where s.id = e.id',
      [[...ends.keys()], [...ends.values()]],
    )
    await countEvents(client, deliveries, new Map(subscriptions.map((one) => [one.id, one.key_id])))
    await insertDeliveries(client, deliveries)
    return deliveries.length
  })
}

/** Of events as stored: their text has at most 90 times as many. */
const maxStoredBytes = 1024 * 1024

/** At least one block. */
export async function readableRange(client: pg.ClientBase, { from, to }: HeightRange): Promise<HeightRange> {
  const { rows } = await query<{ height: number }>(
    client,
    `select block_height::float8 as height from (
       select block_height, sum(sum(pg_column_size(payloads))) over (order by block_height) as bytes
       from raw.event_chunks where block_height >= $1 and block_height < $2 group by block_height
     ) as c
     where bytes > $3 order by block_height limit 1`,
    [from, to, maxStoredBytes],
  )
  return { from, to: Math.max(from + 1, rows[0]?.height ?? to) }
}

async function lockSubscriptions(
  client: pg.ClientBase,
  group: DispatchGroup,
  { maxPending, eventsPerHour }: DispatchLimits,
): Promise<LockedSubscription[]> {
  const { rows } = await query<LockedSubscription>(
    client,
    `select s.id::float8 as id, k.id::float8 as key_id, s.event_types, s.conditions, h."left"::float8 as "left"
     from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id join app.developer_keys k
       on k.id = e.key_id
     ${joinHour('$4', '$5')}
     where s.id = any ($1) and s.next_height = $2 and s.is_enabled and (h."left" is null or h."left" > 0) and
       s.last_sequence - coalesce((
       select sequence - 1 from app.webhook_deliveries d where d.subscription_id = s.id and d.status = 'pending'
         order by sequence limit 1
     ), s.last_sequence) < $3
     order by s.id for no key update of s`,
    [group.subscriptionIds, group.from, maxPending, ...hourlyParameters(eventsPerHour)],
  )
  return rows
}

async function readBlocks(client: pg.ClientBase, range: HeightRange): Promise<ReadonlyMap<number, BlockFacts>> {
  const { rows } = await query<{ height: number; id: string; timestamp: Date }>(
    client,
    `select height::float8 as height, encode(id, 'hex') as id, "timestamp" from raw.blocks where ` +
      'height >= $1 and height < $2',
    [range.from, range.to],
  )
  return new Map(rows.map((row) => [row.height, row]))
}

/** Includes unavailable heights (raw.unavailable), and heights below those that an own worker derives. */
type Coverage = ReadonlyMap<string, HeightSet>

async function readCoverage(db: pg.Pool | pg.ClientBase): Promise<Coverage> {
  const { rows } = await query<{ name: string; covered: string }>(
    db,
    `select c.service_name as name,
       (c.covered + lost.heights + int8multirange(int8range(0, coalesce(w.start_height, 0))))::text as covered
     from app.coverage c left join app.own_workers w on w.name = c.service_name cross join (
       select coalesce(range_agg(int8range(block_height, block_height + 1)), '{}') as heights
       from raw.unavailable where part = 'block'
     ) lost`,
  )
  return new Map(rows.map(({ name, covered }) => [name, parseMultirange(covered)]))
}

function readyHeights(coverage: Coverage, sources: readonly EventSource[]): HeightSet {
  const stored = union(coverage.get('main_ingester') ?? [], coverage.get('history_ingester') ?? [])
  const workers = new Set(sources.flatMap((source) => source.workers))
  return [...workers].reduce((ready, worker) => intersection(ready, coverage.get(worker) ?? []), stored)
}

/** `from` if it is not ready. */
function readyEnd(ready: HeightSet, from: number): number {
  return ready.find((range) => range.from <= from && from < range.to)?.to ?? from
}
