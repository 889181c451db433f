import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { FatalError, RetryableError } from '../../base/errors.ts'
import { difference, intersection } from '../../base/ranges.ts'
import type { HeightSet } from '../../base/ranges.ts'
import { withTransaction } from '../../db/pool.ts'
import { readChainVersion } from '../commit/chain-version.ts'
import { readCoverage } from '../coverage/read-coverage.ts'
import { copyOf, derivedTablesOf, moveFold } from './derived-tables.ts'
import type { DerivedTable } from './derived-tables.ts'
import { defaultSchema, readRebuildState } from './rebuild-schema.ts'
import { compareTableTexts } from './sql/compare-table.ts'
import { readTableShapes } from './sql/read-table-shapes.ts'

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
    const tables = await compareTables(client, derivedTablesOf(workers), heights, schema, options.mostRows ?? 5)
    const isEqual = tables.every(({ differences }) => differences === 0)
    return { isEqual, heights, leftOut: difference(wanted, heights), tables }
  })
}

async function compareTables(
  client: pg.ClientBase,
  tables: readonly DerivedTable[],
  heights: HeightSet,
  schema: string,
  mostRows: number,
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
      mostRows,
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
