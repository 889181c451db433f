/** Column types, as in PostgreSQL. */
export const columnTypes = ['text', 'boolean', 'integer', 'bigint', 'numeric', 'jsonb', 'timestamptz', 'date'] as const

export type ColumnType = (typeof columnTypes)[number]

/** The declaration of a worker of WORKERS_DIR, as stored in app.own_workers. */
export interface OwnDeclaration {
  /** `A.<address>.<name>` */
  readonly contract: string
  /** Names of events, e.g. `MomentPurchased`. Empty: all events of the contract. */
  readonly events: readonly string[]
  /** Raised by the author when changed code must derive all rows again. */
  readonly version: number
  readonly description: string
  /** Null: 0, since heights without events cost nothing. */
  readonly startHeight: number | null
  readonly tables: readonly OwnTable[]
  readonly folds: readonly OwnFold[]
  /** Missing in declarations that were stored before there were views. */
  readonly views?: readonly OwnView[]
}

/** Rows of events, after `standardColumns`. */
export interface OwnTable {
  readonly name: string
  readonly comment: string
  readonly columns: readonly OwnColumn[]
}

export interface OwnColumn {
  readonly name: string
  readonly type: ColumnType
  readonly isOptional: boolean
  /** REST can filter by it. */
  readonly isIndexed: boolean
  readonly comment: string
}

/** Current state, computed from the rows of a table. Columns have the types of that table. */
export type OwnFold = LatestFold | SumFold

interface FoldBase {
  readonly name: string
  readonly comment: string
  /** A table of the worker. */
  readonly of: string
  /** Columns of it. */
  readonly key: readonly string[]
}

/** The newest row of each key. */
export interface LatestFold extends FoldBase {
  readonly kind: 'latest'
  readonly columns: readonly string[]
}

/** Row count and sums of numeric columns for each key. */
export interface SumFold extends FoldBase {
  readonly kind: 'sum'
  readonly count: string
  readonly sums: readonly { readonly name: string; readonly of: string }[]
}

/** A SELECT on the tables, folds and earlier views of the worker. */
export interface OwnView {
  readonly name: string
  readonly comment: string
  readonly sql: string
  /** Reported by PostgreSQL when the view was created; empty before. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType | 'bytea' }[]
}

/**
 * Before the declared columns of each table. The first four are its key; `row_index` numbers the
 * rows that one event writes.
 */
export const standardColumns = [
  { name: 'block_height', type: 'bigint' },
  { name: 'tx_index', type: 'integer' },
  { name: 'event_index', type: 'integer' },
  { name: 'row_index', type: 'integer' },
  { name: 'block_timestamp', type: 'timestamptz' },
  { name: 'transaction_id', type: 'bytea' },
] as const

export interface OwnWorker {
  /** `own_<folder>`: the worker and its schema. */
  readonly name: string
  readonly declaration: OwnDeclaration
  readonly startHeight: number
  /** Its tables are not served yet: they replace those of this worker. */
  readonly replaces: string | undefined
}
