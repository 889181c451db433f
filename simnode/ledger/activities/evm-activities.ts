import type { Activity } from '../activity.ts'
import { evmAtStart } from '../evm/evm-start.ts'
import { EvmState } from '../evm/evm-state.ts'
import { coaCall } from './coa-call.ts'
import { coaCreation } from './coa-creation.ts'
import { evmDeposit } from './evm-deposit.ts'
import { evmFailure } from './evm-failure.ts'
import { evmItemTransfer } from './evm-item-transfer.ts'
import { evmPictureTransfer } from './evm-picture-transfer.ts'
import { evmTokenTransfer } from './evm-token-transfer.ts'
import { evmTransfer } from './evm-transfer.ts'

/** What people do in the EVM. */
export const evmActivities: readonly Activity[] = [
  evmTransfer,
  evmTokenTransfer,
  evmPictureTransfer,
  evmItemTransfer,
  evmFailure,
  evmDeposit,
  coaCall,
  coaCreation,
]

/** The EVM at the start of a tide, by how many turns each activity has had before. */
export function evmStateAtStart(turnsOf: (activity: Activity) => number, tide: number): EvmState {
  const turns = {
    transfer: turnsOf(evmTransfer),
    erc20: turnsOf(evmTokenTransfer),
    erc721: turnsOf(evmPictureTransfer),
    erc1155: turnsOf(evmItemTransfer),
    failure: turnsOf(evmFailure),
    coaCall: turnsOf(coaCall),
    deposit: turnsOf(evmDeposit),
    coaCreation: turnsOf(coaCreation),
  }
  return new EvmState(evmAtStart(turns, tide))
}
