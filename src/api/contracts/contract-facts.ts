import type { ContractFacts, ContractRow } from '../presenters/contract.ts'
import { readAssetNames } from '../queries/asset-names.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { readContractGraph } from '../queries/contract-graph.ts'
import { readTransactionIds } from '../queries/transaction-ids.ts'
import type { Services } from '../route.ts'

/**
 * What is shown of contracts beside their rows, in one statement each for all of them.
 * @param more contracts of which there are no rows
 */
export async function readContractFacts(
  { database }: Services,
  rows: readonly ContractRow[],
  more: readonly string[] = [],
): Promise<ContractFacts> {
  const contracts = [...rows.map((row) => row.contract), ...more]
  const places = rows.map((row) => ({ block_height: row.updated_height, tx_index: row.updated_tx_index }))
  const [times, names, transactionId, graph] = await Promise.all([
    readBlockTimes(
      database,
      rows.flatMap((row) => [row.created_height, row.updated_height]),
    ),
    readAssetNames(database, contracts, contracts),
    readTransactionIds(database, places),
    readContractGraph(database),
  ])
  return { times, names, transactionId, dependents: (contract) => graph.dependentsOf(contract).length }
}
