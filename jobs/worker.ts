import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedRange, PlacedEvent } from '../src/flow/decoded-block.ts'
import type { Network } from '../src/flow/network.ts'

/*
 * A worker is a file with its tables and a `Worker`, a line in index.ts and in worker-names.ts, and
 * a migration. See `docs/adding-a-worker.md`. Its tables are of up to three kinds:
 *
 *     HeightTable   what happened at a height. Written by `derive` from blocks alone.
 *     StateFold     current state of each key, computed from height tables by two statements.
 *     SumFold       sums for each key, updated by the difference that rows make.
 *
 * Tests check that any order of ranges, repeated derivation and rollback give the same rows.
 */

/** A range is deleted and written as a unit. */
export interface HeightTable {
  /** `schema.name` */
  readonly name: string
  /** In the order of the fields of `derive`. */
  readonly columns: readonly string[]
  readonly heightColumn: string
  /** Undefined: not partitioned. */
  readonly partitionHeights: number | undefined
  /** Columns that a repeated derivation may set differently, e.g. times and counts. */
  readonly notDerived?: readonly string[]
}

export interface SqlColumn {
  readonly column: string
  readonly type: string
}

export interface SumColumn extends SqlColumn {
  /** Drops trailing zeros, which would depend on the order of ranges if values differ in scale. */
  readonly isTrimmed?: boolean
}

/** Folds run in declared order. */
export type Fold = StateFold | SumFold

interface FoldedTable {
  /** `schema.name` */
  readonly name: string
  readonly key: readonly SqlColumn[]
  /**
   * `select distinct <key columns> from … where height >= $1 and height < $2`. Runs before the
   * worker's folds and may read their tables.
   */
  readonly touched: string
  readonly notDerived?: readonly string[]
}

/**
 * Independent of the order of derivation. A key can have millions of rows, so `fold` must find the
 * relevant row by index, with `cross join lateral (… order by block_height desc limit 1)`.
 */
export interface StateFold extends FoldedTable {
  readonly kind: 'state'
  /**
   * Height tables of the worker, or of workers that it follows. When their rows are replaced, their
   * keys are folded again.
   */
  readonly reads: readonly string[]
  /**
   * Recomputes the touched keys, given as arrays for each key column, $1 … $n, and deletes those
   * that no longer exist.
   */
  readonly fold: string
  /**
   * Shortcut for a range ($1 to $2, exclusive) of new rows only, the usual case: merges without
   * reading history.
   */
  readonly merge?: string
}

/**
 * Updated by the difference between earlier and current contributions, in the transaction that
 * changes the rows.
 */
export interface SumFold extends FoldedTable {
  readonly kind: 'sum'
  /** `presence` names one that counts: rows with 0 are deleted. */
  readonly sums: readonly SumColumn[]
  readonly presence: string
  /** HeightTables of the worker, or an earlier fold of it. */
  readonly of: string | readonly string[]
  /**
   * `select <key columns>, <sums> from …`. Keys may repeat.
   *
   * - Of height tables: contributions of a range ($1 to $2, exclusive). If it reads rows outside
   *   the range, it must return the difference that the range makes.
   * - Of a StateFold: contributions of its keys (arrays, $1 … $n).
   * - Of a SumFold: the difference made by its changes (arrays of its keys and sums, $1 … $n), which
   *   it includes already.
   */
  readonly counted: string
}

/** Undecodable input, recorded in raw.indexing_errors. */
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
  rows(table: string): RowWriter
  problem(problem: DeriveProblem): void
}

export interface Worker {
  /** E.g. `token_worker`. */
  readonly name: string
  readonly description: string
  /** Phase 1 reads raw tables only; phase 2 also tables of phase 1. */
  readonly phase: 1 | 2
  /**
   * Workers that must have completed a height before, including those whose tables the folds read.
   */
  readonly follows: readonly string[]
  /** Written only by this worker. */
  readonly tables: readonly HeightTable[]
  readonly folds: readonly Fold[]
  /**
   * Pure. Must write the rows of a table in ascending key order. Absent for workers that only fold.
   */
  readonly derive?: (range: DecodedRange, output: DeriveOutput, context: DeriveContext) => void
  /** Instead of `derive`, for workers that need the events of one contract only. */
  readonly deriveEvents?: EventDerivation
}

/**
 * The farm finds the events by the index of tx_contracts_worker, which the worker must follow, and
 * reads no other blocks. Such a worker has jobs of its own: it never delays other workers.
 */
export interface EventDerivation {
  /** `A.<address>.<name>` */
  readonly contract: string
  /** Full event types of the contract. Default: all. */
  readonly types?: readonly string[]
  /** Events below are not derived. */
  readonly startHeight: number
  /**
   * Batches of a range arrive in chain order; two ranges, at the head and in history, may be derived
   * at a time. Depends on the events only. An error fails the range.
   */
  readonly derive: (events: readonly PlacedEvent[], output: DeriveOutput, signal: AbortSignal) => Promise<void>
}

export interface DeriveContext {
  readonly network: Network
}
