import { escapeIdentifier, escapeLiteral } from 'pg'
import type pg from 'pg'
import type { Fold, StateFold, SumFold, Worker, SqlColumn } from '../../../jobs/worker.ts'
import { ownRowsChannel } from '../../platform/db/listen.ts'
import { runBatch } from '../../platform/db/statement-batch.ts'
import type { BatchRow, BatchStatement } from '../../platform/db/statement-batch.ts'
import type { HeightRange } from '../../platform/ranges.ts'

/** An array for each column, in PostgreSQL's text format. */
interface FoundRows {
  readonly count: number
  readonly columns: readonly string[]
}

/** Keys touched by rows about to be deleted, and their contribution to sums. */
export type FoldDebt = ReadonlyMap<Fold, FoundRows>

/** First key of the advisory locks; the second is a hash of the worker's name. */
const foldLockClass = 7_364_832

const none: FoundRows = { count: 0, columns: [] }

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

/** Statement of the folds of a worker. */
export interface FoldStatement extends BatchStatement {
  readonly worker?: Worker
}

/** Sends the statements, and attributes an error to the worker of its statement. */
export type RunFolds = (statements: readonly FoldStatement[]) => Promise<BatchRow[][]>

/**
 * Locks the folds of the workers until the transaction ends. Statements after it see what the
 * previous holder committed.
 */
export function lockFolds(workers: readonly Worker[]): FoldStatement[] {
  const names = workers.filter(({ folds }) => folds.length > 0).map(({ name }) => name)
  if (names.length === 0) return []
  const text = `
    select pg_advisory_xact_lock(${foldLockClass}, number)
    from (select distinct hashtext(name) as number from unnest($1::text[]) as name order by 1) as locks`
  return [{ name: 'farm-lock-folds', text, values: [`{${names.join()}}`] }]
}

/** Call before the rows are deleted. Locks the folds of the workers and of `alsoLocked`. */
export async function findFoldDebts(
  run: RunFolds,
  workers: readonly Worker[],
  range: HeightRange,
  alsoLocked: readonly Worker[] = [],
): Promise<Map<Worker, FoldDebt>> {
  const heights = [String(range.from), String(range.to)]
  const found: FoundByFold = []
  for (const worker of workers) {
    for (const fold of worker.folds) {
      if (fold.kind === 'state') found.push({ worker, fold, statement: touchedStatement(fold, heights) })
      else if (isOfHeights(worker, fold)) found.push({ worker, fold, statement: countedStatement(fold, heights) })
    }
  }
  const keys = await runFound(run, lockFolds([...new Set([...workers, ...alsoLocked])]), found)
  return new Map(workers.map((worker) => [worker, new Map(worker.folds.map((fold) => [fold, keys.get(fold) ?? none]))]))
}

/**
 * Folds the range for workers in phase order, because folds may read other folds. Locks the folds
 * unless `debts` has all workers. Takes one to three round trips.
 *
 * @param last statements after the folds
 */
export async function foldRange(
  run: RunFolds,
  workers: readonly Worker[],
  range: HeightRange,
  debts: ReadonlyMap<Worker, FoldDebt> = new Map(),
  last: readonly BatchStatement[] = [],
): Promise<void> {
  const heights = [String(range.from), String(range.to)]
  const debtOf = (worker: Worker, fold: Fold): FoundRows => debts.get(worker)?.get(fold) ?? none
  const canMerge = (worker: Worker, { merge }: StateFold): boolean => !debts.has(worker) && merge !== undefined
  const finding: FoundByFold = []
  for (const worker of workers) {
    for (const fold of worker.folds) {
      const isRead = sumsOver(worker, fold).length > 0
      if (fold.kind === 'state' && (isRead || !canMerge(worker, fold)))
        finding.push({ worker, fold, statement: touchedStatement(fold, heights, debtOf(worker, fold)) })
      if (fold.kind === 'sum' && isRead)
        finding.push({ worker, fold, statement: changedStatement(fold, heights, debtOf(worker, fold)) })
    }
  }
  const lock = lockFolds(workers.filter((worker) => !debts.has(worker)))
  const found = finding.length === 0 ? new Map<Fold, FoundRows>() : await runFound(run, lock, finding)
  const counting: FoundByFold = []
  for (const { worker, fold } of finding) {
    const { count, columns } = found.get(fold) ?? none
    if (count === 0 || fold.kind === 'sum') continue
    for (const sum of sumsOver(worker, fold))
      counting.push({ worker, fold: sum, statement: countedStatement(sum, columns) })
  }
  const counted = await runFound(run, [], counting)
  const statements: FoldStatement[] = finding.length === 0 ? lock : []
  for (const worker of workers) {
    for (const fold of worker.folds) {
      const rows = found.get(fold)
      if (rows?.count === 0) continue
      if (fold.kind === 'state') {
        const merge = { name: `farm-merge ${fold.name}`, text: fold.merge ?? '', values: heights }
        const isMerged = rows === undefined || canMerge(worker, fold)
        statements.push({
          worker,
          ...(isMerged ? merge : { name: `farm-fold ${fold.name}`, text: fold.fold, values: rows.columns }),
        })
      } else if (rows !== undefined) statements.push({ worker, ...addStatement(fold, rows) })
      else if (isOfHeights(worker, fold))
        statements.push({ worker, ...differenceStatement(fold, heights, debtOf(worker, fold)) })
      if (rows === undefined) continue
      for (const sum of sumsOver(worker, fold))
        statements.push({ worker, ...differenceStatement(sum, rows.columns, counted.get(sum) ?? none) })
    }
  }
  await run([...statements, ...last])
}

function sumsOver({ folds }: Worker, fold: Fold): SumFold[] {
  return folds.filter((other) => other.kind === 'sum').filter((other) => readsOf(other).includes(fold.name))
}

type FoundByFold = { readonly worker: Worker; readonly fold: Fold; readonly statement: BatchStatement }[]

async function runFound(
  run: RunFolds,
  first: readonly FoldStatement[],
  found: Readonly<FoundByFold>,
): Promise<Map<Fold, FoundRows>> {
  const results = await run([...first, ...found.map(({ worker, statement }) => ({ worker, ...statement }))])
  return new Map(
    found.map(({ fold }, i) => {
      const [count, ...columns] = results[first.length + i]?.[0] ?? []
      return [fold, count === '0' ? none : { count: Number(count), columns: columns.map(String) }]
    }),
  )
}

function touchedStatement(fold: StateFold, heights: readonly string[], earlier: FoundRows = none): BatchStatement {
  const given = fold.key.map(({ type }, i) => `$${i + 3}::${type}[]`).join(', ')
  const more = earlier.count === 0 ? '' : ` union select * from unnest(${given})`
  return {
    name: `farm-touched${again(earlier)} ${fold.name}`,
    text: arraysOf(fold.key, `(${fold.touched})${more}`),
    values: [...heights, ...earlier.columns],
  }
}

function isOfHeights({ tables }: Worker, fold: SumFold): boolean {
  return tables.some(({ name }) => readsOf(fold).includes(name))
}

function countedStatement(fold: SumFold, values: readonly string[]): BatchStatement {
  const text = arraysOf(columnsOf(fold), sumsText(fold, fold.counted))
  return { name: `farm-counted ${fold.name}`, text, values }
}

/** A row with the number of rows and an array for each column. */
function arraysOf(columns: readonly SqlColumn[], rows: string): string {
  const arrays = columns.map(({ column }) => `array_agg(${escapeIdentifier(column)})::text`)
  return `select count(*), ${arrays.join(', ')} from (${rows}) as found`
}

/** The difference between the contributions of heights and earlier ones. */
function changedStatement(fold: SumFold, heights: readonly string[], earlier: FoundRows): BatchStatement {
  const text = arraysOf(columnsOf(fold), differenceText(fold, heights.length, earlier.count > 0))
  return { name: `farm-changed${again(earlier)} ${fold.name}`, text, values: [...heights, ...earlier.columns] }
}

function addStatement(fold: SumFold, { columns }: FoundRows): BatchStatement {
  const arrays = columnsOf(fold).map(({ type }, i) => `$${i + 1}::${type}[]`)
  const names = columnsOf(fold).map(({ column }) => escapeIdentifier(column))
  const text = mergeText(fold, `select * from unnest(${arrays.join(', ')}) as changed (${names.join(', ')})`)
  return { name: `farm-add ${fold.name}`, text, values: columns }
}

/** Most ranges have no earlier rows. Planning this statement takes longer than running it. */
function differenceStatement(fold: SumFold, of: readonly string[], earlier: FoundRows): BatchStatement {
  const text = mergeText(fold, differenceText(fold, of.length, earlier.count > 0))
  return { name: `farm-sum${again(earlier)} ${fold.name}`, text, values: [...of, ...earlier.columns] }
}

function again({ count }: FoundRows): string {
  return count === 0 ? '' : '-again'
}

function differenceText(fold: SumFold, parameters: number, hasEarlier: boolean): string {
  const keys = fold.key.map(({ column }) => escapeIdentifier(column))
  const sums = fold.sums.map(({ column }) => escapeIdentifier(column))
  const all = [...keys, ...sums].join(', ')
  const arrays = columnsOf(fold)
    .map(({ type }, i) => `$${parameters + 1 + i}::${type}[]`)
    .join(', ')
  const negative = [...keys, ...sums.map((sum) => `-${sum}`)].join(', ')
  const minus = hasEarlier ? `union all select ${negative} from unnest(${arrays}) as earlier (${all})` : ''
  return `
    ${sumsText(fold, `select ${all} from (${fold.counted}) as now ${minus}`)}
    having ${sums.map((sum) => `sum(${sum}) <> 0`).join(' or ')}`
}

/** One MERGE: deletes sums without contributions and skips unchanged ones. */
function mergeText(fold: SumFold, changes: string): string {
  const keys = fold.key.map(({ column }) => escapeIdentifier(column))
  const sums = fold.sums.map(({ column }) => escapeIdentifier(column))
  const presence = escapeIdentifier(fold.presence)
  const stored = (i: number, sum: string): string => (fold.sums[i]?.isTrimmed === true ? `trim_scale(${sum})` : sum)
  return `
    merge into ${quotedTable(fold)} as t
    using (${changes}) as d on ${keys.map((key) => `t.${key} = d.${key}`).join(' and ')}
    when matched and t.${presence} + d.${presence} = 0 then delete
    when matched then update set ${sums.map((sum, i) => `${sum} = ${stored(i, `t.${sum} + d.${sum}`)}`).join(', ')}
    when not matched then insert (${[...keys, ...sums].join(', ')})
      values (${[...keys.map((key) => `d.${key}`), ...sums.map((sum, i) => stored(i, `d.${sum}`))].join(', ')})`
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
  const run: RunFolds = (statements) => runBatch(client, statements)
  const debts = await findFoldDebts(run, workers, above)
  for (const { name, tables, deriveEvents } of workers) {
    let deleted = 0
    for (const table of tables) {
      const height = escapeIdentifier(table.heightColumn)
      const { rowCount } = await client.query(`delete from ${quotedTable(table)} where ${height} > $1`, [ancestor])
      deleted += rowCount ?? 0
    }
    if (deriveEvents !== undefined && deleted > 0)
      await client.query('select pg_notify($1, $2)', [ownRowsChannel, `${name} ${above.from} ${above.to}`])
  }
  await foldRange(run, workers, above, debts)
}
