import type { ChainReader } from '../../src/flow/chain-reader.ts'
import type { Network } from '../../src/flow/network.ts'
import type { SqlColumn } from '../worker.ts'
import type { PayloadFields, PayloadValue } from '../../src/flow/payload-value.ts'

/** Runs in the transaction that stores a result. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

export type Outcome =
  /** Changes only these columns. `refreshMs` overrides the refresh interval. */
  | {
      readonly kind: 'answered'
      readonly values: Readonly<Record<string, unknown>>
      readonly writes?: readonly Statement[]
      readonly refreshMs?: number
    }
  /** No data exists; retried rarely. */
  | { readonly kind: 'none'; readonly code: string; readonly message: string; readonly writes?: readonly Statement[] }
  /** The pause doubles with each failure. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }

export const scriptNames = [
  'ft_tokens',
  'nft_collections',
  'evm_addresses',
  'evm_calls',
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
  /** Has the addresses of the network. */
  readonly script: (name: ScriptName) => string
  /** @throws RetryableError */
  readonly readJson: (url: string, signal: AbortSignal) => Promise<unknown>
  readonly signal: AbortSignal
}

/** Milliseconds. */
interface RefreshPolicy {
  readonly answeredMs: number
  readonly noneMs: number
  /** Doubles with each failure. */
  readonly failedMs: number
  readonly maxFailedMs: number
}

/** Result table with one row per key. `Row` is a row of `details`. */
export interface EnrichmentTable<Row> {
  /** `schema.name` */
  readonly table: string
  readonly key: readonly SqlColumn[]
  readonly columns: readonly SqlColumn[]
  /** Keys per call, also limited by the worker's setting. */
  readonly batch: number
  readonly refresh: RefreshPolicy
  /**
   * `select <key columns> from …` in key order: at most $1 keys after the position $2 to $n (text;
   * null at the start). May return duplicates and known keys.
   */
  readonly scan?: {
    readonly text: string
    /** Position columns, if they differ from the key. */ readonly position?: readonly string[]
  }
  /** `select <key columns> from …`, at most $1. */
  readonly newest?: string
  /**
   * Columns for keys given as arrays $1 to $n. Omitted keys no longer exist. Default: the key
   * alone.
   */
  readonly details?: string
  /**
   * Returns the outcomes in row order.
   *
   * @throws ScriptFailedError and ChainCallFailedError: the batch is halved down to the failing
   * key; RetryableError and StateNotServedError: the worker pauses
   */
  readonly query: (rows: readonly Row[], context: QueryContext) => Promise<readonly Outcome[]>
}

export interface EnrichmentWorker {
  /** Lower case. */
  readonly name: string
  readonly description: string
  readonly tables: readonly EnrichmentTable<never>[]
}

const minuteMs = 60_000
const dayMs = 86_400_000

export function refreshPolicy(answeredMs: number): RefreshPolicy {
  return { answeredMs, noneMs: 7 * dayMs, failedMs: minuteMs, maxFailedMs: 7 * dayMs }
}

export class ResultShapeError extends Error {}

/** @throws ResultShapeError */
export function listOf(value: PayloadValue, length: number): PayloadValue[] {
  if (!Array.isArray(value) || value.length !== length)
    throw new ResultShapeError(`the script did not return a list of ${length}`)
  return value
}

/** Undefined for nil. */
export function structOf(value: PayloadValue | undefined): PayloadFields | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ResultShapeError('the script did not return a struct')
  return value
}

export function requiredStruct(value: PayloadValue | undefined): PayloadFields {
  const fields = structOf(value)
  if (fields === undefined) throw new ResultShapeError('the script returned nil')
  return fields
}

/** Null for nil. */
export function textOf(fields: PayloadFields, name: string): string | null {
  const value = fields[name]
  if (value === null || typeof value === 'string') return value
  throw new ResultShapeError(`field ${name} of the script result is not text`)
}

/** Null for nil or an empty text. */
export function nonEmptyTextOf(fields: PayloadFields, name: string): string | null {
  return textOf(fields, name) || null
}

export function textsOf(value: PayloadValue | undefined): string[] {
  // An empty list may be decoded as bytes.
  if (!Array.isArray(value)) throw new ResultShapeError('the script did not return a list')
  return value.map((item) => {
    if (typeof item !== 'string') throw new ResultShapeError('a list item is not text')
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
  readonly resourceType: string
  /** `A.<address>.<name>.` */
  readonly contractPrefix: string
}

/**
 * See `tokenId`.
 *
 * @param usualName omitted in identifiers
 */
export function tokenParts(token: string, usualName: 'Vault' | 'NFT'): TokenParts | undefined {
  const parts = /^A\.([0-9a-f]{16})\.([^.]+)(?:\.(.+))?$/.exec(token)
  const [, address, name, resource = usualName] = parts ?? []
  if (address === undefined || name === undefined) return undefined
  const contractPrefix = `A.${address}.${name}.`
  return { address: `0x${address}`, name, resourceType: contractPrefix + resource, contractPrefix }
}
