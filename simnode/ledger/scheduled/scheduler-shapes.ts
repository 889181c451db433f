import { eventShape, optional } from '../encoding/cadence-type.ts'
import { systemAccounts } from '../world/tokens.ts'
import { alarmContract } from './alarm.ts'

const scheduler = `A.${systemAccounts.service.hex}.FlowTransactionScheduler`

const handler = { transactionHandlerOwner: 'Address', transactionHandlerTypeIdentifier: 'String' } as const
const handlerPlace = { transactionHandlerUUID: 'UInt64', transactionHandlerPublicPath: optional('PublicPath') } as const

/** Source: onflow/flow-core-contracts `contracts/FlowTransactionScheduler.cdc`. */
export const schedulerShapes = {
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
