import type { ChainReader } from '../../src/flow/chain-reader.ts'
import type { Network } from '../../src/flow/network.ts'
import type { SqlColumn } from '../worker.ts'

/*
 * How a worker that asks is written. It asks the chain, or a source outside, for what no event tells, and holds no range of
 * heights. Each of its questions has a table of answers with one row a key; the row says too when it is to be asked next and
 * how the asking goes, in the columns of `askingColumns`. So whatever is killed at whatever moment: a key without an answer
 * is still due.
 *
 * Rows come into that table in two ways, both bounded and served by an index: a walk through the tables that know the keys,
 * page after page and round again, which finds all; and a look at the newest of them, which finds new ones at once.
 */

/** The columns that every table of answers has besides its key and its answer. */
export const askingColumns = ['status', 'failures', 'next_ask_at', 'asked_at', 'last_error_code', 'last_error'] as const

/** A statement that a worker wants done in the transaction that stores an answer. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** What became of asking for one key. */
export type Outcome =
  /** `values` by column of the answer; columns that are left out keep what they have. `againMs` in place of the usual pause. */
  | {
      readonly kind: 'answered'
      readonly values: Readonly<Record<string, unknown>>
      readonly writes?: readonly Statement[]
      readonly againMs?: number
    }
  /** There is nothing to say of it, for good as far as one can tell: asked again seldom. */
  | { readonly kind: 'none'; readonly code: string; readonly message: string; readonly writes?: readonly Statement[] }
  /** It may work another time: asked again after a pause that doubles with each failure. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }

/** Names of the scripts in `cadence/`, without the ending. */
export const scriptNames = [
  'ft_tokens',
  'nft_collections',
  'evm_addresses',
  'nft_items',
  'nft_holder_ids',
  'nft_holder_check',
  'network_state',
  'staking_nodes',
] as const
export type ScriptName = (typeof scriptNames)[number]

export interface AskContext {
  readonly reader: ChainReader
  readonly network: Network
  /** A script with the addresses of the network filled in. */
  readonly script: (name: ScriptName) => string
  /** A source outside the chain, as JSON. @throws RetryableError */
  readonly readJson: (url: string, signal: AbortSignal) => Promise<unknown>
  readonly signal: AbortSignal
}

/** Pauses until a key is asked again, ms. */
export interface AskAgain {
  readonly answeredMs: number
  readonly noneMs: number
  /** After the first failure; it doubles with each up to `failedCapMs`. */
  readonly failedMs: number
  readonly failedCapMs: number
}

/** One kind of thing that a worker asks for. `Row` is what `details` gives for a key, the key included. */
export interface Question<Row> {
  /** `schema.name` of the table of answers. */
  readonly table: string
  readonly key: readonly SqlColumn[]
  /** The columns that an answer may set. */
  readonly answer: readonly SqlColumn[]
  /** Most keys that are asked for at once; the setting of the worker may make it fewer. */
  readonly batch: number
  readonly again: AskAgain
  /**
   * `select <key columns> from …` in the order of the key: the next keys, at most $1, after the last one seen, which is
   * in $2 to $n as text, or null at the beginning. Keys may come twice, and such as are in the table already.
   */
  readonly walk?: {
    readonly text: string
    /** Columns of the walk's own position, where that is not the key. */ readonly position?: readonly string[]
  }
  /** `select <key columns> from …`: the newest keys, at most $1. */
  readonly newest?: string
  /**
   * What asking needs, for keys that come as arrays, $1 to $n. Keys that it leaves out have nothing to be asked for any
   * more. Default: the key alone.
   */
  readonly details?: string
  /**
   * Asks for some keys at once.
   * @returns the outcomes in the order of the rows
   * @throws ScriptFailedError and ChainCallFailedError: then they are asked in two halves, and so on down to the key at fault;
   *   RetryableError and StateNotServedError: then nothing is said of any key, and the worker pauses
   */
  readonly ask: (rows: readonly Row[], context: AskContext) => Promise<readonly Outcome[]>
}

/** A worker that asks. One process at a time runs it. */
export interface AskingWorker {
  /** As in the settings, in lower case. */
  readonly name: string
  readonly description: string
  /** In the order in which they are asked. */
  readonly questions: readonly Question<never>[]
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** The pauses of most questions; an answer is looked at again after `answeredMs`. */
export function askAgain(answeredMs: number): AskAgain {
  return { answeredMs, noneMs: 7 * dayMs, failedMs: minuteMs, failedCapMs: 7 * dayMs }
}
