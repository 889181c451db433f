import type { PayloadFields } from './payload-value.ts'

/** From the ingester's memory or from the raw tables. */
export interface DecodedBlock {
  readonly height: number
  /** 32 bytes. */
  readonly id: Buffer
  /** Microseconds since 1970, UTC. */
  readonly timestampUs: number
  readonly transactions: readonly DecodedTransaction[]
}

/** `bytes` is the estimated size in memory. */
export interface WeighedBlock {
  readonly block: DecodedBlock
  readonly bytes: number
}

export interface DecodedTransaction {
  readonly index: number
  /** 32 bytes; repeated by the system transactions of every block. */
  readonly id: Buffer
  /** System transactions are in no collection. */
  readonly isSystem: boolean
  /** 0x and 16 hex digits; undefined for system transactions without one. */
  readonly payer: string | undefined
  readonly proposer: string | undefined
  readonly authorizers: readonly string[]
  /** SHA-256, 32 bytes. */
  readonly scriptHash: Buffer
  /** Read on first use if it comes from the database. */
  readonly script: string
  /** 0 succeeded, 1 failed; undefined if the result is unavailable. */
  readonly statusCode: number | undefined
  readonly isEvm: boolean
  readonly gasUsed: bigint | undefined
  readonly events: readonly DecodedEvent[]
}

export interface DecodedEvent {
  readonly type: string
  readonly index: number
  /** Decoded on first use. Undefined if undecodable, which ingestion has recorded. */
  readonly fields: PayloadFields | undefined
}

/** An event with its place in the chain. */
export interface PlacedEvent {
  readonly height: number
  /** Microseconds since 1970, UTC. */
  readonly timestampUs: number
  readonly txIndex: number
  /** 32 bytes; repeated by the system transactions of every block. */
  readonly transactionId: Buffer
  /** Position in the transaction. */
  readonly index: number
  readonly type: string
  readonly fields: PayloadFields
}

/** Ascending, one for every height from `from` to `to` (exclusive). */
export interface DecodedRange {
  readonly from: number
  readonly to: number
  readonly blocks: readonly DecodedBlock[]
}

const dayUs = 86_400_000_000

/** @param timestampUs microseconds since 1970 */
export function utcDay(timestampUs: number): number {
  return Math.floor(timestampUs / dayUs)
}

const hourUs = 3_600_000_000

/** 0 to 23. @param timestampUs microseconds since 1970 */
export function utcHour(timestampUs: number): number {
  const hours = Math.floor(timestampUs / hourUs) % 24
  return hours < 0 ? hours + 24 : hours
}
