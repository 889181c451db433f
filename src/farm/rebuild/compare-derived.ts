import { escapeIdentifier, escapeLiteral } from 'pg'
import type pg from 'pg'
import type { Worker, Fold } from '../../../jobs/worker.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { FatalError, RetryableError } from '../../platform/errors.ts'
import { difference, intersection, toMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { readChainVersion } from '../leases/chain-version.ts'
import { readCoverage } from '../leases/coverage.ts'
import {
  copyOf,
  derivedTablesOf,
  moveFold,
  replaceParameters,
  defaultSchema,
  readRebuildState,
} from './derived-tables.ts'
import type { DerivedTable } from './derived-tables.ts'

export interface CompareOptions {
  readonly pool: pg.Pool
  readonly workers: readonly Worker[]
  /** First height. Default: no limit. */
  readonly from?: number
  /** End of the heights, exclusive. Default: no limit. */
  readonly to?: number
  /** Where the second copy is. Default `rebuild`. */
  readonly schema?: string
  /** Rows that are told of each table that differs. Default 5. */
  readonly maxRows?: number
}

/** A row by its columns, as PostgreSQL writes the values. */
export type RowTexts = Readonly<Record<string, string | null>>

/** One row that is not the same in both; undefined where that side has none with this key. */
export interface RowDifference {
  readonly key: RowTexts
  /** What the farm has. */
  readonly kept: RowTexts | undefined
  /** What the rebuild made. */
  readonly rebuilt: RowTexts | undefined
}

export interface TableComparison {
  /** `schema.name` of the farm's table; `raw.indexing_errors` for the problems of workers. */
  readonly table: string
  readonly workers: readonly string[]
  /** What was compared: rows of the compared heights, or rows of a fold. */
  readonly kind: 'heights' | 'fold'
  /** Compared rows of the farm. */
  readonly kept: number
  /** Compared rows of the rebuild. */
  readonly rebuilt: number
  /** Keys of a fold that were left out, because heights touch them that are not compared. */
  readonly leftOut: number
  readonly differences: number
  /** The first of them by key. */
  readonly first: readonly RowDifference[]
}

export interface DerivedComparison {
  readonly isEqual: boolean
  /** What was compared: heights that the rebuild has and every one of the workers has done. */
  readonly heights: HeightSet
  /** Heights of the rebuild that were left out, because a worker has not done them. */
  readonly leftOut: HeightSet
  readonly tables: readonly TableComparison[]
}

/**
 * Compares what the farm derived with what `rebuildDerived` made, in one snapshot; the farm may work meanwhile.
 *
 * - A table of heights: all rows of the heights that the rebuild has and that all `workers` cover.
 * - A folded table: the whole of it, but for keys that other heights touch, on either side. Those are counted.
 * - Of the problems that workers met, those that are not resolved.
 *
 * All columns are compared, by their stored bytes, but for those that a worker declares as not derived.
 * @throws FatalError `not-rebuilt` when the schema holds no finished rebuild with these workers; RetryableError
 *   `chain-rolled-back` when blocks were replaced since
 */
export async function compareDerived(options: CompareOptions): Promise<DerivedComparison> {
  const { pool, workers, schema = defaultSchema, from = 0, to = Number.MAX_SAFE_INTEGER } = options
  const names = workers.map(({ name }) => name)
  return withTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read')
    const state = await readRebuildState(client, schema)
    if (state === undefined || names.some((name) => !state.workers.includes(name))) {
      const remedy = 'make one first (npm run rebuild, or npm run verify -- --rebuild)'
      throw new FatalError('not-rebuilt', `The schema ${schema} holds no finished rebuild of these workers: ${remedy}.`)
    }
    if ((await readChainVersion(client)) !== state.chainVersion) {
      const message = 'Blocks were replaced by those of another fork since the rebuild: rebuild again.'
      throw new RetryableError('chain-rolled-back', message)
    }
    const coverage = await readCoverage(client, names)
    const wanted = intersection(state.heights, from < to ? [{ from, to }] : [])
    const heights = names.reduce((common, name) => intersection(common, coverage.get(name) ?? []), wanted)
    const tables = await compareTables(client, derivedTablesOf(workers), heights, schema, options.maxRows ?? 5)
    const isEqual = tables.every(({ differences }) => differences === 0)
    return { isEqual, heights, leftOut: difference(wanted, heights), tables }
  })
}

async function compareTables(
  client: pg.ClientBase,
  tables: readonly DerivedTable[],
  heights: HeightSet,
  schema: string,
  maxRows: number,
): Promise<TableComparison[]> {
  const copies = new Map(tables.map(({ name }) => [name, copyOf(name, schema)]))
  const shapes = await readTableShapes(client, [...copies].flat())
  const compared: TableComparison[] = []
  for (const table of tables) {
    const { columns, primaryKey } = shapes.get(table.name) ?? { columns: [], primaryKey: [] }
    const key = table.key ?? primaryKey
    if (key.length === 0) {
      throw new FatalError('no-primary-key', `${table.name} has no primary key, so its rows cannot be told apart`)
    }
    const copy = copyOf(table.name, schema)
    if (columns.join() !== shapes.get(copy)?.columns.join()) {
      throw new FatalError('not-rebuilt', `${copy} has not the columns of ${table.name}: make the rebuild again.`)
    }
    const seen = columns.filter((column) => !table.notDerived.includes(column))
    const texts = compareTableTexts({
      table,
      copy,
      key,
      columns: seen,
      heights,
      maxRows,
      movedFold: table.fold === undefined ? undefined : moveFold(table.fold, (name) => copies.get(name)),
    })
    const {
      rows: [counts],
    } = await client.query<Counts>(texts.count)
    const { kept = 0, rebuilt = 0, leftOut = 0, differences = 0 } = counts ?? {}
    const first = differences === 0 ? [] : await readDifferences(client, texts.first, seen, key)
    const kind = table.fold === undefined ? 'heights' : 'fold'
    compared.push({ table: table.name, workers: table.workers, kind, kept, rebuilt, leftOut, differences, first })
  }
  return compared
}

type Counts = Pick<TableComparison, 'kept' | 'rebuilt' | 'leftOut' | 'differences'>

async function readDifferences(
  client: pg.ClientBase,
  text: string,
  columns: readonly string[],
  key: readonly string[],
): Promise<RowDifference[]> {
  type Values = readonly (string | null)[] | null
  const { rows } = await client.query<{ kept: Values; rebuilt: Values }>(text)
  const named = (values: Values): RowTexts | undefined =>
    values === null ? undefined : Object.fromEntries(columns.map((column, i) => [column, values[i] ?? null]))
  return rows.map((row) => {
    const [kept, rebuilt] = [named(row.kept), named(row.rebuilt)]
    const either = kept ?? rebuilt ?? {}
    return { key: Object.fromEntries(key.map((column) => [column, either[column] ?? null])), kept, rebuilt }
  })
}

interface TableShape {
  /** In the order of the table. */
  readonly columns: readonly string[]
  /** Empty where there is none. */
  readonly primaryKey: readonly string[]
}

/** Columns and primary keys of tables, given as `schema.name`; a table that is not there has neither. */
async function readTableShapes(client: pg.ClientBase, tables: readonly string[]): Promise<Map<string, TableShape>> {
  const { rows } = await client.query<TableShape & { readonly name: string }>(
    `select t.name,
       array(
         select a.attname::text from pg_attribute a
         where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped order by a.attnum
       ) as columns,
       array(
         select a.attname::text
         from pg_index i cross join unnest(i.indkey) with ordinality as k (attnum, place)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
         where i.indrelid = t.oid and i.indisprimary order by k.place
       ) as "primaryKey"
     from (select name, to_regclass(name) as oid from unnest($1::text[]) as name) t`,
    [tables],
  )
  return new Map(rows.map(({ name, columns, primaryKey }) => [name, { columns, primaryKey }]))
}

/** One table, as it is to be compared. */
interface TableToCompare {
  readonly table: DerivedTable
  /** Name of the copy. */
  readonly copy: string
  /** What tells rows apart. */
  readonly key: readonly string[]
  /** All columns that are compared, those of the key included. */
  readonly columns: readonly string[]
  /** The heights that both sides have. */
  readonly heights: HeightSet
  /** For a folded table: its fold on the copies. */
  readonly movedFold: Fold | undefined
  /** Rows that are told. */
  readonly maxRows: number
}

/**
 * Two statements that compare a table with its copy by their keys: one that counts, and one that gives the first rows
 * that differ, in the order of the key, as arrays of texts. Rows are compared by what is stored (`*<>`), so that 1.0 is
 * not 1.00. Without parameters, so that the planner sees heights and partitions.
 *
 * A hash join of the two sides, each read once. Of a fold those keys are left out that heights touch which are not in
 * both: their rows rightly differ. They are counted.
 */
function compareTableTexts(compared: TableToCompare): { readonly count: string; readonly first: string } {
  const { columns, copy, table } = compared
  const names = columns.map(escapeIdentifier)
  const key = compared.key.map(escapeIdentifier).join(', ')
  const list = names.join(', ')
  const sides = `with ${withOthers(compared)}
    k as (select ${list} from ${quoted(table.name)} t where ${condition(compared, true)}),
    r as (select ${list} from ${quoted(copy)} t where ${condition(compared, false)})`
  const differs = '(k *<> r) is not false'
  const leftOut = table.fold === undefined ? '0' : '(select count(*) from others)'
  const texts = (side: string): string =>
    `case when ${side} is distinct from null then array[${names.map((name) => `${side}.${name}::text`).join(', ')}] end`
  return {
    count: `${sides}
      select count(k)::float8 as kept, count(r)::float8 as rebuilt, ${leftOut}::float8 as "leftOut",
        count(*) filter (where ${differs})::float8 as differences
      from k full join r using (${key})`,
    first: `${sides}
      select ${texts('k')} as kept, ${texts('r')} as rebuilt from k full join r using (${key}) where ${differs}
      order by ${key} limit ${Math.trunc(compared.maxRows)}`,
  }
}

/** The keys of a fold that heights outside of the compared ones touch, on either side. */
function withOthers({ table, heights, movedFold }: TableToCompare): string {
  if (table.fold === undefined || movedFold === undefined) return ''
  const key = table.fold.key.map(({ column }) => escapeIdentifier(column)).join(', ')
  const outside = `unnest('{[0,)}'::int8multirange - ${multirange(heights)}) as piece (heights)`
  const parts = [table.fold, movedFold].map(({ touched }) => {
    const ends = ['lower(piece.heights)', 'coalesce(upper(piece.heights), 9223372036854775807)']
    return `select ${key} from ${outside} cross join lateral (${replaceParameters(touched, ends)}) as touched`
  })
  return `others as materialized (${parts.join(' union ')}),`
}

function condition({ table, heights }: TableToCompare, isOriginal: boolean): string {
  const parts: string[] = []
  if (table.fold !== undefined) {
    const key = table.fold.key.map(({ column }) => escapeIdentifier(column))
    const isSame = key.map((column) => `other.${column} = t.${column}`)
    parts.push(`not exists (select from others other where ${isSame.join(' and ')})`)
  }
  if (table.heightColumn !== undefined) parts.push(...inHeights(escapeIdentifier(table.heightColumn), heights))
  if (isOriginal && table.onlyWhere !== undefined) parts.push(table.onlyWhere)
  return parts.join(' and ') || 'true'
}

/** The ends first, by which partitions are left out and indexes used. */
function inHeights(column: string, heights: HeightSet): string[] {
  const [first, last] = [heights[0], heights.at(-1)]
  if (first === undefined || last === undefined) return ['false']
  const ends = [`t.${column} >= ${BigInt(first.from)}`, `t.${column} < ${BigInt(last.to)}`]
  return heights.length === 1 ? ends : [...ends, `t.${column}::bigint <@ ${multirange(heights)}`]
}

function multirange(heights: HeightSet): string {
  return `${escapeLiteral(toMultirange(heights))}::int8multirange`
}

function quoted(name: string): string {
  return name.split('.').map(escapeIdentifier).join('.')
}
