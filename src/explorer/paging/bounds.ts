import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'

/** Lowest and highest stored height, both inclusive. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

const boundsRow = z.object({ min: z.number().nullable(), max: z.number().nullable() })

/**
 * The stored heights as far as their ends go, read from the coverage of the ingesters: two rows, however long the
 * chain is. Every list bounds its scan with it, so that partitions are left out when the statement is planned.
 * @returns undefined while nothing is stored
 */
export async function readBounds(database: DatabasePool): Promise<Bounds | undefined> {
  return (await readRecent(database, 'bounds', [''], async () => new Map([['', await askBounds(database)]]))).get('')
}

async function askBounds(database: DatabasePool): Promise<Bounds | undefined> {
  const { min, max } = await database.one(sql.prepared('bounds', boundsRow)`
    select min(lower(covered)) as min, max(upper(covered)) - 1 as max
    from app.indexing_checkpoints
    where service_name in ('main_ingester', 'history_ingester')
  `)
  return min === null || max === null ? undefined : { min, max }
}

/**
 * Reads a page downwards from `top`: first from a window of heights that holds it unless heights are missing, and only
 * if that gives too few rows from all heights below, which may touch every partition.
 * @param read gives up to `count` rows of the heights `low` to `high`, highest first
 */
export async function readDownwards<Row>(
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

const settledRow = z.object({ is_settled: z.boolean() })

/**
 * How long an answer about a height may be kept: it is settled when the height is too deep to be rolled back, nodes
 * served all of its block, and each worker that the answer uses has derived it. Reads folded coverage alone, which is
 * late by moments.
 */
export async function cachingAt(
  { database, maxReorgDepth }: { readonly database: DatabasePool; readonly maxReorgDepth: number },
  height: number,
  workers: readonly string[],
): Promise<'settled' | 'revalidate'> {
  const bounds = await readBounds(database)
  if (bounds === undefined || height > bounds.max - maxReorgDepth) return 'revalidate'
  const { is_settled: isSettled } = await database.one(sql.prepared('settled', settledRow)`
    select not exists (select from raw.unavailable where block_height = ${height}) and (
      select count(*) = ${workers.length} from app.indexing_checkpoints
      where service_name = any (${sql.array([...workers], 'text')}) and covered @> ${height}::int8
    ) as is_settled
  `)
  return isSettled ? 'settled' : 'revalidate'
}

/** How long that is kept which no commit announces: names, prices, templates. */
export const recentReadsMs = 1000

interface RecentReads {
  readonly maxAgeMs: number
  /** While commits are not heard of nothing is kept. */
  isSuspended: boolean
  values: Map<string, { readonly value: unknown; readonly until: number }>
}

/** A few kilobytes each at most; when there are more, all are read anew. */
const maxValues = 10_000

const ofPools = new WeakMap<DatabasePool, RecentReads>()

/** What whoever keeps recent reads of a pool tells of commits. */
export interface CommitHearing {
  /** To be called at every commit that is heard of. */
  forget(): void
  /** Whether commits are not heard of at present. */
  setSuspended(isSuspended: boolean): void
}

/**
 * From now on what `readRecent` reads of these pools of one database is kept: until it is forgotten, or `maxAgeMs`
 * old.
 */
export function keepRecentReads(databases: readonly DatabasePool[], maxAgeMs: number): CommitHearing {
  const reads: RecentReads = { maxAgeMs, isSuspended: false, values: new Map() }
  for (const database of databases) ofPools.set(database, reads)
  const forget = (): void => {
    reads.values = new Map()
  }
  return {
    forget,
    setSuspended: (isSuspended) => {
      reads.isSuspended = isSuspended
      forget()
    },
  }
}

/**
 * Values by key, those that were read a moment ago from memory, where the pool's owner has them kept. What is not
 * there is remembered as well.
 * @param kind tells apart what has the same keys
 * @param read is asked for the others; leaves out what is not there
 */
export async function readRecent<Value>(
  database: DatabasePool,
  kind: string,
  keys: readonly string[],
  read: (missing: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<ReadonlyMap<string, Value>> {
  const distinct = [...new Set(keys)]
  const reads = ofPools.get(database)
  if (reads === undefined || reads.isSuspended)
    return distinct.length === 0 ? new Map<string, Value>() : await read(distinct)
  const now = performance.now()
  // Whoever forgets makes another map: what was read before a commit is not kept after it.
  const { values: recent } = reads
  const found = new Map<string, Value>()
  const missing: string[] = []
  for (const key of distinct) {
    const known = recent.get(`${kind} ${key}`)
    if (known === undefined || known.until <= now) missing.push(key)
    else if (known.value !== undefined) found.set(key, known.value as Value)
  }
  if (missing.length === 0) return found
  const values = await read(missing)
  if (recent.size + missing.length > maxValues) recent.clear()
  for (const key of missing) {
    const value = values.get(key)
    recent.set(`${kind} ${key}`, { value, until: now + reads.maxAgeMs })
    if (value !== undefined) found.set(key, value)
  }
  return found
}
