import type { ChainReader } from '../../src/flow/chain-reader.ts'
import type { Network } from '../../src/flow/network.ts'
import type { SqlColumn } from '../worker.ts'
import type { PayloadFields, PayloadValue } from '../../src/flow/payload-value.ts'

/*
 * An enrichment worker queries the chain, or an external source, for data that events do not carry, and holds no
 * range of heights. Each of its questions has a table with one row a key, which also says when the key is due next
 * (status, failures, next_ask_at): after a kill, a key without an answer is still due. Keys enter the table by a
 * paged walk through the tables that know them, and by a check of the newest ones.
 */

/** A statement that a worker wants done in the transaction that stores an answer. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** What became of asking for one key. */
export type Outcome =
  /**
   * `values` by column of the answer; columns that are left out keep what they have. `againMs` in place of the
   * usual pause.
   */
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
interface AskAgain {
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
   * @throws ScriptFailedError and ChainCallFailedError: then they are asked in two halves, and so on down to the
   * key at fault;
   *   RetryableError and StateNotServedError: then nothing is said of any key, and the worker pauses
   */
  readonly ask: (rows: readonly Row[], context: AskContext) => Promise<readonly Outcome[]>
}

/** A worker that asks. One process at a time runs it. */
export interface EnrichmentWorker {
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

/**
 * The result of a script is not what the script is written to give: a mistake of ours, or an answer of something
 * else.
 */
export class AnswerShapeError extends Error {}

/** A list, with as many entries as were asked for. */
export function listOf(value: PayloadValue, length: number): PayloadValue[] {
  if (!Array.isArray(value) || value.length !== length)
    throw new AnswerShapeError(`the script did not give a list of ${length}`)
  return value
}

/** A struct; undefined for nil. */
export function structOf(value: PayloadValue | undefined): PayloadFields | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw new AnswerShapeError('the script did not give a struct')
  return value
}

/** A struct that must be there. */
export function requiredStruct(value: PayloadValue | undefined): PayloadFields {
  const fields = structOf(value)
  if (fields === undefined) throw new AnswerShapeError('the script gave nothing')
  return fields
}

/** A text or number, which both are text here; null for nil. */
export function textOf(fields: PayloadFields, name: string): string | null {
  const value = fields[name]
  if (value === null || typeof value === 'string') return value
  throw new AnswerShapeError(`field ${name} of the script's answer is no text`)
}

/** As `textOf`; an empty text says nothing, and is null too. */
export function saidOf(fields: PayloadFields, name: string): string | null {
  return textOf(fields, name) || null
}

/** A list of texts. */
export function textsOf(value: PayloadValue | undefined): string[] {
  // A list without items may as well be one of bytes.
  if (!Array.isArray(value)) throw new AnswerShapeError('the script did not give a list')
  return value.map((item) => {
    if (typeof item !== 'string') throw new AnswerShapeError('an item of the list is no text')
    return item
  })
}

/** An object to be kept as JSON; null where it has nothing. */
export function mapOf(value: PayloadValue | undefined): PayloadFields | null {
  const fields = structOf(value)
  return fields === undefined || Object.keys(fields).length === 0 ? null : fields
}

/** The contract of a token as scripts are told of it. */
export interface TokenParts {
  /** `0x` and 16 hex digits. */
  readonly address: string
  readonly name: string
  /** The type of its vaults or items. */
  readonly resourceType: string
  /** What the types of the contract begin with, `A.<address>.<name>.`. */
  readonly contractPrefix: string
}

/**
 * Takes the identifier of a token apart (see `tokenId`).
 * @param usualName `Vault` or `NFT`: what is left out of the identifier
 * @returns undefined for a text that is no identifier
 */
export function tokenParts(token: string, usualName: 'Vault' | 'NFT'): TokenParts | undefined {
  const parts = /^A\.([0-9a-f]{16})\.([^.]+)(?:\.(.+))?$/.exec(token)
  const [, address, name, resource = usualName] = parts ?? []
  if (address === undefined || name === undefined) return undefined
  const contractPrefix = `A.${address}.${name}.`
  return { address: `0x${address}`, name, resourceType: contractPrefix + resource, contractPrefix }
}
