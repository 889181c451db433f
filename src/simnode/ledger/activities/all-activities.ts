import type { Activity, SystemWork } from '../activity.ts'
import { flowTransfer } from './flow-transfer.ts'

/** What people do, in an order that decides nothing but what is drawn. */
export const allActivities: readonly Activity[] = [flowTransfer]

/** What the chain itself does in every block, in this order. */
export const allSystemWorks: readonly SystemWork[] = []
