import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedRange } from '../src/flow/decoded-block.ts'
import type { Network } from '../src/flow/network.ts'

/*
 * How a worker is written: one file with its tables and one Worker, a line in index.ts and one in farm-settings.ts;
 * the tables in a migration, with a comment on each column. `docs/contributing.md` has an example. A worker has
 * up to three kinds of tables, and says of each what the farm must know to fill it, to derive a range of it again,
 * and to take it back when the chain is rolled back:
 *
 *   HeightTable   what happened at a height: transfers, tags. Written by `derive`, which looks at nothing but the
 * blocks.
 *   StateFold     what is so now of each key: an account, a vault. Computed from tables of heights by two statements.
 *   SumFold       what adds up for each key: holdings, counts. Kept by the difference that rows make.
 *
 * Tests go through this table of workers: that the declarations fit the database, that folds read only what they may,
 * that any order of ranges, any second derivation and any rollback end in the same rows.
 */

/** A table whose rows carry the height that they come from: a range of it is deleted and written as one piece. */
export interface HeightTable {
  /** `schema.name` */
  readonly name: string
  /** In the order in which `derive` writes the fields. */
  readonly columns: readonly string[]
  /** The column that holds the height. */
  readonly heightColumn: string
  /** Heights per partition; undefined: the table is not partitioned. */
  readonly partitionHeights: number | undefined
  /** Columns that say when or how often something was written, so that a second derivation may give other values. */
  readonly notDerived?: readonly string[]
}

/** A column by its name and SQL type. */
export interface SqlColumn {
  readonly column: string
  readonly type: string
}

/** A table that is computed from tables of heights. The folds of a worker are done in the order in which they stand. */
export type Fold = StateFold | SumFold

interface FoldedTable {
  /** `schema.name` of the table. */
  readonly name: string
  readonly key: readonly SqlColumn[]
  /**
   * `select distinct <key columns> from … where height >= $1 and height < $2`: the keys that the rows of a range
   * touch. May also look at what the worker's folds hold: it is asked before any of them is done.
   */
  readonly touched: string
  /** As for a table of heights. */
  readonly notDerived?: readonly string[]
}

/**
 * A table that holds the present state of each key, computed from history: the last row of it, the first, whether
 * there is one. Both statements are plain SQL and order-independent: whatever ranges were done in whatever order,
 * folding a key gives the same row.
 *
 * A key may have millions of rows of history, so `fold` must not read all that there are of a key: it finds the row
 * that counts by an index, with `cross join lateral (… order by block_height desc limit 1)`. What has to be added up is
 * a SumFold. A test folds keys with long histories and counts the pages that are read.
 */
export interface StateFold extends FoldedTable {
  readonly kind: 'state'
  /**
   * The tables of heights whose rows it is computed from: the worker's own, or those of workers that it follows. When
   * rows of them are derived again and some are gone, their keys are folded again, whoever wrote the rows.
   */
  readonly reads: readonly string[]
  /**
   * One statement that computes the rows of the touched keys anew, writes those that exist and deletes those that no
   * longer do. The touched keys come as one array a key column, $1 … $n, to be unnested.
   */
  readonly fold: string
  /**
   * The same for a range ($1 to $2, exclusive) whose rows are all new, which most are: one statement that merges
   * them into what is there, without a look at history. Default: `touched` and `fold`.
   */
  readonly merge?: string
}

/**
 * A table of sums, kept by the difference of what counted before and what counts now: its cost is that of the rows that
 * change, however many there are. It is exact because both are read in the transaction that changes the rows.
 */
export interface SumFold extends FoldedTable {
  readonly kind: 'sum'
  /** Columns that add up. One must count: where `presence` is 0 there is no row. */
  readonly sums: readonly SqlColumn[]
  readonly presence: string
  /**
   * The table whose rows are added up: HeightTables of the worker, or a StateFold of it that stands before this
   * one.
   */
  readonly of: string | readonly string[]
  /**
   * `select <key columns>, <sums> from …`: what the rows of a range ($1 to $2, exclusive), or those of keys of the
   * StateFold (arrays, $1 … $n), add to which sums. Keys may come several times. It may look at rows outside of the
   * range: then it must say by how much the sums would be other without the range.
   */
  readonly counted: string
}

/** An input that a worker could not use; kept in raw.indexing_errors, and the rest of the range goes on. */
export interface DeriveProblem {
  readonly blockHeight: number
  /** -1 where it concerns the block. */
  readonly txIndex: number
  /** -1 where it concerns the transaction. */
  readonly eventIndex: number
  /** Stable, lower case, dashes. */
  readonly code: string
  readonly message: string
  readonly eventType?: string
}

/** Where a worker's results go. */
export interface DeriveOutput {
  /** The writer of one of the worker's own tables. */
  rows(table: string): RowWriter
  problem(problem: DeriveProblem): void
}

/** One worker: data, and a pure function from a decoded range to rows. */
export interface Worker {
  /** As in `app.worker_leases.worker_type`, e.g. `token_worker`. */
  readonly name: string
  readonly description: string
  /** Phase 1 follows the raw tables alone; phase 2 also workers of phase 1. */
  readonly phase: 1 | 2
  /** Workers that must have done a height before, among them those whose tables the folds read; `[]` for none. */
  readonly follows: readonly string[]
  /** Nobody else writes these, nor the folds. */
  readonly tables: readonly HeightTable[]
  readonly folds: readonly Fold[]
  /**
   * Absent for workers that only fold. Pure: the same range gives the same rows, whatever was derived before.
   * It must write the rows of a table in ascending order of its key.
   */
  readonly derive?: (range: DecodedRange, output: DeriveOutput, context: DeriveContext) => void
}

export interface DeriveContext {
  /** Decides core contract addresses. */
  readonly network: Network
}
