import type { Activity, SystemWork } from '../activity.ts'
import { schedulerWork } from '../scheduled/scheduler-work.ts'
import { epochs } from '../staking/epochs.ts'
import { flowTransfer } from './flow-transfer.ts'
import { scheduled } from './scheduled.ts'
import { staking, stakingThereAndBack } from './staking.ts'
import { swap } from './swap.ts'

/** What people do, in an order that decides nothing but what is drawn. */
export const allActivities: readonly Activity[] = [flowTransfer, swap, scheduled, staking, stakingThereAndBack]

/** What the chain itself does in every block, in this order. */
export const allSystemWorks: readonly SystemWork[] = [schedulerWork, epochs]
