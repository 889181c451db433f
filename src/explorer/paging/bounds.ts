import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { fixedStatement } from '../../platform/db/named-query.ts'
import { invalidFrom } from '../parameters.ts'

/** Inclusive. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

const boundsRow = z.object({ min: z.number().nullable(), max: z.number().nullable() })

/**
 * Every list bounds its scan with them, so that partitions are pruned at planning. Undefined if
 * nothing is stored.
 */
export async function readBounds(database: DatabasePool): Promise<Bounds | undefined> {
  return (await readRecent(database, 'bounds', [''], async () => new Map([['', await queryBounds(database)]]))).get('')
}

const storedHeights = fixedStatement(sql.prepared('bounds', boundsRow)`
  select min(lower(covered)) as min, max(upper(covered)) - 1 as max
  from app.indexing_checkpoints
  where service_name in ('main_ingester', 'history_ingester')
`)

async function queryBounds(database: DatabasePool): Promise<Bounds | undefined> {
  const { min, max } = await database.one(storedHeights())
  return min === null || max === null ? undefined : { min, max }
}

const blockTime = z.object({ height: z.number(), timestamp: z.string() })

/**
 * Block timestamps never decrease, so each end is found by binary search: about 30 lookups.
 *
 * @param span ISO 8601 UTC with milliseconds; `to` exclusive
 */
export async function readHeightsOf(
  database: DatabasePool,
  bounds: Bounds,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<Bounds | undefined> {
  const [min, end] = await Promise.all([
    from === undefined ? bounds.min : firstHeightFrom(database, bounds, from),
    to === undefined ? bounds.max + 1 : firstHeightFrom(database, bounds, to),
  ])
  return min < end ? { min, max: end - 1 } : undefined
}

/** Inclusive UTC days; undefined: not limited. */
export interface DayFilter {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/**
 * The stored heights of the days.
 *
 * @throws ApiError 400 if the range is empty
 */
export async function readBoundsOfDays(database: DatabasePool, { from, to }: DayFilter): Promise<Bounds | undefined> {
  if (from !== undefined && to !== undefined && from > to) throw invalidFrom(`must not be after "to" (${to})`)
  const bounds = await readBounds(database)
  if (bounds === undefined || (from === undefined && to === undefined)) return bounds
  return readHeightsOf(database, bounds, {
    from: from && `${from}T00:00:00.000Z`,
    to: to && new Date(Date.parse(to) + 86_400_000).toISOString(),
  })
}

/** A block may be newer than the cached bounds. */
export async function readBoundsOf(
  database: DatabasePool,
  { height, ...days }: DayFilter & { readonly height?: number | undefined },
): Promise<Bounds | undefined> {
  const isOnlyHeight = height !== undefined && days.from === undefined && days.to === undefined
  return isOnlyHeight ? { min: height, max: height } : atHeight(await readBoundsOfDays(database, days), height)
}

export function atHeight(bounds: Bounds | undefined, height: number | undefined): Bounds | undefined {
  if (bounds === undefined || height === undefined) return bounds
  return height < bounds.min || height > bounds.max ? undefined : { min: height, max: height }
}

/** `max + 1` without such a block. */
async function firstHeightFrom(database: DatabasePool, { min, max }: Bounds, time: string): Promise<number> {
  let [low, end, found] = [min, max + 1, max + 1]
  while (low < end) {
    const middle = Math.floor((low + end) / 2)
    const block = await database.maybeOne(sql.type(blockTime)`
      select height, timestamp from raw.blocks
      where height >= ${middle} and height < ${end}
      order by height
      limit 1
    `)
    if (block !== null && block.timestamp < time) {
      low = block.height + 1
    } else {
      if (block !== null) found = block.height
      end = middle
    }
  }
  return found
}

/**
 * The first window suffices unless heights are missing; all heights below may touch every
 * partition.
 *
 * @param read returns up to `count` rows between `low` and `high`, highest first
 */
export async function readDescending<Row>(
  bounds: Bounds | undefined,
  top: number,
  count: number,
  read: (low: number, high: number, count: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (bounds === undefined) return []
  const high = Math.min(top, bounds.max)
  if (high < bounds.min) return []
  const low = Math.max(bounds.min, high - count)
  const rows = await read(low, high, count)
  return rows.length >= count || low === bounds.min ? rows : read(bounds.min, high, count)
}

const settledPiece = 100_000

const settledRow = z.object({ ranges: z.array(z.tuple([z.number(), z.number()])) })

/** Parameters: workers, first and last height of a piece. */
const settledRanges = fixedStatement(sql.prepared('settled heights', settledRow)`
  select coalesce(json_agg(json_build_array(lower(range), upper(range))), '[]') as ranges
  from unnest((
    select case when count(*) = cardinality($1::text[])
      then coalesce(range_intersect_agg(covered), '{(,)}') * int8multirange(int8range($2::int8, $3::int8, '[]')) - (
        select coalesce(range_agg(int8range(block_height, block_height, '[]')), '{}') from raw.unavailable
        where block_height between $2::int8 and $3::int8
      ) end
    from app.indexing_checkpoints where service_name = any ($1::text[])
  )) as range
`)

/**
 * Settled: below the reorg depth, with an available block, derived by all `workers`. Reads folded
 * coverage only, which lags by moments.
 */
export async function cachingAt(
  { database, maxReorgDepth }: { readonly database: DatabasePool; readonly maxReorgDepth: number },
  height: number,
  workers: readonly string[],
): Promise<'settled' | 'revalidate'> {
  const bounds = await readBounds(database)
  if (bounds === undefined || height > bounds.max - maxReorgDepth) return 'revalidate'
  const first = height - (height % settledPiece)
  const key = `${first} ${workers.join(' ')}`
  const known = await readRecent(database, 'settled', [key], async () => {
    return new Map([[key, await database.one(settledRanges(workers, first, first + settledPiece - 1))]])
  })
  const isSettled = known.get(key)?.ranges.some(([from, to]) => from <= height && height < to)
  return isSettled === true ? 'settled' : 'revalidate'
}

/** Lifetime of values that change without a commit notification, such as names and prices. */
export const recentReadsMs = 1000

interface RecentReads {
  readonly maxAgeMs: number
  isSuspended: boolean
  values: Map<string, RecentValues>
}

type RecentValues = Map<string, { readonly value: unknown; readonly until: number }>

/** Of one kind. */
const maxValues = 10_000

const readsByPool = new WeakMap<DatabasePool, RecentReads>()

export interface RecentReadsCache {
  /** Call at every commit. */
  clear(): void
  suspend(isSuspended: boolean): void
}

/** @param databases pools of one database */
export function cacheRecentReads(databases: readonly DatabasePool[], maxAgeMs: number): RecentReadsCache {
  const reads: RecentReads = { maxAgeMs, isSuspended: false, values: new Map() }
  for (const database of databases) readsByPool.set(database, reads)
  const clear = (): void => {
    reads.values = new Map()
  }
  return {
    clear,
    suspend: (isSuspended) => {
      reads.isSuspended = isSuspended
      clear()
    },
  }
}

/**
 * Absent values are cached too.
 *
 * @param kind separates key spaces
 *
 * @param read omits absent keys
 */
export async function readRecent<Value>(
  database: DatabasePool,
  kind: string,
  keys: readonly string[],
  read: (missing: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<ReadonlyMap<string, Value>> {
  const reads = readsByPool.get(database)
  if (reads === undefined || reads.isSuspended)
    return keys.length === 0 ? new Map<string, Value>() : await read([...new Set(keys)])
  const now = performance.now()
  // `clear` replaces the map, so values read before a commit are not cached after it.
  const recent = reads.values.get(kind) ?? (new Map() as RecentValues)
  reads.values.set(kind, recent)
  const found = new Map<string, Value>()
  const missing = new Set<string>()
  for (const key of keys) {
    const known = recent.get(key)
    if (known === undefined || known.until <= now) missing.add(key)
    else if (known.value !== undefined) found.set(key, known.value as Value)
  }
  if (missing.size === 0) return found
  const values = await read([...missing])
  if (recent.size + missing.size > maxValues) recent.clear()
  for (const key of missing) {
    const value = values.get(key)
    recent.set(key, { value, until: now + reads.maxAgeMs })
    if (value !== undefined) found.set(key, value)
  }
  return found
}
