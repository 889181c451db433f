import { escapeIdentifier, escapeLiteral } from 'pg'
import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import type { HeightRange } from '../../base/ranges.ts'

/**
 * Statements that delete what is there of a range in all of a worker's tables, and resolve its problems: those that are met
 * again are opened again. Heights are written into the text, so that the planner looks at the partitions of the range and
 * at no others, and all can go in one round trip.
 */
export function clearRangeTexts(worker: Worker, range: HeightRange): string[] {
  return [
    ...worker.tables.map((table) => `delete from ${quotedTable(table)} where ${inRange(table.heightColumn, range)}`),
    `update raw.indexing_errors set resolved_at = now() where ${openProblems(worker, range)}`,
  ]
}

/** A statement that gives one row where `clearRangeTexts` would change something, and else none. Text like those. */
export function isInTheWayText(worker: Worker, range: HeightRange): string {
  return `select 1 where ${inTheWay(worker, range).join(' or ')}`
}

/** Whether there is nothing that `clearRangeTexts` would change. One round trip for all workers. */
export async function areClear(
  client: pg.ClientBase,
  ranges: ReadonlyMap<Worker, readonly HeightRange[]>,
): Promise<boolean> {
  const parts = [...ranges].flatMap(([worker, own]) => own.flatMap((range) => inTheWay(worker, range)))
  if (parts.length === 0) return true
  const { rows } = await client.query<{ found: boolean }>(`select ${parts.join(' or ')} as found`)
  return rows[0]?.found === false
}

export function quotedTable(table: { readonly name: string }): string {
  return table.name.split('.').map(escapeIdentifier).join('.')
}

function inTheWay(worker: Worker, range: HeightRange): string[] {
  return [
    ...worker.tables.map(
      (table) => `exists (select from ${quotedTable(table)} where ${inRange(table.heightColumn, range)})`,
    ),
    `exists (select from raw.indexing_errors where ${openProblems(worker, range)})`,
  ]
}

function openProblems(worker: Worker, range: HeightRange): string {
  return `worker_name = ${escapeLiteral(worker.name)} and ${inRange('block_height', range)} and resolved_at is null`
}

function inRange(heightColumn: string, { from, to }: HeightRange): string {
  const column = escapeIdentifier(heightColumn)
  return `${column} >= ${literal(from)} and ${column} < ${literal(to)}`
}

function literal(height: number): string {
  if (!Number.isSafeInteger(height)) throw new RangeError(`${height} is no height`)
  return String(height)
}
