import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedRange } from '../src/flow/decoded-block.ts'
import type { Network } from '../src/flow/network.ts'

/*
 * A worker is a file with its tables and a `Worker`, a line in index.ts and in worker-names.ts, and
 * a migration for the tables. See `docs/adding-a-worker.md`. Its tables are of up to three kinds:
 *
 *     HeightTable   what happened at a height. Written by `derive` from blocks alone.
 *     StateFold     current state of each key, computed from height tables by two statements.
 *     SumFold       sums for each key, updated by the difference that rows make.
 *
 * Tests check that declarations match the database, that folds read declared tables only, and that
 * any order of ranges, repeated derivation and rollback give the same rows.
 */

/** A table with a height in each row: a range is deleted and written as a unit. */
export interface HeightTable {
  /** `schema.name` */
  readonly name: string
  /** In the order in which `derive` writes the fields. */
  readonly columns: readonly string[]
  readonly heightColumn: string
  /** Heights per partition; undefined: not partitioned. */
  readonly partitionHeights: number | undefined
  /** Columns that a repeated derivation may set differently, e.g. times and counts. */
  readonly notDerived?: readonly string[]
}

export interface SqlColumn {
  readonly column: string
  readonly type: string
}

/** A table computed from height tables. Folds run in declared order. */
export type Fold = StateFold | SumFold

interface FoldedTable {
  /** `schema.name` */
  readonly name: string
  readonly key: readonly SqlColumn[]
  /**
   * `select distinct <key columns> from … where height >= $1 and height < $2`: keys touched by the
   * rows of a range. Runs before the worker's folds and may read their tables.
   */
  readonly touched: string
  /** As for HeightTable. */
  readonly notDerived?: readonly string[]
}

/**
 * A table with the current state of each key, computed from history independently of the order of
 * derivation. A key can have millions of rows, so `fold` must find the relevant row by index, with
 * `cross join lateral (… order by block_height desc limit 1)`. Use a SumFold for sums. A test
 * counts the pages read for keys with long histories.
 */
export interface StateFold extends FoldedTable {
  readonly kind: 'state'
  /**
   * Height tables that it is computed from: the worker's own, or those of workers that it follows.
   * When rows of them are replaced, their keys are folded again.
   */
  readonly reads: readonly string[]
  /**
   * One statement that recomputes the rows of the touched keys, and deletes those that no longer
   * exist. Keys are arrays for each key column, $1 … $n.
   */
  readonly fold: string
  /**
   * Optional shortcut for a range ($1 to $2, exclusive) of new rows only, the usual case: one
   * statement that merges them without reading history. Default: `touched` and `fold`.
   */
  readonly merge?: string
}

/**
 * A table of sums, updated by the difference between earlier and current contributions, read in the
 * transaction that changes the rows. The cost depends on the changed rows only.
 */
export interface SumFold extends FoldedTable {
  readonly kind: 'sum'
  /** Summed columns. `presence` names one that counts: rows with 0 are deleted. */
  readonly sums: readonly SqlColumn[]
  readonly presence: string
  /** Tables whose rows are summed: HeightTables of the worker, or an earlier StateFold of it. */
  readonly of: string | readonly string[]
  /**
   * `select <key columns>, <sums> from …`: contributions of the rows of a range ($1 to $2,
   * exclusive), or of keys of the StateFold (arrays, $1 … $n). Keys may repeat. If it reads rows
   * outside the range, it must return the difference that the range makes.
   */
  readonly counted: string
}

/** Undecodable input, recorded in raw.indexing_errors while the rest of the range proceeds. */
export interface DeriveProblem {
  readonly blockHeight: number
  /** -1 for the block. */
  readonly txIndex: number
  /** -1 for the transaction. */
  readonly eventIndex: number
  /** Stable, lower case, dashes. */
  readonly code: string
  readonly message: string
  readonly eventType?: string
}

export interface DeriveOutput {
  /** Writer of one of the worker's tables. */
  rows(table: string): RowWriter
  problem(problem: DeriveProblem): void
}

/** Declarations, and a pure function from a decoded range to rows. */
export interface Worker {
  /** As in `app.worker_leases.worker_type`, e.g. `token_worker`. */
  readonly name: string
  readonly description: string
  /** Phase 1 reads the raw tables only; phase 2 also tables of phase 1. */
  readonly phase: 1 | 2
  /**
   * Workers that must have completed a height before, including those whose tables the folds read;
   * `[]` for none.
   */
  readonly follows: readonly string[]
  /** Only this worker writes these and the folds. */
  readonly tables: readonly HeightTable[]
  readonly folds: readonly Fold[]
  /**
   * Absent for workers that only fold. Pure: the same range gives the same rows. Must write the
   * rows of a table in ascending key order.
   */
  readonly derive?: (range: DecodedRange, output: DeriveOutput, context: DeriveContext) => void
}

export interface DeriveContext {
  /** Determines core contract addresses. */
  readonly network: Network
}
