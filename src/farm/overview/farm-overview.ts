import { maxCountedErrors } from '../../platform/db/indexing-errors.ts'
import type pg from 'pg'
import { asDatabaseError } from '../../platform/db/errors.ts'
import type { LeaseStatus } from '../leases/leases.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { query } from '../../platform/db/pool.ts'
import { difference, intersection, parseMultirange, size, union } from '../../platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'
import { ingesterServices } from '../leases/coverage.ts'
import { availableToForward, availableToHistory, availableToWorker, numbersOf } from './stage-plan.ts'
import type { HeightNumbers, StageHeights, StagePlan } from './stage-plan.ts'

interface LeaseGroup {
  readonly leases: number
  readonly heights: number
  /** int8multirange as text. */
  readonly ranges: string
}

interface OldestRow {
  readonly from: number
  readonly to: number
  readonly status: LeaseStatus
  readonly attempt: number
  readonly since: string
}

interface StageRow {
  readonly name: string
  /** Multirange text; null without a row, or if its version is the known one. */
  readonly covered: string | null
  readonly version: string | null
  readonly updatedAt: Date | null
  /** Time of the last completed lease; null for ingesters. */
  readonly succeededAt: Date | null
  /** Null except for the history ingester, and until it is known. */
  readonly target: number | null
  readonly leases: Readonly<Partial<Record<LeaseStatus, LeaseGroup>>> | null
  readonly oldest: OldestRow | null
}

interface FarmRows {
  readonly stages: readonly StageRow[]
  readonly chainId: string | null
  readonly latestHeight: number | null
  readonly unresolvedErrors: number
  readonly failingHeights: number
  readonly unavailableHeights: number
}

interface Row extends StageRow {
  readonly chainId: string | null
  readonly latestHeight: number | null
  readonly unresolvedErrors: number
  readonly failingHeights: number
  readonly unavailableHeights: number
}

/**
 * In one snapshot. Reads only coverage whose version is not in `known`: 2 MB for 100,000 ranges.
 */
async function readFarmRows(
  db: pg.Pool | pg.ClientBase,
  names: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<FarmRows> {
  try {
    const { rows } = await db.query<Row>({
      name: 'farm-read-overview',
      text: statement,
      values: [names, names.map((name) => known.get(name) ?? null)],
    })
    const [first] = rows
    return {
      stages: rows,
      chainId: first?.chainId ?? null,
      latestHeight: first?.latestHeight ?? null,
      unresolvedErrors: first?.unresolvedErrors ?? 0,
      failingHeights: first?.failingHeights ?? 0,
      unavailableHeights: first?.unavailableHeights ?? 0,
    }
  } catch (error) {
    throw asDatabaseError(error)
  }
}

const statement = `
  with stage as (
    select * from unnest($1::text[], $2::text[]) with ordinality as s (name, known, position)
  ), grouped as materialized (
    select worker_type, status, count(*) as leases, sum(to_height - from_height) as heights,
      range_agg(int8range(from_height, to_height))::text as ranges, max(updated_at) as updated_at
    from app.worker_leases where worker_type = any ($1::text[]) group by worker_type, status
  ), oldest as materialized (
    select distinct on (worker_type) worker_type, json_build_object('from', from_height, 'to', to_height, 'status',
      status,
      'attempt', attempt, 'since', created_at) as lease
    from app.worker_leases
    where worker_type = any ($1::text[]) and status in ('queued', 'active', 'failed', 'flagged')
    order by worker_type, created_at, from_height
  ), leases as materialized (
    select worker_type, max(updated_at) as updated_at, max(updated_at) filter (where status = 'done') as done_at,
      json_object_agg(status, json_build_object('leases', leases, 'heights', heights, 'ranges', ranges)) as groups
    from grouped group by worker_type
  ), farm as materialized (
    select (select chain_id from app.chain) as chain_id,
      (select latest_height::float8 from app.chain) as latest_height,
      (select count(*)::float8 from (select from raw.indexing_errors where resolved_at is null limit
        ${maxCountedErrors}) e) as errors,
      (select count(*)::float8 from (select from raw.failing_heights where given_up_at is null limit
        ${maxCountedErrors}) h) as failing,
      (select count(distinct block_height)::float8 from (select block_height from raw.unavailable limit
        ${maxCountedErrors}) u) as lost
  )
  select s.name, c.xmin::text as version,
    case when c.xmin::text is distinct from s.known then c.covered::text end as covered,
    greatest(c.updated_at, l.updated_at) as "updatedAt", greatest(c.succeeded_at, l.done_at) as "succeededAt",
      c.target_height::float8 as target,
    l.groups as leases, o.lease as oldest,
    f.chain_id as "chainId", f.latest_height as "latestHeight", f.errors as "unresolvedErrors",
    f.failing as "failingHeights", f.lost as "unavailableHeights"
  from farm f cross join stage s
  left join app.indexing_checkpoints c on c.service_name = s.name
  left join leases l on l.worker_type = s.name
  left join oldest o on o.worker_type = s.name
  order by s.position`

export interface LeaseCount {
  readonly leases: number
  readonly heights: number
}

/** Stored heights that a worker cannot derive yet. */
interface Blocked {
  /** Followed directly or indirectly. */
  readonly by: string
  /**
   * `stalled`: that worker has no failed or flagged leases on these heights, but they have waited
   * too long.
   */
  readonly cause: 'failed' | 'stalled'
  readonly heights: number
  /** Creation of the oldest unfinished lease of `by`; without one, the last progress. */
  readonly since: Date
}

export interface StageState extends StagePlan, HeightNumbers {
  readonly queued: LeaseCount
  readonly active: LeaseCount
  readonly failed: LeaseCount
  /** Attempts exhausted. */
  readonly flagged: LeaseCount
  readonly skipped: LeaseCount
  /** Null if no heights are blocked, or not for long. */
  readonly blocked: Blocked | null
  /** Neither done nor skipped. */
  readonly oldestUnfinished: {
    readonly from: number
    /** Exclusive. */
    readonly to: number
    readonly status: LeaseStatus
    readonly attempt: number
    readonly since: Date
  } | null
  readonly updatedAt: Date | null
}

export interface FarmOverview {
  readonly takenAt: Date
  readonly chainId: string | null
  /** Known to an ingester, else the highest stored height. */
  readonly head: number | null
  /** Ignoring gaps. */
  readonly stored: HeightRange | null
  readonly stages: readonly StageState[]
  /** By stage. */
  readonly heights: ReadonlyMap<string, StageHeights>
  /** Counted up to `maxCountedErrors`. */
  readonly unresolvedErrors: number
  readonly failingHeights: number
  readonly unavailableHeights: number
}

export interface OverviewBounds {
  /** START_BLOCK; 0: none. Default 0. */
  readonly startBlock?: number
  /** Set if this process has a newer value than the database. */
  readonly latestHeight?: number | undefined
  /** Waiting time of blocked heights, ms. Default 300,000. */
  readonly stalledAfterMs?: number
}

const [forwardService, historyService] = ingesterServices

export type KnownCoverage = Map<string, { readonly version: string; readonly covered: HeightSet }>

/**
 * Computing sets of heights is linear in their ranges and yields between stages.
 *
 * @param known cache, updated by this function
 *
 * @throws RetryableError if the database does not respond
 */
export async function readFarmOverview(
  db: pg.Pool | pg.ClientBase,
  plans: readonly StagePlan[],
  bounds: OverviewBounds = {},
  known: KnownCoverage = new Map(),
): Promise<FarmOverview> {
  const names = plans.map(({ name }) => name)
  const rows = await readFarmRows(db, names, new Map([...known].map(([name, { version }]) => [name, version])))
  const takenAt = new Date()
  const byName = new Map(rows.stages.map((row) => [row.name, row]))
  const covered = new Map<string, HeightSet>()
  const passable = new Map<string, HeightSet>()
  for (const row of rows.stages) {
    covered.set(row.name, union(foldedCoverage(row, known), rangesOf(row, 'done')))
    passable.set(row.name, union(covered.get(row.name) ?? [], rangesOf(row, 'skipped')))
    await nextTurn()
  }
  const ofIngesters = ingesterServices.map((name) => covered.get(name) ?? [])
  const stored = ofIngesters.reduce((all, one) => union(all, one), [])
  const highest = stored.at(-1)?.to
  const head = Math.max(bounds.latestHeight ?? -1, rows.latestHeight ?? -1, (highest ?? 0) - 1)
  const historyBottom = byName.get(historyService)?.target ?? undefined
  const chain: Chain = {
    startBlock: bounds.startBlock ?? 0,
    historyBottom,
    head: head < 0 ? undefined : head,
    stored,
    ofIngesters,
    passable,
    stalledAfterMs: bounds.stalledAfterMs ?? 300_000,
  }
  const heights = new Map<string, StageHeights>()
  const stages: StageState[] = []
  for (const plan of plans) {
    const row = byName.get(plan.name)
    if (row === undefined) continue
    const own: StageHeights = {
      // Own workers cover all heights below their start.
      covered:
        plan.kind === 'worker' ? intersection(covered.get(plan.name) ?? [], stored) : (covered.get(plan.name) ?? []),
      available: available(plan, chain),
      skipped: rangesOf(row, 'skipped'),
      active: rangesOf(row, 'active'),
      failing: union(rangesOf(row, 'failed'), rangesOf(row, 'flagged')),
    }
    heights.set(plan.name, own)
    stages.push({ ...stageState(plan, row, own), blocked: await blockedBy(db, plan, own, chain, plans, byName) })
    await nextTurn()
  }
  return {
    takenAt,
    chainId: rows.chainId,
    head: head < 0 ? null : head,
    stages,
    heights,
    unresolvedErrors: rows.unresolvedErrors,
    failingHeights: rows.failingHeights,
    unavailableHeights: rows.unavailableHeights,
    stored: stored[0] === undefined || highest === undefined ? null : { from: stored[0].from, to: highest },
  }
}

interface Chain {
  readonly startBlock: number
  readonly historyBottom: number | undefined
  readonly head: number | undefined
  readonly stored: HeightSet
  readonly ofIngesters: readonly HeightSet[]
  readonly passable: ReadonlyMap<string, HeightSet>
  readonly stalledAfterMs: number
}

function available(
  plan: StagePlan,
  { head, stored, ofIngesters, passable, startBlock, historyBottom }: Chain,
): HeightSet {
  const [forward = [], history = []] = ofIngesters
  if (plan.kind === 'worker')
    return availableToWorker(
      stored,
      plan.follows.map((name) => passable.get(name) ?? []),
    )
  if (plan.name === forwardService) return availableToForward(forward, startBlock, head)
  return availableToHistory(history, forward, plan.isEnabled ? historyBottom : undefined)
}

function foldedCoverage({ name, version, covered }: StageRow, known: KnownCoverage): HeightSet {
  const before = known.get(name)
  if (version !== null && version === before?.version) return before.covered
  const set = parseMultirange(covered ?? '')
  if (version === null) known.delete(name)
  else known.set(name, { version, covered: set })
  return set
}

async function blockedBy(
  db: pg.Pool | pg.ClientBase,
  plan: StagePlan,
  own: StageHeights,
  chain: Chain,
  plans: readonly StagePlan[],
  rows: ReadonlyMap<string, StageRow>,
): Promise<Blocked | null> {
  if (plan.kind !== 'worker' || plan.follows.length === 0) return null
  const waiting = difference(difference(chain.stored, own.available), own.covered)
  if (waiting.length === 0) return null
  const heights = size(waiting)
  const followed = followedBy(plan, plans)
  for (const name of followed) {
    const row = rows.get(name)
    const failed = row === undefined ? [] : union(rangesOf(row, 'failed'), rangesOf(row, 'flagged'))
    if (row?.oldest === null || row === undefined || intersection(waiting, failed).length === 0) continue
    return { by: name, cause: 'failed', heights, since: new Date(row.oldest.since) }
  }
  const lacks = (name: string): boolean => difference(waiting, chain.passable.get(name) ?? []).length > 0
  // Lacks the heights although its followed workers have them.
  const by = followed.find(
    (name) =>
      lacks(name) &&
      !followedBy({ follows: [name] }, plans)
        .slice(1)
        .some(lacks),
  )
  const before = new Date(Date.now() - chain.stalledAfterMs)
  const oldest = by === undefined ? null : (rows.get(by)?.oldest ?? null)
  const since = await waitingSince(db, waiting, oldest, rows.get(plan.name)?.succeededAt ?? null, before)
  return by === undefined || since === null ? null : { by, cause: 'stalled', heights, since }
}

/** Null also if the worker has no progress at all. */
async function waitingSince(
  db: pg.Pool | pg.ClientBase,
  waiting: HeightSet,
  lease: StageRow['oldest'],
  succeededAt: Date | null,
  before: Date,
): Promise<Date | null> {
  if (lease !== null && intersection(waiting, [lease]).length > 0) {
    const since = new Date(lease.since)
    return since > before ? null : since
  }
  if (succeededAt === null || succeededAt > before) return null
  // Without traffic a worker may have no progress for hours: it waits only since the newest block.
  const text = 'select "timestamp" as time from raw.blocks where height = $1'
  const { rows } = await query<{ time: Date }>(db, text, [waiting[0]?.from])
  const storedAt = rows[0]?.time
  if (storedAt === undefined || storedAt < succeededAt) return succeededAt
  return storedAt > before ? null : storedAt
}

function followedBy({ follows }: Pick<StagePlan, 'follows'>, plans: readonly StagePlan[]): readonly string[] {
  const names = new Set(follows)
  for (const name of names) for (const more of plans.find((plan) => plan.name === name)?.follows ?? []) names.add(more)
  return [...names]
}

function stageState(plan: StagePlan, row: StageRow, heights: StageHeights): Omit<StageState, 'blocked'> {
  return {
    ...plan,
    ...numbersOf(heights),
    queued: countOf(row, 'queued'),
    active: countOf(row, 'active'),
    failed: countOf(row, 'failed'),
    flagged: countOf(row, 'flagged'),
    skipped: countOf(row, 'skipped'),
    oldestUnfinished: row.oldest === null ? null : { ...row.oldest, since: new Date(row.oldest.since) },
    updatedAt: row.updatedAt,
  }
}

function countOf({ leases }: StageRow, status: LeaseStatus): LeaseCount {
  const group = leases?.[status]
  return { leases: group?.leases ?? 0, heights: group?.heights ?? 0 }
}

function rangesOf({ leases }: StageRow, status: LeaseStatus): HeightSet {
  return parseMultirange(leases?.[status]?.ranges ?? '')
}
