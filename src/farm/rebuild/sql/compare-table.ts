import { escapeIdentifier, escapeLiteral } from 'pg'
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
  /** For a fold: the statements that find the keys that a range touches, on the original and on the copy. */
  readonly touched: readonly string[]
}

/**
 * Two statements that compare a table with its copy by their keys: one that counts, and one that gives the first rows
 * that differ, in the order of the key, as arrays of texts. Rows are compared by what is stored (`*<>`), so that 1.0 is
 * not 1.00. Without parameters, so that the planner sees heights and partitions.
 *
 * A hash join of the two sides, each read once. Of a fold those keys are left out that heights touch which are not in
 * both: their rows rightly differ. They are counted.
 */
export function compareTableTexts(compared: TableToCompare, mostRows: number): { readonly count: string; readonly first: string } {
  const { key, columns, copy, table } = compared
  const names = columns.map(escapeIdentifier)
  const list = names.join(', ')
  const joined = `
    with ${withOthers(compared)} original as (select ${list} from ${quoted(table.name)} t where ${condition(compared, true)}),
    copy as (select ${list} from ${quoted(copy)} t where ${condition(compared, false)})`
  const both = `original o full join copy c using (${key.map(escapeIdentifier).join(', ')})`
  const differs = '(o *<> c) is not false'
  const texts = (side: string): string => `case when ${side} is distinct from null then array[${names.map((name) => `${side}.${name}::text`).join(', ')}] end`
  return {
    count: `${joined}
      select count(o)::float8 as original, count(c)::float8 as copy, count(*) filter (where ${differs})::float8 as differences,
        ${compared.table.fold === undefined ? '0' : '(select count(*) from others)'}::float8 as "leftOut"
      from ${both}`,
    first: `${joined}
      select ${texts('o')} as original, ${texts('c')} as copy from ${both} where ${differs}
      order by ${key.map(escapeIdentifier).join(', ')} limit ${Math.trunc(mostRows)}`,
  }
}

/** The keys of a fold that heights outside of the compared ones touch, on either side. */
function withOthers({ table, heights, touched }: TableToCompare): string {
  if (table.fold === undefined) return ''
  const outside = `unnest('{[0,)}'::int8multirange - ${escapeLiteral(toMultirange(heights))}::int8multirange) as piece (heights)`
  const key = table.fold.key.map(({ column }) => escapeIdentifier(column)).join(', ')
  const parts = touched.map((sql) => {
    const inPiece = replaceParameters(sql, ['lower(piece.heights)', 'coalesce(upper(piece.heights), 9223372036854775807)'])
    return `select ${key} from ${outside} cross join lateral (${inPiece}) as touched`
  })
  return `others as materialized (${parts.join(' union ')}),`
}

function condition({ table, heights }: TableToCompare, isOriginal: boolean): string {
  const parts: string[] = []
  if (table.fold !== undefined) {
    const isSame = table.fold.key.map(({ column }) => `k.${escapeIdentifier(column)} = t.${escapeIdentifier(column)}`)
    parts.push(`not exists (select from others k where ${isSame.join(' and ')})`)
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
  return heights.length === 1 ? ends : [...ends, `t.${column} <@ ${escapeLiteral(toMultirange(heights))}::int8multirange`]
}

function quoted(name: string): string {
  return name.split('.').map(escapeIdentifier).join('.')
}
