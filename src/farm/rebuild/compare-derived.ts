import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { FatalError, RetryableError } from '../../base/errors.ts'
import { difference, intersection } from '../../base/ranges.ts'
import type { HeightSet } from '../../base/ranges.ts'
import { withTransaction } from '../../db/pool.ts'
import { readChainVersion } from '../commit/chain-version.ts'
import { readCoverage } from '../coverage/read-coverage.ts'
import { copyOf, derivedTablesOf } from './derived-tables.ts'
import type { DerivedTable } from './derived-tables.ts'
import { moveFold } from './rebuild-derived.ts'
import { defaultSchema, readRebuildState } from './rebuild-schema.ts'
import { compareTableTexts } from './sql/compare-table.ts'

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
  readonly mostRows?: number
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
      throw new FatalError('not-rebuilt', `The schema ${schema} holds no finished rebuild of these workers: make one first (npm run rebuild, or npm run verify -- --rebuild).`)
    }
    if ((await readChainVersion(client)) !== state.chainVersion) {
      throw new RetryableError('chain-rolled-back', 'Blocks were replaced by those of another fork since the rebuild: rebuild again.')
    }
    const coverage = await readCoverage(client, names)
    const wanted = intersection(state.heights, from < to ? [{ from, to }] : [])
    const heights = names.reduce((common, name) => intersection(common, coverage.get(name) ?? []), wanted)
    const tables = await compareTables(client, derivedTablesOf(workers), heights, { schema, mostRows: options.mostRows ?? 5 })
    return {
      isEqual: tables.every(({ differences }) => differences === 0), heights, leftOut: difference(wanted, heights), tables,
    }
  })
}

interface CompareContext {
  readonly schema: string
  readonly mostRows: number
}

async function compareTables(
  client: pg.ClientBase, tables: readonly DerivedTable[], heights: HeightSet, context: CompareContext,
): Promise<TableComparison[]> {
  const shapes = await readShapes(client, tables.map(({ name }) => name))
  const copies = new Map(tables.map(({ name }) => [name, copyOf(name, context.schema)]))
  const compared: TableComparison[] = []
  for (const table of tables) {
    const { columns, primaryKey } = shapes.get(table.name) ?? { columns: [], primaryKey: [] }
    const key = table.key ?? primaryKey
    if (key.length === 0) throw new FatalError('no-primary-key', `${table.name} has no primary key, so its rows cannot be told apart`)
    const seen = columns.filter((column) => !table.notDerived.includes(column))
    const touched = table.fold === undefined ? [] : [table.fold.touched, moveFold(table.fold, (name) => copies.get(name)).touched]
    const texts = compareTableTexts({ table, copy: copyOf(table.name, context.schema), key, columns: seen, heights, touched }, context.mostRows)
    const { rows: [counts] } = await client.query<{ original: number; copy: number; differences: number; leftOut: number }>(texts.count)
    const { original = 0, copy = 0, differences = 0, leftOut = 0 } = counts ?? {}
    const first = differences === 0 ? [] : await readDifferences(client, texts.first, seen, key)
    compared.push({
      table: table.name, workers: table.workers, kind: table.fold === undefined ? 'heights' : 'fold', kept: original, rebuilt: copy, leftOut,
      differences, first,
    })
  }
  return compared
}

async function readDifferences(
  client: pg.ClientBase, text: string, columns: readonly string[], key: readonly string[],
): Promise<RowDifference[]> {
  type Values = readonly (string | null)[] | null
  const { rows } = await client.query<{ original: Values; copy: Values }>(text)
  const named = (values: Values): RowTexts | undefined =>
    values === null ? undefined : Object.fromEntries(columns.map((column, i) => [column, values[i] ?? null]))
  return rows.map((row) => {
    const [kept, rebuilt] = [named(row.original), named(row.copy)]
    const either = kept ?? rebuilt ?? {}
    return { key: Object.fromEntries(key.map((column) => [column, either[column] ?? null])), kept, rebuilt }
  })
}

interface TableShape {
  readonly columns: readonly string[]
  readonly primaryKey: readonly string[]
}

async function readShapes(client: pg.ClientBase, tables: readonly string[]): Promise<Map<string, TableShape>> {
  const { rows } = await client.query<{ name: string; columns: string[]; primaryKey: string[] }>(
    `select t.name,
       array(select a.attname::text from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
       array(select a.attname::text from pg_index i cross join unnest(i.indkey) with ordinality as k (attnum, place)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
         where i.indrelid = t.oid and i.indisprimary order by k.place) as "primaryKey"
     from (select name, to_regclass(name) as oid from unnest($1::text[]) as name) t`,
    [tables],
  )
  return new Map(rows.map(({ name, columns, primaryKey }) => [name, { columns, primaryKey }]))
}
