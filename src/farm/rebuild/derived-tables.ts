import { escapeIdentifier, escapeLiteral } from 'pg'
import type { Fold, Worker } from '../../../jobs/worker.ts'
import { renameTables } from './sql-names.ts'

/** A table that workers fill, as far as making and comparing a second copy must know it. */
export interface DerivedTable {
  /** `schema.name` */
  readonly name: string
  /** The workers that fill it. */
  readonly workers: readonly string[]
  /** The height of a row; undefined for a folded table. */
  readonly heightColumn: string | undefined
  readonly fold: Fold | undefined
  /** Columns that a second derivation need not give again. */
  readonly notDerived: readonly string[]
  /** Further condition on the rows of the original, as SQL on its columns. */
  readonly onlyWhere?: string
  /** What tells rows apart, where that is not the primary key. */
  readonly key?: readonly string[]
}

/** What workers could not use; part of what they derive, and kept beside the raw tables. */
export const problemsTable = 'raw.indexing_errors'

/** All tables of workers, in the order of their phases, and the problems that they met. */
export function derivedTablesOf(workers: readonly Worker[]): DerivedTable[] {
  const own = inOrderOfPhases(workers).flatMap(({ name: worker, tables, folds }): DerivedTable[] => [
    ...tables.map(({ name, heightColumn, notDerived = [] }) => ({
      name,
      workers: [worker],
      heightColumn,
      fold: undefined,
      notDerived,
    })),
    ...folds.map((fold) => ({
      name: fold.name,
      workers: [worker],
      heightColumn: undefined,
      fold,
      notDerived: fold.notDerived ?? [],
    })),
  ])
  const problems: DerivedTable = {
    name: problemsTable,
    workers: workers.map(({ name }) => name),
    heightColumn: 'block_height',
    fold: undefined,
    notDerived: ['id', 'raw_data', 'occurrences', 'resolved_at', 'first_seen_at', 'last_seen_at'],
    onlyWhere: `resolved_at is null and worker_name in (${workers.map(({ name }) => escapeLiteral(name)).join(', ')})`,
    key: ['worker_name', 'block_height', 'tx_index', 'event_index', 'code'],
  }
  return [...own, problems]
}

/** Those that follow nobody first; else as given. */
export function inOrderOfPhases(workers: readonly Worker[]): Worker[] {
  return workers.toSorted((a, b) => a.phase - b.phase)
}

/** The name of a table's copy in another schema. */
export function copyOf(table: string, schema: string): string {
  return `${schema}.${table.slice(table.indexOf('.') + 1)}`
}

/** The same fold on the copies of the tables of workers; all others are read where they are. */
export function moveFold(fold: Fold, copy: (table: string) => string | undefined): Fold {
  const move = (sql: string): string =>
    renameTables(sql, (table) => {
      const moved = copy(table)
      return moved === undefined ? undefined : moved.split('.').map(escapeIdentifier).join('.')
    })
  const nameOf = (table: string): string => copy(table) ?? table
  const moved = { name: nameOf(fold.name), touched: move(fold.touched) }
  if (fold.kind === 'sum') return { ...fold, ...moved, of: [fold.of].flat().map(nameOf), counted: move(fold.counted) }
  const merge = fold.merge === undefined ? {} : { merge: move(fold.merge) }
  return { ...fold, ...moved, ...merge, reads: fold.reads.map(nameOf), fold: move(fold.fold) }
}
