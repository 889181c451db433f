import type { Moment, SystemWork, Turn } from './activity.ts'
import type { DraftBlock, DraftEvent, DraftTransaction, SignedDraft } from './draft.ts'
import { takeFee } from './movements/fees.ts'
import { Random } from './random.ts'
import type { LedgerState } from './state/ledger-state.ts'
import { runSubmission } from './submissions/run-submission.ts'
import type { Submission } from './submissions/submission.ts'
import { chunkScript, processScript } from './system-scripts.ts'
import type { Account } from './world/account.ts'

/** Room for the resources that one block makes: their uuids are the block's. */
const uuidsPerBlock = 0x1_0000

/** What the chance in a block is drawn from. */
export interface BlockChance {
  readonly seed: number
  /** The branch's, at the height. */
  readonly salt: number
}

/** A block while its transactions are done, one after the other, to the state. */
export class OpenBlock {
  readonly height: number
  readonly #timeAt: (height: number) => number
  readonly #state: LedgerState
  readonly #chance: BlockChance
  readonly #userTransactions: SignedDraft[] = []
  #uuids = 0

  /** @param timeAt when the block of a height is made, in milliseconds since 1970 */
  constructor(height: number, timeAt: (height: number) => number, state: LedgerState, chance: BlockChance) {
    this.height = height
    this.#timeAt = timeAt
    this.#state = state
    this.#chance = chance
  }

  /** Does one user transaction: what it does itself, then its fee. */
  add(ordinal: number, payer: Account, draftOf: (turn: Turn) => DraftTransaction): void {
    const turn = { ...this.#moment(this.#userTransactions.length), ordinal, payer }
    const draft = draftOf(turn)
    const events = [...draft.events]
    takeFee(turn, payer, draft.computation, events)
    const sequenceNumber = this.#state.accounts.propose(payer)
    this.#userTransactions.push({ ...draft, events, payer, sequenceNumber })
  }

  /** Does a transaction that was sent to the node: as everybody's own, it comes after those of the plan, which draw the same chances with and without it. */
  addSubmission(submission: Submission): void {
    this.#userTransactions.push(runSubmission(this.#moment(this.#userTransactions.length), submission))
  }

  /** Does what the chain itself does after the user transactions. */
  close(works: readonly SystemWork[]): DraftBlock {
    const { height } = this
    // The root block comes before all transactions, those of the chain itself too.
    const systemTransactions = height === 0 ? [] : systemDrafts(works, this.#moment(uuidsPerBlock - 1))
    return { height, userTransactions: this.#userTransactions, systemTransactions }
  }

  /** @param index what sets the chance of this moment apart from that of others in the block */
  #moment(index: number): Moment {
    const { height } = this
    return {
      height,
      timeMs: this.#timeAt(height),
      timeAt: this.#timeAt,
      state: this.#state,
      random: new Random(this.#chance.seed, this.#chance.salt, height, index),
      newUuid: () => height * uuidsPerBlock + this.#uuids++,
    }
  }
}

function systemDrafts(works: readonly SystemWork[], moment: Moment): DraftTransaction[] {
  const eventsOf = (part: 'process' | 'chunk'): DraftEvent[] => works.flatMap((work) => work[part]?.(moment) ?? [])
  const process = systemDraft(processScript, eventsOf('process'))
  const executions = works.flatMap((work) => work.executions?.(moment) ?? [])
  return [process, ...executions, systemDraft(chunkScript, eventsOf('chunk'))]
}

function systemDraft(script: Buffer, events: readonly DraftEvent[]): DraftTransaction {
  return { script, arguments: [], authorizers: [], gasLimit: 9999, computation: 0, events }
}
