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

/** The order affects random numbers only. */
const allActivities: readonly Activity[] = [
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

/** In the order of the block. */
const allSystemWorks: readonly SystemWork[] = [firstContracts, schedulerWork, epochs, versionBeacons, evmBlocks]

/** Equal shapes give equal chains, byte for byte. */
interface LedgerShape {
  /** Default 1. */
  readonly seed?: number
  /** E.g. `1234b`; see `Branch`. Default: the trunk. */
  readonly branch?: string
  /** Default: from 2026, at mainnet's pace. */
  readonly clock?: ClockShape
  /** Default 1. */
  readonly busyness?: number
  /** Blocks with 50,000 additional events. */
  readonly hugeBlocks?: readonly number[]
  readonly hasPayer?: boolean
}

export interface LedgerNodeOptions extends AccessNodeOptions, LedgerShape {}

const defaultHead = 1000

/** @throws FatalError for a malformed branch */
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

/** A node on a simulated chain. Submitted transactions enter the next block. */
export class LedgerNode extends AccessNode<LedgerChain> {
  readonly #journal: Journal
  readonly #mempool: Mempool

  /** Use `startLedgerNode`, which also listens. */
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

  /** @param head default: the present one */
  override switchTo(branch: string, head = this.head): void {
    super.switchTo(branch, head)
    this.#journal.show(this.chain.branch, this.head)
  }

  /** Pending transactions enter the first new block. */
  override setHead(height: number): void {
    this.#mempool.beforeHead(this.view, height)
    super.setHead(height)
    this.#journal.show(this.chain.branch, this.head)
  }
}

/** @throws FatalError for a port in use, or an invalid head or branch */
export async function startLedgerNode(options: LedgerNodeOptions = {}): Promise<LedgerNode> {
  const node = new LedgerNode(options)
  await node.listen()
  return node
}
