import type pg from 'pg'
import { FlowfarmError } from '../../src/platform/errors.ts'
import { query } from '../../src/platform/db/pool.ts'

/** SQLSTATEs undefined_table and invalid_schema_name: a process has dropped them meanwhile, to make them anew. */
const missingTables: readonly unknown[] = ['42P01', '3F000']

/** Takes all jobs of the queues away, whoever works with them at this moment. */
export async function truncateQueues(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ tables: string | null }>(
    `select string_agg(format('bullmq.%I', tablename), ', ') as tables from pg_tables where schemaname = 'bullmq'`,
  )
  const tables = rows[0]?.tables
  if (typeof tables === 'string') await untilNoDeadlock(pool, `truncate ${tables}`)
}

/** Takes the queues themselves away. */
export async function dropQueues(pool: pg.Pool): Promise<void> {
  await untilNoDeadlock(pool, 'drop schema if exists bullmq cascade')
}

/** The processes lock the tables in orders of their own: PostgreSQL may choose our statement to end a deadlock. */
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
