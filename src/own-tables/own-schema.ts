import { standardColumns } from './declaration.ts'
import type { ColumnType, OwnDeclaration, OwnFold, OwnTable, OwnView } from './declaration.ts'

export interface TableShape {
  readonly name: string
  readonly kind: 'events' | OwnFold['kind'] | 'view'
  readonly comment: string
  /** In the order of the stored columns. */
  readonly columns: readonly ColumnShape[]
  /** Primary key. Views have none. */
  readonly key: readonly string[]
  /** Other indexes. */
  readonly indexes: readonly (readonly string[])[]
}

export interface ColumnShape {
  readonly name: string
  readonly type: ColumnType | 'bytea'
  readonly isOptional: boolean
  readonly comment: string
}

/** The order of events, and of the rows of an event. */
export const position = ['block_height', 'tx_index', 'event_index', 'row_index'] as const

const standardComments: Readonly<Record<(typeof standardColumns)[number]['name'], string>> = {
  block_height: 'Height of the block of the event.',
  tx_index: 'Position of the transaction in the block.',
  event_index: 'Position of the event in the transaction.',
  row_index: 'Position among the rows that the event wrote to this table.',
  block_timestamp: 'Time of the block.',
  transaction_id: 'Transaction id, 32 bytes.',
}

/** Tables and folds of a worker as PostgreSQL tables, in declared order. */
export function tableShapes({ tables, folds }: Pick<OwnDeclaration, 'tables' | 'folds'>): TableShape[] {
  return [
    ...tables.map((table) => eventsShape(table, folds)),
    ...folds.map((fold) => foldShape(fold, tables.find(({ name }) => name === fold.of) as OwnTable)),
  ]
}

function eventsShape(table: OwnTable, folds: readonly OwnFold[]): TableShape {
  const latest = folds.filter(({ kind, of }) => kind === 'latest' && of === table.name)
  const indexes = [
    ...table.columns.filter(({ isIndexed }) => isIndexed).map(({ name }) => [name, ...position]),
    // The newest row of a key.
    ...latest.map(({ key }) => [...key, ...position]),
  ]
  const unique = new Map(indexes.map((columns) => [columns.join(), columns]))
  return { ...table, kind: 'events', columns: columnsOf(table), key: position, indexes: [...unique.values()] }
}

function columnsOf(table: OwnTable): ColumnShape[] {
  const standard = standardColumns.map(({ name, type }) => ({
    name,
    type,
    isOptional: false,
    comment: standardComments[name],
  }))
  const declared = table.columns.map(({ name, type, isOptional, comment }) => ({ name, type, isOptional, comment }))
  return [...standard, ...declared]
}

function foldShape(fold: OwnFold, table: OwnTable): TableShape {
  const { name, kind, comment, key } = fold
  const columns = new Map(columnsOf(table).map((column) => [column.name, column]))
  const named = (column: string): ColumnShape => columns.get(column) as ColumnShape
  const keyColumns = key.map((column) => ({ ...named(column), isOptional: false }))
  if (fold.kind === 'latest') {
    const indexed = table.columns.filter(({ isIndexed }) => isIndexed).map((column) => column.name)
    const indexes = foldIndexes(
      key,
      fold.columns.filter((column) => indexed.includes(column)),
    )
    return { name, kind, comment, columns: [...keyColumns, ...fold.columns.map(named)], key, indexes }
  }
  const count: ColumnShape = { name: fold.count, type: 'bigint', isOptional: false, comment: 'Number of rows.' }
  const sums = fold.sums.map(({ name: sum, of }): ColumnShape => ({
    name: sum,
    type: 'numeric',
    isOptional: false,
    comment: `Sum of ${of}.`,
  }))
  const indexes = foldIndexes(key, [fold.count, ...fold.sums.map((sum) => sum.name)])
  return { name, kind, comment, columns: [...keyColumns, count, ...sums], key, indexes }
}

/** Keys by each of their columns, rankings, and rankings of the keys with the same first column. */
function foldIndexes(key: readonly string[], ranked: readonly string[]): string[][] {
  const [first = '', ...others] = key
  return [
    ...others.map((column) => [column, ...key.filter((one) => one !== column)]),
    ...ranked.map((column) => [column, ...key]),
    ...(others.length === 0 ? [] : ranked.map((column) => [first, column, ...others])),
  ]
}

export function viewShape({ name, comment, columns }: OwnView): TableShape {
  return {
    name,
    kind: 'view',
    comment,
    columns: columns.map((column) => ({ ...column, isOptional: true, comment: '' })),
    key: [],
    indexes: [],
  }
}
