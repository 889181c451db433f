import type { TestDatabase } from './database.ts'

/** Locks a table until `release`, so that other sessions wait for it. */
export interface TableLock {
  release(): Promise<void>
}

/** Locks a table. In `share` mode it is readable, in `access exclusive` mode it is not. */
export async function lockTable(
  database: Pick<TestDatabase, 'pool'>,
  table: string,
  mode: 'share' | 'access exclusive',
): Promise<TableLock> {
  const client = await database.pool.connect()
  await client.query(`begin; lock table ${table} in ${mode} mode`)
  return {
    release: async () => {
      await client.query('commit')
      client.release()
    },
  }
}

/** First heights of the active leases of the process with the id `pid`. */
export async function activeOf(database: Pick<TestDatabase, 'pool'>, pid: number, worker?: string): Promise<number[]> {
  const { rows } = await database.pool.query<{ from: number }>(
    `select from_height::int as from from app.worker_leases
     where status = 'active' and split_part(leased_by, ':', 2) = $1 and ($2::text is null or worker_type = $2)`,
    [String(pid), worker ?? null],
  )
  return rows.map(({ from }) => from)
}

/**
 * First heights of the leases that the process `pid` has received, proved by a renewal. The
 * response to a recent claim may still be in transit.
 */
export async function waitForHeldLeases(database: Pick<TestDatabase, 'pool'>, pid: number): Promise<number[]> {
  const deadlines = async (): Promise<Map<string, number>> => {
    const { rows } = await database.pool.query<{ key: string; at: number }>(
      `select worker_type || ' ' || from_height || ' ' || generation as key, extract(epoch from lease_expires_at)::float8 as at
       from app.worker_leases where status = 'active' and split_part(leased_by, ':', 2) = $1`,
      [String(pid)],
    )
    return new Map(rows.map(({ key, at }) => [key, at]))
  }
  const first = new Map<string, number>()
  await waitUntil(database, async () => {
    for (const [key, at] of await deadlines()) {
      const before = first.get(key)
      if (before !== undefined && at > before) return true
      first.set(key, before ?? at)
    }
    return false
  })
  return activeOf(database, pid)
}

/** Resolves when a process coordinates the farm. */
export async function waitForCoordinator(database: Pick<TestDatabase, 'pool'>): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(
      `select 1 from pg_locks l, hashtextextended('farm:coordinator', 0) as key
       where l.locktype = 'advisory' and l.granted and l.objsubid = 1
         and l.database = (select oid from pg_database where datname = current_database())
         and l.classid = ((key >> 32) & 4294967295)::oid and l.objid = (key & 4294967295)::oid`,
    )
    if (rowCount === 1) return
    await database.pool.query('select pg_sleep(0.02)')
  }
}

/** Polls every 20 ms until the result is true, for state without a notification. */
export async function waitUntil(database: Pick<TestDatabase, 'pool'>, ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask())) await database.pool.query('select pg_sleep(0.02)')
}
