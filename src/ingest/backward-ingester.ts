import { difference } from '../platform/ranges.ts'
import { BelowRootError } from '../access/chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { pause } from '../platform/retry.ts'
import { BadBlockError } from './errors.ts'
import { readRawCoverage, recordTarget, storedBlockId, storedParentId } from './checkpoints.ts'
import type { RawCoverage } from './checkpoints.ts'
import type { ForkError } from './errors.ts'
import { HeightWalk } from './sync-segment.ts'
import { Ingester } from './ingester.ts'
import type { IngesterOptions } from './ingester.ts'
import type { SyncSegment } from './sync-segment.ts'

export interface BackwardOptions extends IngesterOptions {
  readonly startBlock: number
  /** Inclusive; 0: none. */
  readonly stopHeight: number
  readonly isForwardEnabled: boolean
}

/** Downwards to the stop height or the lowest height of the nodes. */
export class BackwardIngester extends Ingester<BackwardOptions> {
  #root = 0

  protected override async plan(signal: AbortSignal): Promise<SyncSegment | undefined> {
    const { source, stopHeight, log, pool, progress, name } = this.options
    const coverage = await this.#waitForTop(signal)
    const top = await this.#top(coverage, signal)
    const reachable = await source.lowestReachable(signal)
    const bottom = Math.max(stopHeight, reachable, this.#root)
    await recordTarget(pool, bottom)
    const backlog = new HeightWalk(difference([{ from: bottom, to: Math.max(bottom, top) }], coverage.settled), 'down')
    if (backlog.next === undefined) {
      progress.finish(name)
      const how = bottom > stopHeight ? ' down to the lowest height of the nodes' : ''
      log.info({ bottom, top: top - 1 }, `History is complete${how}`)
      return undefined
    }
    progress.begin(name, { from: bottom, position: backlog.next, total: top - bottom, isForward: false })
    return {
      generation: coverage.backward.generation,
      nextHeight: () => backlog.take(),
      waiting: () => backlog.left,
      onMore: () => () => undefined,
      isOver: () => backlog.left === 0,
      check: (block, previous) => this.#check(block, previous),
      confirm: (block, below) => this.#confirm(block, below),
    }
  }

  /**
   * History starts below the first block of the forward ingester: if both stored their first block
   * at once, the two would not be compared.
   */
  async #waitForTop(signal: AbortSignal): Promise<RawCoverage> {
    const { pool, isForwardEnabled } = this.options
    for (;;) {
      const coverage = await readRawCoverage(pool)
      if (!isForwardEnabled || coverage.all.length > 0) return coverage
      await pause(200, signal)
    }
  }

  async #top(coverage: RawCoverage, signal: AbortSignal): Promise<number> {
    const { startBlock, source } = this.options
    const forward = coverage.forward.covered[0]
    const stored = coverage.all.at(-1)
    if (forward !== undefined) return forward.from
    if (stored !== undefined) return stored.to
    return startBlock > 0 ? startBlock : (await source.latestSealed(signal)).height + 1
  }

  /** Below the head the chain is final, so on a mismatch the node is wrong. */
  async #check({ block, endpoint }: FetchedBlock, previous: FetchedBlock | undefined): Promise<void> {
    if (previous?.block.height === block.height + 1) return
    const expected = await storedParentId(this.options.pool, block.height + 1)
    if (expected !== undefined && !expected.equals(block.id)) {
      const reason = `${endpoint} served a block ${block.height} that is not the parent of the stored block above`
      throw this.#wrongParent(reason, block.height, endpoint)
    }
  }

  /** If two neighbours do not match, neither is stored and both are fetched again. */
  async #confirm({ block, endpoint }: FetchedBlock, below: FetchedBlock | undefined): Promise<void> {
    const isNext = below?.block.height === block.height - 1
    const parent = isNext ? below.block.id : await storedBlockId(this.options.pool, block.height - 1)
    if (parent !== undefined && !parent.equals(block.parentId)) {
      const other = isNext ? `the block that ${below.endpoint} served` : 'the stored one'
      const reason = `${endpoint} served a block ${block.height} whose parent is not ${other} below`
      throw this.#wrongParent(reason, block.height, endpoint, ...(isNext ? [below.endpoint] : []))
    }
  }

  /**
   * Unknown which node is wrong: both rest for a random time, so that another pair is tried next.
   */
  #wrongParent(reason: string, height: number, endpoint: string, ...others: readonly string[]): BadBlockError {
    for (const one of new Set([endpoint, ...others])) this.options.source.distrust(one, reason)
    return new BadBlockError('wrong-parent', { from: height, to: height + 1 }, reason, { endpoint })
  }

  protected override async handleFork(fork: ForkError): Promise<undefined> {
    throw fork
  }

  override async run(): Promise<void> {
    for (;;) {
      try {
        return await super.run()
      } catch (error) {
        if (!(error instanceof BelowRootError)) throw error
        this.#root = Math.max(this.#root + 1, error.rootHeight)
        this.options.log.info({ rootHeight: this.#root }, 'Reached the lowest height of the nodes')
      }
    }
  }
}
