import { escapeIdentifier } from 'pg'
import type pg from 'pg'
import type { Fold, Worker } from '../../../jobs/worker.ts'
import type { HeightRange } from '../../base/ranges.ts'

/** Keys of one fold: an array for each key column, in PostgreSQL's own text form, which goes back as it came. */
export interface TouchedKeys {
  readonly fold: Fold
  readonly count: number
  readonly columns: readonly string[]
}

/** Lock numbers are (this, hash of the worker's name). */
const foldLockClass = 7_364_832

/**
 * Finds the keys that a range touches, by the rows that are there now, together with `earlier` ones of the same fold.
 * One statement; its cost is the fold's own `touched`.
 */
export async function findTouchedKeys(client: pg.ClientBase, fold: Fold, range: HeightRange, earlier?: TouchedKeys): Promise<TouchedKeys> {
  const names = fold.key.map(({ column }) => escapeIdentifier(column))
  const before = earlier === undefined || earlier.count === 0 ? undefined : earlier
  const more = before === undefined ? '' : ` union select * from unnest(${fold.key.map(({ type }, i) => `$${i + 3}::${type}[]`).join(', ')})`
  const { rows } = await client.query<Record<string, string | null> & { count: string }>(
    `select count(*), ${names.map((name, i) => `array_agg(${name})::text as k${i}`).join(', ')} from ((${fold.touched})${more}) as touched`,
    [range.from, range.to, ...(before?.columns ?? [])],
  )
  const [row] = rows
  return { fold, count: Number(row?.count ?? 0), columns: fold.key.map((_, i) => row?.[`k${i}`] ?? '{}') }
}

/**
 * One at a time folds for a worker, until its transaction ends. A statement of its own: the fold that follows needs a
 * snapshot that is younger than the wait, or it would miss what the one before it committed.
 */
export async function lockFolds(client: pg.ClientBase, worker: Worker): Promise<void> {
  await client.query({ name: 'farm-lock-folds', text: `select pg_advisory_xact_lock(${foldLockClass}, hashtext($1))`, values: [worker.name] })
}

/** Computes the rows of the touched keys anew from all history. */
export async function foldKeys(client: pg.ClientBase, { fold, count, columns }: TouchedKeys): Promise<void> {
  if (count > 0) await client.query(fold.fold, [...columns])
}
