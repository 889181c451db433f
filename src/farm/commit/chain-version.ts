import type pg from 'pg'
import { asDatabaseError } from '../../db/errors.ts'

/**
 * The version of the stored chain goes up with every rollback: the generation of the forward ingester's checkpoint.
 * What was derived from blocks of one version may be committed under that version only, so that no block of a fork that
 * is gone leaves rows behind, however slow its worker and whatever cache the block came from.
 */
const versionQuery = "select generation from app.indexing_checkpoints where service_name = 'main_ingester'"

/** Advisory lock: commits share it, a rollback has it alone. So a commit happens before a rollback or after, never across. */
const rollbackLock = 7_364_831

export async function readChainVersion(db: pg.Pool | pg.ClientBase): Promise<number> {
  const { rows } = await db.query<{ generation: string }>({ name: 'farm-chain-version', text: versionQuery })
  return versionOf(rows)
}

/**
 * Begins a transaction that commits derived rows; waits while a rollback is under way. One round trip.
 * @returns the version of the chain, which cannot change until the transaction ends
 */
export async function beginCommit(client: pg.ClientBase): Promise<number> {
  try {
    // Statements of a simple query have a snapshot each, so the last one sees what a rollback did that was waited for.
    const results: unknown = await client.query(`begin; select pg_advisory_xact_lock_shared(${rollbackLock}); ${versionQuery}`)
    const last = (results as pg.QueryResult<{ generation: string }>[]).at(-1)
    return versionOf(last?.rows ?? [])
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
