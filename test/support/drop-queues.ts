import type pg from 'pg'
import { FlowfarmError } from '../../src/platform/errors.ts'
import { query } from '../../src/platform/db/pool.ts'

/**
 * SQLSTATEs undefined_table and invalid_schema_name: another process has dropped the queues to
 * recreate them.
 */
const missingTables: readonly unknown[] = ['42P01', '3F000']

/** Deletes all jobs of the queues, even those in progress. */
export async function truncateQueues(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ tables: string | null }>(
    `select string_agg(format('bullmq.%I', tablename), ', ') as tables from pg_tables where schemaname = 'bullmq'`,
  )
  const tables = rows[0]?.tables
  if (typeof tables === 'string') await untilNoDeadlock(pool, `truncate ${tables}`)
}

/** Deletes the queues. */
export async function dropQueues(pool: pg.Pool): Promise<void> {
  await untilNoDeadlock(pool, 'drop schema if exists bullmq cascade')
}

/**
 * The processes lock the tables in different orders, so PostgreSQL may cancel this statement to
 * resolve a deadlock.
 */
async function untilNoDeadlock(pool: pg.Pool, sql: string): Promise<void> {
  for (;;) {
    try {
      await query(pool, sql)
      return
    } catch (error) {
      if (!(error instanceof FlowfarmError)) throw error
      if (missingTables.includes(error.details['sqlState'])) return
      if (error.code !== 'transaction-conflict') throw error
    }
  }
}
