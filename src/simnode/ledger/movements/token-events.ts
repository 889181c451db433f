import { eventShape, optional } from '../encoding/cadence-type.ts'
import { systemAccounts } from '../world/tokens.ts'

const fungibleToken = `A.${systemAccounts.fungibleToken.hex}.FungibleToken`
const flowToken = `A.${systemAccounts.flowToken.hex}.FlowToken`
const address = optional('Address')

/** The events of fungible tokens. Source: FungibleToken and FlowToken of onflow/flow-ft and onflow/flow-core-contracts. */
export const tokenEvents = {
  withdrawn: eventShape(`${fungibleToken}.Withdrawn`, {
    type: 'String', amount: 'UFix64', from: address, fromUUID: 'UInt64', withdrawnUUID: 'UInt64', balanceAfter: 'UFix64',
  }),
  deposited: eventShape(`${fungibleToken}.Deposited`, {
    type: 'String', amount: 'UFix64', to: address, toUUID: 'UInt64', depositedUUID: 'UInt64', balanceAfter: 'UFix64',
  }),
  burned: eventShape(`${fungibleToken}.Burned`, { type: 'String', amount: 'UFix64', fromUUID: 'UInt64' }),
  flowWithdrawn: eventShape(`${flowToken}.TokensWithdrawn`, { amount: 'UFix64', from: address }),
  flowDeposited: eventShape(`${flowToken}.TokensDeposited`, { amount: 'UFix64', to: address }),
} as const
