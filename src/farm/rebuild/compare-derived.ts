import { escapeIdentifier, escapeLiteral } from 'pg'
import type pg from 'pg'
import type { Worker, Fold } from '../../../jobs/worker.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { FatalError, RetryableError } from '../../platform/errors.ts'
import { difference, intersection, toMultirange, union } from '../../platform/ranges.ts'
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
  /** Own workers that were not rebuilt are left out. */
  readonly workers: readonly Worker[]
  /** First height. Default: no limit. */
  readonly from?: number
  /** Exclusive. Default: no limit. */
  readonly to?: number
  readonly schema?: string
  /** Per differing table. Default 5. */
  readonly maxRows?: number
}

/** A row by column, in PostgreSQL's text format. */
export type RowTexts = Readonly<Record<string, string | null>>

export interface RowDifference {
  readonly key: RowTexts
  readonly kept: RowTexts | undefined
  readonly rebuilt: RowTexts | undefined
}

export interface TableComparison {
  /** `raw.indexing_errors` for problems. */
  readonly table: string
  readonly workers: readonly string[]
  /** Rows of heights, or keys of a fold. */
  readonly kind: 'heights' | 'fold'
  readonly kept: number
  readonly rebuilt: number
  /** Keys that heights outside the comparison touch. */
  readonly leftOut: number
  readonly differences: number
  readonly first: readonly RowDifference[]
}

export interface DerivedComparison {
  readonly isEqual: boolean
  /** Compared heights: in the rebuild and covered by all built-in workers, or by an own worker. */
  readonly heights: HeightSet
  /** Heights that a worker has not covered. */
  readonly leftOut: HeightSet
  readonly tables: readonly TableComparison[]
}

/**
 * In one snapshot; the farm may keep running. Compares stored bytes, except keys of folds that
 * other heights touch, resolved problems and columns declared as not derived.
 *
 * @throws FatalError `not-rebuilt`; RetryableError `chain-rolled-back` if blocks were replaced
 * since
 */
export async function compareDerived(options: CompareOptions): Promise<DerivedComparison> {
  const { pool, schema = defaultSchema, from = 0, to = Number.MAX_SAFE_INTEGER } = options
  return withTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read')
    const state = await readRebuildState(client, schema)
    const isRebuilt = ({ name }: Worker): boolean => state?.workers.includes(name) === true
    const workers = options.workers.filter((worker) => worker.deriveEvents === undefined || isRebuilt(worker))
    if (state === undefined || !workers.every(isRebuilt)) {
      const remedy = 'run npm run rebuild, or npm run verify -- --rebuild'
      throw new FatalError('not-rebuilt', `Schema ${schema} has no finished rebuild of these workers: ${remedy}.`)
    }
    if ((await readChainVersion(client)) !== state.chainVersion) {
      const message = 'The chain was rolled back since the rebuild. Rebuild again.'
      throw new RetryableError('chain-rolled-back', message)
    }
    const coverage = await readCoverage(
      client,
      workers.map(({ name }) => name),
    )
    const wanted = intersection(state.heights, from < to ? [{ from, to }] : [])
    const tables: TableComparison[] = []
    const compared: HeightSet[] = []
    for (const group of groupsOf(workers)) {
      const heights = group.reduce((common, { name }) => intersection(common, coverage.get(name) ?? []), wanted)
      compared.push(heights)
      tables.push(...(await compareTables(client, derivedTablesOf(group), heights, schema, options.maxRows ?? 5)))
    }
    const leftOut = compared.map((heights) => difference(wanted, heights)).reduce(union, [])
    const isEqual = tables.every(({ differences }) => differences === 0)
    return { isEqual, heights: compared.reduce(union, []), leftOut, tables }
  })
}

/** An own worker that is behind must not keep the others from being compared. */
function groupsOf(workers: readonly Worker[]): Worker[][] {
  const groups = Map.groupBy(workers, ({ name, deriveEvents }) => (deriveEvents === undefined ? '' : name))
  return [...groups.values()]
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
      throw new FatalError('no-primary-key', `Could not compare ${table.name}: it has no primary key`)
    }
    const copy = copyOf(table.name, schema)
    if (columns.join() !== shapes.get(copy)?.columns.join()) {
      throw new FatalError(
        'not-rebuilt',
        `Could not compare ${copy}: its columns differ from ${table.name}. Rebuild again.`,
      )
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
  readonly columns: readonly string[]
  readonly primaryKey: readonly string[]
}

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

interface TableToCompare {
  readonly table: DerivedTable
  readonly copy: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
  readonly heights: HeightSet
  readonly movedFold: Fold | undefined
  readonly maxRows: number
}

/**
 * A count, and the first differing rows in key order. `*<>` compares stored bytes, so 1.0 differs
 * from 1.00. Literals instead of parameters let the planner prune partitions.
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

/** Keys that uncompared heights touch, on either side. */
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

/** Bounds first, for partition pruning and indexes. */
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
