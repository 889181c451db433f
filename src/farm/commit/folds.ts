import { escapeIdentifier, escapeLiteral } from 'pg'
import type pg from 'pg'
import type { Fold, StateFold, SumFold, Worker, SqlColumn } from '../../../jobs/worker.ts'
import type { HeightRange } from '../../platform/ranges.ts'

/** An array for each key column, in PostgreSQL's text format. */
interface TouchedKeys {
  readonly count: number
  readonly columns: readonly string[]
}

/** Keys touched by rows about to be deleted, and their contribution to sums. */
export interface FoldDebt {
  readonly touched: ReadonlyMap<Fold, TouchedKeys>
  readonly counted: ReadonlyMap<Fold, Counted>
}

/** First key of the advisory locks; the second is a hash of the worker's name. */
const foldLockClass = 7_364_832

const noKeys: TouchedKeys = { count: 0, columns: [] }

/** Workers whose folds may read rows of `worker`. */
export function followersOf(worker: Worker, workers: readonly Worker[]): Worker[] {
  return workers.filter(({ follows, folds }) => folds.length > 0 && follows.includes(worker.name))
}

export function readsOf(fold: Fold): readonly string[] {
  return fold.kind === 'state' ? fold.reads : [fold.of].flat()
}

export function readsOtherWorkers({ tables, folds }: Worker): boolean {
  const own = new Set(tables.map(({ name }) => name))
  return folds.some((fold) => fold.kind === 'state' && fold.reads.some((name) => !own.has(name)))
}

/**
 * Locks the folds of the workers until the transaction ends. Call it in a separate statement
 * before finding keys: the next statement then sees what the previous holder committed.
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

/** Call before the rows are deleted. Requires the fold lock. */
export async function findFoldDebt(client: pg.ClientBase, worker: Worker, range: HeightRange): Promise<FoldDebt> {
  const touched = new Map<Fold, TouchedKeys>()
  const counted = new Map<Fold, Counted>()
  for (const fold of worker.folds) {
    if (fold.kind === 'state') touched.set(fold, await findTouchedKeys(client, fold, range, noKeys))
    else if (isOfHeights(worker, fold)) counted.set(fold, await readCounted(client, fold, [range.from, range.to]))
  }
  return { touched, counted }
}

/** Requires the fold lock, held since `debt` was computed. */
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

// Named statements: planning them for all partitions of the history is expensive.

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

function isOfHeights({ tables }: Worker, fold: SumFold): boolean {
  return tables.some(({ name }) => readsOf(fold).includes(name))
}

interface Counted {
  readonly count: number
  readonly columns: readonly string[]
}

type CountedOf = readonly (number | string)[]

async function readCounted(client: pg.ClientBase, fold: SumFold, of: CountedOf): Promise<Counted> {
  const columns = columnsOf(fold)
  const arrays = columns.map(({ column }, i) => `array_agg(${escapeIdentifier(column)})::text as k${i}`)
  const { rows } = await client.query<Record<string, string | null> & { count: string }>(
    `select count(*), ${arrays.join(', ')} from (${sumsText(fold, fold.counted)}) as counted`,
    [...of],
  )
  const [row] = rows
  return { count: Number(row?.count ?? 0), columns: columns.map((_, i) => row?.[`k${i}`] ?? '{}') }
}

/** Requires the fold lock. */
async function addDifference(client: pg.ClientBase, fold: SumFold, of: CountedOf, before?: Counted): Promise<void> {
  const earlier = before === undefined || before.count === 0 ? undefined : before
  const values = [...of, ...(earlier?.columns ?? [])]
  const text = differenceText(fold, of.length, earlier !== undefined)
  // Most ranges have no earlier rows. Planning this statement takes longer than running it.
  await client.query(earlier === undefined ? { name: `farm-sum ${fold.name}`, text, values } : { text, values })
}

/** One MERGE: deletes sums without contributions and skips unchanged ones. */
function differenceText(fold: SumFold, parameters: number, hasEarlier: boolean): string {
  const keys = fold.key.map(({ column }) => escapeIdentifier(column))
  const sums = fold.sums.map(({ column }) => escapeIdentifier(column))
  const all = [...keys, ...sums].join(', ')
  const arrays = columnsOf(fold)
    .map(({ type }, i) => `$${parameters + 1 + i}::${type}[]`)
    .join(', ')
  const negative = [...keys, ...sums.map((sum) => `-${sum}`)].join(', ')
  const minus = hasEarlier ? `union all select ${negative} from unnest(${arrays}) as earlier (${all})` : ''
  const presence = escapeIdentifier(fold.presence)
  return `
    merge into ${quotedTable(fold)} as t
    using (
      ${sumsText(fold, `select ${all} from (${fold.counted}) as now ${minus}`)}
      having ${sums.map((sum) => `sum(${sum}) <> 0`).join(' or ')}
    ) as d on ${keys.map((key) => `t.${key} = d.${key}`).join(' and ')}
    when matched and t.${presence} + d.${presence} = 0 then delete
    when matched then update set ${sums.map((sum) => `${sum} = t.${sum} + d.${sum}`).join(', ')}
    when not matched then insert (${all}) values (${[...keys, ...sums].map((column) => `d.${column}`).join(', ')})`
}

function sumsText(fold: SumFold, parts: string): string {
  const keys = fold.key.map(({ column }) => escapeIdentifier(column)).join(', ')
  const sums = fold.sums.map(({ column, type }) => {
    const name = escapeIdentifier(column)
    return `sum(${name})::${type} as ${name}`
  })
  return `select ${keys}, ${sums.join(', ')} from (${parts}) as parts group by ${keys}`
}

function columnsOf(fold: SumFold): readonly SqlColumn[] {
  return [...fold.key, ...fold.sums]
}

/**
 * Heights are literals, so that the planner prunes partitions and all statements fit in one round
 * trip.
 */
export function clearRangeTexts(worker: Worker, range: HeightRange): string[] {
  return [
    ...worker.tables.map((table) => `delete from ${quotedTable(table)} where ${inRange(table.heightColumn, range)}`),
    `update raw.indexing_errors set resolved_at = now() where ${openProblems(worker, range)}`,
  ]
}

export function needsClearingText(worker: Worker, range: HeightRange): string {
  return `select 1 where ${needsClearing(worker, range).join(' or ')}`
}

function quotedTable(table: { readonly name: string }): string {
  return table.name.split('.').map(escapeIdentifier).join('.')
}

function needsClearing(worker: Worker, range: HeightRange): string[] {
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
  if (!Number.isSafeInteger(height)) throw new RangeError(`${height} is not a height`)
  return String(height)
}

/**
 * Call after `blockCommits`. Finds all keys before deleting rows, because a fold may read rows of
 * another worker. Workers must be in phase order, because folds may read other folds.
 */
export async function rollBackDerived(
  client: pg.ClientBase,
  ancestor: number,
  workers: readonly Worker[],
): Promise<void> {
  const above = { from: ancestor + 1, to: Number.MAX_SAFE_INTEGER }
  const debts = new Map<Worker, FoldDebt>()
  for (const worker of workers) debts.set(worker, await findFoldDebt(client, worker, above))
  for (const table of workers.flatMap(({ tables }) => tables)) {
    const height = escapeIdentifier(table.heightColumn)
    await client.query(`delete from ${quotedTable(table)} where ${height} > $1`, [ancestor])
  }
  for (const [worker, debt] of debts) await foldRange(client, worker, above, debt)
}
