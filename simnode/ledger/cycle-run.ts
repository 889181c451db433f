import type { Activity, SystemWork, Turn } from './activities/activity.ts'
import { Random } from './world/random.ts'
import { cycleMiddle, cycleLength } from './world/cycle.ts'
import type { Moment, LedgerState } from './state/ledger-state.ts'
import type { DraftBlock, DraftEvent, DraftTransaction, SignedDraft } from './events/draft.ts'
import { takeFee } from './state/token-moves.ts'
import { runSubmission } from './submissions/run-submission.ts'
import type { Submission } from './submissions/journal.ts'
import { chunkScript, processScript } from './activities/system-works.ts'
import type { Account } from './world/account.ts'
import type { ExternalAccounts } from './state/external-accounts.ts'
import { stateAtStart } from './state-at-start.ts'
import type { Branch } from './world/branch.ts'
import { timeOf } from './world/clock.ts'
import type { ClockShape } from './world/clock.ts'
import { userOfTurn } from './world/users.ts'

interface PlannedTurn {
  readonly activity: Activity
  readonly ordinal: number
}

function turnsPerCycle(activity: Activity, busyness: number): number {
  return activity.perCycle * busyness
}

function transactionsPerCycle(activities: readonly Activity[], busyness: number): number {
  return activities.reduce(
    (sum, activity) => sum + turnsPerCycle(activity, busyness) * (activity.undo === undefined ? 1 : 2),
    0,
  )
}

/** Spreads turns over the first half of a cycle. The plan is the same on all branches. */
function planTurns(
  seed: number,
  cycle: number,
  activities: readonly Activity[],
  busyness: number,
): ReadonlyArray<readonly PlannedTurn[]> {
  const places: Array<Array<PlannedTurn & { order: number }>> = Array.from({ length: cycleMiddle }, () => [])
  activities.forEach((activity, index) => {
    const random = new Random(seed, cycle, index)
    const count = turnsPerCycle(activity, busyness)
    const drawn = Array.from({ length: count }, () => random.between(1, cycleMiddle - 1)).sort((a, b) => a - b)
    drawn.forEach((place, nth) =>
      places[place]?.push({ activity, ordinal: cycle * count + nth, order: random.below(0x1_0000_0000) }),
    )
  })
  return places.map((turns) => inOrder(turns))
}

function inOrder(turns: ReadonlyArray<PlannedTurn & { order: number }>): PlannedTurn[] {
  const mixed = turns.toSorted((a, b) => a.order - b.order)
  const own = new Map<Activity, PlannedTurn[]>()
  for (const { activity, ordinal } of turns) {
    const list = own.get(activity) ?? []
    own.set(activity, list)
    list.push({ activity, ordinal })
  }
  return mixed.map(({ activity }) => own.get(activity)?.shift() as PlannedTurn)
}

const uuidsPerBlock = 0x1_0000

interface BlockChance {
  readonly seed: number
  readonly salt: number
}

class OpenBlock {
  readonly height: number
  readonly #timeAt: (height: number) => number
  readonly #state: LedgerState
  readonly #chance: BlockChance
  readonly #userTransactions: SignedDraft[] = []
  #uuids = 0

  /** @param timeAt in milliseconds since 1970 */
  constructor(height: number, timeAt: (height: number) => number, state: LedgerState, chance: BlockChance) {
    this.height = height
    this.#timeAt = timeAt
    this.#state = state
    this.#chance = chance
  }

  add(ordinal: number, payer: Account, draftOf: (turn: Turn) => DraftTransaction): void {
    const turn = { ...this.#moment(this.#userTransactions.length), ordinal, payer }
    const draft = draftOf(turn)
    const events = [...draft.events]
    takeFee(turn, payer, draft.computation, events)
    const sequenceNumber = this.#state.accounts.propose(payer)
    this.#userTransactions.push({ ...draft, events, payer, sequenceNumber })
  }

  /**
   * Follows the planned transactions, whose random numbers are then the same with and without it.
   */
  addSubmission(submission: Submission): void {
    this.#userTransactions.push(runSubmission(this.#moment(this.#userTransactions.length), submission))
  }

  close(works: readonly SystemWork[]): DraftBlock {
    const { height } = this
    // The root block has no transactions.
    const systemTransactions = height === 0 ? [] : systemDrafts(works, this.#moment(uuidsPerBlock - 1))
    return { height, userTransactions: this.#userTransactions, systemTransactions }
  }

  /** @param index seeds the random numbers */
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

export interface LedgerPlan {
  readonly seed: number
  readonly branch: Branch
  readonly clock: ClockShape
  /** A multiple of the turns of an ordinary chain. */
  readonly busyness: number
  readonly activities: readonly Activity[]
  readonly systemWorks: readonly SystemWork[]
}

export interface ExternalInput {
  /** Effects before a cycle. */
  before(cycle: number): ExternalAccounts
  at(height: number): readonly Submission[]
}

interface DoneTurn {
  readonly ordinal: number
  readonly memo: unknown
  readonly activity: Activity
}

const maxPending = 3

/** Runs a cycle block by block. */
export class CycleRun {
  readonly state: LedgerState
  readonly #plan: LedgerPlan
  readonly #outside: ExternalInput
  readonly #start: number
  readonly #planned: ReadonlyArray<readonly PlannedTurn[]>
  readonly #toReturn: DoneTurn[] = []
  /** Length of `#toReturn` before each place of the first half. */
  readonly #doneBefore: number[] = []
  readonly #blocks: DraftBlock[] = []
  /** User transactions since the first block. */
  #transactions: number

  constructor(plan: LedgerPlan, cycle: number, outside: ExternalInput) {
    const { activities, busyness } = plan
    this.#plan = plan
    this.#outside = outside
    this.#start = cycle * cycleLength
    this.#planned = planTurns(plan.seed, cycle, activities, busyness)
    this.#transactions = cycle * transactionsPerCycle(activities, busyness)
    this.state = stateAtStart(
      activities,
      {
        cycle,
        transactions: this.#transactions,
        of: (activity) => cycle * turnsPerCycle(activity, busyness),
      },
      outside.before(cycle),
    )
  }

  get next(): number {
    return this.#start + this.#blocks.length
  }

  block(height: number): DraftBlock {
    while (this.next <= height) this.#blocks.push(this.#do(this.next))
    return this.#blocks[height - this.#start] as DraftBlock
  }

  #do(height: number): DraftBlock {
    const { seed, branch, clock, systemWorks } = this.#plan
    const chance = { seed, salt: branch.saltAt(height) }
    const block = new OpenBlock(height, (other) => timeOf(other, clock), this.state, chance)
    const place = height - this.#start
    if (place < cycleMiddle) this.#rise(block, place)
    else this.#fall(block, place, new Random(seed, chance.salt, height))
    for (const submission of this.#outside.at(height)) block.addSubmission(submission)
    return block.close(systemWorks)
  }

  #rise(block: OpenBlock, place: number): void {
    this.#doneBefore[place] = this.#toReturn.length
    for (const { activity, ordinal } of this.#planned[place] ?? []) {
      block.add(ordinal, this.#nextPayer(), (turn) => {
        const { transaction, memo } = activity.act(turn)
        if (activity.undo !== undefined) this.#toReturn.push({ activity, ordinal, memo })
        return transaction
      })
    }
  }

  /**
   * The last turn first. A few wait for the next block, so that branches differ in the second half
   * too.
   */
  #fall(block: OpenBlock, place: number, random: Random): void {
    const before = this.#doneBefore[cycleLength - place] ?? this.#toReturn.length
    const kept = place === cycleLength - 1 ? 0 : before + random.below(maxPending + 1)
    while (this.#toReturn.length > kept) {
      const { activity, ordinal, memo } = this.#toReturn.pop() as DoneTurn
      block.add(ordinal, this.#nextPayer(), (turn) => activity.undo?.(turn, memo) as DraftTransaction)
    }
  }

  #nextPayer(): Account {
    return userOfTurn(this.#transactions++)
  }
}
