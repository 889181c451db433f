import { size } from '../../src/platform/ranges.ts'
import type {
  DerivedComparison,
  RowDifference,
  RowTexts,
  TableComparison,
} from '../../src/farm/rebuild/compare-derived.ts'
import { count, heightSet, many, styled } from './texts.ts'
import { tableText } from './table.ts'

/** The outcome of a comparison for people: what was compared, table by table, and the first rows that differ. */
export function comparisonText({ isEqual, heights, leftOut, tables }: DerivedComparison, schema: string): string {
  const differing = tables.filter(({ differences }) => differences > 0)
  const lines = [
    `Compared with the schema ${schema}: ${many(size(heights), 'height')} (${heightSet(heights)}).`,
    ...(leftOut.length > 0 ? [`Left out, because a worker has not done them: ${heightSet(leftOut)}.`] : []),
    '',
    tableText<TableComparison>(
      [
        { title: 'TABLE', value: ({ table }) => table },
        { title: 'ROWS', align: 'right', value: ({ kept }) => count(kept) },
        { title: 'REBUILT', align: 'right', value: ({ rebuilt }) => count(rebuilt) },
        { title: 'LEFT OUT', align: 'right', value: ({ kind, leftOut: keys }) => (kind === 'fold' ? count(keys) : '') },
        { title: 'DIFFERENT', align: 'right', value: differencesText },
      ],
      tables,
    ),
    ...differing.flatMap(tableDifferences),
    isEqual ? styled('green', 'Equal.') : styled('red', `${many(differing.length, 'table differs', 'tables differ')}.`),
  ]
  return lines.join('\n')
}

function differencesText({ differences }: TableComparison): string {
  return differences === 0 ? '0' : styled('red', count(differences))
}

function tableDifferences({ table, workers, differences, first }: TableComparison): string[] {
  const shown = first.length < differences ? `, the first ${first.length} of them` : ''
  const owner = workers.length > 1 ? 'all workers' : workers.join()
  const heading = `${table} (${owner}): ${many(differences, 'row differs', 'rows differ')}${shown}`
  return [styled('bold', heading), ...first.flatMap(rowDifference), '']
}

function rowDifference({ key, kept, rebuilt }: RowDifference): string[] {
  const name = Object.entries(key)
    .map(([column, value]) => `${column} ${value ?? 'null'}`)
    .join(', ')
  if (kept === undefined) return [`  ${name}`, `    missing; should be ${fields(rebuilt ?? {}, key)}`]
  if (rebuilt === undefined) return [`  ${name}`, `    should not be there; is ${fields(kept, key)}`]
  const changed = Object.keys(kept).filter((column) => kept[column] !== rebuilt[column])
  return [
    `  ${name}`,
    ...changed.map((column) => {
      return `    ${column} is ${kept[column] ?? 'null'}, should be ${rebuilt[column] ?? 'null'}`
    }),
  ]
}

function fields(row: RowTexts, key: RowTexts): string {
  const rest = Object.entries(row).filter(([column]) => !(column in key))
  return rest.length === 0 ? 'there' : rest.map(([column, value]) => `${column} ${value ?? 'null'}`).join(', ')
}
