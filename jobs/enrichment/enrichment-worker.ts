import type { ChainReader } from '../../src/flow/chain-reader.ts'
import type { Network } from '../../src/flow/network.ts'
import type { SqlColumn } from '../worker.ts'
import type { PayloadFields, PayloadValue } from '../../src/flow/payload-value.ts'

/** A statement to run in the transaction that stores an answer. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

export type Outcome =
  /** `values` by column; other columns are unchanged. `againMs` overrides the refresh interval. */
  | {
      readonly kind: 'answered'
      readonly values: Readonly<Record<string, unknown>>
      readonly writes?: readonly Statement[]
      readonly againMs?: number
    }
  /** The chain has no data for the key; retried rarely. */
  | { readonly kind: 'none'; readonly code: string; readonly message: string; readonly writes?: readonly Statement[] }
  /** Retried after a pause that doubles with each failure. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }

/** Script names in `cadence/`, without extension. */
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

export interface QueryContext {
  readonly reader: ChainReader
  readonly network: Network
  /** The script with the addresses of the network. */
  readonly script: (name: ScriptName) => string
  /** JSON of an external source. @throws RetryableError */
  readonly readJson: (url: string, signal: AbortSignal) => Promise<unknown>
  readonly signal: AbortSignal
}

/** Pauses until the next query, ms. */
interface RefreshPolicy {
  readonly answeredMs: number
  readonly noneMs: number
  /** After the first failure; doubles with each up to `failedCapMs`. */
  readonly failedMs: number
  readonly failedCapMs: number
}

/** A kind of query. `Row` is what `details` returns for a key, including the key. */
export interface Question<Row> {
  /** Result table, `schema.name`. */
  readonly table: string
  readonly key: readonly SqlColumn[]
  /** Columns that an answer may set. */
  readonly answer: readonly SqlColumn[]
  /** Maximum keys per call, also limited by the worker's setting. */
  readonly batch: number
  readonly again: RefreshPolicy
  /**
   * `select <key columns> from …` in key order: at most $1 keys after the position $2 to $n (text;
   * null at the start). May return duplicates and known keys.
   */
  readonly walk?: {
    readonly text: string
    /** Position columns, if they differ from the key. */ readonly position?: readonly string[]
  }
  /** `select <key columns> from …`: the newest keys, at most $1. */
  readonly newest?: string
  /**
   * Columns that the query needs for keys given as arrays $1 to $n. Omitted keys no longer exist.
   * Default: the key alone.
   */
  readonly details?: string
  /**
   * Queries a batch.
   *
   * @returns the outcomes in the order of the rows
   *
   * @throws ScriptFailedError and ChainCallFailedError: the batch is queried in halves, down to the
   * failing key; RetryableError and StateNotServedError: no key is at fault, and the worker pauses
   */
  readonly ask: (rows: readonly Row[], context: QueryContext) => Promise<readonly Outcome[]>
}

/** Runs in one process at a time. */
export interface EnrichmentWorker {
  /** As in the settings, in lower case. */
  readonly name: string
  readonly description: string
  readonly questions: readonly Question<never>[]
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** Usual pauses; an answer is refreshed after `answeredMs`. */
export function refreshPolicy(answeredMs: number): RefreshPolicy {
  return { answeredMs, noneMs: 7 * dayMs, failedMs: minuteMs, failedCapMs: 7 * dayMs }
}

/** A script returned an unexpected shape: a bug, or an unexpected response. */
export class AnswerShapeError extends Error {}

/** @throws AnswerShapeError unless it is a list with `length` entries */
export function listOf(value: PayloadValue, length: number): PayloadValue[] {
  if (!Array.isArray(value) || value.length !== length)
    throw new AnswerShapeError(`the script did not return a list of ${length}`)
  return value
}

/** Undefined for nil. */
export function structOf(value: PayloadValue | undefined): PayloadFields | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object' || Array.isArray(value))
    throw new AnswerShapeError('the script did not return a struct')
  return value
}

export function requiredStruct(value: PayloadValue | undefined): PayloadFields {
  const fields = structOf(value)
  if (fields === undefined) throw new AnswerShapeError('the script returned nil')
  return fields
}

/** Text or number as text; null for nil. */
export function textOf(fields: PayloadFields, name: string): string | null {
  const value = fields[name]
  if (value === null || typeof value === 'string') return value
  throw new AnswerShapeError(`field ${name} of the script result is not text`)
}

/** As `textOf`, with null for an empty text. */
export function nonEmptyTextOf(fields: PayloadFields, name: string): string | null {
  return textOf(fields, name) || null
}

export function textsOf(value: PayloadValue | undefined): string[] {
  // An empty list may be decoded as bytes.
  if (!Array.isArray(value)) throw new AnswerShapeError('the script did not return a list')
  return value.map((item) => {
    if (typeof item !== 'string') throw new AnswerShapeError('a list item is not text')
    return item
  })
}

/** Null if empty. */
export function mapOf(value: PayloadValue | undefined): PayloadFields | null {
  const fields = structOf(value)
  return fields === undefined || Object.keys(fields).length === 0 ? null : fields
}

export interface TokenParts {
  /** `0x` and 16 hex digits. */
  readonly address: string
  readonly name: string
  /** Type of its vaults or items. */
  readonly resourceType: string
  /** Prefix of its types, `A.<address>.<name>.`. */
  readonly contractPrefix: string
}

/**
 * Parses a token identifier (see `tokenId`).
 *
 * @param usualName `Vault` or `NFT`, which identifiers omit
 *
 * @returns undefined for an invalid identifier
 */
export function tokenParts(token: string, usualName: 'Vault' | 'NFT'): TokenParts | undefined {
  const parts = /^A\.([0-9a-f]{16})\.([^.]+)(?:\.(.+))?$/.exec(token)
  const [, address, name, resource = usualName] = parts ?? []
  if (address === undefined || name === undefined) return undefined
  const contractPrefix = `A.${address}.${name}.`
  return { address: `0x${address}`, name, resourceType: contractPrefix + resource, contractPrefix }
}
