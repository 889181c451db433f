import type { RowWriter } from '../src/base/row-writer.ts'
import type { DecodedRange } from '../src/chain/decoded-block.ts'
import type { Network } from '../src/chain/network.ts'

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

/**
 * A table that holds the present state of each key, computed from a height-owned history table. Both statements are
 * plain SQL and order-independent: whatever ranges were done in whatever order, folding a key gives the same row.
 */
export interface Fold {
  /** `schema.name` of the folded table. */
  readonly name: string
  /** Names and SQL types of the key columns. */
  readonly key: readonly { readonly column: string; readonly type: string }[]
  /** `select distinct <key columns> from … where height >= $1 and height < $2`: the keys that a range touches. */
  readonly touched: string
  /**
   * One statement that computes the rows of the touched keys anew from all history, writes those that exist and deletes
   * those that no longer do. The touched keys come as one array a key column, $1 … $n, to be unnested.
   */
  readonly fold: string
  /** As for a table of heights. */
  readonly notDerived?: readonly string[]
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
  /** Workers that must have done a height before; `[]` for the raw tables alone. */
  readonly follows: readonly string[]
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
