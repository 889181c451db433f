import type pg from 'pg'
import { asDatabaseError } from '../../platform/db/errors.ts'

/**
 * The version of the stored chain goes up with every rollback: the generation of the forward ingester's checkpoint.
 * What was derived from blocks of one version may be committed under that version only, so that no block of a fork that
 * is gone leaves rows behind, however slow its worker and whatever cache the block came from.
 */
export const versionQuery = "select generation from app.indexing_checkpoints where service_name = 'main_ingester'"

/**
 * Advisory lock: commits share it, a rollback has it alone. So a commit happens before a rollback or after, never
 * across.
 */
const rollbackLock = 7_364_831

export async function readChainVersion(db: pg.Pool | pg.ClientBase): Promise<number> {
  const { rows } = await db.query<{ generation: string }>({ name: 'farm-chain-version', text: versionQuery })
  return versionOf(rows)
}

/**
 * Begins a transaction that commits derived rows, and runs `statements` in it; waits while a rollback is under way. One
 * round trip.
 * @returns the version of the chain, which cannot change until the transaction ends, and the rows that each of the
 *   statements changed
 */
export async function beginCommit(
  client: pg.ClientBase,
  statements: readonly string[] = [],
): Promise<{ readonly chainVersion: number; readonly changed: readonly (number | null)[] }> {
  try {
    // Statements of a simple query have a snapshot each, so those after the lock see what a rollback did that was
    // waited for.
    const text = ['begin', `select pg_advisory_xact_lock_shared(${rollbackLock})`, versionQuery, ...statements].join(
      '; ',
    )
    const results: unknown = await client.query(text)
    const [, , version, ...rest] = results as pg.QueryResult<{ generation: string }>[]
    return { chainVersion: versionOf(version?.rows ?? []), changed: rest.map(({ rowCount }) => rowCount) }
  } catch (error) {
    throw asDatabaseError(error)
  }
}

/** Waits for the commits that are under way and holds back new ones until the transaction of `client` ends. */
export async function lockOutCommits(client: pg.ClientBase): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${rollbackLock})`)
}

/** Before the forward ingester has ever run there was no rollback. */
function versionOf(rows: readonly { generation: string }[]): number {
  return Number(rows[0]?.generation ?? 0)
}
