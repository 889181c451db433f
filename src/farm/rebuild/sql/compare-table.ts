import { escapeIdentifier, escapeLiteral } from 'pg'
import type { Fold } from '../../../../jobs/worker.ts'
import { toMultirange } from '../../../base/ranges.ts'
import type { HeightSet } from '../../../base/ranges.ts'
import type { DerivedTable } from '../derived-tables.ts'
import { replaceParameters } from '../sql-names.ts'

/** One table, as it is to be compared. */
export interface TableToCompare {
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
  readonly mostRows: number
}

/**
 * Two statements that compare a table with its copy by their keys: one that counts, and one that gives the first rows
 * that differ, in the order of the key, as arrays of texts. Rows are compared by what is stored (`*<>`), so that 1.0 is
 * not 1.00. Without parameters, so that the planner sees heights and partitions.
 *
 * A hash join of the two sides, each read once. Of a fold those keys are left out that heights touch which are not in
 * both: their rows rightly differ. They are counted.
 */
export function compareTableTexts(compared: TableToCompare): { readonly count: string; readonly first: string } {
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
      order by ${key} limit ${Math.trunc(compared.mostRows)}`,
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
