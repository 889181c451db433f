import type pg from 'pg'
import { parseMultirange } from '../../base/ranges.ts'
import type { HeightSet } from '../../base/ranges.ts'

/**
 * What ingesters and workers have done, folded coverage and done leases in one snapshot. Without `names` all of them;
 * one that has no row is not in the answer.
 */
export async function readCoverage(
  db: pg.Pool | pg.ClientBase,
  names?: readonly string[],
): Promise<Map<string, HeightSet>> {
  const { rows } = await db.query<{ service_name: string; covered: string }>({
    name: 'farm-read-coverage',
    text: 'select service_name, covered::text as covered from app.coverage where $1::text[] is null or service_name = any ($1)',
    values: [names ?? null],
  })
  return new Map(rows.map((row) => [row.service_name, parseMultirange(row.covered)]))
}
