import type { DecodedBlock, DecodedTransaction } from '../../src/flow/decoded-block.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'

/** An event by its type and payload. */
export type ManualEvent = readonly [type: string, fields: PayloadFields]

/** 2024-09-25, noon. */
const start = Date.UTC(2024, 8, 25, 12) * 1000

/**
 * Blocks of heights 0 to `end` (exclusive), six hours apart, each with the given transaction or
 * none. For data that no recording has, such as events before Cadence 1.0.
 */
export function handMadeBlocks(
  end: number,
  events: Readonly<Record<number, readonly ManualEvent[]>>,
): readonly DecodedBlock[] {
  return Array.from({ length: end }, (_, height) => ({
    height,
    id: Buffer.alloc(32, height),
    timestampUs: start + height * 6 * 3_600_000_000,
    transactions: events[height] === undefined ? [] : [transactionOf(events[height])],
  }))
}

function transactionOf(events: readonly ManualEvent[]): DecodedTransaction {
  return decodedTransaction({
    payer: '0x00000000000000a1',
    proposer: '0x00000000000000a1',
    events: events.map(([type, fields], index) => ({ type, index, fields })),
  })
}

/** A successful user transaction without events and accounts, except for the given fields. */
export function decodedTransaction(fields: Partial<DecodedTransaction>): DecodedTransaction {
  return {
    index: 0,
    id: Buffer.alloc(32),
    isSystem: false,
    payer: undefined,
    proposer: undefined,
    authorizers: [],
    scriptHash: Buffer.alloc(32),
    script: '',
    statusCode: 0,
    isEvm: false,
    gasUsed: 0n,
    events: [],
    ...fields,
  }
}
