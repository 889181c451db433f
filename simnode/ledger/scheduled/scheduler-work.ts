import type { Moment, SystemWork } from '../activity.ts'
import type { DraftEvent, DraftTransaction } from '../draft.ts'
import { moveTokens } from '../movements/move-tokens.ts'
import { accountAt } from '../world/account.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import { alarmJob, alarmKeeper, executionEffort } from './alarm.ts'
import type { Scheduled } from './schedule.ts'
import { schedulerShapes } from './scheduler-shapes.ts'

/** It runs what was scheduled. */
const executor = accountAt(5)

const script = Buffer.from(`import FlowTransactionScheduler from 0x${systemAccounts.service.hex}

// Runs one scheduled transaction, by its number.
transaction(id: UInt64) {
    prepare(signer: auth(CopyValue) &Account) {
        let capability = signer.storage.copy<Capability<auth(FlowTransactionScheduler.Execute) &FlowTransactionScheduler.SharedScheduler>>(
            from: /storage/executeScheduledTransactionsCapability
        ) ?? panic("The capability to run scheduled transactions is not there")
        let scheduler = capability.borrow() ?? panic("The scheduler is not there")
        scheduler.executeTransaction(id: id)
    }
}
`)

/** What is due is told first, then run in a transaction for each; what was paid for it is taken one block later. */
export const schedulerWork: SystemWork = {
  name: 'scheduler',
  process(moment) {
    const {
      state: { schedule },
      height,
    } = moment
    const taken = schedule.ran.flatMap(({ fees }) => feesTaken(moment, fees))
    const due = schedule.takeDue(height).map(({ id, priority, fees }) => ({
      shape: schedulerShapes.pending,
      values: [id, priority, executionEffort, fees, alarmKeeper.address, alarmJob.type],
    }))
    return [...taken, ...due]
  },
  executions: ({ state: { schedule } }) => schedule.ran.map(execution),
}

/** What was paid in advance goes to those that get all fees. */
export function feesTaken(moment: Moment, amount: bigint): DraftEvent[] {
  const events: DraftEvent[] = []
  moveTokens(moment, flow, systemAccounts.service, systemAccounts.flowFees, amount, events)
  events.push({ shape: schedulerShapes.feesPaid, values: [amount] })
  return events
}

function execution({ id, priority, fails }: Scheduled): DraftTransaction {
  const { address } = alarmKeeper
  return {
    script,
    arguments: [{ type: 'UInt64', value: id }],
    authorizers: [executor],
    gasLimit: executionEffort,
    computation: fails ? executionEffort : 31,
    ...(fails ? { error: failure } : {}),
    events: fails
      ? []
      : [
          {
            shape: schedulerShapes.executed,
            values: [id, priority, executionEffort, address, alarmJob.type, alarmJob.uuid, alarmJob.publicPath],
          },
          { shape: schedulerShapes.ran, values: [id, 'ring'] },
        ],
  }
}

const failure = `[Error Code: 1101] error caused by: 1 error occurred:
\t* transaction execute failed: [Error Code: 1101] cadence runtime error: Execution failed:
error: panic: the alarm is out of order
`
