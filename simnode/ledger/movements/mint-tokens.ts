import type { Moment } from '../activity.ts'
import type { DraftEvent } from '../draft.ts'
import { eventShape } from '../encoding/cadence-type.ts'
import type { EventShape } from '../encoding/cadence-type.ts'
import type { Account } from '../world/account.ts'
import { tokens } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'
import { deposit, withdraw } from './move-tokens.ts'

const shapesOf = (event: string): readonly EventShape[] =>
  tokens.map(({ contract, name }) =>
    eventShape(`A.${contract.hex}.${name}.${event}`, { amount: 'UFix64', type: 'String' }),
  )
const minted = shapesOf('TokensMinted')
const burned = shapesOf('TokensBurned')

/** Makes tokens for an account, in the state and as events; not FLOW, which only staking makes. */
export function mintTokens(moment: Moment, token: Token, to: Account, amount: bigint, events: DraftEvent[]): void {
  moment.state.supplies.add(token, amount)
  events.push({ shape: minted[token.index] as EventShape, values: [amount, token.vaultType] })
  deposit(moment, token, to, amount, moment.newUuid(), events)
}

/** Takes tokens of an account out of the world, in the state and as events; not FLOW. */
export function burnTokens(moment: Moment, token: Token, from: Account, amount: bigint, events: DraftEvent[]): void {
  withdraw(moment, token, from, amount, events)
  moment.state.supplies.add(token, -amount)
  events.push({ shape: burned[token.index] as EventShape, values: [amount, token.vaultType] })
}
