import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { pino } from 'pino'
import { workers } from '../../jobs/index.ts'
import { addOwnWorker } from '../../src/farm/leases/coverage.ts'
import { createPostgresWorkQueue } from '../../src/farm/queues/postgres-work-queue.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { dropQueues, truncateQueues } from '../support/drop-queues.ts'
import { tablesOf } from './expected-state.ts'
import { clearLeaseAudit } from './lease-audit.ts'
import { clearRaw, simulatedOwnWorker } from './recorded-chains.ts'

/** Runs one history at a time in a separate database. */
export class Lane {
  readonly databaseUrl: string
  /** Connections of the test, unaffected by faults of the simulated processes. */
  readonly pool: pg.Pool
  /** Folder for sockets. */
  readonly folder: string

  private constructor(database: { readonly url: string; readonly pool: pg.Pool }, folder: string) {
    this.databaseUrl = database.url
    this.pool = database.pool
    this.folder = folder
  }

  /** The database is a copy of the chain library. */
  static async open(database: { readonly url: string; readonly pool: pg.Pool }): Promise<Lane> {
    return new Lane(database, await mkdtemp(join(tmpdir(), 'flowfarm-lane-')))
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Resets the database, even if it is in use. */
  async clear(): Promise<void> {
    await this.pool.query(
      'select pg_terminate_backend(pid, 1000) from pg_stat_activity where datname = current_database() and application_name <> $1',
      ['test'],
    )
    await this.pool.query(
      `truncate app.worker_leases, app.backfill_requests, ${tablesOf([...workers, simulatedOwnWorker]).join(', ')}`,
    )
    await clearRaw(this.pool)
    await withTransaction(this.pool, (client) => addOwnWorker(client, simulatedOwnWorker.name, 0))
    await clearLeaseAudit(this.pool)
    await this.makeQueueTables()
  }

  /** Terminates a `share` of the sessions of simulated processes, like an administrator. */
  async endSessions(share: number): Promise<void> {
    await this.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'process%' and random() < $1`,
      [share],
    )
  }

  /** Deletes all jobs, and with `drop` their tables as well. */
  async dropQueues(how: 'truncate' | 'drop'): Promise<void> {
    if (how === 'drop') await dropQueues(this.pool)
    else await truncateQueues(this.pool)
  }

  async makeQueueTables(): Promise<void> {
    const { rows } = await this.pool.query<{ jobs: string | null }>(`select to_regclass('bullmq.job')::text as jobs`)
    if (rows[0]?.jobs === null) await makeQueueTables(this.databaseUrl)
    else await this.pool.query('delete from bullmq.job')
  }
}

/** Creates the queue tables before the first process needs them. */
export async function makeQueueTables(databaseUrl: string): Promise<void> {
  const queue = await createPostgresWorkQueue(databaseUrl, pino({ level: 'silent' }))
  await queue.close()
}
