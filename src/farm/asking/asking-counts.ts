import type pg from 'pg'
import type { AskingWorker } from '../../../jobs/asking/asking-worker.ts'
import { query } from '../../db/pool.ts'

/** How the asking of one question stands. */
export interface AskingCount {
  readonly worker: string
  /** The table of answers. */
  readonly table: string
  /** Keys that are due; counted up to `mostCounted`, as are those that follow. */
  readonly due: number
  /** Keys whose last asking failed. */
  readonly failed: number
}

const mostCounted = 10_000

/** Counts what is due and what failed, each by an index and up to a bound. */
export async function countAsking(pool: pg.Pool, workers: readonly AskingWorker[]): Promise<AskingCount[]> {
  const questions = workers.flatMap(({ name, questions: all }) => all.map(({ table }) => ({ worker: name, table })))
  if (questions.length === 0) return []
  const bounded = (table: string, condition: string): string =>
    `(select count(*) from (select from ${table} where ${condition} order by next_ask_at limit ${mostCounted}) x)`
  const { rows } = await query<{ due: string; failed: string }>(
    pool,
    questions
      .map(
        ({ table }, i) =>
          `select ${i} as i, ${bounded(table, 'next_ask_at <= now()')} as due, ${bounded(table, `status = 'failed'`)} as failed`,
      )
      .join(' union all ') + ' order by i',
  )
  return questions.map((question, i) => ({
    ...question,
    due: Number(rows[i]?.due ?? 0),
    failed: Number(rows[i]?.failed ?? 0),
  }))
}
