import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { Network } from '../chain/network.ts'
import { presentNewBlock } from './presenters/block.ts'
import type { FeedBlock } from './presenters/feed.ts'
import { presentTransactionSummary } from './presenters/transaction.ts'
import { readBlocks } from './queries/blocks.ts'
import { describeTransactions } from './queries/describe-transactions.ts'
import { readTransactions } from './queries/transactions.ts'

/** Reads what the live feed tells, in the same form as the API shows it. */
export interface BlockReader {
  /** The stored blocks of a range of heights, `to` not among them, the lowest first. */
  read(from: number, to: number): Promise<readonly FeedBlock[]>
  /** One above the highest height that the forward ingester has stored; undefined while it has stored nothing. */
  head(): Promise<number | undefined>
}

/** @param network decides which accounts hold the core contracts */
export function createFeedReader(database: DatabasePool, network: () => Network): BlockReader {
  return {
    read: async (from, to) => {
      const [blocks, rows] = await Promise.all([
        readBlocks(database, from, to - 1), readTransactions(database, from, to - 1),
      ])
      const described = await describeTransactions(database, network(), rows)
      const byHeight = Map.groupBy(described, ({ row }) => row.block_height)
      return blocks.map((row) => ({
        block: presentNewBlock(row),
        transactions: (byHeight.get(row.height) ?? []).map(presentTransactionSummary),
      }))
    },
    head: async () => {
      const row = await database.maybeOne(sql.type(z.object({ head: z.number().nullable() }))`
        select upper(covered) as head from app.indexing_checkpoints where service_name = 'main_ingester'
      `)
      return row?.head ?? undefined
    },
  }
}
