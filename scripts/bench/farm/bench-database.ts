import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type pg from 'pg'
import { startEmbeddedPostgres } from '../../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { createPool } from '../../../src/platform/db/pool.ts'

/** An embedded PostgreSQL of its own, with flowfarm's tables, for one measurement. */
export interface BenchDatabase {
  readonly url: string
  readonly pool: pg.Pool
  /** Process id of the server, for `treeCpuSeconds`. */
  readonly postmaster: number
  close(): Promise<void>
}

/** Settings of the server win over flowfarm's own. */
export async function openBenchDatabase(settings: Record<string, string> = {}): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'flowfarm-bench-'))
  const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined, settings })
  const pool = createPool(server.url, { max: 12, applicationName: 'bench', statementTimeoutMs: 0 })
  await migrate(pool, resolve(import.meta.dirname, '../../../migrations'))
  const [firstLine] = readFileSync(join(folder, 'cluster/postmaster.pid'), 'utf8').split('\n')
  return {
    url: server.url,
    pool,
    postmaster: Number(firstLine),
    close: async () => {
      if (!pool.ending) await pool.end()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
