import { eventShape, optional } from '../encoding/cadence.ts'
import { systemAccounts, flow } from '../world/tokens.ts'
import {
  alarmContract,
  alarmJob,
  alarmKeeper,
  executionEffort,
  keeperInitialBalance,
} from '../world/genesis-contracts.ts'
import type { SystemWork, Turn } from './activity.ts'
import type { Moment } from '../state/ledger-state.ts'
import { argument } from '../events/draft.ts'
import type { DraftEvent, DraftTransaction, DraftArgument } from '../events/draft.ts'
import { moveTokens, deposit, withdraw } from '../state/token-moves.ts'
import { accountAt } from '../world/account.ts'
import type { Scheduled } from '../state/schedule.ts'
import { activity, executionError, ownFlowVault } from './activity.ts'
import { priorities } from '../state/schedule.ts'
import { timesServed } from '../world/cycle.ts'

const scheduler = `A.${systemAccounts.service.hex}.FlowTransactionScheduler`

const handler = { transactionHandlerOwner: 'Address', transactionHandlerTypeIdentifier: 'String' } as const
const handlerPlace = { transactionHandlerUUID: 'UInt64', transactionHandlerPublicPath: optional('PublicPath') } as const

/** Source: onflow/flow-core-contracts `contracts/FlowTransactionScheduler.cdc`. */
const schedulerShapes = {
  scheduled: eventShape(`${scheduler}.Scheduled`, {
    id: 'UInt64',
    priority: 'UInt8',
    timestamp: 'UFix64',
    executionEffort: 'UInt64',
    fees: 'UFix64',
    ...handler,
    ...handlerPlace,
  }),
  pending: eventShape(`${scheduler}.PendingExecution`, {
    id: 'UInt64',
    priority: 'UInt8',
    executionEffort: 'UInt64',
    fees: 'UFix64',
    ...handler,
  }),
  executed: eventShape(`${scheduler}.Executed`, {
    id: 'UInt64',
    priority: 'UInt8',
    executionEffort: 'UInt64',
    ...handler,
    ...handlerPlace,
  }),
  canceled: eventShape(`${scheduler}.Canceled`, {
    id: 'UInt64',
    priority: 'UInt8',
    feesReturned: 'UFix64',
    feesDeducted: 'UFix64',
    ...handler,
  }),
  destroyed: eventShape(`${scheduler}.ScheduledTransaction.ResourceDestroyed`, {
    id: 'UInt64',
    timestamp: 'UFix64',
    handlerTypeIdentifier: 'String',
  }),
  feesPaid: eventShape(`A.${systemAccounts.flowFees.hex}.FlowFees.TokensDeposited`, { amount: 'UFix64' }),
  ran: eventShape(`A.${alarmContract.hex}.Alarm.Ran`, { id: 'UInt64', data: 'String' }),
} as const

const executor = accountAt(5)

const sharedScheduler = 'auth(FlowTransactionScheduler.Execute) &FlowTransactionScheduler.SharedScheduler'
const script = Buffer.from(`import FlowTransactionScheduler from 0x${systemAccounts.service.hex}

// Runs one scheduled transaction, by its number.
transaction(id: UInt64) {
    prepare(signer: auth(CopyValue) &Account) {
        let capability = signer.storage.copy<Capability<${sharedScheduler}>>(
            from: /storage/executeScheduledTransactionsCapability
        ) ?? panic("The capability to run scheduled transactions is not there")
        let scheduler = capability.borrow() ?? panic("The scheduler is not there")
        scheduler.executeTransaction(id: id)
    }
}
`)

/** Runs each due job in a separate transaction; fees are collected one block later. */
export const schedulerWork: SystemWork = {
  name: 'scheduler',
  process(moment) {
    const { schedule } = moment.state
    const taken = schedule.ran.flatMap(({ fees }) => feesTaken(moment, fees))
    const due = schedule.takeDue(moment.height).map(({ id, priority, fees }) => ({
      shape: schedulerShapes.pending,
      values: [id, priority, executionEffort, fees, alarmKeeper.address, alarmJob.type],
    }))
    return [...taken, ...due]
  },
  executions: ({ state: { schedule } }) => schedule.ran.map(execution),
}

function feesTaken(moment: Moment, amount: bigint): DraftEvent[] {
  const events: DraftEvent[] = []
  moveTokens(moment, flow, systemAccounts.service, systemAccounts.flowFees, amount, events)
  events.push({ shape: schedulerShapes.feesPaid, values: [amount] })
  return events
}

function execution({ id, priority, fails }: Scheduled): DraftTransaction {
  const { address } = alarmKeeper
  return {
    script,
    arguments: [argument.uint64(id)],
    authorizers: [executor],
    gasLimit: executionEffort,
    computation: fails ? executionEffort : 31,
    ...(fails ? { error: executionError('panic: the alarm is out of order') } : {}),
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

/** In rotation. Fees are in units of 10^-8 FLOW, and even: cancelling returns half of them. */
const kinds = [
  { priority: priorities.high, fees: 11_026n, end: 'runs' },
  { priority: priorities.medium, fees: 6_026n, end: 'fails' },
  { priority: priorities.low, fees: 3_024n, end: 'runs' },
  { priority: priorities.medium, fees: 6_036n, end: 'is-cancelled' },
] as const

const imports = `import FlowTransactionScheduler, FlowTransactionSchedulerUtils from 0x${systemAccounts.service.hex}
import FlowToken from 0x${systemAccounts.flowToken.hex}
import FungibleToken from 0x${systemAccounts.fungibleToken.hex}
`
const managerType = 'auth(FlowTransactionSchedulerUtils.Owner) &{FlowTransactionSchedulerUtils.Manager}'
const manager = `let manager = signer.storage.borrow<${managerType}>(
            from: FlowTransactionSchedulerUtils.managerStoragePath
        ) ?? panic("The signer has no manager of scheduled transactions")`

const priority = 'FlowTransactionScheduler.Priority(rawValue: priority)!'
const scheduleScript = Buffer.from(`${imports}import Alarm from 0x${alarmContract.hex}

transaction(timestamp: UFix64, priority: UInt8, fee: UFix64) {
    prepare(signer: auth(BorrowValue, GetStorageCapabilityController) &Account) {
        ${manager}
        let handler = Alarm.handler(signer) ?? panic("The signer has no job")
        ${ownFlowVault}
        manager.schedule(
            handlerCap: handler, data: "ring", timestamp: timestamp, priority: ${priority},
            executionEffort: ${executionEffort}, fees: <-(vault.withdraw(amount: fee) as! @FlowToken.Vault)
        )
    }
}
`)

const cancelScript = Buffer.from(`${imports}
transaction(id: UInt64) {
    prepare(signer: auth(BorrowValue) &Account) {
        ${manager}
        let vault = signer.storage.borrow<&FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        vault.deposit(from: <-manager.cancel(id: id))
    }
}
`)

const cleanupScript = Buffer.from(`${imports}
transaction {
    prepare(signer: auth(BorrowValue) &Account) {
        ${manager}
        manager.cleanup()
    }
}
`)

const whole = 100_000_000n

export const scheduled = activity<Scheduled>({
  name: 'scheduled',
  perCycle: 8,
  act(turn) {
    const { ordinal, height, timeAt, random, state } = turn
    const { priority, fees, end } = kindOf(ordinal)
    // Due far beyond the cycle.
    const wait = end === 'is-cancelled' ? 100_000 : random.between(3, 40)
    const one: Scheduled = {
      id: ordinal + 1,
      priority,
      fees,
      fails: end === 'fails',
      dueHeight: height + wait,
      timestamp: Math.floor(timeAt(height + wait) / 1000),
    }
    state.schedule.add(one)
    return { transaction: scheduling(turn, one), memo: one }
  },
  undo: (turn, one) => (kindOf(turn.ordinal).end === 'is-cancelled' ? cancelling(turn, one) : cleaningUp(turn, one)),
  lasting(token, account, turns) {
    if (token !== flow) return 0n
    const paid = kinds.reduce(
      (sum, { fees, end }, kind) =>
        sum + BigInt(timesServed(kind, kinds.length, turns)) * (end === 'is-cancelled' ? fees / 2n : fees),
      0n,
    )
    if (account === systemAccounts.flowFees) return paid
    return account === alarmKeeper ? keeperInitialBalance - paid : 0n
  },
})

function kindOf(ordinal: number): (typeof kinds)[number] {
  return kinds[ordinal % kinds.length] as (typeof kinds)[number]
}

function scheduling(turn: Turn, { id, priority, timestamp, fees }: Scheduled): DraftTransaction {
  const events: DraftEvent[] = []
  moveTokens(turn, flow, alarmKeeper, systemAccounts.service, fees, events)
  const due = BigInt(timestamp) * whole
  events.push({
    shape: schedulerShapes.scheduled,
    values: [
      id,
      priority,
      due,
      executionEffort,
      fees,
      alarmKeeper.address,
      alarmJob.type,
      alarmJob.uuid,
      alarmJob.publicPath,
    ],
  })
  const given = [argument.ufix64(due), argument.uint8(priority), argument.ufix64(fees)]
  return byKeeper(scheduleScript, given, 95, events)
}

function cancelling(turn: Turn, one: Scheduled): DraftTransaction {
  const { id, priority, fees } = one
  const events: DraftEvent[] = [destroyed(one)]
  const half = fees / 2n
  const returned = withdraw(turn, flow, systemAccounts.service, half, events)
  events.push(...feesTaken(turn, half), {
    shape: schedulerShapes.canceled,
    values: [id, priority, half, half, alarmKeeper.address, alarmJob.type],
  })
  deposit(turn, flow, alarmKeeper, half, returned, events)
  turn.state.schedule.cancel(id)
  return byKeeper(cancelScript, [argument.uint64(id)], 70, events)
}

function cleaningUp({ state }: Turn, one: Scheduled): DraftTransaction {
  return byKeeper(cleanupScript, [], 25, state.schedule.isPending(one.id) ? [] : [destroyed(one)])
}

function destroyed({ id, timestamp }: Scheduled): DraftEvent {
  return { shape: schedulerShapes.destroyed, values: [id, BigInt(timestamp) * whole, alarmJob.type] }
}

function byKeeper(
  script: Buffer,
  given: readonly DraftArgument[],
  computation: number,
  events: readonly DraftEvent[],
): DraftTransaction {
  return { script, arguments: given, authorizers: [alarmKeeper], gasLimit: 1000, computation, events }
}
