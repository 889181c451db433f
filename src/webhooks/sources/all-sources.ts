import { accountKeySource, activitySource, contractChangeSource, newAccountSource } from './accounts.ts'
import { blockSource, transactionSource } from './blocks.ts'
import { contractEventSource } from './contract-events.ts'
import type { EventSource } from './event-source.ts'
import { evmTransactionSource } from './evm.ts'
import { defiSource, stakingSource } from './finance.ts'
import { ftTransferSource, nftTransferSource } from './transfers.ts'

/** Everything that events are read from. */
export const allSources: readonly EventSource[] = [
  blockSource,
  transactionSource,
  activitySource,
  ftTransferSource,
  nftTransferSource,
  newAccountSource,
  accountKeySource,
  contractChangeSource,
  contractEventSource,
  evmTransactionSource,
  defiSource,
  stakingSource,
]

/** Those that can give an event of one of these types. */
export function sourcesOf(types: readonly string[]): readonly EventSource[] {
  return allSources.filter((source) => source.types.some((type) => types.includes(type)))
}
