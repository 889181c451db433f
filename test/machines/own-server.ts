import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { createPool } from '../../src/platform/db/pool.ts'

/** A dedicated PostgreSQL for tests that copy, replicate or destroy it. */
export interface OwnServer {
  readonly url: string
  readonly pool: Pool
  readonly folder: string
  /** Ends the pool and the server; the folder remains. */
  stop(): Promise<void>
}

/** A folder for servers, accessible to the user that runs them. */
export async function makeServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-own-'))
  await chmod(folder, 0o711)
  return folder
}

export async function removeServerFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Starts a server on an existing data folder. */
export async function startOwnServer(folder: string, settings: Record<string, string> = {}): Promise<OwnServer> {
  const server = await startEmbeddedPostgres({
    dataFolder: folder,
    wait: false,
    log: () => undefined,
    settings: { fsync: 'off', shared_buffers: '64MB', ...settings },
  })
  const pool = createPool(server.url, { applicationName: 'test' })
  return {
    url: server.url,
    pool,
    folder,
    stop: async () => {
      if (!pool.ending) await pool.end()
      await server.stop()
    },
  }
}
