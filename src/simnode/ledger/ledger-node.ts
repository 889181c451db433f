import { AccessNode } from '../node/access-node.ts'
import type { AccessNodeOptions } from '../node/access-node.ts'
import { allActivities, allSystemWorks } from './activities/all-activities.ts'
import { hugeBlocks } from './activities/huge-block.ts'
import { LedgerChain } from './ledger-chain.ts'
import { ledgerMethods } from './ledger-methods.ts'
import { Branch } from './world/branch.ts'
import { defaultClock } from './world/clock.ts'
import type { ClockShape } from './world/clock.ts'

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
}

export interface LedgerNodeOptions extends AccessNodeOptions, LedgerShape {}

const defaultHead = 1000

/** A branch of a ledger. @throws FatalError for a branch that cannot be */
export function ledgerChain(shape: LedgerShape = {}): LedgerChain {
  const { seed = 1, branch = '', clock = defaultClock, busyness = 1, hugeBlocks: huge = [] } = shape
  return new LedgerChain({
    seed, branch: new Branch(branch), clock, busyness,
    activities: allActivities,
    systemWorks: [...allSystemWorks, hugeBlocks(new Set(huge))],
  }, defaultHead)
}

/** An access node on a chain made of code. Any branch can be switched to, by its name. */
export class LedgerNode extends AccessNode<LedgerChain> {
  /** Not listening yet: `startLedgerNode` makes nodes. */
  constructor(options: LedgerNodeOptions) {
    super({
      first: options.branch ?? '',
      names: [options.branch ?? ''],
      methods: ledgerMethods,
      chain: (branch) => ledgerChain({ ...options, branch }),
    }, options)
  }

  /** Goes over to another branch; the head stays where it is unless another is named. */
  override switchTo(branch: string, head = this.head): void {
    super.switchTo(branch, head)
  }
}

/** Starts an access node on a ledger. @throws FatalError for a taken port, or a head or branch that cannot be */
export async function startLedgerNode(options: LedgerNodeOptions = {}): Promise<LedgerNode> {
  const node = new LedgerNode(options)
  await node.listen()
  return node
}
