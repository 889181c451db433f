import type { Client, ClientBase, Pool } from 'pg'
import { pause } from '../retry.ts'
import { DedicatedConnection, type DedicatedConnectionOptions } from './dedicated-connection.ts'
import { asDatabaseError } from './errors.ts'

export interface LockHolder {
  readonly pid: number
  readonly applicationName: string
  /** Null for a unix socket. */
  readonly address: string | null
  readonly since: string
}

export interface AcquireLockOptions extends DedicatedConnectionOptions {
  /** Called once per holder. */
  onWaiting?: ((holder: LockHolder) => void) | undefined
  retryMs?: number | undefined
}

export interface HeldLock {
  /**
   * Aborted when the lock's connection is lost. The server may then grant the lock to another
   * process: the owner must stop at once and its writes must be fenced.
   */
  readonly lost: AbortSignal
  release(): Promise<void>
}

/**
 * Holds the advisory lock `key` in its own session until `release`. A dead holder loses it within
 * about 25 s. Polls, since a waiting statement would block VACUUM; each attempt is also a
 * heartbeat.
 *
 * @throws RetryableError if the connection is lost while waiting; the reason of the signal
 */
export async function acquireLock(
  target: string | Pool,
  key: string,
  options: AcquireLockOptions = {},
): Promise<HeldLock> {
  const { signal, onWaiting, retryMs = 500 } = options
  const connection = await DedicatedConnection.open(target, options)
  try {
    let reportedPid: number | undefined
    while (!(await tryLock(connection.client, key))) {
      const holder = await findLockHolder(connection.client, key)
      if (holder !== undefined && holder.pid !== reportedPid) onWaiting?.(holder)
      reportedPid = holder?.pid
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

/** pg_locks shows a bigint lock as its two halves with objsubid 1. */
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
