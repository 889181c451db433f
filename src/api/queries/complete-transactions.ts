import type { DatabasePool } from 'slonik'
import { coreContracts } from '../../chain/core-contracts.ts'
import type { Network } from '../../chain/network.ts'
import type { CompleteTransaction, TransactionRow } from '../presenters/transaction.ts'
import { presentTransferSummary } from '../presenters/transfer-summary.ts'
import { readAssetNames } from './asset-names.ts'
import { describeWithDetails } from './describe-transactions.ts'

/**
 * Completes transactions by all that lists show of them.
 * @param account sums of transfers are told as this account sees them
 */
export async function completeTransactions(
  database: DatabasePool,
  network: Network,
  rows: readonly TransactionRow[],
  account?: string,
): Promise<CompleteTransaction[]> {
  const found = await describeWithDetails(database, network, rows, account === undefined ? 'all' : { account })
  const flow = `A.${coreContracts(network).flowToken}.FlowToken`
  const names = await readAssetNames(
    database,
    [flow, ...found.flatMap(({ details }) => details?.fungible.map(({ token }) => token) ?? [])],
    found.flatMap(({ details }) => details?.nonFungible.flatMap(({ token }) => token ?? []) ?? []),
  )
  const flowPrice = names.tokens.get(flow)?.price ?? undefined
  return found.map(({ described, details }) => {
    const summary = described.isMoved
      ? presentTransferSummary(details?.fungible ?? [], details?.nonFungible ?? [], names)
      : undefined
    return { ...described, summary, flowPrice }
  })
}
