import type { Activity, SystemWork } from './activities/activity.ts'
import { evmBlocks } from './activities/evm-run.ts'
import { schedulerWork, scheduled } from './activities/scheduled.ts'
import { firstContracts, versionBeacons, hugeBlocks } from './activities/system-works.ts'
import { epochs, staking, stakingThereAndBack } from './activities/staking.ts'
import { accountCreation, contractDeploy, contractRemoval, keyChange } from './activities/accounts.ts'
import { evmActivities } from './state-at-start.ts'
import { failure, flowTransfer, splitTransfer, tokenMint, tokenTransfer } from './activities/transfers.ts'
import { itemMint, itemTransfer } from './activities/items.ts'
import { itemSale } from './activities/market.ts'
import { swap } from './activities/swaps.ts'
import { AccessNode } from '../server/access-node.ts'
import type { AccessNodeOptions } from '../server/access-node.ts'
import { LedgerChain } from './ledger-chain.ts'
import { ledgerMethods } from './ledger-methods.ts'
import { Journal } from './submissions/journal.ts'
import { Mempool, submissionMethods } from './submissions/mempool.ts'
import { Branch } from './world/branch.ts'
import { defaultClock } from './world/clock.ts'
import type { ClockShape } from './world/clock.ts'

/** What people do, in an order that decides nothing but what is drawn. */
export const allActivities: readonly Activity[] = [
  flowTransfer,
  tokenTransfer,
  splitTransfer,
  tokenMint,
  itemTransfer,
  itemMint,
  accountCreation,
  keyChange,
  contractDeploy,
  contractRemoval,
  failure,
  itemSale,
  swap,
  scheduled,
  staking,
  stakingThereAndBack,
  ...evmActivities,
]

/** What the chain itself does in every block, in this order. */
export const allSystemWorks: readonly SystemWork[] = [firstContracts, schedulerWork, epochs, versionBeacons, evmBlocks]

/** Which chain it is: equal shapes are equal chains, byte for byte, also in different processes. */
export interface LedgerShape {
  /** Default 1. */
  readonly seed?: number
  /** Name of the branch, e.g. `1234b`; see `Branch`. Default: the trunk. */
  readonly branch?: string
  /** Default: from the year 2026 on, at the main network's pace. */
  readonly clock?: ClockShape
  /** So many times the transactions of an ordinary chain. Default 1. */
  readonly busyness?: number
  /** Heights of blocks with 50,000 events more. Default: none. */
  readonly hugeBlocks?: readonly number[]
  /** Whether there is an account with FLOW whose key everybody knows, `publishedPayer`. Default: there is none. */
  readonly hasPayer?: boolean
}

export interface LedgerNodeOptions extends AccessNodeOptions, LedgerShape {}

const defaultHead = 1000

/** A branch of a ledger. @param journal what was sent to its node; by default nothing @throws FatalError for a branch that cannot be */
export function ledgerChain(shape: LedgerShape = {}, journal = new Journal()): LedgerChain {
  const { seed = 1, branch = '', clock = defaultClock, busyness = 1, hugeBlocks: huge = [], hasPayer = false } = shape
  return new LedgerChain(
    {
      seed,
      branch: new Branch(branch),
      clock,
      busyness,
      activities: allActivities,
      systemWorks: [...allSystemWorks, hugeBlocks(new Set(huge))],
    },
    defaultHead,
    { journal, hasPayer },
  )
}

/** An access node on a chain made of code. Any branch can be switched to, by its name; transactions that are sent to it come into the next block. */
export class LedgerNode extends AccessNode<LedgerChain> {
  readonly #journal: Journal
  readonly #mempool: Mempool

  /** Not listening yet: `startLedgerNode` makes nodes. */
  constructor(options: LedgerNodeOptions) {
    const journal = new Journal()
    const mempool = new Mempool(journal)
    super(
      {
        first: options.branch ?? '',
        names: [options.branch ?? ''],
        methods: { ...ledgerMethods, ...submissionMethods(mempool) },
        chain: (branch) => ledgerChain({ ...options, branch }, journal),
      },
      options,
    )
    this.#journal = journal
    this.#mempool = mempool
    journal.show(this.chain.branch, this.head)
  }

  /** Goes over to another branch; the head stays where it is unless another is named. */
  override switchTo(branch: string, head = this.head): void {
    super.switchTo(branch, head)
    this.#journal.show(this.chain.branch, this.head)
  }

  /** Moves the head; what was sent in the meantime comes into the first block on the way. */
  override setHead(height: number): void {
    this.#mempool.beforeHead(this.view, height)
    super.setHead(height)
    this.#journal.show(this.chain.branch, this.head)
  }
}

/** Starts an access node on a ledger. @throws FatalError for a taken port, or a head or branch that cannot be */
export async function startLedgerNode(options: LedgerNodeOptions = {}): Promise<LedgerNode> {
  const node = new LedgerNode(options)
  await node.listen()
  return node
}
