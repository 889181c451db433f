import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import type { Moment } from '../state/ledger-state.ts'
import type { Account } from '../world/account.ts'
import type { Token } from '../world/tokens.ts'

/** One go of an activity, or its giving back: one user transaction. */
export interface Turn extends Moment {
  /** How many turns of the activity there were before, in the first half and since the first block. */
  readonly ordinal: number
  /** Whose turn it is to pay; people act for themselves in the first half and are paid for in the second half. */
  readonly payer: Account
}

/** What was done, and what is needed to give it back. */
export interface Done<Memo> {
  readonly transaction: DraftTransaction
  readonly memo: Memo
}

/**
 * Something that people do. Each activity has the same number of turns in every cycle; where it leaves something behind
 * (`giveBack` missing or not exact), this must follow from the number of its turns alone.
 */
export interface Activity<Memo = unknown> {
  readonly name: string
  /** Turns in the first half of a cycle of an ordinary chain; a busier one has a multiple. */
  readonly perCycle: number
  /** Does it to the state, and tells it as a transaction. */
  act(turn: Turn): Done<Memo>
  /** The turn's mirror, in the second half of the same cycle. It may not fail. */
  giveBack?(turn: Turn, memo: Memo): DraftTransaction
  /**
   * What the activity has added for ever to a vault by the start of a cycle.
   * @param turns how many turns it has had until then
   * @param cycle the one that begins
   */
  lasting?(token: Token, account: Account, turns: number, cycle: number): bigint
}

/** An activity among others: its memo is its own business. */
export function activity<Memo>(declared: Activity<Memo>): Activity {
  return declared
}

/** What the chain itself does in every block, after the user transactions. */
export interface SystemWork {
  readonly name: string
  /** Events of the first system transaction, which tells what is due. */
  process?(moment: Moment): readonly DraftEvent[]
  /** The due ones. */
  executions?(moment: Moment): readonly DraftTransaction[]
  /** Events of the last system transaction, the system chunk. */
  chunk?(moment: Moment): readonly DraftEvent[]
}
