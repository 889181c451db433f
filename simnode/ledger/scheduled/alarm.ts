import { accountAt } from '../world/account.ts'
import type { Account } from '../world/account.ts'

/** Has the contract `Alarm`, whose jobs say that they ran. */
export const alarmContract: Account = accountAt(34)

/** Schedules jobs, and pays for them. */
export const alarmKeeper: Account = accountAt(35)

/** What the keeper has in the beginning, in units of 10^-8 FLOW. */
export const keepersFirstBalance = 1_000_000_00000000n

/** Its job, which it keeps in its account. */
export const alarmJob = {
  type: `A.${alarmContract.hex}.Alarm.Job`,
  uuid: 2 ** 49 + alarmKeeper.index,
  storagePath: '/storage/AlarmJob',
  publicPath: '/public/AlarmJob',
} as const

/** What a job may use of computation at most. */
export const executionEffort = 500
