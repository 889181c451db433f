import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { presentNewBlock } from './presenters/block.ts'
import type { FeedBlock } from './presenters/feed.ts'
import { presentTransactionSummary } from './presenters/transaction.ts'
import { readBlocks } from './queries/blocks.ts'
import { withTagEvents } from './queries/events.ts'
import { readTransactions } from './queries/transactions.ts'

/** Reads what the live feed tells, in the same form as the API shows it. */
export interface BlockReader {
  /** The stored blocks of a range of heights, `to` not among them, the lowest first. */
  read(from: number, to: number): Promise<readonly FeedBlock[]>
  /** One above the highest height that the forward ingester has stored; undefined while it has stored nothing. */
  head(): Promise<number | undefined>
}

export function createFeedReader(database: DatabasePool): BlockReader {
  return {
    read: async (from, to) => {
      const [blocks, rows] = await Promise.all([
        readBlocks(database, from, to - 1), readTransactions(database, from, to - 1),
      ])
      const tagged = Map.groupBy(await withTagEvents(database, rows), ({ row }) => row.block_height)
      return blocks.map((row) => ({
        block: presentNewBlock(row),
        transactions: (tagged.get(row.height) ?? []).map(presentTransactionSummary),
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
