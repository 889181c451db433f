import type { DatabasePool } from 'slonik'

/** How long that is kept which no commit announces: names, prices, templates. */
export const recentReadsMs = 1000

interface RecentReads {
  readonly maxAgeMs: number
  /** While commits are not heard of nothing is kept. */
  isDeaf: boolean
  values: Map<string, { readonly value: unknown; readonly until: number }>
}

/** A few kilobytes each at most; when there are more, all are read anew. */
const mostValues = 10_000

const ofPools = new WeakMap<DatabasePool, RecentReads>()

/** What whoever keeps recent reads of a pool tells of commits. */
export interface CommitHearing {
  /** To be called at every commit that is heard of. */
  forget(): void
  /** Whether commits are not heard of at present. */
  setDeaf(isDeaf: boolean): void
}

/** From now on what `readRecent` reads of these pools of one database is kept: until it is forgotten, or `maxAgeMs` old. */
export function keepRecentReads(databases: readonly DatabasePool[], maxAgeMs: number): CommitHearing {
  const reads: RecentReads = { maxAgeMs, isDeaf: false, values: new Map() }
  for (const database of databases) ofPools.set(database, reads)
  const forget = (): void => {
    reads.values = new Map()
  }
  return {
    forget,
    setDeaf: (isDeaf) => {
      reads.isDeaf = isDeaf
      forget()
    },
  }
}

/**
 * Values by key, those that were read a moment ago from memory, where the pool's owner has them kept. What is not there is remembered
 * as well.
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
  if (reads === undefined || reads.isDeaf)
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
  if (recent.size + missing.length > mostValues) recent.clear()
  for (const key of missing) {
    const value = values.get(key)
    recent.set(`${kind} ${key}`, { value, until: now + reads.maxAgeMs })
    if (value !== undefined) found.set(key, value)
  }
  return found
}
