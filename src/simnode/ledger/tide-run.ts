import type { Activity, Moment, SystemWork, Turn } from './activity.ts'
import type { DraftBlock, DraftEvent, DraftTransaction, SignedDraft } from './draft.ts'
import { takeFee } from './movements/fees.ts'
import { Random } from './random.ts'
import type { LedgerState } from './state/ledger-state.ts'
import { stateAtStart } from './state/state-at-start.ts'
import { chunkScript, processScript } from './system-scripts.ts'
import { planFlood, transactionsPerTide, turnsPerTide } from './tide-plan.ts'
import type { PlannedTurn } from './tide-plan.ts'
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

/** A turn that is still to be given back. */
interface DoneTurn {
  readonly ordinal: number
  readonly memo: unknown
  readonly giveBack: NonNullable<Activity['giveBack']>
}

/** How many turns may wait at the end of a block of the ebb. */
const mostWaiting = 3

/** Room for the resources that one block makes: their uuids are the block's. */
const uuidsPerBlock = 0x1_0000

/** One tide, done block after block: the drafts of its blocks, and the state after the last of them. */
export class TideRun {
  readonly state: LedgerState
  readonly #plan: LedgerPlan
  readonly #start: number
  readonly #flood: ReadonlyArray<readonly PlannedTurn[]>
  /** What is still to be given back, the next last. */
  readonly #toGiveBack: DoneTurn[] = []
  /** By place of the flood: how many turns of `#toGiveBack` were done before it. */
  readonly #doneBefore: number[] = []
  readonly #blocks: DraftBlock[] = []
  #transactions: number

  constructor(plan: LedgerPlan, tide: number) {
    const { activities, busyness } = plan
    this.#plan = plan
    this.#start = tide * tideLength
    this.#flood = planFlood(plan.seed, tide, activities, busyness)
    this.#transactions = tide * transactionsPerTide(activities, busyness)
    this.state = stateAtStart(activities, {
      tide,
      transactions: this.#transactions,
      of: (activity) => tide * turnsPerTide(activity, busyness),
    })
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
    const place = height - this.#start
    let uuids = 0
    const momentOf = (index: number): Moment => ({
      height,
      timeMs: timeOf(height, clock),
      state: this.state,
      random: new Random(seed, branch.saltAt(height), height, index),
      newUuid: () => height * uuidsPerBlock + uuids++,
    })
    const userTransactions: SignedDraft[] = []
    const turnOf = (ordinal: number): Turn =>
      ({ ...momentOf(userTransactions.length), ordinal, payer: personOfTurn(this.#transactions) })
    const add = (turn: Turn, draft: DraftTransaction): void => {
      const events = [...draft.events]
      takeFee(turn, turn.payer, draft.computation, events)
      const sequenceNumber = this.state.accounts.propose(turn.payer)
      userTransactions.push({ ...draft, events, payer: turn.payer, sequenceNumber })
      this.#transactions++
    }
    if (place < floodEnd) {
      this.#doneBefore[place] = this.#toGiveBack.length
      for (const planned of this.#flood[place] ?? []) {
        const turn = turnOf(planned.ordinal)
        const { transaction, memo } = planned.activity.act(turn)
        add(turn, transaction)
        const { giveBack } = planned.activity
        if (giveBack !== undefined) this.#toGiveBack.push({ ordinal: planned.ordinal, memo, giveBack })
      }
    } else {
      for (const { giveBack, ordinal, memo } of this.#takeDue(height)) {
        const turn = turnOf(ordinal)
        add(turn, giveBack(turn, memo))
      }
    }
    // The root block comes before all transactions, those of the chain itself too.
    const systemTransactions = height === 0 ? [] : systemOf(systemWorks, momentOf(uuidsPerBlock - 1))
    return { height, userTransactions, systemTransactions }
  }

  /**
   * The turns to give back now, the last one first: those done at the mirror of this place, but for a few that wait for
   * the next block, so that branches differ in the ebb too.
   */
  #takeDue(height: number): DoneTurn[] {
    const { seed, branch } = this.#plan
    const place = height - this.#start
    if (place === floodEnd) return []
    const rest = this.#doneBefore[tideLength - place] ?? 0
    const waiting = place === tideLength - 1 ? 0 : new Random(seed, branch.saltAt(height), height).below(mostWaiting + 1)
    return this.#toGiveBack.splice(Math.min(rest + waiting, this.#toGiveBack.length)).reverse()
  }
}

function systemOf(works: readonly SystemWork[], moment: Moment): DraftTransaction[] {
  const eventsOf = (part: 'process' | 'chunk'): DraftEvent[] => works.flatMap((work) => work[part]?.(moment) ?? [])
  const process = systemDraft(processScript, eventsOf('process'))
  const executions = works.flatMap((work) => work.executions?.(moment) ?? [])
  return [process, ...executions, systemDraft(chunkScript, eventsOf('chunk'))]
}

function systemDraft(script: Buffer, events: readonly DraftEvent[]): DraftTransaction {
  return { script, arguments: [], authorizers: [], gasLimit: 100_000_000, computation: 0, events }
}
