import type { FeedBlock } from '../../../src/explorer/feed/reader.ts'
import type { FeedReader } from '../../../src/explorer/feed/block-feed.ts'

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/** The account with a number. */
export const accountOf = (number: number): string => `0x${hex(number, 16)}`

/** A chain whose blocks are made up when they are read, each transaction of accounts in turn, so that filters fit evenly. */
export function madeUpReader(transactionsPerBlock: number, accounts: number): FeedReader {
  const block = (height: number): FeedBlock => ({
    block: {
      height,
      id: hex(height, 64),
      parent_id: hex(height - 1, 64),
      timestamp: '2025-07-01T12:00:00.250Z',
      tx_count: transactionsPerBlock,
      event_count: transactionsPerBlock * 9,
    },
    transactions: Array.from({ length: transactionsPerBlock }, (_, i) => {
      const payer = accountOf((height * transactionsPerBlock + i) % accounts)
      return {
        summary: {
          id: hex(height * 1000 + i, 64),
          block_height: height,
          status: 'SEALED',
          payer_address: payer.slice(2),
          proposer_address: payer.slice(2),
          timestamp: '2025-07-01T12:00:00.250Z',
          execution_status: 'SUCCESS',
          is_evm: false,
          script_hash: hex(i, 64),
          template_category: 'FT_TRANSFER',
          template_label: '',
          tags: ['FT_TRANSFER'],
          error_message: '',
        },
        accounts: [payer],
        contracts: ['A.1654653399040a61.FlowToken'],
      }
    }),
  })
  return {
    read: (from, to) => Promise.resolve(Array.from({ length: to - from }, (_, i) => block(from + i))),
    ids: (from, to) =>
      Promise.resolve(new Map(Array.from({ length: to - from }, (_, i) => [from + i, hex(from + i, 64)]))),
    head: () => Promise.resolve(0),
  }
}
