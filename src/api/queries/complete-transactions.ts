import type { DatabasePool } from 'slonik'
import { coreContracts } from '../../chain/core-contracts.ts'
import type { Network } from '../../chain/network.ts'
import type { CompleteTransaction, TransactionRow } from '../presenters/transaction.ts'
import { presentTransferSummary } from '../presenters/transfer-summary.ts'
import { readAssetNames } from './asset-names.ts'
import { describeTransactions } from './describe-transactions.ts'
import { markKey } from './transaction-marks.ts'
import { readFungibleSummaries, readNonFungibleSummaries } from './transfer-summaries.ts'

/**
 * Completes transactions by all that lists show of them.
 * @param account sums of transfers are told as this account sees them
 */
export async function completeTransactions(
  database: DatabasePool, network: Network, rows: readonly TransactionRow[], account?: string,
): Promise<CompleteTransaction[]> {
  if (rows.length === 0) return []
  // A transaction without events moved nothing.
  const moving = rows.filter((row) => row.event_count > 0)
  const [described, fungible, nonFungible] = await Promise.all([
    describeTransactions(database, network, rows),
    readFungibleSummaries(database, moving, account),
    readNonFungibleSummaries(database, moving, account),
  ])
  const flow = `A.${coreContracts(network).flowToken}.FlowToken`
  const names = await readAssetNames(
    database, [flow, ...fungible.map(({ token }) => token)], nonFungible.flatMap(({ token }) => token ?? []),
  )
  const [ftByPlace, nftByPlace] = [Map.groupBy(fungible, markKey), Map.groupBy(nonFungible, markKey)]
  const flowPrice = names.tokens.get(flow)?.price ?? undefined
  return described.map((one) => {
    const key = markKey(one.row)
    const summary = one.isMoved
      ? presentTransferSummary(ftByPlace.get(key) ?? [], nftByPlace.get(key) ?? [], names)
      : undefined
    return { ...one, summary, flowPrice }
  })
}
