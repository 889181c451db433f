import type pg from 'pg'
import { withRetriedTransaction } from '../../platform/db/pool.ts'
import { readBacklogs } from '../coordinator/plan-leases.ts'
import { planRanges } from '../coordinator/plan-ranges.ts'
import type { WorkerPlan } from '../coordinator/plan-ranges.ts'
import { readFarmState, readRequestedHeights } from '../coordinator/rounds.ts'
import { foldLeases } from '../leases/coverage.ts'
import { asLease, leaseColumns, maxFailing } from '../leases/leases.ts'
import type { ClaimedLease, LeaseRow } from '../leases/leases.ts'

/** Ranges of an idle worker: at most one range at the head and one of history. */
export interface IdleWorker {
  readonly plan: WorkerPlan
  readonly isLiveIdle: boolean
  readonly isHistoryIdle: boolean
}

export interface LeaseRangesOptions {
  readonly leasedBy: string
  readonly leaseMs: number
  /** Heights of the live zone. 0 without live derivers: all heights are history. */
  readonly liveBlocks: number
  readonly isHistoryEnabled: boolean
}

export interface OwnLease {
  readonly lease: ClaimedLease
  readonly isLive: boolean
  /** Not a retry, nor the rest of a shortened lease. */
  readonly isNew: boolean
}

export interface Slot {
  readonly worker: string
  readonly isLive: boolean
}

/**
 * Own workers have no queue and do not need the coordinator: each process leases ranges for those
 * that it runs, when they can start at once. So a slow worker delays nothing, and workers that no
 * process runs wait without jobs. Retries come first. Unregistered workers get nothing.
 */
export function leaseRanges(
  pool: pg.Pool,
  idle: readonly IdleWorker[],
  options: LeaseRangesOptions,
): Promise<OwnLease[]> {
  return withRetriedTransaction(pool, async (client) => {
    const registered = await lockRegistered(client, idle)
    const names = registered.map(({ plan }) => plan.name)
    if (names.length === 0) return []
    await foldLeases(client, names)
    const { stored, counts } = await readFarmState(client, names, options.liveBlocks)
    if (stored === undefined) return []
    const liveFrom = options.liveBlocks > 0 ? stored.to - options.liveBlocks : Number.MAX_SAFE_INTEGER
    const slots = registered.flatMap(({ plan, isLiveIdle, isHistoryIdle }): Slot[] => [
      ...(isLiveIdle ? [{ worker: plan.name, isLive: true }] : []),
      ...(isHistoryIdle ? [{ worker: plan.name, isLive: false }] : []),
    ])
    const retried = await claimWaiting(client, slots, liveFrom, options)
    const free = registered.flatMap((one): IdleWorker[] => {
      const { failed = 0, flagged = 0 } = counts.get(one.plan.name) ?? {}
      const isTaken = (isLive: boolean): boolean =>
        retried.some(({ lease, isLive: other }) => lease.worker === one.plan.name && other === isLive)
      const isLiveIdle = one.isLiveIdle && !isTaken(true)
      const isHistoryIdle = one.isHistoryIdle && !isTaken(false)
      return failed + flagged < maxFailing && (isLiveIdle || isHistoryIdle)
        ? [{ ...one, isLiveIdle, isHistoryIdle }]
        : []
    })
    return free.length === 0 ? retried : [...retried, ...(await leaseNew(client, free, stored.to, options))]
  })
}

async function lockRegistered(client: pg.ClientBase, idle: readonly IdleWorker[]): Promise<IdleWorker[]> {
  const { rows } = await client.query<{ name: string }>({
    name: 'farm-lock-own',
    text: `
      select service_name as name from app.indexing_checkpoints where service_name = any ($1::text[])
      order by service_name for no key update`,
    values: [idle.map(({ plan }) => plan.name)],
  })
  return idle.filter(({ plan }) => rows.some(({ name }) => name === plan.name))
}

const claimed = `status = 'active', generation = nextval('app.lease_generation'), attempt = l.attempt + 1,
        not_before = null, updated_at = now()`

/** queued, or failed and due → active. */
export async function claimWaiting(
  client: pg.ClientBase,
  slots: readonly Slot[],
  liveFrom: number,
  { leasedBy, leaseMs }: LeaseRangesOptions,
): Promise<OwnLease[]> {
  const { rows } = await client.query<LeaseRow>({
    name: 'farm-claim-own',
    text: `
      with waiting as materialized (
        select l.* from unnest($1::text[], $2::bigint[], $3::bigint[]) as s (worker, low, high)
        cross join lateral (
          select l.worker_type, l.from_height from app.worker_leases l
          where l.worker_type = s.worker and l.status in ('queued', 'failed') and l.from_height >= s.low
            and l.from_height < s.high and (l.status = 'queued' or l.not_before <= now())
          order by l.from_height desc limit 1
          for update skip locked
        ) l
      )
      update app.worker_leases l
      set ${claimed}, leased_by = $4, lease_expires_at = now() + $5 * interval '1 ms'
      from waiting w where l.worker_type = w.worker_type and l.from_height = w.from_height
      returning ${leaseColumns}`,
    values: [
      slots.map(({ worker }) => worker),
      slots.map(({ isLive }) => (isLive ? liveFrom : 0)),
      slots.map(({ isLive }) => (isLive ? Number.MAX_SAFE_INTEGER : liveFrom)),
      leasedBy,
      leaseMs,
    ],
  })
  return rows.map(asLease).map((lease) => ({ lease, isLive: lease.from >= liveFrom, isNew: false }))
}

/** In history the whole chain is searched, so callers limit its frequency. */
async function leaseNew(
  client: pg.ClientBase,
  idle: readonly IdleWorker[],
  head: number,
  { leasedBy, leaseMs, liveBlocks, isHistoryEnabled }: LeaseRangesOptions,
): Promise<OwnLease[]> {
  const requested = await readRequestedHeights(client)
  const names = new Set(idle.flatMap(({ plan }) => [plan.name, ...plan.follows]))
  const span = idle.some(({ isHistoryIdle }) => isHistoryIdle) ? head : liveBlocks
  const heights = await readBacklogs(client, [...names], span)
  const passable = new Map([...heights].map(([name, one]) => [name, one.passable]))
  const ranges = idle.flatMap(({ plan, isLiveIdle, isHistoryIdle }) =>
    planRanges(
      [
        {
          plan,
          pending: heights.get(plan.name)?.pending ?? [],
          reached: heights.get(plan.name)?.reached,
          requested: requested.get(plan.name) ?? [],
          liveCapacity: Number(isLiveIdle),
          requestCapacity: Number(isHistoryIdle),
          historyCapacity: Number(isHistoryIdle),
        },
      ],
      { head, liveBlocks, isLiveEnabled: liveBlocks > 0, isHistoryEnabled, passable },
    ).map(({ from, to }) => ({ worker: plan.name, from, to })),
  )
  if (ranges.length === 0) return []
  const { rows } = await client.query<LeaseRow>({
    name: 'farm-lease-own',
    text: `
      insert into app.worker_leases as l (worker_type, from_height, to_height, status, generation, attempt, leased_by,
        lease_expires_at)
      select r.*, 'active', nextval('app.lease_generation'), 1, $4, now() + $5 * interval '1 ms'
      from unnest($1::text[], $2::bigint[], $3::bigint[]) as r (worker, low, high)
      returning ${leaseColumns}`,
    values: [
      ranges.map(({ worker }) => worker),
      ranges.map(({ from }) => from),
      ranges.map(({ to }) => to),
      leasedBy,
      leaseMs,
    ],
  })
  return rows.map(asLease).map((lease) => ({ lease, isLive: lease.from >= head - liveBlocks, isNew: true }))
}
