import type { Client, ClientBase, Pool } from 'pg'
import { pause } from '../retry.ts'
import { DedicatedConnection, type DedicatedConnectionOptions } from './dedicated-connection.ts'
import { asDatabaseError } from './errors.ts'

/** Who holds the lock that somebody waits for. */
export interface LockHolder {
  /** Process id of its session in the server. */
  readonly pid: number
  readonly applicationName: string
  /** IP address, or null for a unix socket. */
  readonly address: string | null
  /** When its session began, ISO 8601. */
  readonly since: string
}

export interface AcquireLockOptions extends DedicatedConnectionOptions {
  /** Told once for each holder that is waited for. */
  onWaiting?: ((holder: LockHolder) => void) | undefined
  /** How often a waiter tries. Default 500 ms. */
  retryMs?: number | undefined
}

export interface HeldLock {
  /**
   * Aborted when the connection that holds the lock is lost. The server gives the lock to somebody else as soon as it
   * notices too, so its owner must stop at once, and what it still commits must be fenced.
   */
  readonly lost: AbortSignal
  /** Gives the lock back. May be called twice, and after a loss. */
  release(): Promise<void>
}

/**
 * Waits for the lock called `key` and holds it in a session of its own until `release`. One holder in the database at a
 * time. A holder that dies loses the lock at once if the server sees its connection close, else within about 25 s, and
 * one that stands still within 20 s.
 *
 * The waiter asks again and again rather than waiting inside the server, where its open statement would keep VACUUM
 * from cleaning up for as long as it waits; each try is also a sign of life. Throws RetryableError when its connection
 * is lost while waiting, and the signal's reason when that is aborted first.
 */
export async function acquireLock(
  target: string | Pool,
  key: string,
  options: AcquireLockOptions = {},
): Promise<HeldLock> {
  const { signal, onWaiting, retryMs = 500 } = options
  const connection = await DedicatedConnection.open(target, options)
  try {
    let toldPid: number | undefined
    while (!(await tryLock(connection.client, key))) {
      const holder = await findLockHolder(connection.client, key)
      if (holder !== undefined && holder.pid !== toldPid) onWaiting?.(holder)
      toldPid = holder?.pid
      await pause(retryMs * (0.75 + Math.random() / 2), signal)
    }
    signal?.throwIfAborted()
  } catch (error) {
    await connection.close()
    throw signal?.aborted === true ? error : asDatabaseError(error)
  }
  connection.startHeartbeat((client) => client.query('SELECT'))
  return { lost: connection.lost, release: () => connection.close() }
}

async function tryLock(client: Client, key: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
    [key],
  )
  return rows[0]?.locked === true
}

/**
 * Who holds the lock called `key` now; undefined when nobody does. A lock on one bigint shows in pg_locks as its two
 * halves with objsubid 1.
 */
export async function findLockHolder(db: Pool | ClientBase, key: string): Promise<LockHolder | undefined> {
  const { rows } = await db.query<{ pid: number; application_name: string; address: string | null; since: Date }>(
    `SELECT a.pid, a.application_name, host(a.client_addr) AS address, a.backend_start AS since
     FROM pg_locks l JOIN pg_stat_activity a USING (pid), hashtextextended($1, 0) AS key
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND l.classid = ((key >> 32) & 4294967295)::oid AND l.objid = (key & 4294967295)::oid`,
    [key],
  )
  const [row] = rows
  if (row === undefined) return undefined
  return { pid: row.pid, applicationName: row.application_name, address: row.address, since: row.since.toISOString() }
}
