import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import type { Moment } from '../state/ledger-state.ts'
import type { Account } from '../world/account.ts'
import type { Token } from '../world/tokens.ts'
import { systemAccounts } from '../world/tokens.ts'

export interface Turn extends Moment {
  readonly ordinal: number
  /** In rotation: for their own turns in the first half of a cycle, for any turns in the second. */
  readonly payer: Account
}

export interface ActivityResult<Memo> {
  readonly transaction: DraftTransaction
  readonly memo: Memo
}

/**
 * Permanent effects (`undo` missing or not exact) must depend only on the number of turns, the
 * same in every cycle.
 */
export interface Activity<Memo = unknown> {
  readonly name: string
  /** Turns in the first half of a cycle; multiplied by the chain's busyness. */
  readonly perCycle: number
  act(turn: Turn): ActivityResult<Memo>
  /** In the second half of the same cycle. It may not fail. */
  undo?(turn: Turn, memo: Memo): DraftTransaction
  /** By the start of a cycle. @param turns before the cycle */
  lasting?(token: Token, account: Account, turns: number, cycle: number): bigint
}

export function activity<Memo>(declared: Activity<Memo>): Activity {
  return declared
}

/** System transactions follow the user transactions. */
export interface SystemWork {
  readonly name: string
  /** The first system transaction announces the due ones. */
  process?(moment: Moment): readonly DraftEvent[]
  executions?(moment: Moment): readonly DraftTransaction[]
  /** The last system transaction, the system chunk. */
  chunk?(moment: Moment): readonly DraftEvent[]
}

export const tokenImports = `import FungibleToken from 0x${systemAccounts.fungibleToken.hex}
import FlowToken from 0x${systemAccounts.flowToken.hex}
`
const flowVault = 'auth(FungibleToken.Withdraw) &FlowToken.Vault'
export const ownFlowVault = `let vault = signer.storage.borrow<${flowVault}>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")`

export function executionError(reason: string): string {
  return `[Error Code: 1101] error caused by: 1 error occurred:
\t* transaction execute failed: [Error Code: 1101] cadence runtime error: Execution failed:
error: ${reason}
`
}
