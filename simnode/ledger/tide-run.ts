import type { Activity, SystemWork } from './activity.ts'
import type { DraftBlock, DraftTransaction } from './draft.ts'
import { OpenBlock } from './open-block.ts'
import { Random } from './random.ts'
import type { LedgerState } from './state/ledger-state.ts'
import type { Outsiders } from './state/outsiders.ts'
import { stateAtStart } from './state/state-at-start.ts'
import { planFlood, transactionsPerTide, turnsPerTide } from './tide-plan.ts'
import type { PlannedTurn } from './tide-plan.ts'
import type { Submission } from './submissions/submission.ts'
import type { Account } from './world/account.ts'
import type { Branch } from './world/branch.ts'
import { timeOf } from './world/clock.ts'
import type { ClockShape } from './world/clock.ts'
import { personOfTurn } from './world/people.ts'
import { floodEnd, tideLength } from './world/tide.ts'

/** Everything that a ledger's blocks follow from. */
export interface LedgerPlan {
  readonly seed: number
  readonly branch: Branch
  readonly clock: ClockShape
  /** How many times the turns of an ordinary chain. */
  readonly busyness: number
  readonly activities: readonly Activity[]
  readonly systemWorks: readonly SystemWork[]
}

/** What people outside do to a ledger, beside its plan. */
export interface FromOutside {
  /** What they have done before a tide. */
  before(tide: number): Outsiders
  /** The transactions of a block that were sent to the node, in their order. */
  at(height: number): readonly Submission[]
}

/** A turn that is still to be given back. */
interface DoneTurn {
  readonly ordinal: number
  readonly memo: unknown
  readonly activity: Activity
}

/** How many turns may wait at the end of a block of the ebb. */
const mostWaiting = 3

/** One tide, done block after block: the drafts of its blocks, and the state after the last of them. */
export class TideRun {
  readonly state: LedgerState
  readonly #plan: LedgerPlan
  readonly #outside: FromOutside
  readonly #start: number
  readonly #flood: ReadonlyArray<readonly PlannedTurn[]>
  /** The next one is the last. */
  readonly #toGiveBack: DoneTurn[] = []
  /** By place of the flood: how many turns of `#toGiveBack` were done before it. */
  readonly #doneBefore: number[] = []
  readonly #blocks: DraftBlock[] = []
  /** How many user transactions there have been since the first block. */
  #transactions: number

  constructor(plan: LedgerPlan, tide: number, outside: FromOutside) {
    const { activities, busyness } = plan
    this.#plan = plan
    this.#outside = outside
    this.#start = tide * tideLength
    this.#flood = planFlood(plan.seed, tide, activities, busyness)
    this.#transactions = tide * transactionsPerTide(activities, busyness)
    this.state = stateAtStart(
      activities,
      {
        tide,
        transactions: this.#transactions,
        of: (activity) => tide * turnsPerTide(activity, busyness),
      },
      outside.before(tide),
    )
  }

  /** The next height that it has not yet done. */
  get next(): number {
    return this.#start + this.#blocks.length
  }

  /** Does all blocks up to a height of the tide. */
  block(height: number): DraftBlock {
    while (this.next <= height) this.#blocks.push(this.#do(this.next))
    return this.#blocks[height - this.#start] as DraftBlock
  }

  #do(height: number): DraftBlock {
    const { seed, branch, clock, systemWorks } = this.#plan
    const chance = { seed, salt: branch.saltAt(height) }
    const block = new OpenBlock(height, (other) => timeOf(other, clock), this.state, chance)
    const place = height - this.#start
    if (place < floodEnd) this.#rise(block, place)
    else this.#fall(block, place, new Random(seed, chance.salt, height))
    for (const submission of this.#outside.at(height)) block.addSubmission(submission)
    return block.close(systemWorks)
  }

  /** The turns that are planned for a place of the flood. */
  #rise(block: OpenBlock, place: number): void {
    this.#doneBefore[place] = this.#toGiveBack.length
    for (const { activity, ordinal } of this.#flood[place] ?? []) {
      block.add(ordinal, this.#nextPayer(), (turn) => {
        const { transaction, memo } = activity.act(turn)
        if (activity.giveBack !== undefined) this.#toGiveBack.push({ activity, ordinal, memo })
        return transaction
      })
    }
  }

  /**
   * Gives back, the last one first, the turns done at the mirror of a place of the ebb; but for a few that wait for the
   * next block, so that branches differ in the ebb too.
   */
  #fall(block: OpenBlock, place: number, random: Random): void {
    const before = this.#doneBefore[tideLength - place] ?? this.#toGiveBack.length
    const kept = place === tideLength - 1 ? 0 : before + random.below(mostWaiting + 1)
    while (this.#toGiveBack.length > kept) {
      const { activity, ordinal, memo } = this.#toGiveBack.pop() as DoneTurn
      block.add(ordinal, this.#nextPayer(), (turn) => activity.giveBack?.(turn, memo) as DraftTransaction)
    }
  }

  #nextPayer(): Account {
    return personOfTurn(this.#transactions++)
  }
}
