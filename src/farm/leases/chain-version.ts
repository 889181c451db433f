import type pg from 'pg'
import { asDatabaseError } from '../../platform/db/errors.ts'

/**
 * Generation of the forward ingester's checkpoint; each rollback increments it. Rows can be
 * committed under the version of their blocks only, so that abandoned forks leave no rows.
 */
export const versionQuery = "select generation from app.indexing_checkpoints where service_name = 'main_ingester'"

/** Commits share it, a rollback holds it exclusively. */
const rollbackLock = 7_364_831

export async function readChainVersion(db: pg.Pool | pg.ClientBase): Promise<number> {
  const { rows } = await db.query<{ generation: string }>({ name: 'farm-chain-version', text: versionQuery })
  return versionOf(rows)
}

/**
 * Waits for a running rollback.
 *
 * @returns the chain version, fixed until the transaction ends, and the row count of each statement
 */
export async function beginCommit(
  client: pg.ClientBase,
  statements: readonly string[] = [],
): Promise<{ readonly chainVersion: number; readonly changed: readonly (number | null)[] }> {
  try {
    // Statements of a simple query have separate snapshots, so those after the lock see the
    // rollback that it waited for.
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

/** Until the transaction of `client` ends. */
export async function blockCommits(client: pg.ClientBase): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${rollbackLock})`)
}

function versionOf(rows: readonly { generation: string }[]): number {
  return Number(rows[0]?.generation ?? 0)
}
