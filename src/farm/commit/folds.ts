import { escapeIdentifier } from 'pg'
import type pg from 'pg'
import type { Fold, StateFold, SumFold, Worker } from '../../../jobs/worker.ts'
import type { HeightRange } from '../../base/ranges.ts'
import { addDifference, readCounted } from './sum-folds.ts'
import type { Counted } from './sum-folds.ts'

/** Keys of one fold: an array for each key column, in PostgreSQL's own text form, which goes back as it came. */
interface TouchedKeys {
  readonly count: number
  readonly columns: readonly string[]
}

/** What folds owe to the rows of a range that are about to go: the keys that they touch, and what they count for. */
export interface FoldDebt {
  readonly touched: ReadonlyMap<Fold, TouchedKeys>
  readonly counted: ReadonlyMap<Fold, Counted>
}

/** Lock numbers are (this, hash of the worker's name). */
const foldLockClass = 7_364_832

const noKeys: TouchedKeys = { count: 0, columns: [] }

/** Those whose folds may read what `worker` writes. Folds of all of them are done again when rows of it go. */
export function followersOf(worker: Worker, workers: readonly Worker[]): Worker[] {
  return workers.filter(({ follows, folds }) => folds.length > 0 && follows.includes(worker.name))
}

/** The tables whose rows a fold is computed from. */
export function readsOf(fold: Fold): readonly string[] {
  return fold.kind === 'state' ? fold.reads : [fold.of].flat()
}

/** Whether a range in which the worker writes nothing, and in which nothing was, may still have something to fold. */
export function foldsOthersRows({ tables, folds }: Worker): boolean {
  const own = new Set(tables.map(({ name }) => name))
  return folds.some((fold) => fold.kind === 'state' && fold.reads.some((name) => !own.has(name)))
}

/**
 * One at a time folds for a worker, until its transaction ends. Call it before looking for keys and in a statement of its
 * own: what follows needs a snapshot that is younger than the wait, or it would miss what the one before it committed.
 */
export async function lockFolds(client: pg.ClientBase, workers: readonly Worker[]): Promise<void> {
  const names = workers.filter(({ folds }) => folds.length > 0).map(({ name }) => name)
  if (names.length === 0) return
  await client.query({
    name: 'farm-lock-folds',
    text: `
      select pg_advisory_xact_lock(${foldLockClass}, number)
      from (select distinct hashtext(name) as number from unnest($1::text[]) as name order by 1) as locks`,
    values: [names],
  })
}

/** Looks at what is there of a range, before it is deleted. The caller holds the lock of the worker's folds. */
export async function findFoldDebt(client: pg.ClientBase, worker: Worker, range: HeightRange): Promise<FoldDebt> {
  const touched = new Map<Fold, TouchedKeys>()
  const counted = new Map<Fold, Counted>()
  for (const fold of worker.folds) {
    if (fold.kind === 'state') touched.set(fold, await findTouchedKeys(client, fold, range, noKeys))
    else if (isOfHeights(worker, fold)) counted.set(fold, await readCounted(client, fold, [range.from, range.to]))
  }
  return { touched, counted }
}

/**
 * Does a worker's folds of the keys that a range touches, by the rows that are there now, and of those that it touched
 * before. The caller holds the lock of the worker's folds, and has held it since it looked for the debt; it gives none
 * where no rows were there before.
 */
export async function foldRange(
  client: pg.ClientBase,
  worker: Worker,
  range: HeightRange,
  debt?: FoldDebt,
): Promise<void> {
  const { folds } = worker
  const touched = new Map<Fold, TouchedKeys>()
  const sumsOver = (fold: StateFold): SumFold[] =>
    folds.filter((other) => other.kind === 'sum').filter((other) => readsOf(other).includes(fold.name))
  const isMerged = (fold: StateFold): boolean =>
    debt === undefined && fold.merge !== undefined && sumsOver(fold).length === 0
  for (const fold of folds) {
    if (fold.kind === 'sum' || isMerged(fold)) continue
    touched.set(fold, await findTouchedKeys(client, fold, range, debt?.touched.get(fold) ?? noKeys))
  }
  for (const fold of folds) {
    if (fold.kind === 'sum') {
      if (isOfHeights(worker, fold)) await addDifference(client, fold, [range.from, range.to], debt?.counted.get(fold))
      continue
    }
    if (isMerged(fold)) {
      await mergeRange(client, fold, range)
      continue
    }
    const keys = touched.get(fold)
    if (keys === undefined || keys.count === 0) continue
    const before = new Map<SumFold, Counted>()
    for (const sum of sumsOver(fold)) before.set(sum, await readCounted(client, sum, keys.columns))
    if (debt === undefined && fold.merge !== undefined) await mergeRange(client, fold, range)
    else await foldKeys(client, fold, keys)
    for (const [sum, counted] of before) await addDifference(client, sum, keys.columns, counted)
  }
}

// Both are named, since they are planned for all partitions of the history, which may be many.

async function mergeRange(
  client: pg.ClientBase,
  { name, merge = '' }: StateFold,
  { from, to }: HeightRange,
): Promise<void> {
  await client.query({ name: `farm-merge ${name}`, text: merge, values: [from, to] })
}

async function foldKeys(client: pg.ClientBase, { name, fold }: StateFold, { columns }: TouchedKeys): Promise<void> {
  await client.query({ name: `farm-fold ${name}`, text: fold, values: [...columns] })
}

/** The keys that a range touches together with `earlier` ones. One statement; its cost is the fold's own `touched`. */
async function findTouchedKeys(
  client: pg.ClientBase,
  fold: StateFold,
  range: HeightRange,
  earlier: TouchedKeys,
): Promise<TouchedKeys> {
  const names = fold.key.map(({ column }) => escapeIdentifier(column))
  const arrays = names.map((name, i) => `array_agg(${name})::text as k${i}`)
  const given = fold.key.map(({ type }, i) => `$${i + 3}::${type}[]`).join(', ')
  const more = earlier.count === 0 ? '' : ` union select * from unnest(${given})`
  const { rows } = await client.query<Record<string, string | null> & { count: string }>(
    `select count(*), ${arrays.join(', ')} from ((${fold.touched})${more}) as touched`,
    [range.from, range.to, ...(earlier.count === 0 ? [] : earlier.columns)],
  )
  const [row] = rows
  return { count: Number(row?.count ?? 0), columns: fold.key.map((_, i) => row?.[`k${i}`] ?? '{}') }
}

/** Whether a sum is over rows of heights, and not over those of another fold. */
function isOfHeights({ tables }: Worker, fold: SumFold): boolean {
  return tables.some(({ name }) => readsOf(fold).includes(name))
}
