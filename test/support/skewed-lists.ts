import type { SkewedSize } from './skewed/skewed-world.ts'
import { writeSkewedChain } from './skewed/write-skewed-chain.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { createTestDatabase } from './database.ts'
import type { TestDatabase } from './database.ts'
import { explainAll, recordStatements } from './query-plans.ts'
import type { QueryPlan } from './query-plans.ts'
import { runApi } from './running-api.ts'
import type { RunningApi } from './running-api.ts'

/** The API on a skewed chain, which records its statements. */
export interface SkewedLists {
  readonly database: TestDatabase
  readonly api: RunningApi
  /**
   * Requests a path, then explains each of its statements with their values. One path at a time.
   */
  readonly planOf: (path: string) => Promise<QueryPlan>
  readonly stop: () => Promise<void>
}

/**
 * @param isScanned whether tables may be scanned as a whole; the planner does so for small tables,
 * regardless of indexes
 */
export async function openSkewedLists(
  size: SkewedSize,
  { isScanned }: { readonly isScanned: boolean },
): Promise<SkewedLists> {
  const database = await createTestDatabase({ statementTimeoutMs: 0 })
  await writeSkewedChain(database.pool, size)
  if (!isScanned) await forbidScans(database)
  const explaining = createPool(database.url, { max: 1, applicationName: 'test', statementTimeoutMs: 0 })
  const reads = await createReadPool({ url: database.url })
  const { recording, statements } = recordStatements(reads)
  const api = await runApi(database.url, { server: { database: recording } })
  return {
    database,
    api,
    planOf: async (path) => {
      statements.length = 0
      await api.json(path)
      return explainAll(explaining, [...statements])
    },
    stop: async () => {
      await api.stop()
      await Promise.all([reads.end(), explaining.end()])
      await database.drop()
    },
  }
}

/** For new connections. */
async function forbidScans({ pool }: TestDatabase): Promise<void> {
  const {
    rows: [row],
  } = await pool.query<{ name: string }>('select quote_ident(current_database()) as name')
  await pool.query(`alter database ${row?.name} set enable_seqscan = off`)
}
