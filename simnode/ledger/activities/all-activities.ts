import type { Activity, SystemWork } from '../activity.ts'
import { evmBlocks } from '../evm/evm-blocks.ts'
import { schedulerWork } from '../scheduled/scheduler-work.ts'
import { firstContracts } from '../service/first-contracts.ts'
import { versionBeacons } from '../service/version-beacon.ts'
import { epochs } from '../staking/epochs.ts'
import { accountCreation } from './account-creation.ts'
import { contractDeploy, contractRemoval } from './contract-deploy.ts'
import { evmActivities } from './evm-activities.ts'
import { failure } from './failure.ts'
import { flowTransfer } from './flow-transfer.ts'
import { itemMint } from './item-mint.ts'
import { itemSale } from './item-sale.ts'
import { itemTransfer } from './item-transfer.ts'
import { keyChange } from './key-change.ts'
import { scheduled } from './scheduled.ts'
import { splitTransfer } from './split-transfer.ts'
import { staking, stakingThereAndBack } from './staking.ts'
import { swap } from './swap.ts'
import { tokenMint } from './token-mint.ts'
import { tokenTransfer } from './token-transfer.ts'

/** What people do, in an order that decides nothing but what is drawn. */
export const allActivities: readonly Activity[] = [
  flowTransfer,
  tokenTransfer,
  splitTransfer,
  tokenMint,
  itemTransfer,
  itemMint,
  accountCreation,
  keyChange,
  contractDeploy,
  contractRemoval,
  failure,
  itemSale,
  swap,
  scheduled,
  staking,
  stakingThereAndBack,
  ...evmActivities,
]

/** What the chain itself does in every block, in this order. */
export const allSystemWorks: readonly SystemWork[] = [firstContracts, schedulerWork, epochs, versionBeacons, evmBlocks]
