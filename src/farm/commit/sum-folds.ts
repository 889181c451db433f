import { escapeIdentifier } from 'pg'
import type pg from 'pg'
import type { SqlColumn, SumFold } from '../../../jobs/worker.ts'
import { quotedTable } from './clear-range.ts'

/** What counts towards sums, each once: an array for each key column and each sum, in PostgreSQL's own text form. */
export interface Counted {
  readonly count: number
  readonly columns: readonly string[]
}

/** Whose rows are looked at: a range of heights, `[from, to]`, or keys of a StateFold, an array for each key column. */
export type CountedOf = readonly (number | string)[]

/** Reads what counts now. One statement; its cost is the fold's own `counted`. */
export async function readCounted(client: pg.ClientBase, fold: SumFold, of: CountedOf): Promise<Counted> {
  const columns = columnsOf(fold)
  const arrays = columns.map(({ column }, i) => `array_agg(${escapeIdentifier(column)})::text as k${i}`)
  const { rows } = await client.query<Record<string, string | null> & { count: string }>(
    `select count(*), ${arrays.join(', ')} from (${sumsText(fold, fold.counted)}) as counted`,
    [...of],
  )
  const [row] = rows
  return { count: Number(row?.count ?? 0), columns: columns.map((_, i) => row?.[`k${i}`] ?? '{}') }
}

/** Adds what counts now and takes away what counted before. The caller holds the lock of the folds. */
export async function addDifference(
  client: pg.ClientBase,
  fold: SumFold,
  of: CountedOf,
  before?: Counted,
): Promise<void> {
  const earlier = before === undefined || before.count === 0 ? undefined : before
  const values = [...of, ...(earlier?.columns ?? [])]
  const text = differenceText(fold, of.length, earlier !== undefined)
  // Nearly all are of rows that were not there before. To plan such a statement takes longer than to run it.
  await client.query(earlier === undefined ? { name: `farm-sum ${fold.name}`, text, values } : { text, values })
}

/**
 * One MERGE: sums are found by their key, those that nothing counts towards any more are deleted, and those that did
 * not change are left alone.
 */
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
