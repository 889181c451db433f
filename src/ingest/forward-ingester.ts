import type pg from 'pg'
import { FatalError, RetryableError } from '../platform/errors.ts'
import { difference } from '../platform/ranges.ts'
import { BelowRootError } from '../access/chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { BadBlockError, ForkError } from './errors.ts'
import { readGeneration, readRawCoverage, storedBlockId } from './checkpoints.ts'
import type { RawCoverage } from './checkpoints.ts'
import type { HeadTracker } from './head-tracker.ts'
import { HeightWalk } from './sync-segment.ts'
import { Ingester } from './ingester.ts'
import type { IngesterOptions } from './ingester.ts'
import { resolveFork } from './reorg.ts'
import type { SyncSegment } from './sync-segment.ts'

export interface ForwardOptions extends IngesterOptions {
  readonly heads: HeadTracker
  readonly startBlock: number
  readonly isHistoryEnabled: boolean
  readonly headBackfillBlocks: number
  readonly maxReorgDepth: number
  /** Interval of checkpoint reads while no block arrives. */
  readonly recheckMs: number
  /**
   * Deletes derived data of the blocks above `ancestor`; runs first in the rollback transaction.
   */
  readonly beforeRollBack?: ((client: pg.ClientBase, ancestor: number) => Promise<void>) | undefined
}

export class ForwardIngester extends Ingester<ForwardOptions> {
  /** Set after a rollback that left nothing stored: history, complete from there down, stays. */
  #resumeAt: number | undefined
  #checkedAt = 0
  /** Id of the last block that this segment stores, or of the last head found to be stored. */
  #storedHead: Buffer | undefined

  protected override async plan(signal: AbortSignal): Promise<SyncSegment> {
    const { pool, heads, progress, name } = this.options
    const head = await heads.first(signal)
    const coverage = await readRawCoverage(pool)
    const start = await this.#startHeight(coverage, head.height, signal)
    const backlog = new HeightWalk(difference([{ from: start, to: Number.MAX_SAFE_INTEGER }], coverage.settled), 'up')
    let last = start - 1
    this.#storedHead = undefined
    const top = coverage.all.at(-1)
    const tip = top === undefined ? -1 : top.to - 1
    progress.begin(name, { from: start, position: backlog.next ?? start, isForward: true })
    const current = (): number => heads.current?.height ?? head.height
    return {
      generation: coverage.forward.generation,
      nextHeight: () => {
        if (backlog.next === undefined || backlog.next > current()) return undefined
        last = backlog.next
        return backlog.take()
      },
      waiting: () => Math.max(0, current() - last),
      onMore: (wake) => heads.onHead(wake),
      isOver: () => false,
      check: (block, previous) => this.#check(block, previous),
      inspect: () => this.#inspect(tip, last, coverage.forward.generation),
    }
  }

  async #startHeight(coverage: RawCoverage, head: number, signal: AbortSignal): Promise<number> {
    const { source, startBlock, isHistoryEnabled, headBackfillBlocks } = this.options
    const first = coverage.forward.covered[0]
    if (first !== undefined) return first.from
    const stored = coverage.all.at(-1)
    if (stored !== undefined) return stored.to
    if (this.#resumeAt !== undefined) return this.#resumeAt
    if (startBlock > 0) return startBlock
    const lowest = await source.lowestReachable(signal)
    return isHistoryEnabled ? Math.max(lowest, head - headBackfillBlocks + 1, 0) : lowest
  }

  async #check({ block, endpoint }: FetchedBlock, previous: FetchedBlock | undefined): Promise<void> {
    const below = block.height - 1
    const isNext = previous?.block.height === below
    const parent = isNext ? previous.block.id : await storedBlockId(this.options.pool, below)
    if (parent !== undefined && !parent.equals(block.parentId)) {
      throw new ForkError(below, `block ${block.height} does not continue the stored block ${below}`, endpoint)
    }
    this.#storedHead = Buffer.from(block.id)
    this.#checkedAt = performance.now()
  }

  /**
   * A chain that was rolled back may be shorter than the stored one, so that no parent mismatch
   * shows the fork.
   */
  async #inspect(tip: number, last: number, generation: number): Promise<void> {
    await this.#checkGeneration(generation)
    const head = this.options.heads.current
    if (head === undefined || head.height > Math.max(tip, last) || this.#storedHead?.equals(head.id) === true) return
    const ours = await storedBlockId(this.options.pool, head.height)
    if (ours !== undefined && !ours.equals(head.id)) {
      throw new ForkError(head.height, `the node has another block at its head ${head.height}`)
    }
    this.#storedHead = ours
  }

  /** Without new blocks no commit detects heights that an operator retries. */
  async #checkGeneration(generation: number): Promise<void> {
    const now = performance.now()
    if (now - this.#checkedAt < this.options.recheckMs) return
    this.#checkedAt = now
    const { pool, name } = this.options
    if ((await readGeneration(pool, name)) === generation) return
    throw new RetryableError('checkpoint-moved', `${name}: the stored chain was changed by another process`)
  }

  protected override async handleFork(fork: ForkError, signal: AbortSignal): Promise<BadBlockError | undefined> {
    const { pool, source, maxReorgDepth, beforeRollBack, log, metrics } = this.options
    const { settled } = await readRawCoverage(pool)
    const top = settled.at(-1)
    if (top === undefined) return undefined
    log.warn({ height: fork.height, reason: fork.message }, 'Fork detected: searching for the last common block')
    const { ancestor, depth } = await resolveFork({
      pool,
      source,
      height: fork.height,
      stored: top,
      maxDepth: maxReorgDepth,
      beforeRollBack,
      signal,
    })
    if (depth === 0) {
      const message = `${fork.message}, but the nodes have the same blocks as stored`
      const { endpoint } = fork
      if (endpoint === undefined) throw new RetryableError('wrong-parent', message)
      source.distrust(endpoint, fork.message)
      return new BadBlockError('wrong-parent', { from: fork.height + 1, to: fork.height + 2 }, message, { endpoint })
    }
    this.#resumeAt = ancestor + 1
    metrics.reorgs.inc()
    metrics.reorgDepth.set(depth)
    log.warn({ ancestor, depth }, 'Rolled back to the last common block')
    return undefined
  }

  /** @throws FatalError if the configured start is out of range */
  override async run(): Promise<void> {
    try {
      await super.run()
    } catch (error) {
      if (!(error instanceof BelowRootError)) throw error
      throw new FatalError(
        'start-out-of-reach',
        `The lowest height of the access nodes is ${error.rootHeight}. Set START_BLOCK to it or higher, ` +
          'or add a node of the older spork to CHAIN_ACCESS_NODES.',
        { cause: error },
      )
    }
  }
}
